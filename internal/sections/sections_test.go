package sections

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
)

func entered(section uint8, token uint64) *election.Event {
	return &election.Event{Op: election.Entered, Msg: election.Message{Flags: section, Value: token}}
}

func left(section uint8) *election.Event {
	return &election.Event{Op: election.Left, Msg: election.Message{Flags: section}}
}

// TestGuard: one at a time in each section, with a token larger than the last; who crashes is inside no more.
func TestGuard(t *testing.T) {
	var g Guard
	fine := func(who election.ID, ev *election.Event) {
		t.Helper()
		together, stale := g.Raised(who, ev)
		require.NoError(t, together)
		require.NoError(t, stale)
	}
	fine(2, left(0))
	fine(1, entered(0, 1))
	fine(2, entered(1, 1))
	fine(2, left(0))
	together, stale := g.Raised(3, entered(0, 2))
	require.EqualError(t, together, "processes 1 and 3 are in critical section 0 together")
	require.NoError(t, stale)

	g.Crashed(1)
	together, stale = g.Raised(3, entered(0, 1))
	require.NoError(t, together)
	require.EqualError(t, stale, "process 3 enters critical section 0 with token 1, after 1")
	fine(3, entered(0, 2))
	fine(3, left(0))
	fine(3, entered(0, 0)) // without a token
}
