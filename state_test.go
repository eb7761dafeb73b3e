package election_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
)

// everyField is a Node with a field of each type that can be visited.
type everyField struct {
	configured int
	yes        bool
	u8         uint8
	enum       uint8
	u32        uint32
	u64        uint64
	id         election.ID
	port       election.Port
	rank       election.Rank
	wait       time.Duration
	msg        election.Message
	list       []uint32
}

func (n *everyField) Step(*election.Env, *election.Event) {}

func (n *everyField) State(s *election.State) {
	s.Bool(&n.yes)
	s.Uint8(&n.u8)
	s.Enum(&n.enum, 3)
	s.Uint32(&n.u32)
	s.Uint64(&n.u64)
	s.ID(&n.id)
	s.Port(&n.port)
	s.Rank(&n.rank)
	s.Duration(&n.wait)
	s.Message(&n.msg)
	election.VisitSlice(s, &n.list, (*election.State).Uint32)
}

// fullMessage returns a message with a different value in each field.
func fullMessage() election.Message {
	return election.Message{Term: 6 << 40, Rank: election.Rank{Priority: 7 << 41, ID: 8 << 42},
		Value: 9 << 43,
		Round: 10 << 20, Kind: 200, Flags: 201, Layer: 202}
}

func filled() *everyField {
	return &everyField{configured: 1, yes: true, u8: 2, enum: 2, u32: 3, u64: 4, id: 5, port: 6,
		rank: election.Rank{Priority: 7, ID: 8}, wait: 9, msg: fullMessage(), list: []uint32{10, 11}}
}

func TestStateRoundTrip(t *testing.T) {
	saved := new(election.State).Append([]byte{42}, filled())
	require.Equal(t, byte(42), saved[0])
	got := &everyField{configured: 1, list: []uint32{1, 2, 3}}
	require.NoError(t, new(election.State).Restore(got, saved[1:]))
	require.Equal(t, filled(), got)
	require.Equal(t, saved[1:], new(election.State).Append(nil, got))
}

func TestStateReset(t *testing.T) {
	n := filled()
	new(election.State).Reset(n)
	require.Equal(t, &everyField{configured: 1, list: []uint32{}}, n)
	require.Equal(t, new(election.State).Append(nil, &everyField{}), new(election.State).Append(nil, n),
		"nil and empty are one state")
}

// TestStateRefused: whatever is not a state is refused and leaves the Node as it was made.
func TestStateRefused(t *testing.T) {
	good := new(election.State).Append(nil, filled())
	check := func(b []byte, want string) {
		n := filled()
		err := new(election.State).Restore(n, b)
		require.ErrorIs(t, err, election.ErrState)
		require.ErrorContains(t, err, want)
		require.Equal(t, new(election.State).Append(nil, &everyField{}), new(election.State).Append(nil, n))
	}
	for short := range good {
		check(good[:short], "")
	}
	check(append(append([]byte{}, good...), 0), "1 bytes too many")
	bad := append([]byte{}, good...)
	bad[0] = 2
	check(bad, "a bool is 2, neither 0 nor 1")
	bad = append([]byte{}, good...)
	bad[2] = 3
	check(bad, "case 3 of 3")
	long := append([]byte{}, good...)
	copy(long[len(long)-12:], []byte{255, 255, 255, 255})
	check(long, "a list of 4294967295")
}

func FuzzRestoreState(f *testing.F) {
	f.Add(new(election.State).Append(nil, filled()))
	f.Add(new(election.State).Append(nil, &everyField{}))
	f.Fuzz(func(t *testing.T, b []byte) {
		n := &everyField{}
		if err := new(election.State).Restore(n, b); err != nil {
			require.ErrorIs(t, err, election.ErrState)
			return
		}
		require.Equal(t, b, new(election.State).Append(nil, n), "equal states, equal bytes")
	})
}

// TestStateForgetsElements: a list that is reset holds nothing in its room, and what a list that is restored
// does not visit begins at zero.
func TestStateForgetsElements(t *testing.T) {
	n := filled()
	room := n.list
	new(election.State).Reset(n)
	require.Equal(t, []uint32{0, 0}, room)
	node := &pairs{{1, 2}, {3, 4}}
	require.NoError(t, new(election.State).Restore(node, new(election.State).Append(nil, node)))
	require.Equal(t, &pairs{{1, 0}, {3, 0}}, node)
}

// pairs is a Node that visits only the first of two numbers.
type pairs []struct{ visited, other uint32 }

func (p *pairs) Step(*election.Env, *election.Event) {}

func (p *pairs) State(s *election.State) {
	list := []struct{ visited, other uint32 }(*p)
	election.VisitSlice(s, &list, func(s *election.State, v *struct{ visited, other uint32 }) {
		s.Uint32(&v.visited)
	})
	*p = list
}
