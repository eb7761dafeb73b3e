package check_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/dkr"
	"github.com/go-election/election/lab/check"
	"github.com/go-election/election/lab/verdict"
	"github.com/go-election/election/lcr"
)

// What these graphs have of states, transitions and steps follows from combinatorics; here it does not
// come from the checker.

type counts struct {
	states, transitions uint64
	longest             int
}

func of(r *check.Result) counts { return counts{r.States, r.Transitions, r.Longest} }

// proper is the election proper of LCR.
func proper(order []election.ID, unordered bool) check.Config {
	return check.Config{Input: input(lcr.Participant(), order), NoAnnouncement: true, Unordered: unordered}
}

// hops returns how far each ID travels before it is swallowed.
func hops(order []election.ID) (list []int) {
	n := len(order)
	for i, id := range order {
		h := 1
		for h < n && order[(i+h)%n] < id {
			h++
		}
		list = append(list, h)
	}
	return list
}

// independent counts the states of IDs that travel independently of each other.
func independent(order []election.ID) (c counts) {
	c.states = 1
	for _, h := range hops(order) {
		c.transitions = c.transitions*uint64(h+1) + c.states*uint64(h)
		c.states *= uint64(h + 1)
		c.longest += h
	}
	return c
}

func TestUnorderedRingIsAProduct(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 40 {
		order := make([]election.ID, 2+random.IntN(6))
		for i := range order {
			for order[i] == 0 || slices.Contains(order[:i], order[i]) {
				order[i] = election.ID(random.Uint64())
			}
		}
		r := holds(t, proper(order, true), order)
		require.Equal(t, independent(order), of(r), order)
		require.Equal(t, r.Longest, r.Messages)
	}
}

func TestUnorderedRingWorstAndBest(t *testing.T) {
	factorial, harmonic := uint64(2), 3 // (n+1)! and (n+1)! * H(n+1), of n = 1
	most := 7
	if *long {
		most = 8
	}
	for n := 2; n <= most; n++ {
		harmonic = harmonic*(n+1) + int(factorial)
		factorial *= uint64(n + 1)
		worst := counts{factorial, factorial*uint64(n+1) - uint64(harmonic), n * (n + 1) / 2}
		require.Equal(t, worst, of(holds(t, proper(falling(n), true))), n)
		best := counts{uint64(n+1) << (n - 1), uint64(n*n+2*n-1) << n >> 2, 2*n - 1}
		require.Equal(t, best, of(holds(t, proper(rising(n), true))), n)
	}
}

func binomial(n, k uint64) uint64 {
	b := uint64(1)
	for i := range k {
		b = b * (n - i) / (i + 1)
	}
	return b
}

func TestOrderedRingWorst(t *testing.T) {
	most := 11
	if *long {
		most = 14
	}
	for n := 3; n <= most; n++ {
		m := uint64(n)
		worst := counts{binomial(2*m+2, m+1) / (m + 2), binomial(2*m+1, m-1), n * (n + 1) / 2}
		r := holds(t, proper(falling(n), false))
		require.Equal(t, worst, of(r), n)
		if n > 11 { // with the way back to the start, all in
			require.LessOrEqual(t, float64(r.Bytes)/float64(r.States), 64.0)
		}
	}
}

func TestOrderedRingBest(t *testing.T) {
	for n := 3; n <= 14; n++ {
		best := counts{3<<(n-1) - 1, uint64(3*n-1) << n >> 2, 2*n - 1}
		require.Equal(t, best, of(holds(t, proper(rising(n), false))), n)
	}
}

// Dolev, Klawe, Rodeh: counted by two other checkers on models written by hand.
func TestDolevKlaweRodeh(t *testing.T) {
	states := []uint64{25, 60, 150, 384, 995, 2593, 6775, 17722}
	transitions := []uint64{38, 123, 393, 1227, 3746, 11222, 33104, 96441}
	for i, n := 0, 3; i < len(states); i, n = i+1, n+1 {
		r := holds(t, check.Config{Input: input(dkr.Algorithm(), falling(n)), Started: true})
		require.Equal(t, counts{states[i], transitions[i], 4 * n}, of(r), n)
	}
}

// TestNoAnnouncement: it implies that all have started, and followers are not judged.
func TestNoAnnouncement(t *testing.T) {
	r := holds(t, proper(falling(4), false))
	for _, v := range r.Properties {
		require.NotContains(t, []verdict.Property{verdict.Agreement, verdict.Terminated}, v.Property)
	}
	c := proper(falling(4), false)
	c.NoAnnouncement, c.Started = false, true
	require.Greater(t, holds(t, c).States, r.States)
}
