package check_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/lab/check"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/observe"
)

// TestAfterMostFaults: the steps before a check and its budgets have at most 1024 faults of a kind together.
func TestAfterMostFaults(t *testing.T) {
	crash := scenario.Step{Do: observe.Crash, Process: 1}
	for do, budget := range map[observe.What]func(c *check.Config) *int{
		observe.Crash:     func(c *check.Config) *int { return &c.Crashes },
		observe.Recover:   func(c *check.Config) *int { return &c.Recoveries },
		observe.Restart:   func(c *check.Config) *int { return &c.Restarts },
		observe.Lose:      func(c *check.Config) *int { return &c.Losses },
		observe.Duplicate: func(c *check.Config) *int { return &c.Duplicates },
		observe.Pause:     func(c *check.Config) *int { return &c.Pauses },
	} {
		for _, of := range []int{1023, 1024} {
			c := toys(election.Complete, 2, nil)
			c.Delay, c.After = second, []scenario.Step{crash, {Do: do, Process: 1}}
			if do == observe.Crash {
				c.After = c.After[:1]
			}
			*budget(&c) = of
			if of == 1023 {
				require.NoError(t, c.Check(), "%v", do)
			} else {
				require.ErrorContains(t, c.Check(), "have 1025 faults of a kind, at most 1024", "%v", do)
			}
		}
	}
	c := toys(election.Complete, 2, nil)
	c.Losses, c.After = check.Unlimited, []scenario.Step{{Do: observe.Lose, Process: 1}}
	require.NoError(t, c.Check())
}

// TestAfterLastMoment: the steps before a check may be at its last tick, and at its end.
func TestAfterLastMoment(t *testing.T) {
	for _, until := range []time.Duration{0, 250 * second} {
		at := 250 * second
		c := toys(election.Complete, 2, func(*toy, *election.Env, *election.Event) {})
		c.Initiators, c.Delay, c.Until = rising(1), second, until
		c.After = []scenario.Step{{Do: observe.Start, Process: 1, At: &at}}
		require.NoError(t, run(t, c).Err())
	}
}

// TestAfterAPause: a crash ends a pause, and so does its end; meanwhile what arrives may be lost.
func TestAfterAPause(t *testing.T) {
	at := func(do observe.What) scenario.Step { return scenario.Step{Do: do, Process: 1} }
	first := []scenario.Step{{Do: observe.Start, Process: 2}, at(observe.Pause)}
	for _, of := range []struct {
		then    []scenario.Step
		refused string
	}{
		{[]scenario.Step{at(observe.Crash), at(observe.Recover), at(observe.Start)}, ""},
		{[]scenario.Step{at(observe.Resume), at(observe.Deliver)}, ""},
		{[]scenario.Step{at(observe.Lose)}, ""},
		{[]scenario.Step{at(observe.Deliver)}, "do: 1 is paused, so its events wait"},
		{[]scenario.Step{at(observe.Resume), at(observe.Resume)}, "do: 1 is not paused"},
	} {
		c := toys(election.Complete, 2, func(n *toy, e *election.Env, ev *election.Event) {
			if ev.Op == election.Start && n.self.ID == 2 {
				e.Send(0, ball(0))
			}
		})
		for _, c.Delay = range []time.Duration{0, second} {
			c.After = append(first[:2:2], of.then...)
			_, err := check.Run(t.Context(), c)
			if of.refused == "" {
				require.NoError(t, err)
			} else {
				require.ErrorContains(t, err, of.refused)
			}
		}
	}
}

// TestAfterOneOfEqualMessages: a step takes that one of two equal messages which it names by its place: the
// other one has what is left of its own delay.
func TestAfterOneOfEqualMessages(t *testing.T) {
	for nth, want := range []map[election.ID]bool{set(1, 2, 3), set(1, 2)} {
		c := toys(election.Complete, 2, func(n *toy, e *election.Env, ev *election.Event) {
			switch ev.Op {
			case election.Start:
				e.SetTimer(1, second, second)
				e.Send(0, ball(0))
			case election.Timeout:
				e.Send(0, ball(0))
				e.Send(0, ball(1)) // which is not counted
			case election.Recv:
				if n.n += 1 - ev.Msg.Value; n.n == 2 && ev.Msg.Value == 0 {
					n.believe(e, uint64(ev.At/second))
				}
			}
		})
		c.Initiators, c.Unordered, c.Delay, c.Tick = ids(2), true, 2*second, second
		one := second
		c.After = []scenario.Step{{Do: observe.Start, Process: 2, At: new(time.Duration)},
			{Do: observe.Timeout, Process: 2, Timer: 1, At: &one},
			{Do: observe.Deliver, Process: 1, Nth: nth, At: &one}}
		_, last := numbers(t, c)
		require.Equal(t, want, last, nth)
	}
}

// TestAfterANotice: what is given is not taken for the start that is still to come, and a start is one.
func TestAfterANotice(t *testing.T) {
	c := toys(election.Complete, 2, func(n *toy, e *election.Env, ev *election.Event) {
		switch ev.Op {
		case election.Start:
			n.believe(e, 10+n.n)
		case election.Suspect:
			n.n = 1
			n.believe(e, 5)
		}
	})
	c.Initiators, c.Algorithm.Faults = rising(1), election.Faults{Crash: election.StaysDown, Reported: true}
	start := scenario.Step{Do: observe.Start, Process: 1}
	c.After = []scenario.Step{{Do: observe.Suspect, Process: 1}}
	all, last := numbers(t, c)
	require.Equal(t, set(5, 11), all)
	require.Equal(t, set(11), last)
	c.After = append(c.After, start)
	all, _ = numbers(t, c)
	require.Equal(t, set(11), all)
	c.After, c.Nudge = []scenario.Step{start}, true
	all, _ = numbers(t, c)
	require.Equal(t, set(10), all)
}

// TestAfterAPauseWithoutTime: where no time is modelled, a pause that has not ended keeps no process from a
// start.
func TestAfterAPauseWithoutTime(t *testing.T) {
	c := toys(election.Complete, 1, func(n *toy, e *election.Env, ev *election.Event) {
		if ev.Op == election.Start {
			n.believe(e, 7)
		}
	})
	c.After = []scenario.Step{{Do: observe.Pause, Process: 1}}
	_, last := numbers(t, c)
	require.Equal(t, set(7), last)
	require.Equal(t, uint64(2), run(t, c).States, "before the start, and after it: no end of a pause")
}

// TestAfterAPauseWithTime: where time is modelled, a process that has been paused takes its message late.
func TestAfterAPauseWithTime(t *testing.T) {
	c := toys(election.Complete, 2, func(n *toy, e *election.Env, ev *election.Event) {
		switch ev.Op {
		case election.Start:
			e.SetTimer(9, 3*second, 3*second) // for which time passes
			e.Send(0, ball(0))
		case election.Recv:
			n.believe(e, uint64(1+ev.At/second))
		}
	})
	c.Initiators, c.Delay = []election.ID{}, second
	c.After = []scenario.Step{{Do: observe.Start, Process: 2}}
	_, last := numbers(t, c)
	require.NotContains(t, last, election.ID(3))
	c.After = append(c.After, scenario.Step{Do: observe.Pause, Process: 1})
	_, last = numbers(t, c)
	require.Contains(t, last, election.ID(3))
}
