package peterson_test

import (
	"math"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/lab/sim"
	"github.com/go-election/election/nodetest"
	"github.com/go-election/election/peterson"
)

// left returns how many aliases there are in each phase, of those of the initiators in the order of the ring.
func left(initiators []election.ID) (numbers []int) {
	aliases := initiators
	for {
		numbers = append(numbers, len(aliases))
		if len(aliases) == 1 {
			return numbers
		}
		var next []election.ID
		for i, id := range aliases {
			other := (i + len(aliases) - 1) % len(aliases) // odd phases: the one before
			if len(numbers)%2 == 0 {
				other = (i + 1) % len(aliases)
			}
			if aliases[other] < id {
				next = append(next, id)
			}
		}
		aliases = next
	}
}

// exact: in every phase all candidates together go around the ring once.
func exact(ids, initiators []election.ID) (low, high uint64) {
	e := uint64(len(ids) * (len(left(initiators)) + 1))
	return e, e
}

func TestBounds(t *testing.T) { nodetest.Bounds(t, peterson.Algorithm(), 8, exact) }

func TestInitiators(t *testing.T) { nodetest.Initiators(t, peterson.Algorithm(), 5, exact) }

func TestLarge(t *testing.T) { nodetest.Large(t, peterson.Algorithm(), 300) }

// TestFibonacci: in no order does one phase leave more aliases than the next two need: their numbers fall at
// least like the Fibonacci numbers, from the last phase back.
func TestFibonacci(t *testing.T) {
	requireFall := func(ids []election.ID) {
		numbers := append(left(ids), 1) // the announcement stands for the phase after the last
		for i := range len(numbers) - 3 {
			require.GreaterOrEqual(t, numbers[i], numbers[i+1]+numbers[i+2], "%v: %v", ids, numbers)
		}
	}
	for n := 1; n <= 7; n++ {
		for ids := range nodetest.Orders(n) {
			requireFall(ids)
		}
	}
	for seed := range uint64(200) {
		requireFall(nodetest.Random(8+int(seed)*5, seed))
	}
}

// TestWorstArrangement looks at the arrangement itself, for every size. At a Fibonacci number the aliases are
// as many as the Fibonacci numbers below it, phase by phase.
func TestWorstArrangement(t *testing.T) {
	a := peterson.Algorithm()
	require.Nil(t, a.Mean.Count)
	for n := 1; n <= 400; n++ {
		ids := nodetest.IDs(a.Worst.Arrange(n))
		require.InDelta(t, a.Worst.Count(n), n*(len(left(ids))+1), 1e-9, "n = %d", n)
		phi := (1 + math.Sqrt(5)) / 2
		k := math.Floor(math.Log(math.Sqrt(5)*(float64(n)+0.5)) / math.Log(phi))
		require.InDelta(t, float64(n)*k, a.Worst.Count(n), 1e-9, "n = %d", n)
		slices.Sort(ids)
		require.Equal(t, nodetest.IDs(slices.Sorted(slices.Values(a.Best.Arrange(n)))), ids, "n = %d", n)
	}
	require.Equal(t, []int{34, 21, 13, 8, 5, 3, 2, 1}, left(nodetest.IDs(a.Worst.Arrange(34))))
	require.Equal(t, []int{40, 21, 13, 8, 5, 3, 2, 1}, left(nodetest.IDs(a.Worst.Arrange(40))))
}

// TestMean measures the mean number of phases that the data sheet gives: exactly to n = 8, of some random
// orders beyond.
func TestMean(t *testing.T) {
	for n, want := range map[int]float64{2: 2, 4: 2.83, 8: 3.68} {
		sum, orders := 0, 0
		for ids := range nodetest.Orders(n) {
			if ids[0] == 1 { // of each order one of its rotations
				sum += len(left(ids))
				orders++
			}
		}
		require.InDelta(t, want, float64(sum)/float64(orders), 0.005, "n = %d", n)
	}
	for n, want := range map[int]float64{16: 4.54, 64: 6.26, 256: 7.98} {
		sum := 0
		const seeds = 2000
		for seed := range uint64(seeds) {
			sum += len(left(nodetest.Random(n, seed)))
		}
		require.InDelta(t, want, float64(sum)/seeds, 0.05, "n = %d", n)
	}
}

// TestTime pins the longest elections of all orders, n units of each for the announcement. Without
// these, none takes 3n.
func TestTime(t *testing.T) {
	a := peterson.Algorithm()
	for n, want := range map[int]time.Duration{1: 2, 2: 5, 3: 9, 4: 12, 5: 16, 6: 19, 7: 22} {
		longest := time.Duration(0)
		for ids := range nodetest.Orders(n) {
			longest = max(longest, nodetest.Elect(t, nodetest.Ring(a, ids)).Time)
		}
		require.Equal(t, want*sim.Unit, longest, "n = %d", n)
	}
	for n := 8; n <= 200; n += 8 {
		for _, ids := range [][]election.ID{nodetest.Random(n, 1), nodetest.IDs(a.Worst.Arrange(n))} {
			require.Less(t, nodetest.Elect(t, nodetest.Ring(a, ids)).Time, time.Duration(4*n)*sim.Unit)
		}
	}
}

// TestOwnRankComesBack: of these, 4 comes back to its owner in phase 3, when the owner holds 5.
func TestOwnRankComesBack(t *testing.T) {
	ids := []election.ID{5, 1, 4, 2, 3}
	require.Equal(t, []int{5, 3, 2, 1}, left(ids))
	r := nodetest.Elect(t, nodetest.Ring(peterson.Algorithm(), ids))
	require.EqualValues(t, 5, r.Leader)
	require.EqualValues(t, 20, r.Count("candidate"))
}

func TestPriorities(t *testing.T) { nodetest.Priorities(t, peterson.Algorithm()) }

func TestUnordered(t *testing.T) {
	require.Positive(t, nodetest.Unordered(t, peterson.Algorithm(), 100), "it needs links that keep the order")
}
