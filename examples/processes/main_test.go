package main

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/go-election/election"
	"github.com/go-election/election/bully"
	"github.com/go-election/election/process"
)

// asMember is set for the members of a group: this test binary then is the program.
const asMember = "RUN_AS_MEMBER"

func TestMain(m *testing.M) {
	if os.Getenv(asMember) != "" {
		main()
		return
	}
	goleak.VerifyTestMain(m)
}

// The bounds are those of examples/failover, with delays that a machine under load keeps to.
const (
	delay       = 500 * time.Millisecond
	processing  = 200 * time.Millisecond
	heartbeat   = 500 * time.Millisecond
	alive       = 3*delay + processing
	members     = 5
	turn        = delay + processing
	noticed     = turn + (heartbeat + 2*delay + processing)
	afterCrash  = noticed + alive + turn
	afterReturn = members*turn + heartbeat + turn
	patience    = 10 * (afterCrash + afterReturn)
)

// TestWithoutID: an error names the flag that is missing.
func TestWithoutID(t *testing.T) {
	err := run(0, "1,2,3", "", bully.Config{}, strings.NewReader(""), io.Discard)
	require.EqualError(t, err, "-id is missing: which of the members 1,2,3 this process is")
}

// TestState: after a restart of all members the terms go on if they are saved, and begin again if not.
func TestState(t *testing.T) {
	file := filepath.Join(t.TempDir(), "state")
	for _, start := range []struct{ file, first string }{
		{file, "2 leads in term 1"}, {file, "2 leads in term 2"}, {file, "2 leads in term 3"},
		{"", "2 leads in term 1"},
	} {
		require.Equal(t, start.first, firstLeader(t, start.file))
	}
	require.ErrorContains(t, run(2, "1,2", t.TempDir(), bully.Config{}, strings.NewReader(""), io.Discard),
		"directory")
}

// firstLeader runs the larger of two members until it names a leader, and returns that line.
func firstLeader(t *testing.T, state string) (line string) {
	t.Helper()
	in, end := io.Pipe()
	lines, out := io.Pipe()
	ended := make(chan error, 1)
	go func() { ended <- run(2, "1,2", state, bully.Config{Heartbeat: heartbeat}, in, out) }()
	go func() { _, _ = io.WriteString(end, "1 127.0.0.1:1\n") }()
	for said := bufio.NewScanner(lines); !strings.Contains(line, " leads ") && said.Scan(); {
		line = said.Text()
	}
	go func() { _, _ = io.Copy(io.Discard, lines) }()
	require.NoError(t, end.Close())
	require.NoError(t, <-ended)
	require.NoError(t, out.Close())
	return line
}

// TestProcesses: five processes of the operating system elect over sockets. The leader is killed
// and comes back without its state, then a follower.
func TestProcesses(t *testing.T) {
	g := newGroup(t)
	for id := 1; id <= members; id++ {
		g.start(id)
	}
	began := time.Now()
	for id := 1; id <= members; id++ {
		g.introduce(id)
	}
	g.agree("all begin", 5, began, afterReturn)

	for _, step := range []struct{ id, next int }{{5, 4}, {2, 5}} {
		began = time.Now()
		g.kill(step.id)
		g.agree(fmt.Sprint(step.id, " is killed"), step.next, began, afterCrash)

		g.start(step.id)
		for id := range g.up {
			if id != step.id {
				g.up[id].meet(g.up[step.id])
				g.wait(id, fmt.Sprintf("knows %d %s", step.id, g.up[step.id].addr))
			}
		}
		began = time.Now()
		g.introduce(step.id)
		g.agree(fmt.Sprint(step.id, " is back"), 5, began, afterReturn)
	}
}

// group is a set of processes, all but those that have been killed.
type group struct {
	*testing.T
	up       map[int]*child
	believes map[int]string // the leader that each process that is up has named last
	news     chan news
	over     chan struct{}
	log      strings.Builder
	giveUp   <-chan time.Time
}

type child struct {
	id    int
	addr  string
	cmd   *exec.Cmd
	stdin io.WriteCloser
	ended chan struct{}
}

type news struct {
	from *child
	text string
}

func newGroup(t *testing.T) *group {
	t.Helper()
	g := &group{T: t, up: make(map[int]*child), believes: make(map[int]string), news: make(chan news),
		over: make(chan struct{}), giveUp: time.After(patience)}
	t.Cleanup(func() {
		close(g.over)
		for id := range g.up {
			g.kill(id)
		}
	})
	return g
}

// start starts a process and waits until it listens.
func (g *group) start(id int) {
	g.Helper()
	c := &child{id: id, ended: make(chan struct{})}
	c.cmd = exec.Command(os.Args[0], "-id", fmt.Sprint(id), "-of", "1,2,3,4,5",
		"-delay", delay.String(),
		"-processing", processing.String(), "-heartbeat", heartbeat.String())
	c.cmd.Env = append(os.Environ(), asMember+"=1")
	var err error
	c.stdin, err = c.cmd.StdinPipe()
	require.NoError(g, err)
	out, err := c.cmd.StdoutPipe()
	require.NoError(g, err)
	c.cmd.Stderr = c.cmd.Stdout // the same pipe
	require.NoError(g, c.cmd.Start())
	g.up[id] = c
	go func() {
		defer close(c.ended)
		for lines := bufio.NewScanner(out); lines.Scan(); {
			select {
			case g.news <- news{c, lines.Text()}:
			case <-g.over:
			}
		}
		_ = c.cmd.Wait()
	}()
	c.addr = strings.TrimPrefix(g.wait(id, "listens "), "listens ")
}

// meet gives a process the address of another one.
func (c *child) meet(of *child) { _, _ = fmt.Fprintln(c.stdin, of.id, of.addr) }

// introduce gives a process the addresses of all others, upon which it begins.
func (g *group) introduce(id int) {
	for other := range g.up {
		if other != id {
			g.up[id].meet(g.up[other])
		}
	}
}

// kill kills a process, which can do nothing about it.
func (g *group) kill(id int) {
	c := g.up[id]
	delete(g.up, id)
	delete(g.believes, id)
	_ = c.cmd.Process.Kill()
	for {
		select {
		case n := <-g.news:
			g.note(n)
		case <-c.ended:
			return
		}
	}
}

// note notes what a process has said.
func (g *group) note(n news) {
	fmt.Fprintf(&g.log, "%s process %d: %s\n", time.Now().Format("05.000"), n.from.id, n.text)
	if strings.Contains(n.text, " leads in term ") && g.up[n.from.id] == n.from {
		g.believes[n.from.id] = n.text
	}
}

// hear takes in one line. It returns false if none comes before enough.
func (g *group) hear(enough <-chan time.Time) (n news, ok bool) {
	g.Helper()
	select {
	case n = <-g.news:
		g.note(n)
		return n, true
	case <-enough:
	case <-g.giveUp:
		g.Fatalf("no end; what was said:\n%s", g.log.String())
	}
	return n, false
}

// wait waits until a process says something that begins like this.
func (g *group) wait(id int, begins string) string {
	g.Helper()
	for {
		if n, _ := g.hear(nil); n.from == g.up[id] && strings.HasPrefix(n.text, begins) {
			return n.text
		}
	}
}

// agree waits until all that are up say that a process leads, in one Term, and no message under
// way changes that any more.
func (g *group) agree(what string, leader int, began time.Time, bound time.Duration) {
	g.Helper()
	fmt.Fprintln(&g.log, what)
	var at time.Time
	for {
		var settled <-chan time.Time
		if g.agrees(leader) {
			if at.IsZero() {
				at = time.Now()
			}
			settled = time.After(turn)
		} else {
			at = time.Time{}
		}
		if _, ok := g.hear(settled); !ok {
			break
		}
	}
	took := at.Sub(began)
	g.Logf("%s: %s, agreed after %v of at most %v", what, g.believes[leader], took, bound)
	require.LessOrEqual(g, took, bound, g.log.String())
}

func (g *group) agrees(leader int) bool {
	if !strings.HasPrefix(g.believes[leader], fmt.Sprint(leader, " leads ")) {
		return false
	}
	for id := range g.up {
		if g.believes[id] != g.believes[leader] {
			return false
		}
	}
	return true
}

// TestBadInput: what is wrong with the addresses ends the process, as does the end of them.
func TestBadInput(t *testing.T) {
	for in, want := range map[string]string{
		"":                         "",
		"2\n":                      `"2" is not a member and its address`,
		"2 here\n":                 `not an ip:port`,
		"2 127.0.0.1:1\n":          "",
		strings.Repeat("2", 1<<17): "token too long",
	} {
		err := run(1, "1,2", "", bully.Config{}, strings.NewReader(in), io.Discard)
		if want == "" {
			require.NoError(t, err)
		} else {
			require.ErrorContains(t, err, want)
		}
	}
}

// TestFailure: a process that fails does not wait for more input.
func TestFailure(t *testing.T) {
	conn, err := net.ListenUDP("udp4", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
	require.NoError(t, err)
	transport := newUDP(conn)
	members, err := membersOf(1, "1,2")
	require.NoError(t, err)
	process, err := process.New(process.Config{Algorithm: bully.Algorithms()[0], Self: election.Rank{ID: 1},
		Peers: members, Transport: transport})
	require.NoError(t, err)
	require.NoError(t, transport.Close())
	in, out := io.Pipe()
	read := make(chan error, 1)
	go func() {
		_, err := fmt.Fprintln(out, "2 127.0.0.1:1")
		read <- err
	}()
	require.ErrorIs(t, takePart(process, 1, transport, in, speaker(io.Discard)), election.ErrClosed)
	require.NoError(t, <-read)
	require.NoError(t, out.Close())
}
