package process_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/lab/topology"
	"github.com/go-election/election/process"
)

// TestCompleteLinks: everybody numbers the links as package topology does.
func TestCompleteLinks(t *testing.T) {
	for n := range 7 {
		var all []election.Rank
		var ids []election.ID
		for i := range n + 1 {
			ids = append(ids, election.ID(50-7*i))
			all = append(all, election.Rank{ID: ids[i], Priority: uint64(i)})
		}
		complete, err := topology.CompleteOf(ids)
		require.NoError(t, err)
		for p, self := range all {
			links := process.CompleteLinks(self, all...)
			require.Len(t, links, n)
			for port, link := range links {
				q, back, ok := complete.Link(p, election.Port(port))
				require.True(t, ok)
				require.Equal(t, process.Link{Peer: all[q], Port: back}, link)
			}
			without := slices.Delete(slices.Clone(all), p, p+1)
			require.Equal(t, links, process.CompleteLinks(self, without...))
		}
	}
}

// TestPlace: a process knows its links, who is behind them, whether it may send both ways, and where the root
// is.
func TestPlace(t *testing.T) {
	ranks := []election.Rank{{ID: 7}, {ID: 5, Priority: 2}, {ID: 9}}
	path, err := topology.Path(3)
	require.NoError(t, err)
	c := process.Config{OneWay: true, Start: true, Parent: 7, Root: true}
	require.NoError(t, c.Place(path, ranks, 1))
	require.Equal(t, process.Config{
		Self: ranks[1], Start: true, Links: []process.Link{{Peer: ranks[0]}, {Peer: ranks[2]}},
	}, c)
	require.NoError(t, c.Place(path, ranks, 0))
	require.True(t, c.Root)
	require.NoError(t, c.Place(path, ranks, 2))
	require.Equal(t, []process.Link{{Peer: ranks[1], Port: 1}}, c.Links)

	for _, oneWay := range []bool{false, true} {
		ring, err := topology.Ring(3, oneWay)
		require.NoError(t, err)
		require.NoError(t, c.Place(ring, ranks, 0))
		require.Equal(t, process.Config{Self: ranks[0], Start: true, OneWay: oneWay, Links: []process.Link{
			election.Clockwise:        {Peer: ranks[1], Port: election.Counterclockwise},
			election.Counterclockwise: {Peer: ranks[2], Port: election.Clockwise},
		}}, c)
	}

	for _, p := range []int{-1, 3} {
		require.ErrorIs(t, c.Place(path, ranks, p), election.ErrInput)
	}
	require.ErrorIs(t, c.Place(path, ranks[1:], 0), election.ErrInput)
}
