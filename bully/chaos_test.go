package bully_test

import (
	"testing"

	"github.com/go-election/election/bully"
	"github.com/go-election/election/internal/chaos"
	"github.com/go-election/election/lab/sim"
)

// TestChaos: whatever crashes and comes back within the model, the largest that is up leads.
func TestChaos(t *testing.T) {
	t.Run("rules", func(t *testing.T) { chaos.Test(t, bully.Algorithms()[0], 60_000) })
	t.Run("halting", func(t *testing.T) { chaos.Test(t, bully.Algorithms()[1], 60_000) })
	t.Run("rules with heartbeats", func(t *testing.T) {
		chaos.Test(t, rules(t, bully.Config{Heartbeat: 2 * sim.Unit}), 5_000)
	})
	t.Run("lower with heartbeats", func(t *testing.T) {
		chaos.Test(t, rules(t, bully.Config{Heartbeat: 2 * sim.Unit, AnnounceLower: true}), 5_000)
	})
	t.Run("halting with heartbeats", func(t *testing.T) {
		chaos.Test(t, halting(t, bully.Config{Heartbeat: 3 * sim.Unit}), 5_000)
	})
}
