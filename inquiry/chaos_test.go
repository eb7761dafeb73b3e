package inquiry_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/lab/soak"
)

// TestChaos: whichever processes start, at any time, and however long messages take, the largest of all
// leads.
func TestChaos(t *testing.T) {
	runs := uint64(5000)
	if !*long {
		runs /= 5
	}
	each(t, func(t *testing.T, a *election.Algorithm) {
		r, err := soak.Run(t.Context(), soak.Config{Algorithm: a, Profile: soak.Chaos, Runs: runs})
		require.NoError(t, err)
		require.Nil(t, r.Failure)
	})
}
