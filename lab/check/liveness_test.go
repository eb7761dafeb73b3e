package check_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/lab/check"
	"github.com/go-election/election/lab/verdict"
	"github.com/go-election/election/observe"
)

// pingPong sends a ball to and fro between 1 and 2, until a process hears of an end.
func pingPong(stop toyStep) toyStep {
	return func(n *toy, e *election.Env, ev *election.Event) {
		switch {
		case ev.Op == election.Start && n.self.ID == 1:
			e.Send(0, ball(0)) // on a complete graph port 0 of 1 leads to 2, and that of 2 to 3 or to 1
		case ev.Op == election.Recv && ev.Msg.Kind == 2:
			n.n = 1
		case ev.Op == election.Recv && n.n == 0:
			e.Send(ev.Port, ball(0))
		case stop != nil:
			stop(n, e, ev)
		}
	}
}

// stops sends word to all others.
func stops(e *election.Env) {
	for port := range election.Port(e.Ports()) {
		e.Send(port, election.Message{Kind: 2})
	}
}

// TestPingPong: a run without end is found, with the way there and the cycle.
func TestPingPong(t *testing.T) {
	for _, unordered := range []bool{false, true} {
		c := toys(election.Complete, 2, pingPong(nil))
		c.Initiators, c.Unordered = rising(1), unordered
		trail := fails(t, c, verdict.Ends)
		require.Equal(t, 1, trail.Cycle)
		require.Equal(t, []observe.What{observe.Start, observe.Deliver, observe.Deliver}, dos(trail.Steps))
		require.Equal(t, []election.ID{1, 2, 1}, []election.ID{trail.Steps[0].Process, trail.Steps[1].Process,
			trail.Steps[2].Process})
		c.Reduce = true
		require.Equal(t, trail.Property, fails(t, c, verdict.Ends).Property)
	}
}

// TestUnfairRuns: a run in which something that can happen never does is none.
func TestUnfairRuns(t *testing.T) {
	byStart := pingPong(func(n *toy, e *election.Env, ev *election.Event) {
		if ev.Op == election.Start && n.self.ID == 3 {
			stops(e)
		}
	})
	byTimer := pingPong(func(n *toy, e *election.Env, ev *election.Event) {
		switch {
		case ev.Op == election.Start && n.self.ID == 3:
			e.SetTimer(1, second, 2*second)
		case ev.Op == election.Timeout:
			stops(e)
		}
	})
	for name, do := range map[string]func(*toy, *election.Env, *election.Event){"start": byStart,
		"timer": byTimer} {
		for _, c := range []check.Config{{}, {Started: true}, {Unordered: true}, {Reduce: true},
			{Started: true, Reduce: true}} {
			c.Input = toys(election.Complete, 3, do).Input
			r := holds(t, c, name)
			require.Equal(t, -1, r.Longest)
			require.Equal(t, -1, r.Messages)
			if c.Reduce { // which of the cycles are fair is known from all steps only, and those it has taken
				c.Reduce = false
				require.Equal(t, run(t, c).States, r.States, name)
			}
		}
		c := toys(election.Complete, 3, do)
		c.Initiators = []election.ID{1, 2} // no process stops the other two
		fails(t, c, verdict.Ends)
		c.Initiators, c.Losses = nil, 2 // word may be lost, to both
		trail := fails(t, c, verdict.Ends)
		require.Contains(t, dos(trail.Steps[:trail.Cycle]), observe.Lose, name)
		require.NotContains(t, dos(trail.Steps[trail.Cycle:]), observe.Lose, name)
	}
}

// TestRestlessTimer: so is a run that never ends because of a timer.
func TestRestlessTimer(t *testing.T) {
	c := toys(election.Complete, 1, func(_ *toy, e *election.Env, ev *election.Event) {
		if ev.Op == election.Start || ev.Op == election.Timeout {
			e.SetTimer(1, second, second)
		}
	})
	require.Equal(t, []observe.What{observe.Start, observe.Timeout}, dos(fails(t, c, verdict.Ends).Steps))
	c.Delay = second
	r := run(t, c)
	require.ErrorIs(t, r.Err(), check.ErrTooLarge) // no violation: the verdict is open
	require.ErrorContains(t, r.Err(), "more than 250 ticks")
	require.False(t, r.Exhausted)
	c.Until = 5 * second
	holds(t, c)
	c.Algorithm.NeverQuiesces, c.Delay, c.Until = true, 0, 0
	holds(t, c) // it says so
	c.Delay = second
	_, err := check.Run(t.Context(), c)
	require.ErrorIs(t, err, election.ErrInput)
}

// TestWaitsForEver: an election that stands still is found, in the state in which it does.
func TestWaitsForEver(t *testing.T) {
	c := toys(election.Ring, 3, func(_ *toy, e *election.Env, ev *election.Event) {
		if ev.Op == election.Start {
			e.Send(election.Clockwise, ball(0))
		}
	})
	c.Algorithm.Winner, c.Algorithm.Elects = election.LargestOfAll, election.Successors
	trail := fails(t, c, verdict.Agreement)
	require.ErrorIs(t, trail.Reason, verdict.ErrNoLeader)
	require.Len(t, trail.Steps, 6)
	require.Equal(t, len(trail.Steps), trail.Cycle)
}

// TestTwoRings: a cycle of some is fair only if the others have come to rest, or go on too.
func TestTwoRings(t *testing.T) {
	pairs := func(n *toy, e *election.Env, ev *election.Event) {
		other := election.Port(e.Ports()) - 1 // 1 and 4
		switch {
		case ev.Op == election.Start && n.self.ID == 1:
			e.Send(other, ball(0))
		case ev.Op == election.Start && n.self.ID == 2:
			e.Send(0, ball(1)) // to 3, which believes and is silent
		case ev.Op == election.Recv && ev.Msg.Value == 0:
			e.Send(ev.Port, ball(0))
		case ev.Op == election.Recv:
			n.n = 1
		}
	}
	for _, c := range []check.Config{{}, {Reduce: true}, {Started: true, Reduce: true}} {
		c.Input = toys(election.Complete, 4, pairs).Input
		trail := fails(t, c, verdict.Ends)
		for _, s := range trail.Steps[trail.Cycle:] {
			require.Contains(t, []election.ID{1, 4}, s.Process)
		}
	}
}

// TestMessagesThatWait: on a link that does not keep the order, each message arrives in the end, also while
// others go to and fro on it.
func TestMessagesThatWait(t *testing.T) {
	for _, both := range []bool{true, false} {
		c := toys(election.Complete, 2, pingPong(nil))
		game := c.Algorithm.New
		c.Algorithm.New = func(s election.Setup) election.Node {
			n := game(s).(*toy)
			play := n.do
			n.do = func(n *toy, e *election.Env, ev *election.Event) {
				play(n, e, ev)
				if both && ev.Op == election.Start {
					stops(e)
				}
			}
			return n
		}
		c.Initiators, c.Unordered = rising(1), true
		if both {
			holds(t, c)
		} else {
			fails(t, c, verdict.Ends)
		}
	}
}

// TestNoEndAtTheEnd: what continues forever at the end of time is cut off there, and before it is not.
func TestNoEndAtTheEnd(t *testing.T) {
	for _, unit := range []time.Duration{1, second} {
		for from, want := range map[time.Duration]verdict.Property{unit: "", 0: verdict.Ends} {
			c := toys(election.Complete, 1, func(_ *toy, e *election.Env, ev *election.Event) {
				switch {
				case ev.Op == election.Start:
					e.SetTimer(1, from, from)
				case ev.Op == election.Timeout:
					e.SetTimer(1, 0, 0)
				}
			})
			c.Delay, c.Until = unit, unit
			if want == "" {
				holds(t, c, unit)
				continue
			}
			fails(t, c, want)
			c.Crashes = 1 // which need not come, and so ends no run
			fails(t, c, want)
			c.Until = 0
			fails(t, c, want)
		}
	}
}

// TestMessagesOfTimers: a step of a timer delivers no message, and so is none of those of a run.
func TestMessagesOfTimers(t *testing.T) {
	c := toys(election.Complete, 1, func(_ *toy, e *election.Env, ev *election.Event) {
		if ev.Op == election.Init {
			e.SetTimer(1, second, second)
		}
	})
	c.Started = true
	r := holds(t, c)
	require.Equal(t, 1, r.Longest)
	require.Equal(t, 0, r.Messages)
}

// TestNearestCycle: of all runs without end that one is shown which begins the earliest, also where the walk
// through all states meets it last.
func TestNearestCycle(t *testing.T) {
	for name, far := range map[string]uint64{"one cycle, from its other end": 11, "another cycle": 20} {
		next := map[uint64]uint64{1: 2, 2: far, 10: 11, 11: 10, 20: 21, 21: 20}
		for choice, first := range [][2]uint64{{1, 10}, {10, 1}} {
			c := toys(election.Complete, 1, func(n *toy, e *election.Env, ev *election.Event) {
				switch ev.Op {
				case election.Start:
					n.n = first[e.Choose(2)]
				case election.Timeout:
					n.n = next[n.n]
				default:
					return
				}
				e.SetTimer(1, second, second)
			})
			trail := fails(t, c, verdict.Ends)
			require.Equal(t, 1, trail.Cycle, name)
			require.Len(t, trail.Steps, 3)
			require.Equal(t, []int{1 - choice}, trail.Steps[0].Choices)
		}
	}
}

// TestCutOff: where time was not to go on, it is open whether a run would have ended.
func TestCutOff(t *testing.T) {
	for _, unit := range []time.Duration{1, second} {
		for until, known := range map[time.Duration]bool{unit: false, 2 * unit: true} {
			c := toys(election.Complete, 1, func(_ *toy, e *election.Env, ev *election.Event) {
				if ev.Op == election.Start {
					e.SetTimer(1, 2*unit, 2*unit)
				}
			})
			c.Delay, c.Until = unit, until
			require.Equal(t, known, judged(t, holds(t, c), verdict.Ends).Known, until)
		}
	}
}
