package dkr_test

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/dkr"
	"github.com/go-election/election/lab/sim"
	"github.com/go-election/election/nodetest"
)

// rounds returns how many rounds it takes among the initiators, in the order of the ring: in
// every round those aliases stay that are larger than both neighbours, and the last one needs a
// round more to come home.
func rounds(initiators []election.ID) int {
	r := 1
	for left := initiators; len(left) > 1; r++ {
		var next []election.ID
		for i, id := range left {
			before, after := left[(i+len(left)-1)%len(left)], left[(i+1)%len(left)]
			if before < id && after < id {
				next = append(next, id)
			}
		}
		left = next
	}
	return r
}

// exact: in every round all firsts together go around the ring once, and in all but the last all
// seconds.
func exact(ids, initiators []election.ID) (low, high uint64) {
	n := uint64(len(ids))
	e := 2*n*uint64(rounds(initiators)-1) + n + n
	return e, e
}

func TestBounds(t *testing.T) { nodetest.Bounds(t, dkr.Algorithm(), 8, exact) }

func TestInitiators(t *testing.T) { nodetest.Initiators(t, dkr.Algorithm(), 5, exact) }

func TestLarge(t *testing.T) { nodetest.Large(t, dkr.Algorithm(), 300) }

// TestWorstArrangement looks at the arrangement itself, for every size.
func TestWorstArrangement(t *testing.T) {
	a := dkr.Algorithm()
	require.Nil(t, a.Mean.Count)
	for n := 1; n <= 300; n++ {
		ids := nodetest.IDs(a.Worst.Arrange(n))
		require.InDelta(t, a.Worst.Count(n), 2*n*(rounds(ids)-1)+2*n, 1e-9, "n = %d", n)
		slices.Sort(ids)
		require.Equal(t, nodetest.IDs(a.Best.Arrange(n)), ids, "n = %d", n)
	}
}

// TestTime pins the longest election that was seen, 3n-2, and n more for the announcement: it
// comes about where large and small alternate on every scale.
func TestTime(t *testing.T) {
	for k := 1; k <= 6; k++ {
		ids := nodetest.BitReversed(k)
		r := nodetest.Elect(t, nodetest.Ring(dkr.Algorithm(), ids))
		require.Equal(t, time.Duration(4*len(ids)-2)*sim.Unit, r.Time, "n = %d", len(ids))
	}
	for n := 2; n <= 7; n++ {
		for ids := range nodetest.Orders(n) {
			r := nodetest.Elect(t, nodetest.Ring(dkr.Algorithm(), ids))
			require.LessOrEqual(t, r.Time, time.Duration(4*n-2)*sim.Unit)
		}
	}
}

func TestPriorities(t *testing.T) { nodetest.Priorities(t, dkr.Algorithm()) }

func TestUnordered(t *testing.T) {
	require.Positive(t, nodetest.Unordered(t, dkr.Algorithm(), 100), "it needs links that keep the order")
}
