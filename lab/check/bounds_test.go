package check_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/lab/check"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lab/verdict"
	"github.com/go-election/election/lcr"
)

// TestMemoryOfWalk: the walk for runs without end needs 24 bytes a state, and 4 a Term where messages are
// counted for each. Where these are too many the search says so.
func TestMemoryOfWalk(t *testing.T) {
	for started, perState := range map[bool]int64{false: 24 + 3*4, true: 24} {
		c := check.Config{Input: input(lcr.Participant(), rising(3)), Started: started, Workers: 1}
		c.Nudge = started // or else every step delivers, and there is no walk
		c.SetHeap(func() int64 { return 0 })
		r := holds(t, c)
		c.MaxBytes = r.Bytes
		require.Equal(t, r.Bytes, holds(t, c).Bytes, "as many as there are")
		c.MaxBytes--
		small := run(t, c)
		require.ErrorIs(t, small.Stopped, check.ErrLimit)
		require.ErrorContains(t, small.Stopped, "too few to look for runs without end")
		require.Equal(t, perState*int64(r.States), r.Bytes-small.Bytes)
	}
}

// TestHeapAtTheLimit: a search stops where as much memory is in use as it may take.
func TestHeapAtTheLimit(t *testing.T) {
	for used, stopped := range map[int64]bool{999_999: false, 1_000_000: true} {
		c := check.Config{Input: input(lcr.Participant(), rising(1)), Workers: 1, MaxBytes: 1_000_000}
		heap := int64(0)
		c.SetHeap(func() int64 { before := heap; heap = used; return before })
		require.Equal(t, stopped, run(t, c).Stopped != nil)
	}
}

// TestSmallestLimits: a search stops at the first state, or byte, where that is the limit.
func TestSmallestLimits(t *testing.T) {
	for _, limit := range []check.Config{{MaxStates: 1}, {MaxBytes: 1}} {
		limit.Input = input(lcr.Participant(), rising(1))
		r := run(t, limit)
		require.ErrorIs(t, r.Stopped, check.ErrLimit)
		require.Equal(t, uint64(1), r.States)
	}
}

// TestShortestDelay: time is modelled with a delay of a nanosecond as with one of a second.
func TestShortestDelay(t *testing.T) {
	of := func(delay time.Duration) counts {
		c := toys(election.Complete, 2, func(_ *toy, e *election.Env, ev *election.Event) {
			if ev.Op == election.Start {
				e.SetTimer(1, delay, 2*delay)
				e.Send(0, ball(0))
			}
		})
		c.Delay = delay
		return of(holds(t, c))
	}
	require.Equal(t, of(second), of(1))
	require.NotEqual(t, of(second), of(0))
}

// TestMostParts: 256 messages of which any may be the next, and 256 timers, fit into a state.
func TestMostParts(t *testing.T) {
	for name, act := range map[string]func(e *election.Env, i uint64){
		"messages": func(e *election.Env, i uint64) { e.Send(0, ball(i)) },
		"timers":   func(e *election.Env, i uint64) { e.SetTimer(uint8(i), second, second) },
	} {
		for _, more := range []bool{false, true} {
			c := toys(election.Complete, 2, func(_ *toy, e *election.Env, ev *election.Event) {
				switch {
				case ev.Op == election.Start:
					for i := range uint64(256) {
						act(e, i)
					}
				case ev.Op == election.Init && more:
					act(e, 255) // on the link that is full then, and as a timer of the other process
				}
			})
			c.Initiators, c.Started, c.Unordered, c.MaxStates = rising(1), true, true, 10
			wanted := check.ErrLimit
			if more {
				wanted = check.ErrTooLarge
			}
			require.ErrorIs(t, run(t, c).Stopped, wanted, "%s %v", name, more)
		}
	}
}

// TestTimersOfClocks: where clocks are wrong, a timer runs out at the first tick that is not before its end.
func TestTimersOfClocks(t *testing.T) {
	for after, at := range map[time.Duration]election.ID{second - 1: 1, second: 1, second + 1: 2} {
		c := toys(election.Complete, 2, func(n *toy, e *election.Env, ev *election.Event) {
			switch ev.Op {
			case election.Start:
				e.SetTimer(1, after, after)
			case election.Timeout:
				n.believe(e, uint64(ev.At/second))
			}
		})
		c.Initiators, c.Delay = rising(1), second
		c.ClockRates = []scenario.ClockRate{{ID: 2, Rate: 2}}
		_, last := numbers(t, c)
		require.Equal(t, set(at), last, after)
	}
}

// TestLeaseAnew: a lease begins where none was valid, and where the Term is another one.
func TestLeaseAnew(t *testing.T) {
	for name, of := range map[string]struct {
		term  uint64 // of the second
		later time.Duration
		right bool
	}{
		"renewed": {2, second, true}, "later Term": {3, second, true}, "earlier Term": {1, second, false},
		"has ended": {2, 2 * second, false}, "has ended, and a later Term": {3, 2 * second, true},
	} {
		c := toys(election.Complete, 1, func(_ *toy, e *election.Env, ev *election.Event) {
			switch ev.Op {
			case election.Start:
				e.Lease(2, ev.At+2*second)
				e.SetTimer(1, of.later, of.later)
			case election.Timeout:
				e.Lease(of.term, ev.At+2*second)
			}
		})
		c.Algorithm.Elects, c.Delay, c.NoAnnouncement = election.LeaseHolders, second, true
		if of.right {
			holds(t, c, name)
		} else {
			fails(t, c, verdict.LaterTerms)
		}
	}
}

// TestMostTicks: a run may take 250 ticks, and no more.
func TestMostTicks(t *testing.T) {
	for ticks, want := range map[time.Duration]error{250: nil, 251: check.ErrTooLarge} {
		c := toys(election.Complete, 1, func(_ *toy, e *election.Env, ev *election.Event) {
			if ev.Op == election.Start {
				e.SetTimer(1, ticks*second, ticks*second)
			}
		})
		c.Delay = second
		require.ErrorIs(t, run(t, c).Stopped, want)
	}
}

// TestMostProcesses: 1024 can be checked.
func TestMostProcesses(t *testing.T) {
	for n, fits := range map[int]bool{1024: true, 1025: false} {
		c := check.Config{Input: input(lcr.Participant(), rising(n))}
		require.Equal(t, fits, c.Check() == nil)
	}
}

// TestNegativeTimes: each of the times of a Config is refused below zero, whatever the others are.
func TestNegativeTimes(t *testing.T) {
	for _, spoil := range []func(c *check.Config){
		func(c *check.Config) { c.Delay = -second }, func(c *check.Config) { c.Tick = -second },
		func(c *check.Config) { c.Window = -second }, func(c *check.Config) { c.Until = -second },
	} {
		c := check.Config{Input: input(lcr.Participant(), rising(1)), Delay: second, Tick: second,
			Window: second, Until: second}
		require.NoError(t, c.Check())
		spoil(&c)
		require.ErrorContains(t, c.Check(), "none can be negative")
	}
}

// TestIncarnations: where there are leases, an Init says which one of its process it is; elsewhere not.
func TestIncarnations(t *testing.T) {
	c := toys(election.Complete, 1, func(n *toy, e *election.Env, ev *election.Event) {
		switch ev.Op {
		case election.Init:
			n.n = ev.Msg.Value
		case election.Start, election.Rejoin:
			n.believe(e, 10+n.n)
		}
	})
	c.Delay, c.Crashes, c.Recoveries, c.Restarts = second, 3, 1, 1
	_, last := numbers(t, c)
	require.Equal(t, set(0, 10), last)
	c.Algorithm.Elects, c.NoAnnouncement = election.LeaseHolders, true
	_, last = numbers(t, c)
	require.Equal(t, set(0, 11, 12, 13), last)
}

// TestMostChoices: chance may bring 256 things in a step, and no more.
func TestMostChoices(t *testing.T) {
	for among, want := range map[int]error{256: nil, 257: check.ErrTooLarge} {
		c := toys(election.Complete, 1, func(n *toy, e *election.Env, ev *election.Event) {
			if ev.Op == election.Start {
				n.n = uint64(1 + e.Choose(among))
			}
		})
		r := run(t, c)
		require.ErrorIs(t, r.Stopped, want)
		if want == nil {
			require.Equal(t, uint64(1+among), r.States)
		}
	}
}

// TestTimeOfANotice: a process that notices a crash is given the time of the notice, with a detector and
// without, wherever the leader stands in the list of IDs.
func TestTimeOfANotice(t *testing.T) {
	for leader := range election.ID(2) {
		for _, reported := range []bool{false, true} {
			c := toys(election.Complete, 2, func(n *toy, e *election.Env, ev *election.Event) {
				switch {
				case ev.Op == election.Start:
					e.SetTimer(1, 2*second, 2*second) // for which time passes
					e.DecideIn(1, election.Rank{ID: leader + 1})
				case ev.Op == election.Suspect:
					e.DecideIn(1, election.Rank{ID: election.ID(10 + ev.At/second)})
				}
			})
			c.Algorithm.Faults = election.Faults{Crash: election.StaysDown, Reported: reported}
			c.Initiators, c.Crashes, c.Delay, c.Workers = ids(2-leader), 1, second, 1
			all := make(map[election.ID]bool)
			c.Properties = []check.Property{{Name: "all", Kind: verdict.Always,
				Holds: func(s *check.State) bool {
					all[s.Outcome(int(1-leader)).Leader.ID] = true
					return true
				}}}
			holds(t, c)
			require.Equal(t, set(0, leader+1, 10, 11, 12), all)
		}
	}
}

// TestStartThatSuspects: where a start says that the leader is down, a process that follows one starts only
// then, wherever the leader stands in the list of IDs.
func TestStartThatSuspects(t *testing.T) {
	for leader := range election.ID(2) {
		for crashes := range 2 {
			c := toys(election.Complete, 2, func(n *toy, e *election.Env, ev *election.Event) {
				switch ev.Op {
				case election.Init:
					e.DecideIn(1, election.Rank{ID: leader + 1})
				case election.Start:
					e.DecideIn(1, election.Rank{ID: 3})
				}
			})
			c.Algorithm.StartSuspects, c.Initiators, c.Crashes = true, ids(2-leader), crashes
			c.Properties = []check.Property{{Name: "started", Kind: verdict.Sometimes,
				Holds: func(s *check.State) bool { return s.Outcome(int(1-leader)).Leader.ID == 3 }}}
			require.Equal(t, crashes > 0, judged(t, run(t, c), "started").Holds)
		}
	}
}
