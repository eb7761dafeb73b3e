package bully_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/bully"
	"github.com/go-election/election/internal/chaos"
	"github.com/go-election/election/sim"
)

// TestChaos: whatever crashes and comes back within the model, the largest that is up leads.
func TestChaos(t *testing.T) {
	lower, err := bully.New(bully.Config{AnnounceLower: true})
	require.NoError(t, err)
	for i, alg := range []*election.Algorithm{rules(t, bully.Config{Heartbeat: 2 * sim.Unit}), halting(t, bully.Config{Heartbeat: 3 * sim.Unit})} {
		t.Run([]string{"heartbeats", "halting with heartbeats"}[i], func(t *testing.T) { chaos.Test(t, alg, 50_000) })
	}
	t.Run("all", func(t *testing.T) { chaos.Test(t, bully.Algorithms()[0], 1_000_000) })
	t.Run("lower", func(t *testing.T) { chaos.Test(t, lower, 100_000) })
	t.Run("halting", func(t *testing.T) { chaos.Test(t, bully.Algorithms()[1], 1_000_000) })
}
