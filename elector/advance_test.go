package elector_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestAdvanceOfOne: Advance of the leader alone is enough for a token up to 2^52: the member that takes over
// leads in a larger Term, and all others hear it.
func TestAdvanceOfOne(t *testing.T) {
	for _, far := range []uint64{0, 1 << 49, 1<<49 + 1<<48, 1 << 52} {
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

// TestAdvanceOfAll: a larger token has to be given to every member, in any order and at any time. The leader
// alone does not take the others there.
func TestAdvanceOfAll(t *testing.T) {
	for _, token := range []uint64{1<<52 + 1, 1<<52 + 1<<51, 1<<53 - 1<<32 - 1} {
		inBubble(t, nil, func(t *testing.T, g group, m *member) {
			require.NoError(t, m.Advance(token))
			time.Sleep(time.Minute)
			require.Less(t, g.leader(t).Leader().Term, token)
			for _, other := range g {
				require.NoError(t, other.Advance(token))
				time.Sleep(time.Minute)
			}
			next := g.leader(t)
			require.Greater(t, next.Leader().Term, token)
			require.Less(t, next.Leader().Term, token+100)
			for _, other := range g {
				require.Equal(t, next.name, other.Leader().Leader)
			}
		})
	}
}
