package check_test

import (
	"context"
	"math"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/cost"
	"github.com/go-election/election/lab/check"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lab/verdict"
	"github.com/go-election/election/observe"
)

// enters enters the first section and leaves it at once.
func enters(e *election.Env, token uint64) {
	m := election.Message{Value: token}
	e.Raise(election.Event{Op: election.Entered, Msg: m})
	e.Raise(election.Event{Op: election.Exited, Msg: m})
}

// TestTokenOfAReturn: what a process does when it comes back is judged like all else.
func TestTokenOfAReturn(t *testing.T) {
	c := toys(election.Complete, 2, func(n *toy, e *election.Env, ev *election.Event) {
		switch {
		case ev.Op == election.Start:
			enters(e, 5)
			e.Send(0, ball(0))
		case ev.Op == election.Recv:
			n.n = 1
			e.Save()
		case ev.Op == election.Rejoin && n.n == 1:
			enters(e, 1)
		}
	})
	c.Algorithm.Sections, c.Initiators, c.Crashes, c.Restarts = 1, rising(2)[1:], 1, 1
	trail := fails(t, c, verdict.Tokens)
	require.Equal(t, []observe.What{observe.Start, observe.Deliver, observe.Crash, observe.Restart},
		dos(trail.Steps))
}

// TestSurvivorsWait: a process that waits forever for an answer of a crashed one is not at rest.
func TestSurvivorsWait(t *testing.T) {
	c := toys(election.Complete, 3, func(n *toy, e *election.Env, ev *election.Event) {
		lead := func() {
			e.DecideIn(1, election.Rank{ID: 3})
			e.Done()
		}
		switch {
		case ev.Op == election.Start:
			stops(e)
			e.SetTimer(1, second, second)
		case ev.Op == election.Timeout:
			lead()
			e.Send(0, ball(0))
			e.Send(1, ball(0))
		case ev.Op == election.Recv && ev.Msg.Kind == 2:
			n.n = 1
		case ev.Op == election.Recv:
			lead()
		}
	})
	live(c.Algorithm)
	c.Initiators = rising(3)[2:]
	holds(t, c)
	c.Crashes = 1
	fails(t, c, verdict.Agreement)
}

// TestTimerThatIsSetAnew: a timer that each Step sets again never runs out, so waiting for it has no end.
func TestTimerThatIsSetAnew(t *testing.T) {
	for _, anew := range []bool{true, false} {
		c := toys(election.Complete, 2, func(n *toy, e *election.Env, ev *election.Event) {
			switch {
			case ev.Op == election.Start:
				e.SetTimer(1, 10*second, 10*second)
				e.Send(0, ball(0))
			case ev.Op == election.Timeout:
				n.n = 1
			case ev.Op == election.Recv && n.n == 0:
				if anew && n.self.ID == 1 {
					e.SetTimer(1, 10*second, 10*second)
				}
				e.Send(ev.Port, ball(0))
			}
		})
		c.Initiators = rising(1)
		if anew {
			fails(t, c, verdict.Ends)
		} else {
			holds(t, c)
		}
	}
}

// TestTimerThatATimerSetsAnew: so it is where another timer of the same process sets it again.
func TestTimerThatATimerSetsAnew(t *testing.T) {
	for _, anew := range []bool{true, false} {
		c := toys(election.Complete, 2, func(n *toy, e *election.Env, ev *election.Event) {
			switch {
			case ev.Op == election.Start:
				e.SetTimer(1, second, second)
				e.SetTimer(2, 0, 10*second)
			case ev.Op == election.Timeout && ev.Timer == 2:
				e.StopTimer(1)
			case ev.Op == election.Timeout:
				e.SetTimer(1, second, second)
				if anew {
					e.SetTimer(2, 0, 10*second)
				}
			}
		})
		c.Initiators = rising(2)[1:]
		if anew {
			fails(t, c, verdict.Ends)
		} else {
			holds(t, c)
		}
	}
}

// TestNotJudged: what no run is judged by is not said to hold.
func TestNotJudged(t *testing.T) {
	never := check.Property{Name: "never", Kind: verdict.Finally,
		Holds: func(*check.State) bool { return false }}
	beats := toys(election.Complete, 1, func(_ *toy, e *election.Env, ev *election.Event) {
		if ev.Op == election.Start || ev.Op == election.Timeout {
			e.SetTimer(1, second, second)
		}
	})
	beats.Algorithm.NeverQuiesces, beats.Properties = true, []check.Property{never}
	require.False(t, judged(t, run(t, beats), "never").Known)
	beats.Delay, beats.Until = second, 5*second
	require.False(t, judged(t, run(t, beats), "never").Known)

	endless := beats
	endless.Algorithm = &election.Algorithm{Name: "endless", Topology: election.Complete,
		New: beats.Algorithm.New}
	require.False(t, judged(t, run(t, endless), verdict.Ends).Known, "it is cut off")

	for _, p := range []check.Property{
		{Name: string(verdict.Ends), Kind: verdict.Always, Holds: never.Holds},
		{Name: verdict.Ends.Text(), Kind: verdict.Always, Holds: never.Holds},
		{Name: "kind", Holds: never.Holds},
		{Name: "holds", Kind: verdict.Always},
		{Name: "kind", Kind: "often", Holds: never.Holds},
	} {
		c := toys(election.Complete, 1, func(*toy, *election.Env, *election.Event) {})
		c.Properties = []check.Property{p}
		_, err := check.Run(t.Context(), c)
		require.ErrorIs(t, err, election.ErrInput)
	}
	c := toys(election.Complete, 1, func(*toy, *election.Env, *election.Event) {})
	c.Algorithm.Sections = 65
	_, err := check.Run(t.Context(), c)
	require.ErrorContains(t, err, "65 sections")
}

// TestPanickingProperty: it does not hold.
func TestPanickingProperty(t *testing.T) {
	c := toys(election.Complete, 1, func(*toy, *election.Env, *election.Event) {})
	c.Properties = []check.Property{{Name: "well", Kind: verdict.Always,
		Holds: func(*check.State) bool { panic("ill") }}}
	require.EqualError(t, fails(t, c, "well").Reason, "it panics: ill")
}

// TestBoundOfSome: the bound on messages holds for every set of initiators.
func TestBoundOfSome(t *testing.T) {
	c := toys(election.Ring, 2, func(_ *toy, e *election.Env, ev *election.Event) {
		switch ev.Op {
		case election.Start:
			for range 10 {
				e.Send(0, ball(0))
			}
		case election.Recv:
		default:
			return
		}
		e.DecideIn(1, election.Rank{ID: 1})
		e.Done()
	})
	c.Initiators = rising(1)
	c.Algorithm.Elects = election.OneLeader
	c.Algorithm.Worst = cost.Bound{Count: func(n int) float64 { return 3 * float64(n) }}
	r := run(t, c)
	require.False(t, judged(t, r, verdict.Bounded).Holds, "the bound is broken; what was found instead: %v",
		r.Err())
}

// TestRulesThatAreOff do not end a search.
func TestRulesThatAreOff(t *testing.T) {
	c := toys(election.Complete, 1, func(n *toy, e *election.Env, ev *election.Event) {
		if ev.Op == election.Start || ev.Op == election.Timeout {
			n.n++
			n.believe(e, n.n) // to change its mind is no mistake in an algorithm that elects no leader
			enters(e, 1)
			e.SetTimer(1, 0, 0)
		}
		if n.n == 4 {
			panic("later")
		}
	})
	require.Len(t, fails(t, c, verdict.Sound).Steps, 4)
}

// TestEndlessTimer: a timer may be as long as there are numbers for, and need not run out at a multiple of
// Delay.
func TestEndlessTimer(t *testing.T) {
	c := toys(election.Complete, 1, func(n *toy, e *election.Env, ev *election.Event) {
		switch ev.Op {
		case election.Start:
			e.SetTimer(1, 5*second, math.MaxInt64)
		case election.Timeout:
			n.believe(e, uint64(ev.At/second))
		}
	})
	c.Delay, c.Until = second, 7*second
	all, _ := numbers(t, c)
	require.Equal(t, set(0, 5, 6, 7), all)
	c.ClockRates = []scenario.ClockRate{{ID: 1, Rate: 1.25}} // 5 of its seconds are 4
	all, _ = numbers(t, c)
	require.Equal(t, set(0, 5, 6, 7, 8), all)

	c = toys(election.Complete, 1, func(n *toy, e *election.Env, ev *election.Event) {
		switch ev.Op {
		case election.Start:
			e.SetTimer(1, 3*second/2, 3*second/2)
		case election.Timeout:
			n.believe(e, uint64(ev.At/(second/2)))
		}
	})
	c.Delay = second
	for _, c.Tick = range []time.Duration{0, second / 2, second / 4} { // two ticks a second are enough
		_, last := numbers(t, c)
		require.Equal(t, set(3), last)
	}
	c.Tick = second
	require.ErrorContains(t, run(t, c).Err(),
		"a timer of 1.5 units runs out between ticks of 1; give a tick that divides it")
}

// TestNoNudgeAtTheEnd: a process that is cut off at the end gets no further Start.
func TestNoNudgeAtTheEnd(t *testing.T) {
	c := toys(election.Complete, 1, func(n *toy, e *election.Env, ev *election.Event) {
		if ev.Op == election.Start {
			n.n++
			e.SetTimer(1, 10*second, 10*second)
		}
		if n.n == 2 {
			panic("asked while a timer runs")
		}
	})
	c.Delay, c.Until, c.Nudge = second, 3*second, true
	holds(t, c)
}

// counter counts to 4000 and begins again, forever: one large set of states that lead to each other.
func counter() check.Config {
	return toys(election.Complete, 1, func(n *toy, e *election.Env, ev *election.Event) {
		if ev.Op == election.Start || ev.Op == election.Timeout {
			n.n = (n.n + 1) % 4000
			e.SetTimer(1, second, second)
		}
	})
}

// TestInterruptedWalk: a search that is interrupted while it looks for endless runs returns the interruption.
func TestInterruptedWalk(t *testing.T) {
	require.Equal(t, 1, fails(t, counter(), verdict.Ends).Cycle)
	ctx, cancel := context.WithCancel(t.Context())
	c, asked := counter(), 0
	c.Properties = []check.Property{{Name: "counted", Kind: verdict.Always, Holds: func(*check.State) bool {
		if asked++; asked == 4001 {
			cancel()
		}
		return true
	}}}
	c.Workers = 1
	r, err := check.Run(ctx, c)
	require.NoError(t, err)
	require.ErrorIs(t, r.Stopped, context.Canceled)
	require.False(t, judged(t, r, verdict.Ends).Known)
}

// heavy is a Node with a large state.
type heavy struct {
	steps uint64
	all   [1000]uint64
}

func (n *heavy) State(s *election.State) {
	s.Uint64(&n.steps)
	for i := range n.all {
		s.Uint64(&n.all[i])
	}
}

func (n *heavy) Step(e *election.Env, ev *election.Event) {
	if ev.Op == election.Start || ev.Op == election.Timeout && n.steps < 8000 {
		if n.steps++; n.steps == 7000 {
			runtime.GC() // so that it is known what the collector has said last
		}
		n.all[n.steps%1000]++
		e.SetTimer(1, second, second)
	}
}

// TestMemoryOfNodes: the limit is of all that the search takes, not only of what it keeps of a state.
func TestMemoryOfNodes(t *testing.T) {
	c := toys(election.Complete, 1, nil)
	c.Algorithm.New = func(election.Setup) election.Node { return new(heavy) }
	c.MaxBytes = 7 << 20
	runtime.GC() // what earlier tests have left is not freed in the middle of the search
	r := run(t, c)
	require.ErrorIs(t, r.Stopped, check.ErrLimit)
	require.Less(t, r.States, uint64(8000))
	require.Less(t, r.Bytes, c.MaxBytes, "the states alone have not reached the limit")

	runtime.GC()
	before := check.LiveHeap()
	large := make([]byte, 64<<20)
	runtime.GC()
	require.Greater(t, check.LiveHeap()-before, int64(32<<20))
	runtime.KeepAlive(large)
}

// TestJudgeWithoutOrder: messages differ by their contents, and times by the clock.
func TestJudgeWithoutOrder(t *testing.T) {
	c := toys(election.Complete, 2, func(n *toy, e *election.Env, ev *election.Event) {
		switch {
		case ev.Op == election.Start:
			for v := range uint64(3) {
				e.Send(0, ball(2-v))
			}
		case ev.Op == election.Recv && n.self.ID == 2:
			e.Send(ev.Port, ev.Msg)
		case ev.Op == election.Recv && ev.Msg.Value > 0:
			e.Send(ev.Port, ball(ev.Msg.Value-1))
		}
	})
	c.Initiators, c.Unordered = rising(1), true
	c.Properties = []check.Property{{Name: "goes on", Kind: verdict.Finally,
		Holds: func(*check.State) bool { return false }}}
	trail := fails(t, c, "goes on")
	for k := range trail.Steps {
		_, reason := ruled(t, c.Input, trail.Steps[:k], verdict.Ends)
		require.NoError(t, reason, "after %d steps", k)
	}

	beats := toys(election.Complete, 1, func(_ *toy, e *election.Env, ev *election.Event) {
		if (ev.Op == election.Start || ev.Op == election.Timeout) && ev.At < 4*time.Second {
			e.SetTimer(1, second, second)
		}
	})
	beats.Delay, beats.Properties = second, c.Properties
	trail = fails(t, beats, "goes on")
	require.Len(t, trail.Steps, 5)
	for k := range trail.Steps {
		_, reason := ruled(t, beats.Input, trail.Steps[:k], verdict.Ends)
		require.NoError(t, reason, "after %d steps", k)
	}
}
