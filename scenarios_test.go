package election_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/internal/catalogtest"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lab/sim"
	"github.com/go-election/election/local"
)

// TestScenarios: leader, messages, kinds and time of every worked example, to the unit.
func TestScenarios(t *testing.T) {
	catalogtest.Scenarios(t, "testdata/scenarios", func(t *testing.T, s *scenario.Scenario,
		in scenario.Input) {
		r, err := sim.Run(t.Context(), sim.Config{Input: in, Acts: s.Acts})
		require.NoError(t, err)
		// If null is expected, leaders states whether several processes lead.
		if in.Algorithm.Elects != election.NoLeader && (s.Expect.Leader == nil || *s.Expect.Leader != 0) {
			require.NoError(t, r.Err())
		}
		require.NoError(t, s.Expect.Compare(&r.Result, &r.Time))
	})
}

// TestScenariosOnAnySchedule: counts that do not depend on the schedule are the same on two
// hundred random ones, and on goroutines.
func TestScenariosOnAnySchedule(t *testing.T) {
	checked := 0
	catalogtest.Scenarios(t, "testdata/scenarios", func(t *testing.T, s *scenario.Scenario,
		in scenario.Input) {
		if !s.AnySchedule {
			return
		}
		checked++
		for seed := range uint64(200) {
			r, err := sim.Run(t.Context(), sim.Config{Input: in, Schedule: sim.RandomDelay, Seed: seed})
			require.NoError(t, err)
			require.NoError(t, r.Err(), "seed %d", seed)
			require.NoError(t, s.Expect.Compare(&r.Result, nil), "seed %d", seed)
		}
		for range 20 {
			r, err := local.Run(t.Context(), local.Config{Input: in})
			require.NoError(t, err)
			require.NoError(t, r.Err())
			require.NoError(t, s.Expect.Compare(&r.Result, nil))
		}
	})
	require.GreaterOrEqual(t, checked, 20)
}
