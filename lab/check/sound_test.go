package check_test

import (
	"sort"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/catalog"
	"github.com/go-election/election/cost"
	"github.com/go-election/election/lab/check"
	"github.com/go-election/election/lab/verdict"
	"github.com/go-election/election/observe"
)

// TestReducedOrderOfTimers: which of two processes sets its timer first decides what happens, so neither
// step may be left out, whichever of them is the first to be looked at.
func TestReducedOrderOfTimers(t *testing.T) {
	for _, victim := range rising(2) {
		c := toys(election.Ring, 2, func(n *toy, e *election.Env, ev *election.Event) {
			switch {
			case ev.Op == election.Start:
				e.Send(election.Clockwise, ball(0))
			case ev.Op == election.Recv && ev.Msg.Value == 0:
				e.SetTimer(1, second, second)
			case ev.Op == election.Timeout:
				n.n = 1
				e.Send(election.Clockwise, ball(1))
			case ev.Op == election.Recv && n.n == 0 && n.self.ID == victim:
				panic("the other's timer was first")
			}
		})
		c.Started = true
		full := fails(t, c, verdict.Sound)
		c.Reduce = true
		require.Len(t, fails(t, c, verdict.Sound).Steps, len(full.Steps))
	}
}

// sound is the property that Nodes do nothing they must not.

// TestReducedOrderOfEntries: so it is with sections that two processes enter.
func TestReducedOrderOfEntries(t *testing.T) {
	for _, first := range rising(2) {
		c := toys(election.Ring, 2, func(n *toy, e *election.Env, ev *election.Event) {
			switch ev.Op {
			case election.Start:
				e.Send(election.Clockwise, ball(0))
			case election.Recv:
				token := uint64(1)
				if n.self.ID == first {
					token = 2
				}
				e.Raise(election.Event{Op: election.Entered, Msg: election.Message{Value: token}})
				e.Raise(election.Event{Op: election.Exited, Msg: election.Message{Value: token}})
			}
		})
		c.Algorithm.Sections, c.Started = 1, true
		fails(t, c, verdict.Tokens)
		c.Reduce = true
		fails(t, c, verdict.Tokens)
	}
}

// TestBoundOfMessages: it is judged wherever messages are counted, of each Term where processes may start
// late; and the run that is shown sends too many.
func TestBoundOfMessages(t *testing.T) {
	for _, title := range []string{"lcr/participant", "echo/extinction", "inquiry/states",
		"treeelect/saturation"} {
		base, variant, _ := strings.Cut(title, "/")
		a := *find(t, base, variant, rising(3), nil)
		most := 0
		for _, c := range []check.Config{{Started: true}, {Started: true, Reduce: true}, {}, {Reduce: true}} {
			c.Input = input(&a, rising(3))
			a.Worst = cost.Bound{Count: func(int) float64 { return float64(most) }}
			if !c.Reduce { // with it the same run sends the most
				most = 1 + sort.Search(64, func(less int) bool {
					most = 1 + less
					return judged(t, run(t, c), verdict.Bounded).Holds
				})
			}
			r := holds(t, c)
			require.True(t, judged(t, r, verdict.Bounded).Known)
			if c.Started {
				require.Equal(t, most, r.Messages)
			}
			require.Greater(t, most, 3, title)

			most--
			trail := replayed(t, c, verdict.Bounded)
			property, reason := ruled(t, c.Input, trail.Steps, "")
			require.Equal(t, verdict.Bounded, property, title)
			require.EqualError(t, reason, trail.Reason.Error())
			most++

			c.Losses = 1 // nothing is promised where messages are lost
			for _, v := range run(t, c).Properties {
				require.NotEqual(t, verdict.Bounded, v.Property)
			}
		}
	}
}

// TestNoTimePasses: a run without end in which time stands still is one, unless time might go on.
func TestNoTimePasses(t *testing.T) {
	zeno := toys(election.Complete, 1, func(_ *toy, e *election.Env, ev *election.Event) {
		if ev.Op == election.Start || ev.Op == election.Timeout {
			e.SetTimer(1, 0, 0)
		}
	})
	zeno.Delay, zeno.Until = second, 3*second
	require.Equal(t, []observe.What{observe.Start, observe.Timeout}, dos(fails(t, zeno, verdict.Ends).Steps))

	c := toys(election.Complete, 2, pingPong(nil)) // time ends it
	c.Initiators, c.Delay, c.Until = rising(1), second, 3*second
	holds(t, c)
}

// TestTooMuch: what does not fit is said not to, and is neither a violation nor right.
func TestTooMuch(t *testing.T) {
	for want, do := range map[string]func(*toy, *election.Env, *election.Event){
		"messages on a link that does not keep the order": func(n *toy, e *election.Env, ev *election.Event) {
			for i := uint64(0); ev.Op == election.Start && n.self.ID == 1 && i < 300; i++ {
				e.Send(election.Clockwise, ball(i))
			}
		},
		"timers run simultaneously": func(_ *toy, e *election.Env, ev *election.Event) {
			for i := 1; ev.Op == election.Start && i <= 130; i++ {
				e.SetTimer(uint8(i), second, second)
			}
		},
	} {
		c := toys(election.Ring, 2, do)
		c.Unordered, c.Started = true, true
		for _, c.Workers = range []int{1, 2} {
			r := run(t, c)
			require.ErrorIs(t, r.Err(), check.ErrTooLarge, want)
			require.ErrorContains(t, r.Err(), want)
			require.Nil(t, r.Counterexample, want)
			require.False(t, r.Exhausted, want)
		}
	}
}

// TestPanicByChance: what chance had brought when a Node panicked is part of the counterexample.
func TestPanicByChance(t *testing.T) {
	c := toys(election.Complete, 1, func(_ *toy, e *election.Env, ev *election.Event) {
		if ev.Op == election.Start && e.Choose(3)+e.Choose(2) == 3 {
			panic("three")
		}
	})
	require.Equal(t, []int{2, 1}, fails(t, c, verdict.Sound).Steps[0].Choices)
}

// TestStartAfterReturn: a process that crashes before its Start may get it after it has come back.
func TestStartAfterReturn(t *testing.T) {
	c := toys(election.Complete, 2, func(n *toy, e *election.Env, ev *election.Event) {
		switch ev.Op {
		case election.Rejoin:
			n.n = 1
		case election.Start:
			n.believe(e, 1+n.n)
		}
	})
	c.Initiators, c.Crashes, c.Recoveries = rising(1), 1, 1
	c.Properties = []check.Property{believes(verdict.Always, "never anew",
		func(n election.ID) bool { return n < 2 })}
	require.Equal(t, []observe.What{observe.Crash, observe.Recover, observe.Start},
		dos(replayed(t, c, "never anew").Steps))
}

// TestNearestEndlessRun: of two runs without end the one that begins earlier is shown, with its shortest
// cycle.
func TestNearestEndlessRun(t *testing.T) {
	for _, far := range []int{0, 1} {
		c := toys(election.Complete, 2, func(_ *toy, e *election.Env, ev *election.Event) {
			switch {
			case ev.Op == election.Start && e.Choose(2) == far:
				e.Send(0, ball(5))
			case ev.Op == election.Start:
				e.Send(0, ball(1))
			case ev.Op == election.Recv:
				e.Send(0, ball(max(1, ev.Msg.Value-1)))
			}
		})
		c.Initiators = rising(1)
		trail := fails(t, c, verdict.Ends)
		require.Equal(t, 1, trail.Cycle)
		require.Equal(t, []observe.What{observe.Start, observe.Deliver, observe.Deliver}, dos(trail.Steps))
		require.Equal(t, []int{1 - far}, trail.Steps[0].Choices)
	}
}

// TestNoInitiators: in an election without initiators nothing happens, and that is right.
func TestNoInitiators(t *testing.T) {
	for _, a := range catalog.All() {
		if a.Winner != election.LargestOfInitiators && a.Winner != election.LargestOfAll ||
			a.Topology != election.Ring {
			continue
		}
		for _, adjust := range []func(c *check.Config){
			func(c *check.Config) { c.Initiators = []election.ID{} },
			func(c *check.Config) { c.Initiators, c.Crashed = rising(1), rising(1) },
		} {
			c := check.Config{Input: input(a, rising(3))}
			adjust(&c)
			r := run(t, c)
			require.NoError(t, r.Err(), a.Title())
			for _, v := range r.Properties {
				require.NotEqual(t, verdict.Sometimes, v.Kind, a.Title())
			}
		}
	}
}
