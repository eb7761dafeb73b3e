package check_test

import (
	"fmt"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/catalog"
	"github.com/go-election/election/internal/catalogtest"
	"github.com/go-election/election/lab/check"
	"github.com/go-election/election/lab/fault"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lab/sim"
	"github.com/go-election/election/lab/verdict"
	"github.com/go-election/election/observe"
)

// stepsTo runs an election in the simulator until so much has happened, and returns the run and its steps.
func stepsTo(t *testing.T, c sim.Config, occurrences int) (*sim.Sim, []scenario.Step) {
	t.Helper()
	require.NoError(t, c.Input.Check())
	r := scenario.NewStepRecorder(&c.Input)
	count := 0
	c.Observe = func(o *observe.Occurrence) {
		count++
		r.Observe(o)
	}
	s, err := sim.New(c)
	require.NoError(t, err)
	for more := true; more && count < occurrences; {
		more = s.Step()
	}
	steps, err := r.Steps()
	require.NoError(t, err)
	return s, steps
}

// sameAs wants the first state of a check to be the present one of a run.
func sameAs(t *testing.T, s *sim.Sim, c check.Config, title string) {
	t.Helper()
	all, err := check.FirstState(c)
	require.NoError(t, err, title)
	for p, is := range all {
		require.Equal(t, s.Status(p) == sim.Down, is.Down, title)
		if is.Down {
			continue
		}
		require.Equal(t, string(new(election.State).Append(nil, s.Node(p))), is.Node, title)
		require.Equal(t, s.Outcome(p), is.Outcome, title)
		require.Equal(t, s.Ended(p), is.Ended, title)
	}
}

// TestAfterARun: after the steps of a run of any variant, with random delays and faults, each process holds
// what it holds in the simulator.
func TestAfterARun(t *testing.T) {
	done, timed := make(map[observe.What]int), 0
	for _, a := range catalog.All() {
		ids := rising(catalogtest.Fits(a, 5))
		for k := range 12 {
			in := scenario.Input{Algorithm: a, IDs: ids, Crashed: ids[len(ids)-1:],
				CrashAt:   []scenario.At{{ID: 2, Time: sim.Unit}, {ID: 3, Time: 3 * sim.Unit / 2}},
				RestartAt: []scenario.At{{ID: 2, Time: 5 * sim.Unit / 2}},
				RecoverAt: []scenario.At{{ID: 3, Time: 3 * sim.Unit}},
				Faults:    fault.Plan{Loss: 0.1}}
			if len(ids) > 4 {
				in.PauseAt = []scenario.Pause{{ID: 4, From: sim.Unit / 2, Until: 3 * sim.Unit}}
			}
			if !a.NeedsFIFO {
				in.Faults.Reorder = 0.1
			}
			if a.Faults.Copies {
				in.Faults.Duplicate = 0.1
			}
			c := check.Config{Input: scenario.Input{Algorithm: a, IDs: ids, Crashed: in.Crashed}}
			c.Unordered = !a.NeedsFIFO && k%2 == 0
			run := sim.Config{Input: in, Schedule: sim.RandomDelay, Seed: uint64(k),
				Force: a.DelayBound() > 0} // messages that are overtaken take two delays
			switch {
			case a.Elects == election.LeaseHolders: // some of its timers run out at times that no tick divides
				continue
			case a.Delay > 0 && k%3 == 0:
				run.Schedule, c.Delay, run.Input.Faults.Reorder = sim.UnitDelay, a.Delay, 0
				if a.NeverQuiesces {
					c.Until = 100 * sim.Unit
				}
				timed++
			}
			s, steps := stepsTo(t, run, 5+7*k)
			c.After = steps
			sameAs(t, s, c, fmt.Sprintf("%s, %d", a.Title(), k))
			for i := range steps {
				done[steps[i].Do]++
			}
		}
	}
	for _, do := range []observe.What{observe.Start, observe.Deliver, observe.Timeout, observe.Crash,
		observe.Pause, observe.Resume, observe.Recover, observe.Restart, observe.Lose, observe.Duplicate} {
		require.NotZero(t, done[do], do)
	}
	require.Greater(t, timed, 20)
}

// mistaken returns checks that find something wrong, by what that is.
func mistaken(t *testing.T) map[string]check.Config {
	t.Helper()
	of := func(name, variant string, n int, adjust func(*check.Config)) check.Config {
		a, err := catalog.Find(name, variant)
		require.NoError(t, err)
		c := check.Config{Input: scenario.Input{Algorithm: a}}
		for id := range n {
			c.IDs = append(c.IDs, election.ID(id+1))
		}
		adjust(&c)
		return c
	}
	return map[string]check.Config{
		"winner":  of("dkr", "", 3, func(c *check.Config) { c.Unordered = true }),
		"ends":    of("dkr", "", 3, func(c *check.Config) { c.Duplicates = 1 }),
		"leaders": of("bully", "", 3, func(c *check.Config) { c.Crashes = 1 }),
		"led":     of("lcr", "max", 3, func(c *check.Config) { c.Losses, c.Started = check.Unlimited, true }),
		"inside":  of("mutex", "ricartagrawala", 3, func(c *check.Config) { c.Crashes, c.Recoveries = 1, 1 }),
		"served":  of("mutex", "ricartagrawala", 2, func(c *check.Config) { c.Losses, c.Started = 1, true }),
	}
}

// TestAfterPartOfATrail: after any part of a counterexample the rest of it is found, or less; the simulator
// takes all of its steps, and a Judge says the same of them.
func TestAfterPartOfATrail(t *testing.T) {
	for name, c := range mistaken(t) {
		t.Run(name, func(t *testing.T) {
			whole := run(t, c).Counterexample
			c.Started = false // the steps begin with the starts
			for k := range len(whole.Steps) {
				c.After = whole.Steps[:k]
				trail := run(t, c).Counterexample
				require.NotNil(t, trail, k)
				if k <= whole.Cycle { // behind it the way back may be another one
					require.LessOrEqual(t, trail.Cycle, whole.Cycle, k)
				}
				require.Equal(t, c.After, trail.Steps[:k])
				property, _ := ruled(t, c.Input, trail.Steps, trail.Property)
				require.Equal(t, trail.Property, property, k)
				_, err := check.Follow(c, trail)
				require.NoError(t, err)
			}
		})
	}
}

// TestAfterLeavesTheModel: a check in which links keep the order continues from where a message has overtaken
// another, and finds what comes of it; without that step it finds nothing.
func TestAfterLeavesTheModel(t *testing.T) {
	c := check.Config{Input: input(find(t, "dkr", "", rising(3), nil), rising(3))}
	require.NoError(t, run(t, c).Err())
	c.Unordered = true
	whole := run(t, c).Counterexample
	c.Unordered, c.After = false, whole.Steps[:len(whole.Steps)-1]
	require.Contains(t, c.Outside(), "needs links that keep messages in order")
	r := run(t, c)
	require.Equal(t, whole.Property, r.Counterexample.Property)
	require.Equal(t, whole.Steps, r.Counterexample.Steps)
	c.After = c.After[:2]
	require.Empty(t, c.Outside())
	require.NoError(t, run(t, c).Err())
}

// TestAfterCounts: messages are counted from the beginning of the run, states and steps from the end of the
// steps before.
func TestAfterCounts(t *testing.T) {
	in := input(find(t, "lcr", "participant", rising(4), nil), rising(4))
	for _, seed := range []uint64{1, 2, 3} {
		s, steps := stepsTo(t, sim.Config{Input: in, Schedule: sim.RandomDelay, Seed: seed}, 1000)
		c := check.Config{Input: in, After: steps}
		r := run(t, c)
		require.NoError(t, r.Err())
		require.Equal(t, []any{uint64(1), 0, 0, int(s.Result().Messages)},
			[]any{r.States, r.Depth, r.Longest, r.Messages})

		c.After = steps[:len(steps)/2]
		r = run(t, c)
		require.NoError(t, r.Err())
		require.GreaterOrEqual(t, r.Longest, len(steps)-len(c.After))
		require.GreaterOrEqual(t, r.Messages, int(s.Result().Messages))

		lower := *in.Algorithm
		lower.Worst.Count = func(int) float64 { return float64(r.Messages) }
		c.Algorithm = &lower
		require.NoError(t, run(t, c).Err())
		lower.Worst.Count = func(int) float64 { return float64(r.Messages - 1) }
		trail := run(t, c).Counterexample
		require.Equal(t, verdict.Bounded, trail.Property)
		property, _ := ruled(t, c.Input, trail.Steps, verdict.Bounded)
		require.Equal(t, verdict.Bounded, property)
	}
}

// TestAfterBudgets: what has gone wrong before is not taken from the budgets, and processes that were down
// then come back.
func TestAfterBudgets(t *testing.T) {
	c := check.Config{Input: input(find(t, "bully", "rules", rising(2), nil), rising(2))}
	c.Initiators = []election.ID{}
	crash := scenario.Step{Do: observe.Crash, Process: 2}
	c.After = []scenario.Step{crash}
	require.Equal(t, uint64(1), run(t, c).States)
	c.Recoveries = 1
	require.Greater(t, run(t, c).States, uint64(1))
	c.Recoveries, c.Crashes = 0, 1
	require.Equal(t, uint64(2), run(t, c).States)
	c.Crashes, c.Restarts = 0, 1
	c.After = []scenario.Step{crash, {Do: observe.Recover, Process: 2}, crash}
	require.Greater(t, run(t, c).States, uint64(1))
	ring := check.Config{Input: input(find(t, "lcr", "max", rising(2), nil), rising(2))}
	require.Empty(t, ring.Outside())
	ring.After = c.After
	require.Equal(t, "lcr/max promises nothing if processes crash", ring.Outside())
}

// TestAfterALeader: a process that has led before the first state counts, though it has crashed since.
func TestAfterALeader(t *testing.T) {
	c := check.Config{Input: listed(t, "lcr", "", 2)}
	_, c.After = stepsTo(t, sim.Config{Input: c.Input}, 1000)
	c.After = append(c.After, scenario.Step{Do: observe.Crash, Process: 2})
	r := run(t, c)
	at := slices.IndexFunc(r.Properties, func(v check.Verdict) bool { return v.Property == verdict.Leads })
	require.GreaterOrEqual(t, at, 0)
	require.True(t, r.Properties[at].Holds)
	require.Equal(t, uint64(1), r.States)
}

// TestAfterErrors: steps that cannot be before a check are refused, in one line.
func TestAfterErrors(t *testing.T) {
	half := sim.Unit / 2
	for want, of := range map[string]func(c *check.Config) []scenario.Step{
		"after: steps[0].process: 9 is not a process": func(*check.Config) []scenario.Step {
			return []scenario.Step{{Do: observe.Start, Process: 9}}
		},
		"started, no_announcement: not allowed with after, whose steps begin each run": func(
			c *check.Config) []scenario.Step {
			c.Started = true
			return []scenario.Step{{Do: observe.Start, Process: 1}}
		},
		"after: steps[1].do: 1 is down": func(*check.Config) []scenario.Step {
			return []scenario.Step{{Do: observe.Crash, Process: 1}, {Do: observe.Start, Process: 1}}
		},
		"after: steps[0].do: 1 is not down": func(*check.Config) []scenario.Step {
			return []scenario.Step{{Do: observe.Recover, Process: 1}}
		},
		"after: steps[0].do: 1 is not paused": func(*check.Config) []scenario.Step {
			return []scenario.Step{{Do: observe.Resume, Process: 1}}
		},
		"after: steps[1].do: 1 is paused, so its events wait": func(*check.Config) []scenario.Step {
			return []scenario.Step{{Do: observe.Pause, Process: 1}, {Do: observe.Start, Process: 1}}
		},
		"after: steps[0].timer: 7 of layer 0 does not run at 1": func(*check.Config) []scenario.Step {
			return []scenario.Step{{Do: observe.Timeout, Process: 1, Timer: 7}}
		},
		"after: steps[0].nth: 0, and on the link to port 0 of 1 there are 0, from 0 on": func(
			*check.Config) []scenario.Step {
			return []scenario.Step{{Do: observe.Lose, Process: 1}}
		},
		"after: steps[0].choices: [1] is not a possible random outcome": func(*check.Config) []scenario.Step {
			return []scenario.Step{{Do: observe.Start, Process: 1, Choices: []int{1}}}
		},
		"after: steps[0].at: 0.5 is between two ticks of 1": func(c *check.Config) []scenario.Step {
			c.Delay, c.Tick = sim.Unit, sim.Unit
			return []scenario.Step{{Do: observe.Start, Process: 1, At: &half}}
		},
		"after: steps[0].at: 0.5 is after the end, 0.25": func(c *check.Config) []scenario.Step {
			c.Delay, c.Until = sim.Unit, sim.Unit/4
			return []scenario.Step{{Do: observe.Start, Process: 1, At: &half}}
		},
		"after: steps[0].at: 300 units are more than 250 ticks of 1": func(c *check.Config) []scenario.Step {
			late := 300 * sim.Unit
			c.Delay = sim.Unit
			return []scenario.Step{{Do: observe.Start, Process: 1, At: &late}}
		},
	} {
		c := check.Config{Input: input(find(t, "bully", "rules", rising(2), nil), rising(2))}
		c.After = of(&c)
		_, err := check.Run(t.Context(), c)
		require.EqualError(t, err, "election: bad input: "+want)
		require.ErrorIs(t, err, election.ErrInput)
	}
}

// TestAfterPanic: a step in which a Node panics ends the run, so that nothing follows it.
func TestAfterPanic(t *testing.T) {
	c := toys(election.Complete, 2, func(*toy, *election.Env, *election.Event) { panic("no") })
	c.After = []scenario.Step{{Do: observe.Start, Process: 1}}
	_, err := check.Run(t.Context(), c)
	require.ErrorContains(t, err, "process 1: election: a node panicked: no")

	c = toys(election.Complete, 2, func(_ *toy, _ *election.Env, ev *election.Event) {
		if ev.Op == election.Start {
			panic("no")
		}
	})
	c.After = []scenario.Step{{Do: observe.Start, Process: 1}}
	_, err = check.Run(t.Context(), c)
	require.EqualError(t, err,
		"election: bad input: after: steps[0].do: process 1: election: a node panicked: no")
}

// TestAfterChoosesOnce: of the things that chance may bring in a step, only the one that is given happens.
func TestAfterChoosesOnce(t *testing.T) {
	c := toys(election.Complete, 2, func(n *toy, e *election.Env, ev *election.Event) {
		switch {
		case ev.Op == election.Start && e.Choose(2) == 0:
			e.Send(0, ball(0))
		case ev.Op == election.Recv:
			n.believe(e, 1)
		}
	})
	c.Initiators = ids(2)
	start := scenario.Step{Do: observe.Start, Process: 2, Choices: []int{1}}
	c.After = []scenario.Step{start, start} // the second one does not come from an initiator
	c.Properties = []check.Property{believes(verdict.Always, "nothing is sent",
		func(n election.ID) bool { return n == 0 })}
	require.Equal(t, uint64(1), holds(t, c).States)
}

// TestAfterHasItsTime: where no time is modelled, what follows comes at the time of the last step before, for
// a Node that measures time; for others a unit after one another.
func TestAfterHasItsTime(t *testing.T) {
	for _, measures := range []bool{false, true} {
		c := toys(election.Complete, 2, func(n *toy, e *election.Env, ev *election.Event) {
			if ev.Op == election.Start {
				if measures {
					n.n = uint64(ev.At)
				}
				e.Send(0, ball(1))
			}
		})
		at := 5 * sim.Unit
		c.After = []scenario.Step{{Do: observe.Start, Process: 1, At: &at}}
		c.Properties = []check.Property{{Name: "none", Kind: verdict.Finally,
			Holds: func(*check.State) bool { return false }}}
		steps := fails(t, c, "none").Steps
		require.Len(t, steps, 4)
		for _, s := range steps[1:] {
			require.Equal(t, measures, s.At != nil && *s.At == at, s)
			require.Equal(t, measures, s.At != nil)
		}
	}
}

// TestAfterHasOneTime: each worker gives Nodes the time of the last step that is given.
func TestAfterHasOneTime(t *testing.T) { synctest.Test(t, workersHaveOneTime) }

// workersHaveOneTime is that test in a bubble, in which a search by one worker alone is a deadlock.
func workersHaveOneTime(t *testing.T) {
	var steps atomic.Int32
	both := make(chan struct{})
	c := toys(election.Complete, 1, func(n *toy, e *election.Env, ev *election.Event) {
		switch {
		case ev.Op == election.Init:
			return
		case ev.Op == election.Timeout && n.n == 0:
			n.n = 1 + uint64(e.Choose(64)) // states enough for two workers
		case ev.Op == election.Timeout:
			// The first worker waits here for the second one, so that both take a step.
			switch steps.Add(1) {
			case 1:
				<-both
			case 2:
				close(both)
			}
			if ev.At != 3*sim.Unit {
				n.believe(e, 1)
			}
			return
		}
		e.SetTimer(0, sim.Unit, sim.Unit)
	})
	c.Workers = 2
	c.After = []scenario.Step{{Do: observe.Start, Process: 1, At: new(3 * sim.Unit)}}
	c.Properties = []check.Property{believes(verdict.Always, "the time",
		func(n election.ID) bool { return n == 0 })}
	require.Equal(t, uint64(1+64+64), holds(t, c).States)
}
