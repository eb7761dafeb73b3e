package bully_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/bully"
	"github.com/go-election/election/lab/sim"
	"github.com/go-election/election/lab/soak"
)

// TestChaos: whatever crashes and comes back within the model, the largest live process leads. Mistakes
// that show less often than once in a thousand runs are for a long run.
func TestChaos(t *testing.T) {
	for name, c := range map[string]struct {
		algorithm *election.Algorithm
		runs      uint64
	}{
		"rules":                 {bully.Algorithms()[0], 10_000},
		"halting":               {bully.Algorithms()[1], 5000},
		"rules with heartbeats": {rules(t, bully.Config{Heartbeat: 2 * sim.Unit}), 1000},
		"lower with heartbeats": {rules(t, bully.Config{Heartbeat: 2 * sim.Unit, AnnounceLower: true}),
			1000},
		"halting with heartbeats": {halting(t, bully.Config{Heartbeat: 3 * sim.Unit}), 1000},
	} {
		t.Run(name, func(t *testing.T) {
			if !*long {
				c.runs = max(c.runs/10, 500)
			}
			r, err := soak.Run(t.Context(), soak.Config{Algorithm: c.algorithm, Profile: soak.Chaos,
				Runs: c.runs})
			require.NoError(t, err)
			require.Nil(t, r.Failure)
			require.Equal(t, c.runs, r.Runs)
		})
	}
}
