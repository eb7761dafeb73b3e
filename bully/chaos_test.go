package bully_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election/bully"
	"github.com/go-election/election/internal/chaos"
)

// TestChaos: whatever crashes and comes back within the model, the largest that is up leads.
func TestChaos(t *testing.T) {
	lower, err := bully.New(bully.Config{AnnounceLower: true})
	require.NoError(t, err)
	t.Run("all", func(t *testing.T) { chaos.Test(t, bully.Algorithms()[0], 1_000_000) })
	t.Run("lower", func(t *testing.T) { chaos.Test(t, lower, 100_000) })
	t.Run("halting", func(t *testing.T) { chaos.Test(t, bully.Algorithms()[1], 1_000_000) })
}
