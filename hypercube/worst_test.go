package hypercube_test

import (
	"flag"
	"fmt"
	"math/bits"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/hypercube"
	"github.com/go-election/election/nodetest"
)

var long = flag.Bool("long", false, "try larger networks and more schedules")

// duels returns how many duel messages an election takes on a cube, and the winner: by the
// tournament itself, without any process. conqueror[p] is the process that has defeated p.
func duels(ids []election.ID, first, dimension int, conqueror []int) (count uint64, winner int) {
	if dimension == 0 {
		return 0, first
	}
	half := 1 << (dimension - 1)
	a, x := duels(ids, first, dimension-1, conqueror)
	b, y := duels(ids, first+half, dimension-1, conqueror)
	count = a + b
	for _, duel := range [][2]int{{x, y}, {y, x}} {
		at := duel[0] ^ half
		for count++; at != duel[1]; at = conqueror[at] {
			count += uint64(bits.OnesCount(uint(at ^ conqueror[at])))
		}
	}
	if ids[x] < ids[y] {
		x, y = y, x
	}
	conqueror[y] = x
	return count, x
}

// exact is the number of messages, announcement included.
func exact(ids []election.ID, dimension int) uint64 {
	count, _ := duels(ids, 0, dimension, make([]int, len(ids)))
	return count + uint64(len(ids)-1)
}

// search looks for the outcomes of all matches of a cube that take the most messages.
type search map[string]int

// most returns how many messages the duels take within a cube whose winner is number 0, together
// with further duels that come into it at certain numbers and go on to the winner.
func (s search) most(dimension int, entries []int) (best int, loser int) {
	if dimension == 0 {
		return 0, 0
	}
	slices.Sort(entries)
	key := fmt.Sprint(dimension, entries)
	if found, ok := s[key]; ok {
		return found >> 16, found & 0xffff
	}
	half := 1 << (dimension - 1)
	for other := range half { // the winner of the other half is number half + other
		mine, theirs := split(entries, half, other)
		a, _ := s.most(dimension-1, mine)
		b, _ := s.most(dimension-1, theirs)
		way := 1 + bits.OnesCount(uint(other))
		if count := 2 + a + b + (len(theirs)-1)*way; count > best {
			best, loser = count, half+other
		}
	}
	s[key] = best<<16 | loser
	return best, loser
}

// split returns at which numbers duels enter the halves of a cube, each numbered so that its winner
// is 0: those that come from outside, and that of the other half.
func split(entries []int, half, other int) (mine, theirs []int) {
	mine, theirs = []int{other}, []int{other}
	for _, at := range entries {
		if at < half {
			mine = append(mine, at)
		} else {
			theirs = append(theirs, at-half^other)
		}
	}
	return mine, theirs
}

// wins fills in the number of matches that each process wins in what most has found.
func (s search) wins(dimension int, entries []int, winner int, won []int) {
	if dimension == 0 {
		return
	}
	_, loser := s.most(dimension, entries)
	half := 1 << (dimension - 1)
	mine, theirs := split(entries, half, loser-half)
	won[winner] = dimension
	s.wins(dimension-1, mine, winner, won)
	s.wins(dimension-1, theirs, winner^loser, won)
	won[winner] = dimension
}

// worst returns an arrangement that takes the most messages of all.
func worst(dimension int) (ids []election.ID, count uint64) {
	s := search{}
	best, _ := s.most(dimension, nil)
	won := make([]int, 1<<dimension)
	s.wins(dimension, nil, 0, won)
	order := make([]int, len(won))
	for p := range order {
		order[p] = p
	}
	slices.SortStableFunc(order, func(p, q int) int { return won[p] - won[q] })
	ids = make([]election.ID, len(won))
	for i, p := range order {
		ids[p] = election.ID(i + 1)
	}
	return ids, uint64(best + len(won) - 1)
}

// TestMost: the most messages that there are, found by search, are those of the data sheet, and
// the arrangement that takes them does so.
func TestMost(t *testing.T) {
	a := hypercube.Algorithm()
	for d, want := range []uint64{0, 3, 11, 31, 75, 167, 359} {
		ids, count := worst(d)
		require.Equal(t, want, count, "d = %d", d)
		require.Equal(t, want, elect(t, cube(t, d, ids)).Messages, "d = %d", d)
		if d <= 3 {
			require.InDelta(t, a.Worst.Count(1<<d), want, 1e-9)
		} else {
			require.Greater(t, a.Worst.Count(1<<d), float64(want))
		}
	}
}

// TestAllTournaments: every outcome of all matches on 16 processes, each by one arrangement.
func TestAllTournaments(t *testing.T) {
	const d, n = 4, 16
	least, largest := uint64(1<<62), uint64(0)
	for outcome := range 1 << (n - 1) {
		ids, count := tournament(d, outcome), uint64(0)
		if count = exact(ids, d); outcome%8 == 0 {
			require.Equal(t, count, elect(t, cube(t, d, ids)).Messages, "ids %v", ids)
		}
		least, largest = min(least, count), max(largest, count)
	}
	require.EqualValues(t, 3*(n-1), least)
	require.EqualValues(t, 75, largest)
}

// tournament returns an arrangement in which bit i of outcome gives the winner of the i-th match.
func tournament(dimension, outcome int) []election.ID {
	won := make([]int, 1<<dimension)
	var play func(first, dimension int) (winner int)
	play = func(first, dimension int) int {
		if dimension == 0 {
			return first
		}
		x, y := play(first, dimension-1), play(first+1<<(dimension-1), dimension-1)
		if outcome&1 == 1 {
			x = y
		}
		outcome >>= 1
		won[x]++
		return x
	}
	play(0, dimension)
	ids := make([]election.ID, len(won))
	next := election.ID(1)
	for wins := range dimension + 1 {
		for p := range ids {
			if won[p] == wins {
				ids[p] = next
				next++
			}
		}
	}
	return ids
}

// TestAllOrders: every order of the IDs on up to 8 processes: the count is that of the tournament,
// from 3(n-1) to 3, 11 and 31, and the time is within its bound, which is attained.
func TestAllOrders(t *testing.T) {
	a := hypercube.Algorithm()
	for d := range 4 {
		n := 1 << d
		least, largest, slowest := uint64(1<<62), uint64(0), 0
		for ids := range nodetest.Orders(n) {
			if !*long && n == 8 && ids[0] != 1 {
				continue // flipping one bit of all positions changes no count
			}
			r := elect(t, cube(t, d, ids))
			require.Equal(t, exact(ids, d), r.Messages, "ids %v", ids)
			least, largest = min(least, r.Messages), max(largest, r.Messages)
			slowest = max(slowest, units(r))
		}
		require.InDelta(t, a.Best.Count(n), least, 1e-9, "d = %d", d)
		require.InDelta(t, a.Worst.Count(n), largest, 1e-9, "d = %d", d)
		require.Equal(t, longest(d), slowest, "d = %d", d)
	}
}
