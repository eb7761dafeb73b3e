package ringtest

import (
	"testing"

	"github.com/go-election/election"
)

// States tries what a Node has saved with each value of its first byte: the first n are states, and the next
// one is refused.
func States(t testing.TB, node election.Node, n byte) {
	t.Helper()
	saved := new(election.State).Append(nil, node)
	for state := range n {
		saved[0] = state
		require.NoError(t, new(election.State).Restore(node, saved))
	}
	saved[0] = n
	require.ErrorIs(t, new(election.State).Restore(node, saved), election.ErrState)
}
