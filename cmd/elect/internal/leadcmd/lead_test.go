package leadcmd

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestRest: a program that ends soon is started later and later, up to a bound; one that has run for
// long is not.
func TestRest(t *testing.T) {
	r := rest{least: time.Second, most: 5 * time.Second}
	for _, c := range []struct{ ran, pause time.Duration }{
		{0, 1}, {1, 2}, {0, 4}, {0, 5}, {4, 5}, {5, 1}, {0, 2},
	} {
		require.Equal(t, c.pause*time.Second, r.after(c.ran*time.Second))
	}
}
