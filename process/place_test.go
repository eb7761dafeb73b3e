package process_test

import (
	"context"
	"slices"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/lab/topology"
	"github.com/go-election/election/lmw"
	"github.com/go-election/election/process"
)

// TestPeersOfCompleteGraph: the peers may include the process itself, which has no link.
func TestPeersOfCompleteGraph(t *testing.T) {
	c, _ := pair(t, func(*election.Env, *election.Event) {})
	ports := -1
	c.Algorithm.New = func(s election.Setup) election.Node {
		ports = s.Ports
		return fixed{}
	}
	for _, others := range [][]election.Rank{nil, {{ID: 2}}, {{ID: 3}, {ID: 2}, {ID: 9, Priority: 1}}} {
		for at := range len(others) + 1 {
			c.Peers = slices.Insert(slices.Clone(others), at, c.Self)
			given := slices.Clone(c.Peers)
			p, err := process.New(c)
			require.NoError(t, err)
			require.Equal(t, len(others), ports)
			require.ErrorIs(t, p.Suspect(c.Self.ID), election.ErrInput)
			require.Equal(t, given, c.Peers)
		}
	}
}

// TestPlace: a process knows its links, its peers, whether it may send in both directions, and the way to the
// root.
func TestPlace(t *testing.T) {
	ranks := []election.Rank{{ID: 7}, {ID: 5, Priority: 2}, {ID: 9}}
	path, err := topology.Path(3)
	require.NoError(t, err)
	c := process.Config{OneWay: true, Start: true, Parent: 7, Root: true}
	require.NoError(t, c.Place(path, ranks, 1))
	require.Equal(t, process.Config{
		Self: ranks[1], Start: true, Peers: []election.Rank{ranks[0], ranks[2]}, Size: 3,
	}, c)
	heavy := topology.WithWeights(path, func(p, q int) uint64 { return uint64(p + 10*q) })
	require.NoError(t, c.Place(heavy, ranks, 1))
	require.Equal(t, []uint64{10, 21}, c.Weights)
	require.NoError(t, c.Place(topology.WithWeights(path, func(int, int) uint64 { return 0 }), ranks, 1))
	require.Nil(t, c.Weights)
	require.NoError(t, c.Place(topology.WithWeights(path, func(int, int) uint64 { return 1 }), ranks, 1))
	require.Equal(t, []uint64{1, 1}, c.Weights)
	require.NoError(t, c.Place(path, ranks, 0))
	require.True(t, c.Root)
	require.NoError(t, c.Place(path, ranks, 2))
	require.Equal(t, ranks[1:2], c.Peers)

	for _, oneWay := range []bool{false, true} {
		ring, err := topology.Ring(3, oneWay)
		require.NoError(t, err)
		c.Parent, c.Root = 7, true // of a tree, before
		require.NoError(t, c.Place(ring, ranks, 0))
		require.Equal(t, process.Config{Self: ranks[0], Start: true, OneWay: oneWay, Size: 3,
			Peers: []election.Rank{election.Clockwise: ranks[1], election.Counterclockwise: ranks[2]}}, c)
	}

	for _, p := range []int{-1, 3} {
		require.ErrorIs(t, c.Place(path, ranks, p), election.ErrInput)
	}
	require.ErrorIs(t, c.Place(path, ranks[1:], 0), election.ErrInput)
}

// TestPortsLeadAround: an algorithm that knows PortsAround elects the right process on every complete graph that it
// is not refused on, in whichever order Place and the algorithm come.
func TestPortsLeadAround(t *testing.T) {
	a := lmw.Algorithm()
	wrap := func(t process.Topology) process.Topology { return struct{ process.Topology }{t} }
	for n := 1; n <= 5; n++ {
		ids := []election.ID{4, 5, 3, 2, 1}[:n]
		scattered, err := topology.Complete(n)
		require.NoError(t, err)
		around, err := topology.CompleteFor(a, ids)
		require.NoError(t, err)
		for i, graph := range []process.Topology{around, scattered, wrap(around), wrap(scattered)} {
			for _, late := range []bool{false, true} {
				refused := electedOn(t, a, graph, ids, late)
				require.Equal(t, n > 2 && i%2 == 1, refused,
					"%d processes, late %v", n, late)
			}
		}
	}
}

// electedOn elects on a complete graph, and returns true if the processes are refused there.
func electedOn(t *testing.T, a *election.Algorithm, graph process.Topology, ids []election.ID, late bool) (
	refused bool) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		ends, all := endsOf(t, ids...), make([]*process.Process, len(ids))
		var wait sync.WaitGroup
		defer wait.Wait()
		for p := range ids {
			c := process.Config{Algorithm: a, Transport: ends[ids[p]], Founding: true, Start: true}
			if late {
				c.Algorithm = nil
			}
			err := c.Place(graph, ranksOf(ids), p)
			if c.Algorithm = a; err == nil {
				all[p], err = process.New(c)
			}
			if err != nil {
				require.ErrorIs(t, err, election.ErrInput)
				require.ErrorContains(t, err, "topology.CompleteFor")
				refused = true
				continue
			}
			wait.Go(func() { _ = all[p].Run(t.Context()) })
			defer all[p].Close()
		}
		synctest.Wait()
		for p := range ids {
			if !refused {
				require.Equal(t, slices.Max(ids), all[p].Outcome().Leader.ID, "process %d", ids[p])
			}
		}
	})
	return refused
}

// backwards is a one-way ring of four that is numbered against the direction of its messages.
type backwards struct{}

func (backwards) Len() int      { return 4 }
func (backwards) OneWay() bool  { return true }
func (backwards) Ports(int) int { return 2 }
func (backwards) Link(p int, port election.Port) (q int, back election.Port, ok bool) {
	return (p + 3) % 4, election.Counterclockwise, port == election.Clockwise
}

// TestPlaceBackwards: the process before is found wherever it stands in the numbering.
func TestPlaceBackwards(t *testing.T) {
	ranks := ranksOf([]election.ID{10, 11, 12, 13})
	for p := range ranks {
		var c process.Config
		require.NoError(t, c.Place(backwards{}, ranks, p))
		require.Equal(t, []election.Rank{ranks[(p+3)%4], ranks[(p+1)%4]}, c.Peers)
	}
}

// TestWeights: a process knows the weights of its links, and its neighbours if the algorithm knows LinkWeights.
func TestWeights(t *testing.T) {
	var seen []election.Rank
	var stop func()
	c, _ := pair(t, func(e *election.Env, _ *election.Event) {
		seen = nil
		for port := range election.Port(e.Ports() + 1) { // there is one port fewer
			seen = append(seen, election.Rank{Priority: e.Weight(port), ID: e.Peer(port).ID})
		}
		stop()
	})
	c.Algorithm.Topology, c.Algorithm.Knows = election.Graph, election.LinkWeights
	c.Peers, c.Weights = []election.Rank{{ID: 8}, {ID: 9}}, []uint64{3}
	_, err := process.New(c)
	require.ErrorIs(t, err, election.ErrInput)
	require.ErrorContains(t, err, "weights: 1 for 2 peers")
	for _, weights := range [][]uint64{{3, 4}, {0, 0}, nil} {
		c.Weights = weights
		p, err := process.New(c)
		require.NoError(t, err)
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		stop = cancel
		require.ErrorIs(t, p.Run(ctx), context.Canceled)
		want := []election.Rank{{ID: 8}, {ID: 9}, {}}
		for i, w := range weights {
			want[i].Priority = w
		}
		require.Equal(t, want, seen)
	}
}
