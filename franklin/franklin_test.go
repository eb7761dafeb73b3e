package franklin_test

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/franklin"
	"github.com/go-election/election/lab/sim"
	"github.com/go-election/election/nodetest"
)

// rounds returns how many rounds it takes among the initiators, in the order of the ring: in
// every round those stay that are larger than both neighbours, and the last one needs a round
// more to find that it is alone.
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

// exact: in every round both messages of all candidates together go around the ring.
func exact(ids, initiators []election.ID) (low, high uint64) {
	n := uint64(len(ids))
	e := 2*n*uint64(rounds(initiators)) + n
	return e, e
}

func TestBounds(t *testing.T) { nodetest.Bounds(t, franklin.Algorithm(), 8, exact) }

func TestInitiators(t *testing.T) { nodetest.Initiators(t, franklin.Algorithm(), 5, exact) }

func TestLarge(t *testing.T) { nodetest.Large(t, franklin.Algorithm(), 300) }

// TestWorstArrangement looks at the arrangement itself, for every size.
func TestWorstArrangement(t *testing.T) {
	a := franklin.Algorithm()
	for n := 1; n <= 300; n++ {
		ids := nodetest.IDs(a.Worst.Arrange(n))
		require.InDelta(t, a.Worst.Count(n), 2*n*rounds(ids)+n, 1e-9, "n = %d", n)
		slices.Sort(ids)
		require.Equal(t, nodetest.IDs(a.Best.Arrange(n)), ids, "n = %d", n)
	}
}

// TestMeanRounds pins the mean number of rounds over all orders, for which no closed form is
// known.
func TestMeanRounds(t *testing.T) {
	require.Nil(t, franklin.Algorithm().Mean.Count)
	for n, want := range map[int]float64{3: 2, 4: 2.33, 5: 2.67, 6: 2.87, 7: 2.96, 8: 3.00, 9: 3.06} {
		sum, orders := 0, 0
		turned := make([]election.ID, n) // all rotations of an order take the same: the largest comes first
		for others := range nodetest.Orders(n - 1) {
			turned[0] = election.ID(n)
			copy(turned[1:], others)
			sum += rounds(turned)
			orders++
		}
		require.InDelta(t, want, float64(sum)/float64(orders), 0.005, "n = %d", n)
	}
}

// TestTime: 2n-1 for the election where large and small alternate on every scale, and n more for
// the announcement.
func TestTime(t *testing.T) {
	for k := 1; k <= 6; k++ {
		ids := nodetest.BitReversed(k)
		r := nodetest.Elect(t, nodetest.Ring(franklin.Algorithm(), ids))
		require.Equal(t, time.Duration(3*len(ids)-1)*sim.Unit, r.Time, "n = %d", len(ids))
	}
}

// TestTimeIsNotLinear: (n/2)log2 n + n-1, and n more, where one half of the ring does not start and
// the other alternates on every scale, turned so that the gap costs most.
func TestTimeIsNotLinear(t *testing.T) {
	for k := 1; k <= 5; k++ {
		ids := nodetest.BitReversed(k)
		half := len(ids)
		var slowest time.Duration
		for turn := range ids {
			c := nodetest.Ring(franklin.Algorithm(), slices.Concat(ids[turn:], ids[:turn]))
			c.Initiators = slices.Clone(c.IDs)
			for i := range half {
				c.IDs = append(c.IDs, election.ID(1000+i))
			}
			slowest = max(slowest, nodetest.Elect(t, c).Time)
		}
		require.Equal(t, time.Duration(half*(k+1)+4*half-1)*sim.Unit, slowest, "n = %d", 2*half)
	}
}

// TestQueue: a neighbour is at most a round ahead, so that never more than two Ranks wait on one
// side, while none waits on the other.
func TestQueue(t *testing.T) {
	const rank, length, flags = 16, 4, 4
	longest := 0
	for seed := range uint64(100) {
		c := nodetest.Ring(nodetest.Measured(franklin.Algorithm(), &longest),
			nodetest.Random(1+int(seed%16), seed))
		c.Schedule, c.Seed = sim.RandomDelay, seed
		nodetest.Elect(t, c)
	}
	require.Equal(t, flags+2*length+2*rank, longest)
}

func TestPriorities(t *testing.T) { nodetest.Priorities(t, franklin.Algorithm()) }

func TestUnordered(t *testing.T) {
	require.False(t, franklin.Algorithm().NeedsFIFO)
	require.Zero(t, nodetest.Unordered(t, franklin.Algorithm(), 2000))
}
