package inquiry_test

import (
	"testing"

	"github.com/go-election/election/inquiry"
	"github.com/go-election/election/internal/chaos"
)

// TestChaos: whoever starts, whenever, and however long messages take, the largest of all leads.
func TestChaos(t *testing.T) {
	t.Run("states", func(t *testing.T) { chaos.Test(t, inquiry.Algorithms()[0], 20_000) })
	t.Run("naive", func(t *testing.T) { chaos.Test(t, inquiry.Algorithms()[1], 10_000) })
}
