package supervise_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election/internal/supervise"
)

// TestRest: a program that ends soon is started later and later, up to a bound; one that has run for
// long is not.
func TestRest(t *testing.T) {
	r := supervise.Rest{Least: time.Second, Most: 5 * time.Second}
	for _, c := range []struct{ ran, pause time.Duration }{
		{0, 1}, {1, 2}, {0, 4}, {0, 5}, {4, 5}, {5, 1}, {0, 2},
	} {
		require.Equal(t, c.pause*time.Second, r.After(c.ran*time.Second))
	}
}
