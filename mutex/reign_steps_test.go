package mutex_test

import (
	"bytes"
	"encoding/binary"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/mutex"
)

// mostReigns is the largest number of a reign.
const mostReigns = math.MaxInt32

// arbiterClaims is a CLAIM of a reign.
func arbiterClaims(from election.ID, number uint64) election.Event {
	ev := arbiterHears(from, arbiterClaim, 0, 0)
	ev.Msg.Value = number
	return ev
}

// arbiterLaterReign is a LATER.
func arbiterLaterReign(from election.ID, number uint64, arbiter election.ID) election.Event {
	ev := arbiterHears(from, arbiterLater, 0, 0)
	ev.Msg.Value, ev.Msg.Rank.ID = number, arbiter
	return ev
}

// arbiterInside is the declaration of a client that it is inside.
func arbiterInside(from election.ID, round uint32) election.Event {
	ev := arbiterHears(from, arbiterRequest, 0, round)
	ev.Msg.Flags = 0x80
	return ev
}

// arbiterGrants is a GRANT of a reign.
func arbiterGrants(from election.ID, round uint32, number uint64) election.Event {
	ev := arbiterHears(from, arbiterGrant, 1, round)
	ev.Msg.Value = number<<32 | 1
	return ev
}

// TestClaimInALaterTerm: an arbiter that continues in a larger Term begins a new reign, with a Grace, although
// it has never heard of another arbiter. If it is decided again in the same Term it continues its reign.
func TestClaimInALaterTerm(t *testing.T) {
	p := arbiterOver(t, arbiterLasting, mutex.Config{})
	request := arbiterHears(1, arbiterRequest, 1, 1)
	p.does(arbiterElected(1, 3))
	require.Equal(t, "1 grant 1.1 token 1.1, +lease 12s", p.does(arbiterGraceOver, request))
	require.Equal(t, "leader 3/1", p.does(arbiterElected(1, 3)))
	require.Equal(t, "claim 5, +grace 2s, leader 3/5", p.does(arbiterElected(5, 3)))
	require.Empty(t, p.does(arbiterHears(2, arbiterRequest, 5, 1)))
	require.Equal(t, "-lease", p.does(arbiterHears(1, arbiterRelease, 1, 1)))
	require.Equal(t, "2 grant 5.1 token 5.1, +lease 12s", p.does(arbiterGraceOver))
}

// TestClaimAfterReturn: an arbiter that comes back and leads in the Term in which it has granted begins
// a larger reign: the count of its tokens is lost.
func TestClaimAfterReturn(t *testing.T) {
	p := arbiterOver(t, arbiterLasting, mutex.Config{})
	p.does(arbiterElected(1, 3))
	p = p.restored(func(state []byte) []byte { return state })
	require.Empty(t, p.does(arbiterEvent(election.Init, 0), arbiterEvent(election.Rejoin, 0)))
	require.Equal(t, "claim 2, +grace 2s, leader 3/1", p.does(arbiterElected(1, 3)))
}

// TestClaimIsReplied: a client replies if it is inside, if it waits for the arbiter, and if it has heard of a
// later reign. A duplicate CLAIM has the same reply.
func TestClaimIsReplied(t *testing.T) {
	begin := func(events ...election.Event) *arbiterSteps {
		p := arbiterOver(t, arbiterLasting, mutex.Config{})
		p.does(append([]election.Event{arbiterElected(1, 4), mutex.Request(0, 1)}, events...)...)
		return p
	}
	require.Empty(t, begin().does(arbiterClaims(4, 1)), "it has asked in that reign")
	for range 2 {
		require.Equal(t, "4 request 1.2", begin().does(arbiterClaims(4, 2)), "it waits")
	}
	p := begin(arbiterGrants(4, 1, 1))
	for range 2 {
		require.Equal(t, "4 request 1.1", p.does(arbiterClaims(4, 2)), "it is inside")
		require.Equal(t, "5 request 1.1", p.does(arbiterClaims(5, 2)), "it is inside, by a grant of 4")
		require.Equal(t, "4 later 2 of 5", p.does(arbiterClaims(4, 2)), "5 is larger")
		require.Equal(t, "5 later 2 of 5", p.does(arbiterClaims(5, 1)), "an earlier one")
		p = begin(arbiterGrants(4, 1, 1))
	}
	require.Empty(t, begin().does(arbiterClaims(5, 2)), "it waits for 4")
	require.Equal(t, "5 later 0 of 0", begin().does(arbiterClaims(5, mostReigns+1)), "no such reign")
}

// TestGrantOfAnEarlierReign: a client that has heard a CLAIM gives back what an arbiter grants that has not.
func TestGrantOfAnEarlierReign(t *testing.T) {
	p := arbiterOver(t, arbiterLasting, mutex.Config{})
	p.does(arbiterElected(1, 4), mutex.Request(0, 1), arbiterClaims(5, 1))
	require.Equal(t, "4 release 1.1, 4 later 1 of 5", p.does(arbiterGrants(4, 1, 1)))
	require.Equal(t, "+stay 10s, entered 1 token 2.1", p.does(arbiterGrants(4, 1, 2)))
}

// TestWarning: a client that comes to follow an arbiter warns it of a reign of another one, unless the
// arbiter has been elected in a Term as large.
func TestWarning(t *testing.T) {
	for _, c := range []struct {
		number uint64
		by     election.ID
		want   string
	}{
		{3, 5, "4 later 3 of 5, follower 4/2"}, {2, 5, "4 later 2 of 5, follower 4/2"},
		{2, 1, "follower 4/2"}, {1, 5, "follower 4/2"}, {3, 4, "follower 4/2"},
	} {
		p := arbiterOver(t, arbiterLasting, mutex.Config{})
		p.does(arbiterClaims(c.by, c.number))
		require.Equal(t, c.want, p.does(arbiterElected(2, 4)), "%+v", c)
	}
	p := arbiterOver(t, arbiterLasting, mutex.Config{})
	require.Equal(t, "claim 4, +grace 2s, leader 3/2", p.does(arbiterClaims(5, 3), arbiterElected(2, 3)))
}

// TestLaterReign: an arbiter that hears of a larger reign than its own claims a larger one; any other it
// ignores.
func TestLaterReign(t *testing.T) {
	p := arbiterOver(t, arbiterLasting, mutex.Config{})
	p.does(arbiterElected(1, 3))
	require.Empty(t, p.does(arbiterLaterReign(1, 1, 2)))
	require.Empty(t, p.does(arbiterLaterReign(1, mostReigns+1, 2)), "no such reign")
	require.Equal(t, "claim 2, +grace 2s", p.does(arbiterLaterReign(1, 1, 4)), "4 is larger")
	require.Equal(t, "claim 8, +grace 2s", p.does(arbiterLaterReign(1, 7, 2)))
	require.Empty(t, p.does(arbiterLaterReign(1, 7, 2)), "the same")
	require.Equal(t, "1 grant 1.1 token 8.1, +lease 12s", p.does(arbiterHears(1, arbiterRequest, 1, 1),
		arbiterGraceOver))
	p = arbiterOver(t, arbiterLasting, mutex.Config{})
	require.Empty(t, p.does(arbiterLaterReign(1, 7, 2)), "it is no arbiter")
	require.Equal(t, "claim 8, +grace 2s, leader 3/1", p.does(arbiterElected(1, 3)))
}

// TestTwoArbiters: an arbiter that hears the CLAIM of another grants nothing, and claims a larger reign
// after a Grace.
func TestTwoArbiters(t *testing.T) {
	p := arbiterOver(t, arbiterLasting, mutex.Config{})
	p.does(arbiterElected(1, 3), arbiterGraceOver)
	require.Equal(t, "+grace 2s", p.does(arbiterClaims(5, 1)))
	require.Empty(t, p.does(arbiterHears(1, arbiterRequest, 1, 1)))
	require.Equal(t, "claim 2, +grace 2s", p.does(arbiterGraceOver))
	require.Equal(t, "1 grant 1.1 token 2.1, +lease 12s", p.does(arbiterGraceOver))
}

// TestHolderOfAnEarlierReign: what an arbiter remembers of an earlier reign gives way to the declaration of
// another client; what it has granted itself in this reign, or heard, does not.
func TestHolderOfAnEarlierReign(t *testing.T) {
	granted := func() *arbiterSteps {
		p := arbiterOver(t, arbiterLasting, mutex.Config{})
		require.Equal(t, "1 grant 1.1 token 1.1, +lease 12s", p.does(arbiterElected(1, 3), arbiterGraceOver,
			arbiterHears(1, arbiterRequest, 1, 1)))
		return p
	}
	require.Empty(t, granted().does(arbiterInside(2, 4)), "in this reign")
	p := granted()
	require.Equal(t, "+lease 12s", p.does(arbiterElected(2, 3), arbiterInside(2, 4)), "in an earlier one")
	require.Empty(t, p.does(arbiterInside(1, 1)), "the second declaration")
	p = granted()
	inside := arbiterInside(1, 1)
	inside.Msg.Term = 1
	require.Empty(t, p.does(arbiterElected(2, 3), inside))
	require.Empty(t, p.does(arbiterInside(2, 4)), "1 has declared that it is inside")
	require.Empty(t, p.does(arbiterHears(2, arbiterRequest, 2, 1), arbiterGraceOver))
}

// TestInsideDeclares: a process that is inside immediately declares it to a process that becomes the arbiter,
// and to no process if none is elected.
func TestInsideDeclares(t *testing.T) {
	for id, want := range map[election.ID]string{0: "undecided 0/2", 5: "5 request 1.1, follower 5/2"} {
		p := arbiterOver(t, arbiterLasting, mutex.Config{})
		p.does(arbiterElected(1, 4), mutex.Request(0, 1), arbiterGrants(4, 1, 1))
		require.Equal(t, want, p.does(arbiterElected(2, id)))
	}
}

// TestReignsExhausted: a Term too large for a token leaves the number of the reign as it is. After the
// largest reign nothing is granted, and the election is refused.
func TestReignsExhausted(t *testing.T) {
	for term, want := range map[uint64]string{
		mostReigns: "2147483647.1", mostReigns + 1: "1.1", math.MaxUint64: "1.1",
	} {
		p := arbiterOver(t, arbiterLasting, mutex.Config{})
		p.does(arbiterElected(term, 3), arbiterGraceOver)
		require.Equal(t, "1 grant 1.1 token "+want+", +lease 12s",
			p.does(arbiterHears(1, arbiterRequest, 1, 1)))
	}
	p := arbiterOver(t, arbiterLasting, mutex.Config{})
	p.does(arbiterElected(1, 3))
	require.Equal(t, "claim 2147483647, +grace 2s", p.does(arbiterLaterReign(1, mostReigns-1, 5)))
	require.Equal(t, "refused: "+election.ErrTermExhausted.Error(),
		p.does(arbiterLaterReign(1, mostReigns, 5)))
	require.Empty(t, p.does(arbiterHears(1, arbiterRequest, 1, 1)))
}

// TestCountsExhausted: an arbiter that has used up the counts of its reign grants the last of them, then
// begins another reign.
func TestCountsExhausted(t *testing.T) {
	const last = math.MaxUint32 >> 3
	p := arbiterOver(t, arbiterLasting, mutex.Config{})
	p.does(arbiterElected(1, 3), arbiterGraceOver)
	require.Equal(t, "1 grant 0.1 token 1.1, +lease 12s", p.does(arbiterHears(1, arbiterRequest, 0, 1)))
	p = p.restored(func(state []byte) []byte {
		ready := func(count uint32) []byte {
			return binary.LittleEndian.AppendUint32([]byte{0, 0, 0, 1},
				count)
		}
		require.Equal(t, 1, bytes.Count(state, ready(1)))
		return bytes.Replace(state, ready(1), ready(last-1), 1)
	})
	require.Equal(t, "1 grant 0.2 token 1.536870911, -lease, +lease 12s",
		p.does(arbiterHears(1, arbiterRequest, 0, 2)))
	require.Equal(t, "claim 2, -lease, +grace 2s", p.does(arbiterHears(1, arbiterRequest, 0, 3)))
	require.Empty(t, p.does(arbiterHears(2, arbiterRequest, 0, 1)))
	require.Equal(t, "1 grant 0.3 token 2.1, +lease 12s", p.does(arbiterGraceOver))
}
