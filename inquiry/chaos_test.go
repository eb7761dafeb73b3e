package inquiry_test

import (
	"testing"

	"github.com/go-election/election/inquiry"
	"github.com/go-election/election/internal/chaos"
)

// TestChaos: whoever starts, whenever, and however long messages take, the largest of all leads.
func TestChaos(t *testing.T) {
	for _, a := range inquiry.Algorithms() {
		t.Run(a.Variant, func(t *testing.T) { chaos.Test(t, a, 1_000_000) })
	}
}
