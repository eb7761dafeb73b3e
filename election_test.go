package election_test

import (
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
)

func TestRankOrder(t *testing.T) {
	rising := []election.Rank{{Priority: 0, ID: 1}, {Priority: 0, ID: 2}, {Priority: 1, ID: 1},
		{Priority: 1, ID: 9}, {Priority: 1 << 63, ID: 1}}
	for i, a := range rising {
		for j, b := range rising {
			require.Equal(t, i < j, a.Less(b), "%v < %v", a, b)
			require.Equal(t, a.Compare(b), -b.Compare(a))
			require.Equal(t, i < j, a.Compare(b) < 0)
			require.Equal(t, i == j, a.Compare(b) == 0)
		}
	}
	require.Equal(t, "7", election.Rank{ID: 7}.String())
	require.Equal(t, "7(priority 3)", election.Rank{ID: 7, Priority: 3}.String())
}

// TestSizes pins what a queue of messages costs.
func TestSizes(t *testing.T) {
	require.EqualValues(t, 40, unsafe.Sizeof(election.Message{}))
	require.EqualValues(t, 56, unsafe.Sizeof(election.Event{}))
	require.EqualValues(t, 80, unsafe.Sizeof(election.Packet{}))
}

func TestNames(t *testing.T) {
	require.Equal(t, "suspect", election.Suspect.String())
	require.Equal(t, "op(0)", election.Op(0).String())
	require.Equal(t, "op(200)", election.Op(200).String())
	require.Equal(t, "leader", election.Leader.String())
	require.Equal(t, "follower", election.Follower.String())
	require.Equal(t, "undecided", election.Undecided.String())
}

func TestAlgorithmCheck(t *testing.T) {
	good := func() *election.Algorithm {
		return &election.Algorithm{Name: "a", Topology: election.Ring, Kinds: []election.Kind{{Name: "k"}},
			New: func(election.Setup) election.Node { return &script{} }}
	}
	require.NoError(t, good().Check())
	require.ErrorContains(t, (*election.Algorithm)(nil).Check(), "none is given")
	for want, change := range map[string]func(*election.Algorithm){
		"it has no Name":            func(a *election.Algorithm) { a.Name = "" },
		"a has no New":              func(a *election.Algorithm) { a.New = nil },
		`the Topology of a is ""`:   func(a *election.Algorithm) { a.Topology = "" },
		`the Topology of a is "rin`: func(a *election.Algorithm) { a.Topology = "ringg" },
		"a has 256 Kinds":           func(a *election.Algorithm) { a.Kinds = make([]election.Kind, 256) },
	} {
		a := good()
		change(a)
		require.ErrorIs(t, a.Check(), election.ErrInput)
		require.ErrorContains(t, a.Check(), want)
	}
	for _, f := range []election.Faults{{Recover: true}, {Restart: true}, {Reported: true},
		{Returns: true}, {Nudged: true}} {
		a := good()
		a.Faults = f
		require.ErrorIs(t, a.Check(), election.ErrInput, "%+v", f)
		require.ErrorContains(t, a.Check(), "but Crash is false")
		a.Faults.Crash = true
		require.NoError(t, a.Check())
	}
}

// TestBefore: a later Term counts more, and in one Term a larger leader.
func TestBefore(t *testing.T) {
	rising := []election.Outcome{
		{},
		{Term: 1, Leader: election.Rank{ID: 2}},
		{Term: 1, Leader: election.Rank{ID: 3}},
		{Term: 1, Leader: election.Rank{Priority: 1, ID: 1}},
		{Term: 2, Leader: election.Rank{ID: 1}},
	}
	for i, o := range rising {
		for j, p := range rising {
			require.Equal(t, i < j, o.Before(p), "%v before %v", o, p)
			p.Role = election.Leader
			require.Equal(t, i < j, o.Before(p), "whatever their part in it")
		}
	}
}
