package inquiry_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/lab/soak"
)

// TestChaos: whoever starts, whenever, and however long messages take, the largest of all leads.
func TestChaos(t *testing.T) {
	each(t, func(t *testing.T, a *election.Algorithm) {
		r, err := soak.Run(t.Context(), soak.Config{Algorithm: a, Profile: soak.Chaos, Runs: 5000})
		require.NoError(t, err)
		require.Nil(t, r.Failure)
	})
}
