package scenario_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/catalog"
	"github.com/go-election/election/internal/catalogtest"
	"github.com/go-election/election/lab/fault"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lab/sim"
	"github.com/go-election/election/lcr"
	"github.com/go-election/election/observe"
)

// ExampleStepRecorder writes down a run with random delays as steps.
func ExampleStepRecorder() {
	in := scenario.Input{Algorithm: lcr.Max(), IDs: []election.ID{1, 2}}
	if err := in.Check(); err != nil {
		panic(err)
	}
	r := scenario.NewStepRecorder(&in)
	s, err := sim.New(sim.Config{Input: in, Schedule: sim.RandomDelay, Observe: r.Observe})
	if err != nil {
		panic(err)
	}
	for range 4 {
		s.Step()
	}
	steps, err := r.Steps()
	for _, step := range steps {
		fmt.Println(step.Do, step.Process)
	}
	fmt.Println(err)
	// Output:
	// start 1
	// start 2
	// deliver 1
	// deliver 2
	// <nil>
}

// recorded runs an election, and returns the run and its steps.
func recorded(t *testing.T, c sim.Config) (*sim.Sim, []scenario.Step) {
	t.Helper()
	require.NoError(t, c.Input.Check())
	r := scenario.NewStepRecorder(&c.Input)
	c.Observe = r.Observe
	s, err := sim.New(c)
	require.NoError(t, err)
	require.NoError(t, s.Run(t.Context()))
	steps, err := r.Steps()
	require.NoError(t, err)
	return s, steps
}

// TestStepsRepeatARun: the steps of a run of every variant, with random delays and faults, lead to the same
// states.
func TestStepsRepeatARun(t *testing.T) {
	kinds := make(map[observe.What]bool)
	for _, a := range catalog.All() {
		n := catalogtest.Fits(a, 6)
		var ids []election.ID
		for id := range n {
			ids = append(ids, election.ID(id+1))
		}
		for seed := range uint64(4) {
			in := scenario.Input{Algorithm: a, IDs: ids, Crashed: ids[n-1:],
				CrashAt:   []scenario.At{{ID: 2, Time: sim.Unit}, {ID: 3, Time: 2 * sim.Unit}},
				RestartAt: []scenario.At{{ID: 2, Time: 3 * sim.Unit}},
				RecoverAt: []scenario.At{{ID: 3, Time: 3 * sim.Unit}},
				PauseAt:   []scenario.Pause{{ID: 4, From: sim.Unit / 2, Until: 5 * sim.Unit / 2}},
				Faults:    fault.Plan{Loss: 0.1}}
			if !a.NeedsFIFO {
				in.Faults.Reorder = 0.1
			}
			if a.Faults.Copies {
				in.Faults.Duplicate = 0.1
			}
			c := sim.Config{Input: in, Schedule: sim.RandomDelay, Seed: seed, Until: 9 * sim.Unit,
				Force: a.DelayBound() > 0} // messages that are overtaken take two delays
			was, steps := recorded(t, c)
			in.CrashAt, in.RestartAt, in.RecoverAt, in.PauseAt = nil, nil, nil, nil
			in.Faults = fault.Plan{}
			is, again := recorded(t, sim.Config{Input: in, Steps: steps})
			require.Equal(t, steps, again, a.Title())
			for p := range ids {
				require.Equal(t, was.Status(p), is.Status(p), a.Title())
				require.Equal(t, was.Outcome(p), is.Outcome(p), a.Title())
				require.Equal(t, new(election.State).Append(nil, was.Node(p)),
					new(election.State).Append(nil, is.Node(p)), a.Title())
			}
			for i := range steps {
				kinds[steps[i].Do] = true
			}
		}
	}
	for _, do := range []observe.What{observe.Start, observe.Deliver, observe.Timeout, observe.Crash,
		observe.Pause, observe.Resume, observe.Recover, observe.Restart, observe.Lose, observe.Duplicate} {
		require.True(t, kinds[do], do)
	}
}

// TestNoStepForACommand: a run in which a service gives an event that no step can be has no steps.
func TestNoStepForACommand(t *testing.T) {
	in := scenario.Input{Algorithm: lcr.Max(), IDs: []election.ID{1, 2}}
	require.NoError(t, in.Check())
	r := scenario.NewStepRecorder(&in)
	s, err := sim.New(sim.Config{Input: in, Observe: r.Observe})
	require.NoError(t, err)
	s.Post(0, election.Event{Op: election.Suspect, Port: 0})
	steps, err := r.Steps()
	require.NoError(t, err)
	require.Equal(t, []scenario.Step{{Do: observe.Suspect, Process: 1, At: new(time.Duration)}}, steps)
	s.Post(1, election.Event{Op: election.Command})
	_, err = r.Steps()
	require.EqualError(t, err, "election: bad input: steps: 2 takes command at 0, which cannot be a step")
}
