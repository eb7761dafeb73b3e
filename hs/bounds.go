package hs

import (
	"math/bits"
	"slices"
)

// The winner always pays for its own probes: 4*2^k in every phase except the last, in which both probes return
// after n hops. If Ranks rise, all others lose in phase 0. In phase 0, each pair of neighbours exchanges one
// probe each and the replies, to the larger one or to both.

func bestOfProbe(n int) float64 {
	if n == 1 {
		return 3
	}
	return 6*float64(n) + 4*float64(uint64(1)<<phases(n)) - 8
}

func bestOfRespond(n int) float64 {
	if n == 1 {
		return 3
	}
	return float64(n) + bestOfProbe(n)
}

func worstOfProbe(n int) float64 {
	if n == 1 {
		return 3
	}
	sum := 6 * float64(n)
	for k := 1; k < phases(n); k++ {
		reach := 1 << k
		sum += 4 * float64(reach) * float64(n/(reach/2+1)) // maximum number of candidates that reach phase k
	}
	return sum
}

func worstOfRespond(n int) float64 {
	if n == 1 {
		return 3
	}
	return float64(n) + worstOfProbe(n)
}

func meanOfProbe(n int) float64 {
	if n == 1 {
		return 3
	}
	sum := 6 * float64(n)
	for k := 1; k < phases(n); k++ {
		near := 1 << (k - 1)
		answered := 2 * float64(near) / float64(min(n, 3*near+1))
		sum += 2 * float64(n) * (hops(n, near) + answered)
	}
	return sum
}

func meanOfRespond(n int) float64 {
	if n == 1 {
		return 3
	}
	sum := 7 * float64(n)
	for k := 1; k < phases(n); k++ {
		sum += 4 * float64(n) * hops(n, 1<<(k-1))
	}
	return sum
}

// hops returns the expected number of hops of a probe to one side in the phase that reaches 2*near hops. The
// probe takes hop j if its process is the largest among the processes up to near on both sides, which let it
// into the phase, and the j-1 processes that the probe has passed.
func hops(n, near int) float64 {
	sum := 0.0
	for j := 2 * near; j > 0; j-- {
		sum += 1 / float64(min(n, near+1+max(near, j-1)))
	}
	return sum
}

// phases returns the phase in which the winner's probes return: the binary logarithm of n, rounded up.
func phases(n int) int { return bits.Len(uint(n - 1)) }

// hardest[n] is an arrangement of 1..n that takes the most messages, for n = 1..10, found by exhaustive search.
// It is the same for both variants, except for n = 8.
var hardest = [...][]uint64{
	1:  {1},
	2:  {2, 1},
	3:  {3, 1, 2},
	4:  {4, 1, 3, 2},
	5:  {5, 1, 2, 4, 3},
	6:  {6, 1, 2, 5, 3, 4},
	7:  {7, 1, 2, 6, 3, 5, 4},
	8:  {8, 1, 2, 4, 3, 7, 5, 6},
	9:  {9, 1, 2, 5, 3, 4, 8, 6, 7},
	10: {10, 1, 2, 4, 3, 9, 5, 6, 8, 7},
}

// worstForProbe returns an arrangement that takes the most messages, or nil if none is known.
func worstForProbe(n int) []uint64 {
	if n < 1 || n >= len(hardest) {
		return nil
	}
	return slices.Clone(hardest[n])
}

// worstForRespond returns an arrangement that takes the most messages, or nil if none is known.
func worstForRespond(n int) []uint64 {
	if n == 8 {
		return []uint64{8, 1, 3, 2, 7, 4, 6, 5}
	}
	return worstForProbe(n)
}
