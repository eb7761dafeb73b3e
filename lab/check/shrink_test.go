package check_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/lab/check"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lab/sim"
	"github.com/go-election/election/lab/verdict"
	"github.com/go-election/election/lcr"
	"github.com/go-election/election/observe"
)

// ExampleShrink finds the step that matters in a run: a lost message.
func ExampleShrink() {
	in := scenario.Input{Algorithm: lcr.Participant(), IDs: []election.ID{1, 2, 3}}
	steps := []scenario.Step{
		{Do: observe.Start, Process: 1},
		{Do: observe.Start, Process: 2},
		{Do: observe.Start, Process: 3},
		{Do: observe.Duplicate, Process: 2, Port: election.Counterclockwise},
		{Do: observe.Deliver, Process: 2, Port: election.Counterclockwise},
		{Do: observe.Deliver, Process: 2, Port: election.Counterclockwise},
		{Do: observe.Lose, Process: 1, Port: election.Counterclockwise},
		{Do: observe.Deliver, Process: 3, Port: election.Counterclockwise},
	}
	steps, err := check.Shrink(context.Background(), in, steps, verdict.Agreement)
	for _, s := range steps {
		fmt.Println(s.Do, s.Process)
	}
	fmt.Println(err)
	// Output:
	// start 1
	// start 2
	// start 3
	// deliver 2
	// lose 1
	// deliver 3
	// <nil>
}

// TestShrinkRandomRuns: long random runs with faults, and those that go wrong after a random beginning,
// become short, in the same way each time; the shortest of them as short as the shortest there is.
func TestShrinkRandomRuns(t *testing.T) {
	for name, c := range mistaken(t) {
		best := run(t, c).Counterexample
		least, tried := 1000, 0
		for seed := uint64(0); seed < 100 && tried < 3; seed++ {
			in, steps := randomRun(t, c, seed)
			if property, _ := ruled(t, in, steps, best.Property); property != best.Property {
				if seed%10 > 0 {
					continue
				}
				after := c
				after.Started, after.After = false, steps[:min(len(steps), int(seed/10))]
				trail := run(t, after).Counterexample
				if trail == nil || trail.Property != best.Property {
					continue
				}
				steps = trail.Steps
			}
			tried++
			shorter, err := check.Shrink(t.Context(), in, steps, best.Property)
			require.NoError(t, err)
			again, err := check.Shrink(t.Context(), in, steps, best.Property)
			require.NoError(t, err)
			require.Equal(t, shorter, again)
			property, _ := ruled(t, in, shorter, best.Property)
			require.Equal(t, best.Property, property)
			require.LessOrEqual(t, len(shorter), len(steps))
			least = min(least, len(shorter))
		}
		require.Positive(t, tried, name)
		require.LessOrEqual(t, least, len(best.Steps)+3, name)
	}
}

// randomRun returns the steps of a run with random delays and with what may go wrong in a check.
func randomRun(t *testing.T, c check.Config, seed uint64) (scenario.Input, []scenario.Step) {
	t.Helper()
	in := c.Input
	require.NoError(t, in.Check())
	r := scenario.NewStepRecorder(&in)
	s, err := sim.New(sim.Config{Input: in, Schedule: sim.RandomDelay, Seed: seed,
		Observe: r.Observe, KeepSaved: true})
	require.NoError(t, err)
	left := map[observe.What]int{observe.Crash: c.Crashes, observe.Lose: c.Losses,
		observe.Duplicate: c.Duplicates, observe.Recover: c.Recoveries}
	for k := uint64(1); k < 40 && s.Step(); k++ {
		do := []observe.What{observe.Crash, observe.Lose, observe.Duplicate, observe.Recover}[(seed*7+k*k)%4]
		for p := range s.Pending() {
			if c.Unordered && k%3 == 0 && p.Do == observe.Deliver && p.Nth > 0 {
				_, err := s.Do(p.Step)
				require.NoError(t, err)
				break
			}
		}
		if left[do] == 0 || (seed+k*5)%3 != 0 {
			continue
		}
		step := scenario.Step{Do: do, Process: in.IDs[(seed*3+k)%uint64(len(in.IDs))]}
		for p := range s.Pending() {
			if p.Do == observe.Deliver && (do == observe.Lose || do == observe.Duplicate) {
				step.Process, step.Port, step.Nth = p.Process, p.Port, p.Nth
				break
			}
		}
		if _, err := s.Do(step); err == nil {
			left[do]--
		}
	}
	steps, err := r.Steps()
	require.NoError(t, err)
	return in, steps
}

// TestShrinkKeepsTime: of an algorithm that measures time no message becomes later, and no timer runs out at
// another time than it may: a check in which time is modelled takes the steps that are left.
func TestShrinkKeepsTime(t *testing.T) {
	c := check.Config{Input: input(find(t, "bully", "rules", rising(3), nil), rising(3)), Delay: sim.Unit,
		Losses: 2, MaxStates: 20_000}
	_, begin := stepsTo(t, sim.Config{Input: c.Input}, 1000)
	tried := 0
	for k := range begin {
		after := c
		after.After = begin[:k]
		trail := run(t, after).Counterexample
		if trail == nil {
			continue
		}
		tried++
		shorter, err := check.Shrink(t.Context(), c.Input, trail.Steps, trail.Property)
		require.NoError(t, err)
		require.LessOrEqual(t, len(shorter), len(trail.Steps))
		found, _ := ruled(t, c.Input, shorter, trail.Property)
		require.Equal(t, trail.Property, found)
		anyTime := c
		anyTime.Window = 20 * sim.Unit // a start that is left out may come later
		_, err = check.Follow(anyTime, &check.Trail{Steps: shorter})
		require.NoError(t, err, shorter)
	}
	require.Positive(t, tried)
}

// TestShrinkAnotherWay: where none of the steps can be left out, another run that is shorter is found, also
// of an algorithm that never quiesces and measures no time.
func TestShrinkAnotherWay(t *testing.T) {
	in := toys(election.Complete, 3, func(n *toy, e *election.Env, ev *election.Event) {
		switch {
		case ev.Op == election.Start && n.self.ID == 2:
			for range 3 {
				e.Send(0, ball(1))
			}
		case ev.Op == election.Start && n.self.ID == 3:
			e.Send(0, ball(3))
		case ev.Op == election.Recv:
			if n.n += ev.Msg.Value; n.n >= 3 {
				panic("three")
			}
		}
	}).Input
	in.Algorithm.NeverQuiesces = true
	start := scenario.Step{Do: observe.Start, Process: 2}
	deliver := scenario.Step{Do: observe.Deliver, Process: 1}
	long := []scenario.Step{start, deliver, deliver, deliver}
	steps, err := check.Shrink(t.Context(), in, long, verdict.Sound)
	require.NoError(t, err)
	require.Equal(t, []observe.What{observe.Start, observe.Deliver}, dos(steps))
	require.Equal(t, election.ID(3), steps[0].Process)
}

// TestNothingToShrink: steps that violate nothing, another property, or that cannot be, are refused;
// where ctx has ended they are returned as far as they have become shorter.
func TestNothingToShrink(t *testing.T) {
	in := input(find(t, "lcr", "participant", rising(2), nil), rising(2))
	start := scenario.Step{Do: observe.Start, Process: 1}
	deliver := scenario.Step{Do: observe.Deliver, Process: 2, Port: election.Counterclockwise}
	for want, steps := range map[string][]scenario.Step{
		"steps: they violate no property":                                        {start},
		"steps[0].process: 9 is not a process":                                   {{Do: observe.Start, Process: 9}},
		"steps[0].nth: 0, and on the link to port 1 of 2 there are 0, from 0 on": {deliver},
	} {
		_, err := check.Shrink(t.Context(), in, steps, "")
		require.EqualError(t, err, "election: bad input: "+want)
	}
	_, err := check.Shrink(t.Context(), scenario.Input{Algorithm: in.Algorithm}, []scenario.Step{start}, "")
	require.ErrorIs(t, err, election.ErrInput)
	_, err = check.Shrink(t.Context(), in, []scenario.Step{start}, verdict.Served)
	require.ErrorContains(t, err, "has no critical section")
	lose := scenario.Step{Do: observe.Lose, Process: 1, Port: election.Counterclockwise}
	steps := []scenario.Step{start, {Do: observe.Start, Process: 2}, lose, deliver}
	_, err = check.Shrink(t.Context(), in, steps, "another")
	require.EqualError(t, err, `election: bad input: steps: they do not violate the property "another"`)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = check.Shrink(ctx, in, steps, verdict.Agreement)
	require.ErrorIs(t, err, context.Canceled)

	panics := toys(election.Complete, 2, func(_ *toy, _ *election.Env, ev *election.Event) {
		if ev.Op == election.Start && ev.At >= 0 {
			panic("no")
		}
	})
	steps = []scenario.Step{{Do: observe.Crash, Process: 1}, {Do: observe.Recover, Process: 1},
		{Do: observe.Start, Process: 2}}
	steps, err = check.Shrink(t.Context(), panics.Input, steps, "")
	require.NoError(t, err)
	require.Len(t, steps, 1)
}
