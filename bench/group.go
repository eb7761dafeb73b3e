package main

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"

	"github.com/go-election/election/bench/internal/member"
)

// group is the members of one system, each a process.
type group struct {
	command   func(self int) []string // of a member
	addresses []string
	procs     [members]*proc
	server    *proc
	heard     chan word
	leader    int
}

// proc is a process that prints lines.
type proc struct {
	*exec.Cmd
	in      io.Writer
	reports chan string // lines that answer member.Report
}

// word is a line printed by a member.
type word struct {
	member int
	text   string
	at     time.Time
}

// newGroup returns a group with free addresses, without members.
func newGroup() (*group, error) {
	g := &group{heard: make(chan word, 10_000), leader: -1}
	for range members {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return nil, err
		}
		g.addresses = append(g.addresses, l.Addr().String())
		defer l.Close()
	}
	return g, nil
}

// start starts all members of a system, and the server that they need.
func (o *options) start(s *system) (*group, error) {
	g, err := newGroup()
	if err != nil {
		return nil, err
	}
	address := ""
	if s.server != "" {
		lines := make(chan word, 1)
		if g.server, err = spawn(lines, 0, []string{o.command(s.server)}); err != nil {
			return nil, err
		}
		address = (<-lines).text
	}
	g.command = func(self int) []string {
		return append([]string{o.command(s.program), "-self", fmt.Sprint(self), "-members",
			strings.Join(g.addresses, ","), "-server", address}, s.args...)
	}
	return g, g.fill()
}

// fill starts the members that are down.
func (g *group) fill() (err error) {
	for i, p := range g.procs {
		if p == nil {
			if g.procs[i], err = spawn(g.heard, i, g.command(i)); err != nil {
				return err
			}
		}
	}
	return nil
}

// spawn starts a process, whose lines go to heard.
func spawn(heard chan<- word, self int, command []string) (*proc, error) {
	cmd := exec.Command(command[0], command[1:]...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if os.Getenv("VERBOSE") != "" {
		cmd.Stderr = os.Stderr
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	p := &proc{cmd, in, make(chan string, 1)}
	go func() {
		for lines := bufio.NewScanner(out); lines.Scan(); {
			if report, ok := strings.CutPrefix(lines.Text(), member.Report+" "); ok {
				p.reports <- report
			} else {
				heard <- word{self, lines.Text(), time.Now()}
			}
		}
	}()
	return p, nil
}

// stop ends all processes.
func (g *group) stop() {
	for _, p := range append(g.procs[:], g.server) {
		if p != nil {
			_ = p.Process.Signal(syscall.SIGTERM) // elect lead takes its worker along, a server its files
		}
	}
	for _, p := range append(g.procs[:], g.server) {
		if p != nil {
			kill := time.AfterFunc(3*time.Second, func() { _ = p.Process.Kill() })
			_ = p.Wait()
			kill.Stop()
		}
	}
}

// awaitLeader waits until a member other than the current leader leads.
func (g *group) awaitLeader() (word, error) {
	for timer := time.NewTimer(patience); ; {
		select {
		case w := <-g.heard:
			if strings.HasPrefix(w.text, "leads") && w.member != g.leader {
				g.leader = w.member
				return w, nil
			}
		case <-timer.C:
			return word{}, fmt.Errorf("no other member leads after %v", patience)
		}
	}
}

// patience is the longest that a group is without a leader.
const patience = time.Minute

// calm waits until nothing happens for a while, and returns how often the leader has changed by itself: on a machine
// that stalls, its lease expires.
func (g *group) calm(settle time.Duration) (changes int, err error) {
	leads := true
	for began := time.Now(); time.Since(began) < patience; {
		select {
		case w := <-g.heard:
			switch {
			case strings.HasPrefix(w.text, "leads"):
				g.leader, leads = w.member, true
				changes++
			case w.text == "stopped" && w.member == g.leader:
				leads = false
			}
		case <-time.After(settle):
			if leads {
				return changes, nil
			}
		}
	}
	return 0, fmt.Errorf("no member leads for long in %v", patience)
}

// next is the member that follows the leader.
func (g *group) next() int { return (g.leader + 1) % members }
