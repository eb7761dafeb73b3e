package lcr_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/lcr"
	"github.com/go-election/election/nodetest"
)

// distance returns the clockwise distance from place p to the first process for which stops returns true, or a
// whole tour if there is none.
func distance(ids []election.ID, p int, stops func(id election.ID) bool) uint64 {
	d := 1
	for d < len(ids) && !stops(ids[(p+d)%len(ids)]) {
		d++
	}
	return uint64(d)
}

// participant: every Rank travels to the next larger one where all start. A process that starts alone pays
// for the way to the largest, unless it is that itself; others lie between.
func participant(ids, initiators []election.ID) (low, high uint64) {
	n := uint64(len(ids))
	switch {
	case len(initiators) == len(ids):
		return extinction(ids, initiators)
	case len(initiators) == 1:
		e := n + toLargest(ids, initiators[0])
		return e + n, e + n
	}
	return n + n, n*(n+1)/2 + n
}

// extinction: every initiator's Rank travels to the next larger initiator.
func extinction(ids, initiators []election.ID) (low, high uint64) {
	e := uint64(len(ids))
	for _, id := range initiators {
		e += distance(ids, slices.Index(ids, id), func(other election.ID) bool {
			return other > id && slices.Contains(initiators, other)
		})
	}
	return e, e
}

// toLargest returns how far it is clockwise from id to the largest of all.
func toLargest(ids []election.ID, id election.ID) uint64 {
	largest := slices.Max(ids)
	if id == largest {
		return 0
	}
	return distance(ids, slices.Index(ids, id), func(other election.ID) bool { return other == largest })
}

// maximum: every token travels to the largest, and from there around the ring.
func maximum(ids, initiators []election.ID) (low, high uint64) {
	e := uint64(len(ids))
	for _, id := range initiators {
		e += uint64(len(ids)) + toLargest(ids, id)
	}
	return e, e
}

// wave: two tours per initiator.
func wave(ids, initiators []election.ID) (low, high uint64) {
	e := uint64(2 * len(ids) * len(initiators))
	return e, e
}

var exact = map[string]nodetest.Exact{"participant": participant, "initiators": extinction, "max": maximum,
	"wave": wave}

func each(t *testing.T, test func(t *testing.T, a *election.Algorithm)) {
	require.Len(t, lcr.Algorithms(), 4)
	for _, a := range lcr.Algorithms() {
		t.Run(a.Variant, func(t *testing.T) { test(t, a) })
	}
}

func TestBounds(t *testing.T) {
	each(t, func(t *testing.T, a *election.Algorithm) { nodetest.Bounds(t, a, 7, exact[a.Variant]) })
}

func TestInitiators(t *testing.T) {
	each(t, func(t *testing.T, a *election.Algorithm) { nodetest.Initiators(t, a, 5, exact[a.Variant]) })
}

func TestLarge(t *testing.T) {
	each(t, func(t *testing.T, a *election.Algorithm) { nodetest.Large(t, a, 150) })
}

// TestLingers: only a tour of a wave may still have to pass a process that knows of the end.
func TestLingers(t *testing.T) {
	each(t, func(t *testing.T, a *election.Algorithm) {
		require.Equal(t, a.Variant == "wave", a.RelaysAfterEnd)
	})
}

func TestPriorities(t *testing.T) { each(t, nodetest.Priorities) }

// TestUnordered includes initiators: a process that has started never passes on a smaller Rank, so that none
// but the largest comes home, in whatever order they travel.
func TestUnordered(t *testing.T) {
	each(t, func(t *testing.T, a *election.Algorithm) {
		require.Zero(t, nodetest.Unordered(t, a, 500))
	})
}

// TestJoinsLate knows what a late token costs: in max the five hops of a tour and the two to the
// largest, in wave two tours.
func TestJoinsLate(t *testing.T) {
	nodetest.JoinsLate(t, lcr.Max(), (5+4)+(5+2)+5)
	nodetest.JoinsLate(t, lcr.Wave(), 2*10)
}
