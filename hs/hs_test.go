package hs_test

import (
	"math/bits"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/cost"
	"github.com/go-election/election/hs"
	"github.com/go-election/election/lab/sim"
	"github.com/go-election/election/nodetest"
)

// costs returns how many messages an order takes where all start, announcement included.
// Every process pays for the way of its probes to both sides in every phase that it comes to: to
// the next larger process if that is in reach and else as far as the phase goes, and for as many
// hops of the reply; a probe that comes home has no reply, nor has one that is swallowed.
func costs(ids []election.ID, respond bool) uint64 {
	n := len(ids)
	total := n
	for p, id := range ids {
		left, right := 1, 1 // to the next larger process
		for left < n && ids[(p-left+n)%n] < id {
			left++
		}
		for right < n && ids[(p+right)%n] < id {
			right++
		}
		for reach := 1; ; reach *= 2 {
			for _, d := range [2]int{left, right} {
				switch {
				case d > reach:
					total += 2 * reach
				case d == n || !respond:
					total += d
				default:
					total += 2 * d
				}
			}
			if min(left, right) <= reach {
				break
			}
		}
	}
	return uint64(total)
}

// phases returns in which phase the winner's probes come home.
func phases(n int) int { return bits.Len(uint(n - 1)) }

// exact knows the count where all start. Else the winner pays for all its phases, and for
// the announcement, and the bound holds.
func exact(a *election.Algorithm) nodetest.Exact {
	return func(ids, initiators []election.ID) (low, high uint64) {
		n := len(ids)
		if len(initiators) == n {
			e := costs(ids, a.Variant == "respond")
			return e, e
		}
		return uint64(3*n + 4*(1<<phases(n)-1)), uint64(a.Worst.Count(n))
	}
}

func each(t *testing.T, test func(t *testing.T, a *election.Algorithm)) {
	require.Len(t, hs.Algorithms(), 2)
	for _, a := range hs.Algorithms() {
		t.Run(a.Variant, func(t *testing.T) { test(t, a) })
	}
}

func TestBounds(t *testing.T) {
	each(t, func(t *testing.T, a *election.Algorithm) { nodetest.Bounds(t, a, 7, exact(a)) })
}

// TestHardest tries all orders of up to ten processes, but for rotations: the largest comes first.
func TestHardest(t *testing.T) {
	hardest := map[string][]uint64{ // without the announcement
		"probe":   {2, 10, 23, 32, 55, 68, 78, 89, 134, 152},
		"respond": {2, 12, 26, 40, 62, 80, 96, 112, 152, 176},
	}
	each(t, func(t *testing.T, a *election.Algorithm) {
		for i, want := range hardest[a.Variant] {
			n := i + 1
			most := uint64(0)
			turned := make([]election.ID, n)
			for others := range nodetest.Orders(n - 1) {
				turned[0] = election.ID(n)
				copy(turned[1:], others)
				most = max(most, costs(turned, a.Variant == "respond"))
			}
			require.Equal(t, want+uint64(n), most, "n = %d", n)
			known := nodetest.IDs(a.Worst.Arrange(n))
			require.Equal(t, most, nodetest.Elect(t, nodetest.Ring(a, known)).Messages, "n = %d", n)
			require.GreaterOrEqual(t, a.Worst.Count(n), float64(most), "n = %d", n)
		}
		require.Nil(t, a.Worst.Arrange(11))
		require.True(t, a.Worst.Loose)
	})
}

// TestWorstFormula holds the bound against values that were worked out by hand from its formula.
func TestWorstFormula(t *testing.T) {
	each(t, func(t *testing.T, a *election.Algorithm) {
		own := map[string]int{"probe": 6, "respond": 7}[a.Variant]
		for n, sum := range map[int]int{2: 0, 3: 8, 4: 16, 5: 16 + 16, 8: 32 + 32, 9: 32 + 48 + 32} {
			require.EqualValues(t, own*n+sum, a.Worst.Count(n), "n = %d", n)
		}
		require.EqualValues(t, 3, a.Worst.Count(1))
	})
}

// TestMeanOfMany compares the mean with a sample on rings that are too large to try all orders.
func TestMeanOfMany(t *testing.T) {
	each(t, func(t *testing.T, a *election.Algorithm) {
		for _, n := range []int{16, 33, 100} {
			sum := 0.0
			for seed := range uint64(2000) {
				sum += float64(costs(nodetest.Random(n, seed), a.Variant == "respond"))
			}
			require.InEpsilon(t, a.Mean.Count(n), sum/2000, 0.01, "n = %d", n)
		}
	})
}

// TestKnownCounts holds figures known for large rings against the formulas: all start on rings in
// bit-reversed order, n(3 log2 n + 2) and n(4 log2 n + 2) without the announcement.
func TestKnownCounts(t *testing.T) {
	each(t, func(t *testing.T, a *election.Algorithm) {
		factor := map[string]int{"probe": 3, "respond": 4}[a.Variant]
		for k := 1; k <= 7; k++ {
			r := nodetest.Elect(t, nodetest.Ring(a, nodetest.BitReversed(k)))
			require.EqualValues(t, 1<<k*(factor*k+3), r.Messages, "n = %d", 1<<k)
		}
	})
}

// TestTime: the winner waits for 2^k hops to and fro in every phase but the last.
func TestTime(t *testing.T) {
	each(t, func(t *testing.T, a *election.Algorithm) {
		for n := 1; n <= 40; n++ {
			r := nodetest.Elect(t, nodetest.Ring(a, nodetest.Random(n, uint64(n))))
			want := 2*(1<<phases(n)-1) + n + n
			require.Equal(t, time.Duration(want)*sim.Unit, r.Time, "n = %d", n)
			require.EqualValues(t, want, r.Chain, "n = %d", n)
		}
	})
}

func TestInitiators(t *testing.T) {
	each(t, func(t *testing.T, a *election.Algorithm) { nodetest.Initiators(t, a, 5, exact(a)) })
}

// TestSleepersBeginAtPhaseZero: processes that are woken on a rising ring by the smallest cost no
// more than n log n. If they began in the phase of the probe that wakes them it were quadratic.
func TestSleepersBeginAtPhaseZero(t *testing.T) {
	each(t, func(t *testing.T, a *election.Algorithm) {
		c := nodetest.Ring(a, nodetest.IDs(a.Best.Arrange(64)))
		c.Initiators = []election.ID{1}
		r := nodetest.Elect(t, c)
		require.Less(t, float64(r.Messages), a.Best.Count(64)+64)
	})
}

func TestLarge(t *testing.T) {
	each(t, func(t *testing.T, a *election.Algorithm) { nodetest.Large(t, a, 300) })
}

func TestPriorities(t *testing.T) { each(t, nodetest.Priorities) }

func TestUnordered(t *testing.T) {
	each(t, func(t *testing.T, a *election.Algorithm) {
		require.False(t, a.NeedsFIFO)
		require.Zero(t, nodetest.Unordered(t, a, 500))
	})
}

// TestCountsOfAnySchedule: where all start, probe takes the same messages on any links.
// Respond may take less, where a larger candidate is heard of early.
func TestCountsOfAnySchedule(t *testing.T) {
	less := map[string]int{}
	each(t, func(t *testing.T, a *election.Algorithm) {
		for seed := range uint64(300) {
			c := nodetest.Ring(a, nodetest.Random(2+int(seed%40), seed))
			c.Schedule, c.Unordered, c.Seed = sim.RandomDelay, seed%2 == 0, seed
			messages, most := nodetest.Elect(t, c).Messages, costs(c.IDs, a.Variant == "respond")
			require.LessOrEqual(t, messages, most)
			if messages < most {
				less[a.Variant]++
			}
		}
	})
	require.Zero(t, less["probe"])
	require.Positive(t, less["respond"])
}

func TestBits(t *testing.T) {
	w := cost.NewWidths(8, 15, 3) // 4 bits, 2 bits; 8 takes 4, and 4 takes 3
	for variant, want := range map[string][]uint64{"probe": {6 + 3 + 4, 6 + 3, 6},
		"respond": {6 + 3 + 4, 6 + 4, 6}} {
		i := slices.IndexFunc(hs.Algorithms(),
			func(a *election.Algorithm) bool { return a.Variant == variant })
		for k, kind := range hs.Algorithms()[i].Kinds {
			require.Equal(t, want[k], kind.Bits(w), "%s %s", variant, kind.Name)
		}
	}
}
