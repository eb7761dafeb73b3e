package check_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/lab/check"
	"github.com/go-election/election/lab/verdict"
	"github.com/go-election/election/lcr"
	"github.com/go-election/election/observe"
	"github.com/go-election/election/params"
)

// between is an algorithm of which a Step is replaced.
type between struct {
	election.Node
	step func(n election.Node, e *election.Env, ev *election.Event)
}

func (b *between) Step(e *election.Env, ev *election.Event) { b.step(b.Node, e, ev) }

func overlaidRing(t *testing.T, step func(n election.Node, e *election.Env,
	ev *election.Event)) *election.Algorithm {
	t.Helper()
	a, err := lcr.Participant().OverComplete()
	require.NoError(t, err)
	if step == nil {
		return a
	}
	b := *a
	b.New = func(s election.Setup) election.Node { return &between{a.New(s), step} }
	return &b
}

// TestDetector: where the algorithm needs a failure detector, the checker has one. A Node that ignores its
// reports fails, and the counterexample holds them.
func TestDetector(t *testing.T) {
	for _, c := range []check.Config{
		{Crashes: 1}, {Crashes: 2}, {Crashes: 1, Restarts: 1}, {Crashes: 2, Restarts: 1},
		{},
	} {
		c.Input = input(overlaidRing(t, nil), rising(2))
		if c.Crashes == 0 {
			c.Crashed = ids(1)
		}
		require.Empty(t, c.Outside())
		holds(t, c)
	}
	c := check.Config{Input: input(overlaidRing(t, nil), rising(3)), Crashes: 1}
	c.Initiators = ids(1)
	require.True(t, judged(t, holds(t, c), verdict.RightAtEnd).Known)

	c.Algorithm = overlaidRing(t, func(n election.Node, e *election.Env, ev *election.Event) {
		if ev.Op != election.Suspect {
			n.Step(e, ev)
		}
	})
	trail := replayed(t, c, verdict.Agreement)
	require.Contains(t, dos(trail.Steps), observe.Suspect)
	property, _ := ruled(t, c.Input, trail.Steps, "")
	require.Equal(t, verdict.Agreement, property)
}

// TestReports: without returns a Suspect comes once, after the last message of the crashed process. A Trust
// comes after a Suspect.
func TestReports(t *testing.T) {
	for _, restarts := range []int{0, 1} {
		ring := overlaidRing(t, nil)
		a := *ring
		a.New = func(s election.Setup) election.Node {
			return &wary{Node: ring.New(s), returns: restarts > 0}
		}
		c := check.Config{Input: input(&a, rising(3)), Crashes: 1, Restarts: restarts, MaxStates: 20_000}
		c.Initiators = ids(1)
		require.Nil(t, run(t, c).Counterexample)
	}
}

// wary is a Node that panics at a report that must not come, and at a message of a suspected process.
type wary struct {
	election.Node
	returns   bool
	suspected election.Port // 1 + the port of the process that is suspected
}

func (n *wary) Step(e *election.Env, ev *election.Event) {
	switch {
	case ev.Op == election.Init:
		n.suspected = 0
	case ev.Op == election.Suspect && n.suspected != 0:
		panic("a second suspicion")
	case ev.Op == election.Suspect:
		n.suspected = 1 + ev.Port
	case ev.Op == election.Trust && n.suspected != 1+ev.Port:
		panic("a process is trusted that was not suspected")
	case ev.Op == election.Trust:
		n.suspected = 0
	case ev.Op == election.Recv && n.suspected == 1+ev.Port && !n.returns:
		panic("a message of a suspected process")
	}
	n.Node.Step(e, ev)
}

func (n *wary) State(s *election.State) {
	s.Port(&n.suspected)
	n.Node.State(s)
}

// TestArbiterWithDetector: an arbiter whose election needs reports of crashes gets them.
func TestArbiterWithDetector(t *testing.T) {
	c := check.Config{Crashes: 1, Delay: second, MaxStates: 30_000}
	c.IDs = rising(2)
	c.Algorithm = find(t, "mutex", "arbiter", c.IDs, map[string]params.Value{"election": {Text: "lcr"}})
	require.Empty(t, c.Outside())
	r := run(t, c)
	require.Nil(t, r.Counterexample)
}

// TestStartsByReport: a process that begins an election since a crash was reported to it is one of those
// that may win it, also if it never starts.
func TestStartsByReport(t *testing.T) {
	a, err := find(t, "lcr", "initiators", rising(2), nil).OverComplete()
	require.NoError(t, err)
	c := check.Config{Input: input(a, rising(2)), Crashes: 1}
	c.Initiators = ids(2)
	require.True(t, c.Algorithm.Winner.ByStart)
	require.True(t, judged(t, holds(t, c), verdict.RightAtEnd).Known)
}
