package sim

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestFifo: a fifo contains the same as a list after any pushes, pops and removals from the middle, also when
// it grows over several parts, shrinks and grows again.
func TestFifo(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	var q fifo
	var list []uint32
	check := func() {
		t.Helper()
		require.Equal(t, len(list), q.n)
		i := 0
		for m := range q.all() {
			require.Equal(t, list[i], m.to)
			i++
		}
		require.Equal(t, len(list), i)
		for i := range 3 * prefetched {
			if m := q.peek(i); m != nil {
				require.Equal(t, list[i], m.to)
			} else {
				require.True(t, i >= len(list) || q.read+i >= len(q.head))
			}
		}
	}
	next, most := uint32(0), 0
	for _, goal := range []int{0, 1, 40, leastPart, leastPart + 1, 0, 10 * leastPart, 3, 40 * leastPart, 0} {
		for len(list) != goal {
			switch {
			case len(list) < goal:
				q.push().to = next
				list = append(list, next)
				next++
			default:
				require.Equal(t, list[0], q.front().to)
				q.pop()
				list = list[1:]
			}
			if len(list) > 0 && random.IntN(2000) == 0 {
				i := random.IntN(len(list))
				require.Equal(t, list[i], q.remove(i).to)
				list = append(list[:i:i], list[i+1:]...)
				check()
			}
			most = max(most, len(q.parts))
		}
		check()
	}
	require.Greater(t, most, 3)
	require.Less(t, most, 40, "parts grow with the queue")
}
