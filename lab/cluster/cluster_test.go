package cluster_test

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/go-election/election"
	"github.com/go-election/election/elector"
	"github.com/go-election/election/lab/cluster"
)

// runAs is what this test binary does instead of running tests: it is a member, or starts a cluster.
const runAs = "RUN_AS"

func TestMain(m *testing.M) {
	switch os.Getenv(runAs) {
	case "":
		goleak.VerifyTestMain(m)
	case "member":
		if err := cluster.Member(context.Background(), os.Stdin, os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	case "parent":
		parent()
	case "mute": // it takes orders, and reports nothing
		_, _ = io.Copy(io.Discard, os.Stdin)
	}
}

// itself starts this test binary as a member.
func itself() *exec.Cmd {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), runAs+"=member")
	return cmd
}

var times = elector.Times{Lease: 250 * time.Millisecond}

func TestParse(t *testing.T) {
	for script, want := range map[string]string{
		"jump":              `line 1: "jump" is not one of kill, term, stop, cont, cut, heal, restart, transfer, resign, sleep, wait, expect`,
		"\n# no step\nkill": `line 3: kill: "" is not a member, leader or all`,
		"kill ab":           `line 1: kill: "ab" is not a member, leader or all`,
		"transfer":          `line 1: transfer: "" is not a member`,
		"transfer A":        `line 1: transfer: "A" is not a member`,
		"transfer leader":   `line 1: transfer: "leader" is not a member`,
		"sleep":             `line 1: sleep: "" is not a time above 0, as in 500ms or 2s`,
		"sleep -1s":         `line 1: sleep: "-1s" is not a time above 0, as in 500ms or 2s`,
		"resign a":          `line 1: resign: unexpected "a"`,
		"sleep 0s":          `line 1: sleep: "0s" is not a time above 0, as in 500ms or 2s`,
		"wait leader j":     `line 1: wait: "leader j" is not one of leader, no leader, agreement, leader a`,
		"wait one leader":   `line 1: wait: "one leader" is not one of leader, no leader, agreement, leader a`,
		"wait":              `line 1: wait: "" is not one of leader, no leader, agreement, leader a`,
		"kill j":            `line 1: kill: "j" is not a member, leader or all`,
		"kill A":            `line 1: kill: "A" is not a member, leader or all`,
		"transfer all":      `line 1: transfer: "all" is not a member`,
		"wait a":            `line 1: wait: "a" is not one of leader, no leader, agreement, leader a`,
		"expect leader":     `line 1: expect: "leader" is not one of one leader, no leader, agreement, leader a`,
	} {
		_, err := cluster.Parse(strings.NewReader(script))
		require.ErrorIs(t, err, election.ErrInput)
		require.ErrorContains(t, err, want)
	}
}

// TestSteps: each step reports what was done, and to which members.
func TestSteps(t *testing.T) {
	for line, want := range map[string]cluster.Step{
		"kill leader # now": {Do: "kill", To: "leader"}, "term all": {Do: "term", To: "all"},
		"stop a": {Do: "stop", To: "a"}, "cont i": {Do: "cont", To: "i"}, "cut b": {Do: "cut", To: "b"},
		"heal all": {Do: "heal", To: "all"}, "restart c": {Do: "restart", To: "c"},
		"transfer d": {Do: "transfer", To: "d"}, "resign": {Do: "resign"},
		"sleep 1500ms": {Do: "sleep", To: "1500ms", For: 1500 * time.Millisecond},
		"sleep 1ns":    {Do: "sleep", To: "1ns", For: 1},
		"wait leader":  {Do: "wait", To: "leader"}, "wait leader b": {Do: "wait", To: "b"},
		"wait no leader": {Do: "wait", To: "no leader"}, "wait agreement": {Do: "wait", To: "agreement"},
		"expect one leader": {Do: "expect", To: "one leader"}, "expect leader i": {Do: "expect", To: "i"},
		"expect  no  leader": {Do: "expect", To: "no leader"},
		"expect agreement":   {Do: "expect", To: "agreement"},
	} {
		got, err := cluster.Parse(strings.NewReader("\n#\n" + line + "\n"))
		require.NoError(t, err, line)
		want.Line = 3
		require.Equal(t, cluster.Script{want}, got)
		text, _, _ := strings.Cut(line, " #")
		require.Equal(t, strings.Join(strings.Fields(text), " "), want.String())
	}
	require.Contains(t, cluster.Demonstration(times), "\nsleep 500ms\n", "two leases")
	require.Contains(t, cluster.Demonstration(elector.Times{}), "\nsleep 1.5s\n", "two of elector.LAN")
}

// TestJudge: two leases that overlap, and a Term that is not larger, are found in whatever order they are.
func TestJudge(t *testing.T) {
	for name, c := range map[string]struct {
		leases []cluster.Lease
		want   error
	}{
		"none": {nil, cluster.ErrNoLease},
		"one after another": {[]cluster.Lease{{Term: 1, From: 0, Until: 5}, {Term: 2, From: 5, Until: 9}},
			nil},
		"in another order": {[]cluster.Lease{{Term: 2, From: 5, Until: 9}, {Term: 1, From: 0, Until: 5}},
			nil},
		"two at once": {[]cluster.Lease{{Term: 1, From: 0, Until: 6}, {Term: 2, From: 5, Until: 9}},
			cluster.ErrTwoLeases},
		"one within another": {[]cluster.Lease{{Term: 2, From: 5, Until: 6}, {Term: 1, From: 0, Until: 9}},
			cluster.ErrTwoLeases},
		"two at once, later": {[]cluster.Lease{{Term: 1, From: 0, Until: 3}, {Term: 2, From: 3, Until: 6},
			{Term: 3, From: 5, Until: 9}}, cluster.ErrTwoLeases},
		"a smaller Term, later": {[]cluster.Lease{{Term: 1, From: 0, Until: 3}, {Term: 3, From: 3, Until: 6},
			{Term: 2, From: 6, Until: 9}}, cluster.ErrEarlyTerm},
		"the same Term again": {[]cluster.Lease{{Term: 1, From: 0, Until: 5}, {Term: 1, From: 6, Until: 9}},
			cluster.ErrEarlyTerm},
	} {
		s := cluster.Summary{Leases: c.leases}
		require.ErrorIs(t, s.Err(), c.want, name)
		require.Equal(t, c.want == nil, s.Err() == nil, name)
	}
}

// TestStart: what keeps members from starting is the error.
func TestStart(t *testing.T) {
	_, err := cluster.Start(t.Context(), cluster.Config{})
	require.ErrorIs(t, err, election.ErrInput)
	_, err = cluster.Start(t.Context(), cluster.Config{Members: 10, Command: itself})
	require.ErrorIs(t, err, election.ErrInput)
	_, err = cluster.Start(t.Context(), cluster.Config{Members: 2, Command: func() *exec.Cmd {
		return exec.Command("/no/such/program")
	}})
	require.ErrorContains(t, err, "member a: fork/exec /no/such/program")
	_, err = cluster.Start(t.Context(), cluster.Config{Members: 2, Dir: os.DevNull, Command: itself})
	require.ErrorContains(t, err, "Dir: mkdir /dev/null: not a directory")
}

// TestStartEnds: if one member does not start, the others are killed.
func TestStartEnds(t *testing.T) {
	for want, second := range map[string]*exec.Cmd{
		"no such file or directory": exec.Command("/no/such/program"),
		"member b has ended":        exec.Command(os.Args[0], "-test.run=^$"),
	} {
		first := exec.Command(os.Args[0])
		first.Env = append(os.Environ(), runAs+"=mute")
		commands := []*exec.Cmd{first, second}
		_, err := cluster.Start(t.Context(), cluster.Config{Members: 2, Plaintext: true,
			Command: func() (next *exec.Cmd) {
				next, commands = commands[0], commands[1:]
				return next
			}})
		require.ErrorContains(t, err, want)
		require.Equal(t, "signal: killed", first.ProcessState.String())
	}
}

// watched is a context that knows whether its end still has a consequence.
type watched struct {
	context.Context
	done   chan struct{}
	forgot bool
}

func (w *watched) Done() <-chan struct{} { return w.done }

func (w *watched) AfterFunc(func()) (stop func() bool) {
	return func() bool { w.forgot = true; return true }
}

// TestEndOfContext: when the context of Start ends, so does the cluster. After Close its end has no
// consequence.
func TestEndOfContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	c, err := cluster.Start(ctx, cluster.Config{Members: 1, Times: times, Plaintext: true, Command: itself})
	require.NoError(t, err)
	cancel()
	err = c.Do(t.Context(), cluster.Step{Do: "wait", To: "b"})
	require.EqualError(t, err, "cluster: it is closed")
	c.Close()
	require.Equal(t, cluster.Down, c.State().Members[0].Condition)
	require.EqualError(t, c.Do(t.Context(), cluster.Step{Do: "restart", To: "a"}), "cluster: it is closed")

	cancelled, stop := context.WithCancel(t.Context())
	stop()
	_, err = cluster.Start(cancelled, cluster.Config{Members: 1, Times: times, Command: func() *exec.Cmd {
		t.Error("a member is started")
		return itself()
	}})
	require.ErrorIs(t, err, context.Canceled)

	outlives := &watched{Context: t.Context(), done: make(chan struct{})}
	c, err = cluster.Start(outlives, cluster.Config{Members: 1, Times: times, Command: itself})
	require.NoError(t, err)
	c.Close()
	require.True(t, outlives.forgot)
}

// TestUnexpectedEnd: a member that ends without an order is an event, with its last words.
func TestUnexpectedEnd(t *testing.T) {
	events := make(chan cluster.Event, 100)
	c, err := cluster.Start(t.Context(), cluster.Config{Members: 1, Times: times, Plaintext: true,
		Command: itself,
		Observe: func(e cluster.Event) { events <- e }})
	require.NoError(t, err)
	defer c.Close()
	process, err := os.FindProcess(c.State().Members[0].PID)
	require.NoError(t, err)
	require.NoError(t, process.Kill())
	for e := range events {
		if e.What == "ended" {
			require.Equal(t, "a", e.Member)
			require.Equal(t, "signal: killed", e.Text)
			return
		}
	}
}

// TestEvents: each event is a line.
func TestEvents(t *testing.T) {
	const at = 1234 * time.Millisecond
	for want, e := range map[string]cluster.Event{
		"  1.234 s  b leads in Term 7, 99.9 ms after kill": {What: "leads", Member: "b", Term: 7,
			After: "kill",
			Gap:   99900 * time.Microsecond},
		"  1.234 s  b leads in Term 8, 100 ms after kill": {What: "leads", Member: "b", Term: 8,
			After: "kill",
			Gap:   100 * time.Millisecond},
		"  1.234 s  b leads in Term …637377":        {What: "leads", Member: "b", Term: 459634349637377, Gap: time.Second},
		"  1.234 s  b leads no more":                {What: "ends", Member: "b"},
		"  1.234 s  b has ended: exit status 1 why": {What: "ended", Member: "b", Text: "exit status 1 why"},
		"  1.234 s  kill b":                         {What: "kill", Member: "b"},
		"  1.234 s  resign":                         {What: "resign"},
	} {
		e.At = at
		require.Equal(t, want, e.String())
	}
}

// TestSummaryText: the leases are a table, and the verdict stands below.
func TestSummaryText(t *testing.T) {
	s := cluster.Summary{Took: 9 * time.Second, Packets: 12345, Bytes: 1234567, Leases: []cluster.Lease{
		{Member: "a", Term: 1, From: time.Second, Until: 3 * time.Second},
		{Member: "b", Term: 2, From: 3700 * time.Millisecond, Until: 5 * time.Second, After: "kill",
			Gap: 612 * time.Millisecond},
		{Member: "c", Term: 4, From: 5500 * time.Millisecond, Until: 9 * time.Second,
			Gap: 500 * time.Millisecond},
	}}
	require.Equal(t, `leader  Term  from     until    began after
a       1     1.000 s  3.000 s  -
b       2     3.700 s  5.000 s  kill + 612 ms
c       4     5.500 s  9.000 s  500 ms without a leader

3 leases in 9.000 s: 12,345 packets, 1,234,567 bytes; no two leases were valid at once
`, s.Text())
	s.Leases = s.Leases[:1]
	s.Leases[0].Gap = 1
	require.Contains(t, s.Text(), "  0.0 ms without a leader\n\n1 lease in 9.000 s")
	s.Leases = append(s.Leases, cluster.Lease{Member: "b", Term: 1, From: 4 * time.Second})
	require.Contains(t, s.Text(),
		"bytes; a later lease has a smaller Term: a in Term 1, then b in Term 1\n")
}
