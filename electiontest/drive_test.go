package electiontest

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lcr"
	"github.com/go-election/election/process"
)

// drives runs an election over a transport in a bubble.
func drives(t *testing.T, a *election.Algorithm, n int) (err error) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		tr := &trial{Algorithm: a, ctx: t.Context(), t: t}
		in, e := tr.input(upTo(n))
		require.NoError(t, e)
		err = overTransport(tr, in)
	})
	return err
}

// TestEndsEarly: a process that ends with an error of its own is a failure.
func TestEndsEarly(t *testing.T) {
	a := stepping(func(n *spoilt, e *election.Env, ev *election.Event) {
		if ev.Op == election.Start && e.Self().ID == 2 {
			panic("no more") // on a message it would be undone
		}
		n.Node.Step(e, ev)
	})
	require.ErrorContains(t, drives(t, a, 3), "no more")
}

// TestSettling: processes have 5000 units for an election, a tenth of that with heartbeats.
func TestSettling(t *testing.T) {
	for _, beats := range []bool{false, true} {
		ends := func(after time.Duration) error {
			a := stepping(func(n *spoilt, e *election.Env, ev *election.Event) {
				switch ev.Op {
				case election.Start:
					e.SetTimer(9, after, after)
				case election.Timeout:
					n.Node.Step(e, &election.Event{Op: election.Start, At: ev.At})
				default:
					n.Node.Step(e, ev)
				}
			})
			a.NeverQuiesces = beats
			return drives(t, a, 1)
		}
		most := 5000 * scenario.Unit
		if beats {
			most /= 10
		}
		require.NoError(t, ends(most-5*scenario.Unit))
		require.Error(t, ends(most+scenario.Unit))
	}
}

// TestProcessConfig: the processes begin together, and each starts if the input requires it.
func TestProcessConfig(t *testing.T) {
	in, err := (&trial{Algorithm: lcr.Participant()}).input([]election.ID{3, 1, 2})
	require.NoError(t, err)
	starts := func(p int) bool {
		c, err := processConfig(&in, p)
		require.NoError(t, err)
		want := process.Config{Algorithm: in.Algorithm, Founding: true, Start: c.Start}
		require.NoError(t, want.Place(in.Topology, in.Ranks(), p))
		c.Algorithm, want.Algorithm = nil, nil
		require.Equal(t, want, c)
		return c.Start
	}
	for p := range 3 {
		require.True(t, starts(p))
	}
	in.Initiators = []election.ID{1, 2}
	require.False(t, starts(0))
	require.True(t, starts(1))
	require.True(t, starts(2))
}
