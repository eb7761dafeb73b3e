package election_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election/catalog"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lab/sim"
	"github.com/go-election/election/local"
)

// eachScenario visits the worked examples of testdata/scenarios.
func eachScenario(t *testing.T, visit func(t *testing.T, s *scenario.Scenario, in scenario.Input)) {
	t.Helper()
	files, err := filepath.Glob("testdata/scenarios/*.json")
	require.NoError(t, err)
	require.GreaterOrEqual(t, len(files), 4)
	for _, file := range files {
		f, err := os.Open(file)
		require.NoError(t, err)
		list, err := scenario.Read(f)
		require.NoError(t, f.Close())
		require.NoError(t, err)
		for _, s := range list {
			t.Run(s.Name, func(t *testing.T) {
				in, err := s.Input(catalog.Find)
				require.NoError(t, err)
				require.NotNil(t, s.Expect)
				visit(t, s, in)
			})
		}
	}
}

// TestScenarios: leader, messages, kinds and time of every worked example, to the unit.
func TestScenarios(t *testing.T) {
	eachScenario(t, func(t *testing.T, s *scenario.Scenario, in scenario.Input) {
		r, err := sim.Run(t.Context(), sim.Config{Input: in})
		require.NoError(t, err)
		if !in.Algorithm.Leaderless {
			require.NoError(t, r.Err())
		}
		require.NoError(t, s.Expect.Compare(&r.Result, &r.Time))
	})
}

// TestScenariosOnAnySchedule: counts that do not depend on the schedule are the same on two
// hundred random ones, and on goroutines.
func TestScenariosOnAnySchedule(t *testing.T) {
	checked := 0
	eachScenario(t, func(t *testing.T, s *scenario.Scenario, in scenario.Input) {
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
