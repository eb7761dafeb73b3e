package check_test

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/lab/check"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lab/verdict"
)

// twoTimers sets two timers at once, in this order, and believes in the number of the first to run out.
func twoTimers(first, second [2]time.Duration) check.Config {
	return toys(election.Complete, 1, func(n *toy, e *election.Env, ev *election.Event) {
		switch {
		case ev.Op == election.Start:
			e.SetTimer(1, first[0], first[1])
			e.SetTimer(2, second[0], second[1])
		case ev.Op == election.Timeout && n.n == 0:
			n.n = uint64(ev.Timer)
			n.believe(e, n.n)
		}
	})
}

// TestOrderOfTimers: without time, a timer that is set earlier and cannot last longer runs out first. With
// time, they run out when they can.
func TestOrderOfTimers(t *testing.T) {
	const s = second
	for _, c := range []struct {
		name           string
		one, two       [2]time.Duration
		untimed, timed map[election.ID]bool
	}{
		{"one before two", [2]time.Duration{1 * s, 2 * s}, [2]time.Duration{3 * s, 4 * s}, set(1), set(1)},
		{"they touch", [2]time.Duration{1 * s, 2 * s}, [2]time.Duration{2 * s, 3 * s}, set(1), set(1, 2)},
		{"they overlap", [2]time.Duration{1 * s, 3 * s}, [2]time.Duration{2 * s, 4 * s}, set(1, 2),
			set(1, 2)},
		{"two before one", [2]time.Duration{3 * s, 4 * s}, [2]time.Duration{1 * s, 2 * s}, set(1, 2), set(2)},
		{"at once", [2]time.Duration{0, 0}, [2]time.Duration{0, 0}, set(1), set(1, 2)},
	} {
		in := twoTimers(c.one, c.two)
		_, last := numbers(t, in)
		require.Equal(t, c.untimed, last, c.name)
		in.Delay = second
		_, last = numbers(t, in)
		require.Equal(t, c.timed, last, c.name)
	}
}

// TestTimersOfOthers: the rule goes for timers of different processes too, since time is the same for both;
// what has been set again counts from then.
func TestTimersOfOthers(t *testing.T) {
	c := toys(election.Ring, 2, func(n *toy, e *election.Env, ev *election.Event) {
		switch {
		case ev.Op == election.Start && n.self.ID == 2:
			e.SetTimer(1, second, 2*second)
			e.Send(election.Clockwise, ball(0))
		case ev.Op == election.Recv && n.self.ID == 1:
			e.SetTimer(1, 5*second/2, 3*second)
		case ev.Op == election.Timeout && n.self.ID == 1:
			n.believe(e, 1)
		case ev.Op == election.Timeout:
			n.believe(e, 2)
		}
	})
	c.Initiators = rising(2)[1:]
	c.Properties = []check.Property{{Name: "2 before 1", Kind: verdict.Always,
		Holds: func(s *check.State) bool {
			return s.Outcome(0).Leader.ID == 0 || s.Outcome(1).Leader.ID == 2
		}}}
	holds(t, c)
	c.Delay, c.Tick = 2*second, second/2
	holds(t, c)
}

// TestTimerIsStopped: a timer that is stopped, or set again, does not run out as it was.
func TestTimerIsStopped(t *testing.T) {
	c := toys(election.Complete, 1, func(n *toy, e *election.Env, ev *election.Event) {
		switch {
		case ev.Op == election.Start:
			e.SetTimer(1, second, second)
			e.SetTimer(2, 3*second, 3*second)
			e.SetTimer(3, 2*second, 2*second)
		case ev.Op == election.Timeout && ev.Timer == 1:
			e.StopTimer(3)
			e.SetTimer(2, 5*second, 5*second)
		case ev.Op == election.Timeout:
			n.believe(e, uint64(ev.Timer)+uint64(ev.At/second)*10)
		}
	})
	c.Delay = second
	_, last := numbers(t, c)
	require.Equal(t, set(62), last)
}

// TestTicks: time passes in ticks, for a timer, a message and a start that may come late.
func TestTicks(t *testing.T) {
	c := toys(election.Complete, 1, func(n *toy, e *election.Env, ev *election.Event) {
		switch ev.Op {
		case election.Start:
			e.SetTimer(1, 0, 2*second)
		case election.Timeout:
			n.believe(e, uint64(1+ev.At/(second/4)))
		}
	})
	c.Delay = second
	require.Equal(t, uint64(1+3+3), holds(t, c).States) // before, and at 0, 1, 2: it runs, it has run out
	_, last := numbers(t, c)
	require.Equal(t, set(1, 5, 9), last)
	c.Tick = second / 2
	require.Equal(t, uint64(1+5+5), holds(t, c).States)
	c.Window = second
	_, last = numbers(t, c)
	require.Equal(t, set(1, 3, 5, 7, 9, 11, 13), last)
	c.Until = second // what runs out later is not seen
	_, all := numbers(t, c)
	require.Equal(t, set(1, 3, 5), all)
}

// TestMessagesTakeTheirTime: a message arrives within the delay, at any tick.
func TestMessagesTakeTheirTime(t *testing.T) {
	c := toys(election.Ring, 2, func(n *toy, e *election.Env, ev *election.Event) {
		switch ev.Op {
		case election.Start:
			e.Send(election.Clockwise, ball(0))
		case election.Recv:
			n.believe(e, uint64(1+ev.At/(second/4)))
		}
	})
	c.Initiators, c.Delay, c.Tick = rising(2)[1:], second, second/4
	for _, c.Unordered = range []bool{false, true} {
		_, last := numbers(t, c)
		require.Equal(t, set(1, 2, 3, 4, 5), last)
	}
}

// TestTieOfMessageAndTimer: what arrives at the very moment at which a timer must run out is heard before.
func TestTieOfMessageAndTimer(t *testing.T) {
	for _, c := range []struct {
		waits time.Duration
		want  map[election.ID]bool
	}{{2 * second, set(1)}, {7 * second / 4, set(1, 2)}} {
		in := toys(election.Complete, 2, func(n *toy, e *election.Env, ev *election.Event) {
			switch {
			case ev.Op == election.Start:
				e.SetTimer(1, c.waits, c.waits)
				e.Send(0, ball(0))
			case ev.Op == election.Recv && n.self.ID == 2:
				e.Send(0, ball(0))
			case n.n == 0 && ev.Op == election.Recv:
				n.n = 1
				n.believe(e, 1)
			case n.n == 0 && ev.Op == election.Timeout:
				n.n = 2
				n.believe(e, 2)
			}
		})
		in.Initiators, in.Delay, in.Tick = rising(1), second, second/4
		_, last := numbers(t, in)
		require.Equal(t, c.want, last, c.waits)
	}
}

// TestInput: what cannot be checked is refused.
func TestInput(t *testing.T) {
	good := func() check.Config {
		return toys(election.Complete, 2,
			func(*toy, *election.Env, *election.Event) {})
	}
	for name, change := range map[string]func(c *check.Config){
		"no ids": func(c *check.Config) { c.IDs = nil },
		"start times": func(c *check.Config) {
			c.Initiators, c.StartTimes = rising(1), []time.Duration{second}
		},
		"loss":       func(c *check.Config) { c.Faults.Loss = 0.1 },
		"many":       func(c *check.Config) { c.IDs = rising(2000); c.Topology = nil },
		"losses":     func(c *check.Config) { c.Losses = -2 },
		"duplicates": func(c *check.Config) { c.Duplicates = check.Unlimited },
		"crashes":    func(c *check.Config) { c.Crashes = 1 << 20 },
		"tick":       func(c *check.Config) { c.Tick = second },
		"window":     func(c *check.Config) { c.Window = second },
		"until":      func(c *check.Config) { c.Until = second },
		"negative":   func(c *check.Config) { c.Delay = -second },
		"uneven":     func(c *check.Config) { c.Delay, c.Tick = second, second*2/3 },
		"fine":       func(c *check.Config) { c.Delay, c.Tick = second, second/500 },
		"long":       func(c *check.Config) { c.Delay, c.Until = second, 1000*second },
	} {
		c := good()
		change(&c)
		_, err := check.Run(t.Context(), c)
		require.ErrorIs(t, err, election.ErrInput, name)
	}
	holds(t, good())
}

// TestTimersOfAllTime: timers that run out after every run are all the same, by whichever clock.
func TestTimersOfAllTime(t *testing.T) {
	for _, rate := range []float64{1, 0.5} {
		states := make(map[int]uint64)
		for _, choices := range []int{1, 2} {
			c := toys(election.Complete, 1, func(n *toy, e *election.Env, ev *election.Event) {
				switch ev.Op {
				case election.Start:
					after := 1000 * second * time.Duration(1+e.Choose(choices))
					e.SetTimer(1, after, math.MaxInt64)
				case election.Timeout:
					n.believe(e, 1)
				}
			})
			c.Delay, c.Until, c.ClockRates = second, 3*second, []scenario.ClockRate{{ID: 1, Rate: rate}}
			c.Properties = []check.Property{believes(verdict.Always, "it waits",
				func(n election.ID) bool { return n == 0 })}
			states[choices] = holds(t, c).States
		}
		require.Equal(t, states[1], states[2])
	}
}

// TestAgeless: where a message may take the whole run, its age tells no states apart.
func TestAgeless(t *testing.T) {
	states := make(map[time.Duration]uint64)
	for _, delay := range []time.Duration{second, 2 * second, 3 * second} {
		c := toys(election.Complete, 2, func(_ *toy, e *election.Env, ev *election.Event) {
			if ev.Op == election.Start {
				e.Send(0, ball(0))
			}
		})
		c.Initiators, c.Delay, c.Tick, c.Window, c.Until = rising(1), delay, second, second, 2*second
		states[delay] = holds(t, c).States
	}
	require.Equal(t, states[3*second], states[2*second])
	require.NotEqual(t, states[second], states[2*second])
}
