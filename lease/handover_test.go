package lease_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lab/sim"
	"github.com/go-election/election/lease"
)

// TestHandOverOvertaken: a leader resigns and ends. Its successor leads within a few delays, also where the
// CLAIM overtakes the RELEASE at the voter that the successor needs.
func TestHandOverOvertaken(t *testing.T) {
	const resigns = 60 * sim.Unit
	for seed := range uint64(200) {
		s, err := sim.New(sim.Config{Schedule: sim.RandomDelay, Seed: seed, Until: resigns,
			Input: scenario.Input{Algorithm: lease.Algorithms()[0], IDs: []election.ID{1, 2, 3},
				Initiators: []election.ID{2, 3},
				CrashAt:    []scenario.At{{ID: 3, Time: resigns + 1}}}})
		require.NoError(t, err)
		require.NoError(t, s.Run(t.Context()))
		require.Equal(t, election.Leader, s.Outcome(2).Role, "seed %d", seed)
		s.Post(2, election.Event{Op: election.Command, Msg: lease.Resign(0, 0)})
		s.Extend(resigns + 10*sim.Unit)
		require.NoError(t, s.Run(t.Context()))
		require.Equal(t, election.Leader, s.Outcome(1).Role,
			"seed %d: none leads", seed)
	}
}
