package elector_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestAdvanceOfOne: Advance of the leader alone is enough, however large the token is: the member that takes
// over leads in a larger Term, and all others hear it.
func TestAdvanceOfOne(t *testing.T) {
	for _, far := range []uint64{0, 1 << 49, 1<<49 + 1<<48, 1 << 52, 1<<53 - 1<<32 - 1} {
		inBubble(t, nil, func(t *testing.T, g group, m *member) {
			token := max(m.Leader().Term+1000, far)
			require.NoError(t, m.Advance(token))
			next := g.leader(t)
			require.NotSame(t, m, next)
			require.Equal(t, token+1, next.Leader().Term)
			time.Sleep(time.Minute)
			require.Same(t, next, g.leader(t), "the others grant it renewals")
			for _, other := range g {
				require.Equal(t, next.name, other.Leader().Leader)
			}
		})
	}
}
