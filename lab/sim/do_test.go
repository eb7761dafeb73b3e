package sim_test

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lab/sim"
	"github.com/go-election/election/observe"
)

// TestDoIsAStep: a run that a caller makes by hand, in any order, does what the same steps do that are given
// beforehand.
func TestDoIsAStep(t *testing.T) {
	done := map[observe.What]int{}
	for seed := range uint64(40) {
		rng := rand.New(rand.NewPCG(seed, 3))
		base := pendingRuns(t)["unit"]
		base.Until = 0
		byHand := base
		byHand.Initiators = []election.ID{}
		s, err := sim.New(byHand)
		require.NoError(t, err)
		var steps []scenario.Step
		do := func(step scenario.Step) {
			_, err := s.Do(step)
			require.NoError(t, err, "%+v", step)
			steps = append(steps, step)
			done[step.Do]++
		}
		for _, id := range base.IDs {
			do(scenario.Step{Do: observe.Start, Process: id})
		}
		for pending := slices.Collect(s.Pending()); len(pending) > 0; pending = slices.Collect(s.Pending()) {
			step := pending[rng.IntN(len(pending))].Step // by no order of links, too
			switch rng.IntN(40) {
			case 0:
				step.Do = observe.Lose
			case 1:
				if s.Status(slices.Index(base.IDs, step.Process)) == sim.Up {
					step = scenario.Step{Do: observe.Crash, Process: step.Process}
				}
			}
			do(step)
		}
		scripted := sim.Config{Input: base.Input, Steps: steps}
		again, err := sim.New(scripted)
		require.NoError(t, err)
		require.NoError(t, again.Run(t.Context()))
		for p := range base.IDs {
			require.Equal(t, again.Outcome(p), s.Outcome(p), "seed %d", seed)
			require.Equal(t, again.Status(p), s.Status(p))
		}
		a, b := again.Result(), s.Result()
		require.Equal(t, []uint64{a.Messages, a.Lost, a.Chain, a.Steps},
			[]uint64{b.Messages, b.Lost, b.Chain, b.Steps}, "seed %d", seed)
	}
	require.Positive(t, done[observe.Lose])
	require.Positive(t, done[observe.Crash])
}

// do carries out a step and returns the error.
func do(s *sim.Sim, step scenario.Step) error {
	_, err := s.Do(step)
	return err
}

// TestDoLeavesTheSchedule: what is done by hand happens now, and the rest when it was due.
func TestDoLeavesTheSchedule(t *testing.T) {
	c := pendingRuns(t)["starts"] // 3 starts at 2, 1 at 5
	s, err := sim.New(c)
	require.NoError(t, err)
	require.True(t, s.Step())
	require.Equal(t, 2*sim.Unit, s.Now())
	before := slices.Collect(s.Pending())
	require.NoError(t, do(s, scenario.Step{Do: observe.Duplicate, Process: 4, Port: 1}))
	twice := slices.Collect(s.Pending())
	require.Len(t, twice, len(before)+1)
	require.Equal(t, before[0].Message, twice[1].Message)
	require.Equal(t, 1, twice[1].Nth)
	require.NoError(t, do(s, scenario.Step{Do: observe.Deliver, Process: 4, Port: 1, Nth: 1}))
	require.EqualValues(t, 1, s.Result().Duplicated)
	require.Equal(t, 2*sim.Unit, s.Now(), "no time passes")
	require.Equal(t, 3*sim.Unit, slices.Collect(s.Pending())[0].Due)
	require.NoError(t, do(s, scenario.Step{Do: observe.Pause, Process: 4}))
	require.NoError(t, do(s, scenario.Step{Do: observe.Resume, Process: 4}))
	require.NoError(t, s.Run(t.Context()))
	leaders := 0
	for p := range c.IDs {
		if s.Outcome(p).Role == election.Leader {
			leaders++
		}
	}
	require.Equal(t, 1, leaders)
}

// TestDoRefuses: what cannot be now changes nothing.
func TestDoRefuses(t *testing.T) {
	s, err := sim.New(pendingRuns(t)["unit"])
	require.NoError(t, err)
	require.True(t, s.Step())
	at := time.Duration(0)
	for _, c := range []struct {
		step scenario.Step
		want string
	}{
		{scenario.Step{Do: observe.Start, Process: 99}, "process: 99 is not a process"},
		{scenario.Step{Do: observe.Deliver, Process: 5, Port: 7}, "port: 5 has no port 7"},
		{scenario.Step{Do: observe.Deliver, Process: 5}, "deliver: no message is on the link to port 0 of 5"},
		{scenario.Step{Do: observe.Timeout, Process: 5}, "timeout: timer 0 of layer 0 does not run at 5"},
		{scenario.Step{Do: observe.Resume, Process: 5}, "resume: 5 is not paused"},
		{scenario.Step{Do: observe.Recover, Process: 5}, "recover: 5 is not down"},
		{scenario.Step{Do: observe.Start, Process: 5, At: &at}, "at: an act has no at, only after"},
		{scenario.Step{Do: observe.Start, Process: 5, Choices: []int{1}},
			"choices: the seed determines the choices of an act"},
		{scenario.Step{Do: observe.Restart, Process: 5},
			"keep_saved: false, so nothing is kept of process 5 to restart with"},
	} {
		before := s.Result()
		err := do(s, c.step)
		require.ErrorIs(t, err, election.ErrInput)
		require.EqualError(t, err, "election: bad input: "+c.want)
		require.Equal(t, before, s.Result())
		require.NoError(t, s.Err())
	}
	given, err := sim.New(sim.Config{Input: pendingRuns(t)["unit"].Input, Steps: []scenario.Step{}})
	require.NoError(t, err)
	require.ErrorContains(t, do(given, scenario.Step{Do: observe.Start, Process: 1}),
		"the steps of this run are given")
}

// TestDoTakesThatMessage: Do delivers, loses or duplicates the pending message that the step names. All
// others stay in flight until they are due.
func TestDoTakesThatMessage(t *testing.T) {
	for _, name := range []string{"unit", "random", "faulty"} {
		rng := rand.New(rand.NewPCG(1, 2))
		c := pendingRuns(t)[name]
		var seen []observe.Occurrence
		c.Observe = func(o *observe.Occurrence) { seen = append(seen, *o) }
		s, err := sim.New(c)
		require.NoError(t, err)
		require.True(t, s.Step())
		for range 60 {
			var messages []sim.Pending
			for one := range s.Pending() {
				if one.Do == observe.Deliver {
					messages = append(messages, one)
				}
			}
			if len(messages) == 0 {
				s.Step()
				continue
			}
			k := rng.IntN(len(messages))
			step := messages[k].Step
			step.Do = []observe.What{observe.Deliver, observe.Deliver, observe.Lose,
				observe.Duplicate}[rng.IntN(4)]
			seen = seen[:0]
			require.NoError(t, do(s, step))
			what := step.Do
			if what == observe.Deliver {
				what = observe.Step
			}
			require.Equal(t, what, seen[0].What)
			require.Equal(t, messages[k].Number, seen[0].Message, "%s: %+v", name, step)
			left := map[uint64]time.Duration{}
			for one := range s.Pending() {
				if one.Do == observe.Deliver {
					left[one.Number] = one.Due
				}
			}
			for i, m := range messages {
				if i != k && step.Do != observe.Duplicate && m.Number != messages[k].Number {
					require.Contains(t, left, m.Number, name)
				}
			}
			if rng.IntN(4) == 0 {
				s.Step()
			}
		}
	}
}

// TestBegin: before the first start there is a moment at which all have begun, and the run is the same.
func TestBegin(t *testing.T) {
	c := pendingRuns(t)["unit"]
	whole, err := sim.Run(t.Context(), c)
	require.NoError(t, err)
	s, err := sim.New(c)
	require.NoError(t, err)
	s.Begin()
	s.Begin()
	require.EqualValues(t, len(c.IDs), s.Occurred())
	require.NoError(t, s.Run(t.Context()))
	require.Equal(t, whole.TraceHash, s.Result().TraceHash)
	hash := s.Result()
	s.Begin()
	require.Equal(t, hash, s.Result(), "it has begun long ago")
}
