package mutex_test

import (
	"bytes"
	"encoding/binary"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/mutex"
	"github.com/go-election/election/params"
)

// TestArbiterAsksForOneMoreElection: an arbiter that has granted nothing asks for another election where the
// Term has grown, and takes the next decision as its answer.
func TestArbiterAsksForOneMoreElection(t *testing.T) {
	begin := func(elect election.Algorithm) *arbiterSteps {
		p := arbiterOver(t, elect, mutex.Config{Grace: 1})
		require.Equal(t, "+grace 1ns, leader 3/1", p.does(arbiterElected(1, 3)))
		return p
	}
	again := ", election: start"
	p := begin(arbiterLasting)
	require.Equal(t, "+grace 1ns, leader 3/1", p.does(arbiterElected(1, 3)), "the same Term")
	require.Equal(t, "+grace 1ns, leader 3/2"+again, p.does(arbiterElected(2, 3)), "a larger one")
	require.Equal(t, "+grace 1ns, leader 3/3", p.does(arbiterElected(3, 3)), "the answer")
	require.Equal(t, "+grace 1ns, leader 3/4"+again, p.does(arbiterElected(4, 3)), "and a larger one again")
	require.Equal(t, "leader 3/4", p.does(arbiterGraceOver, arbiterElected(4, 3)),
		"once it grants there is no grace")
	require.Equal(t, "+grace 1ns, leader 3/2", begin(arbiterOverlay).does(arbiterElected(2, 3)),
		"on an overlay all are told")
}

// TestArbiterGraceOverOverlay: an announcement on an overlay takes a delay for each process and one more, as
// far as timers go.
func TestArbiterGraceOverOverlay(t *testing.T) {
	p := arbiterOver(t, arbiterOverlay, mutex.Config{})
	require.Equal(t, "+grace 6s, leader 3/1", p.does(arbiterElected(1, 3)))
	p = arbiterOver(t, arbiterOverlay, mutex.Config{Delay: params.MaxTimeout})
	require.Equal(t, "+grace "+(params.MaxTimeout/6*6).String()+", leader 3/1", p.does(arbiterElected(1, 3)))
}

// TestArbiterAskedByTheHolder: a newer request by the holder frees the section, another waits.
func TestArbiterAskedByTheHolder(t *testing.T) {
	p := arbiterOver(t, arbiterLasting, mutex.Config{Arbiter: 3})
	require.Equal(t, "1 grant 0.2 token 0.1, +lease 12s", p.does(arbiterHears(1, arbiterRequest, 0, 2)))
	require.Empty(t, p.does(arbiterHears(1, arbiterRequest, 0, 2)), "the same")
	require.Empty(t, p.does(arbiterHears(1, arbiterRequest, 0, 1)), "an older one")
	require.Equal(t, "1 grant 0.2 token 0.2, -lease, +lease 12s", p.does(arbiterHears(1, arbiterRelease, 0, 2)), "the older one is not noted")
	require.Equal(t, "1 grant 0.3 token 0.3, -lease, +lease 12s", p.does(arbiterHears(1, arbiterRequest, 0, 3)), "a newer one")
}

// TestArbiterHearsWhoIsInside: of those that say in the grace that they are inside the first holds the
// section, by its latest word.
func TestArbiterHearsWhoIsInside(t *testing.T) {
	inside := func(from election.ID, round uint32) election.Event {
		ev := arbiterHears(from, arbiterRequest, 0, round)
		ev.Msg.Flags = 0x80
		return ev
	}
	p := arbiterOver(t, arbiterLasting, mutex.Config{})
	require.Equal(t, "+grace 2s, leader 3/1", p.does(arbiterElected(1, 3)))
	require.Equal(t, "+lease 12s", p.does(inside(1, 4)))
	require.Empty(t, p.does(inside(2, 5)), "another")
	require.Empty(t, p.does(inside(1, 4)), "the same")
	require.Empty(t, p.does(inside(1, 3)), "an older word")
	require.Equal(t, "+lease 12s", p.does(inside(1, 5)), "a newer word")
	require.Empty(t, p.does(arbiterHears(2, arbiterRequest, 1, 1), arbiterGraceOver))
	require.Empty(t, p.does(arbiterHears(1, arbiterRelease, 0, 4)))
	require.Equal(t, "2 grant 1.1 token 1.1, -lease, +lease 12s", p.does(arbiterHears(1, arbiterRelease, 0, 5)))
}

// TestArbiterTermsExhausted: a Term that fits into no token is refused, and nothing is granted in it.
func TestArbiterTermsExhausted(t *testing.T) {
	for _, c := range []struct {
		term uint64
		want string
	}{
		{math.MaxUint32, "1 grant 1.1 token 4294967295.1, +lease 12s"},
		{math.MaxUint32 + 1, "refused: " + election.ErrTermExhausted.Error()},
	} {
		p := arbiterOver(t, arbiterLasting, mutex.Config{})
		require.Empty(t, p.does(arbiterElected(c.term, 3), arbiterGraceOver))
		require.Equal(t, c.want, p.does(arbiterHears(1, arbiterRequest, 1, 1)))
	}
}

// TestArbiterCountsExhausted: an arbiter that has used up the counts of its Term grants the last of them,
// then asks for another Term and grants nothing before.
func TestArbiterCountsExhausted(t *testing.T) {
	const term, last = 0xfedcba98, math.MaxUint32 >> 3
	p := arbiterOver(t, arbiterLasting, mutex.Config{})
	require.Empty(t, p.does(arbiterElected(term, 3), arbiterGraceOver))
	require.Equal(t, "1 grant 0.1 token 4275878552.1, +lease 12s", p.does(arbiterHears(1, arbiterRequest, 0, 1)))
	p = p.restored(func(state []byte) []byte {
		tokens := func(count uint32) []byte {
			return binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint64(nil, term), count)
		}
		require.Equal(t, 1, bytes.Count(state, tokens(1)))
		return bytes.Replace(state, tokens(1), tokens(last-1), 1)
	})
	require.Equal(t, "1 grant 0.2 token 4275878552.536870911, -lease, +lease 12s", p.does(arbiterHears(1, arbiterRequest, 0, 2)))
	require.Equal(t, "-lease, election: start", p.does(arbiterHears(1, arbiterRequest, 0, 3)))
	require.Empty(t, p.does(arbiterHears(2, arbiterRequest, 0, 1)), "no second election is asked for")
	require.Equal(t, "1 grant 0.3 token 4275878553.1, +lease 12s", p.does(arbiterElected(term+1, 3), arbiterElected(term+1, 3), arbiterGraceOver))
}
