package check_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election/lab/check"
	"github.com/go-election/election/lcr"
)

// TestMemoryOfWalk: the walk for runs without end needs 24 bytes a state, and 4 a Term where messages are
// counted for each. Where these are too many the search says so.
func TestMemoryOfWalk(t *testing.T) {
	for started, perState := range map[bool]int64{false: 24 + 3*4, true: 24} {
		c := check.Config{Input: input(lcr.Participant(), rising(3)), Started: started, Workers: 1}
		c.Nudge = started // or else every step delivers, and there is no walk
		c.SetHeap(func() int64 { return 0 })
		r := holds(t, c)
		c.MaxBytes = r.Bytes
		require.Equal(t, r.Bytes, holds(t, c).Bytes, "as many as there are")
		c.MaxBytes--
		small := run(t, c)
		require.ErrorIs(t, small.Stopped, check.ErrLimit)
		require.ErrorContains(t, small.Stopped, "too few to look for runs without end")
		require.Equal(t, perState*int64(r.States), r.Bytes-small.Bytes)
	}
}
