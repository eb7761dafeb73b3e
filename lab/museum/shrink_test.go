package museum

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/lab/check"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lab/sim"
	"github.com/go-election/election/lab/verdict"
	"github.com/go-election/election/observe"
)

// TestShrunkMistakes: a long run that shows a mistake, a random beginning and what goes wrong after it,
// becomes one that is not longer and shows the same.
func TestShrunkMistakes(t *testing.T) {
	tried, shorter := 0, 0
	list := exhibits()
	for i := range list {
		x := &list[i]
		if x.counted != "" || x.played || !*long && i%4 > 0 {
			continue
		}
		steps, property := longRun(t, &x.Config)
		if steps == nil {
			continue
		}
		tried++
		less, err := check.Shrink(t.Context(), x.Config.Input, steps, property)
		require.NoError(t, err, x.Name)
		require.LessOrEqual(t, len(less), len(steps), x.Name)
		require.Equal(t, property, shownBy(t, &x.Config, less, property), x.Name)
		if len(less) < len(steps) {
			shorter++
		}
	}
	require.Greater(t, tried, len(list)/10)
	require.Greater(t, shorter, tried/4)
}

// TestTrailsOnControls: the steps that show the mistake of an exercise violate nothing with the right
// algorithm.
func TestTrailsOnControls(t *testing.T) {
	for _, x := range All() {
		if x.NoExercise() != "" {
			continue
		}
		trail, _ := exercise(t, &x)
		steps := trail.Steps
		require.Len(t, steps, x.Par, x.Name)
		require.Equal(t, x.Property, shownBy(t, &x.Config, steps, x.Property), x.Name)
		require.Empty(t, shownBy(t, &x.Control.Config, steps, ""), x.Name)
	}
}

// longRun returns the steps of a run that begins at random and then shows a mistake, and what it
// violates; nil if the search finds none among so few states.
func longRun(t *testing.T, mutant *check.Config) ([]scenario.Step, verdict.Property) {
	c := *mutant
	c.MaxStates, c.Workers = 20_000, 1
	c.Started, c.NoAnnouncement = false, false
	in := c.Input
	require.NoError(t, in.Check())
	r := scenario.NewStepRecorder(&in)
	run := sim.Config{Input: in, Observe: r.Observe, Seed: 1, KeepSaved: true}
	if c.Delay == 0 {
		run.Schedule = sim.RandomDelay
	}
	s, err := sim.New(run)
	require.NoError(t, err)
	for range 12 {
		s.Step()
	}
	begin, err := r.Steps()
	require.NoError(t, err)
	for k := len(begin); k >= 0; k /= 2 {
		c.After = begin[:k]
		found, err := check.Run(t.Context(), c)
		if err == nil && found.Counterexample != nil {
			trail := found.Counterexample
			if shownBy(t, mutant, trail.Steps, trail.Property) == trail.Property {
				return trail.Steps, trail.Property
			}
		}
		if k == 0 {
			break
		}
	}
	return nil, ""
}

// shownBy returns what steps violate, as a Judge of one property sees it.
func shownBy(t *testing.T, mutant *check.Config, steps []scenario.Step,
	property verdict.Property) verdict.Property {
	in := mutant.Input
	require.NoError(t, in.Check())
	s, err := sim.New(sim.Config{Input: in, Steps: steps})
	require.NoError(t, err)
	if err := s.Run(t.Context()); errors.Is(err, observe.ErrPanic) || errors.Is(err, observe.ErrPort) {
		return verdict.Sound
	}
	r, err := check.Judge(t.Context(), in, steps, property)
	if err != nil { // the right algorithm may not take the steps of a mistake to their end
		require.ErrorIs(t, err, election.ErrInput)
	}
	return r.Broken
}
