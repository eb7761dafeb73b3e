package topology_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/topology"
)

func must(t topology.Topology, err error) topology.Topology {
	if err != nil {
		panic(err)
	}
	return t
}

// TestLinks: for every shape, both ends of a link name each other, and Index numbers all of them.
func TestLinks(t *testing.T) {
	grid := [][2]int{{0, 1}, {1, 2}, {3, 4}, {4, 5}, {0, 3}, {1, 4}, {2, 5}}
	for _, tt := range []struct {
		name  string
		t     topology.Topology
		links int // in either direction
	}{
		{"ring of 1", must(topology.Ring(1, false)), 2},
		{"ring of 2", must(topology.Ring(2, false)), 4},
		{"ring of 5", must(topology.Ring(5, false)), 10},
		{"one-way ring of 5", must(topology.Ring(5, true)), 5},
		{"one-way ring of 1", must(topology.Ring(1, true)), 1},
		{"complete 1", must(topology.Complete(1)), 0},
		{"complete 2", must(topology.Complete(2)), 2},
		{"complete 5", must(topology.Complete(5)), 20},
		{"one process", must(topology.New(election.Tree, 1, nil)), 0},
		{"tree", must(topology.New(election.Tree, 4, [][2]int{{1, 0}, {2, 1}, {1, 3}})), 6},
		{"graph", must(topology.New(election.Graph, 6, grid)), 14},
	} {
		t.Run(tt.name, func(t *testing.T) {
			found := 0
			indices := map[int]bool{}
			for from, to := range topology.All(tt.t) {
				found++
				i := tt.t.Index(from.Process, from.Port)
				require.True(t, i >= 0 && i < tt.t.Links())
				require.False(t, indices[i])
				indices[i] = true
				require.Less(t, int(to.Port), tt.t.Ports(to.Process))
				if !tt.t.OneWay() {
					q, back, ok := tt.t.Link(to.Process, to.Port)
					require.True(t, ok)
					require.Equal(t, from, topology.End{Process: q, Port: back})
				}
			}
			require.Equal(t, tt.links, found)
			for p := range tt.t.Len() {
				_, _, ok := tt.t.Link(p, election.Port(tt.t.Ports(p)))
				require.False(t, ok, "a port too many")
				_, _, ok = tt.t.Link(p, 1<<31)
				require.False(t, ok)
			}
		})
	}
}

func TestAllStops(t *testing.T) {
	for range topology.All(must(topology.Complete(9))) {
		return // no panic: the iterator has heard that it is enough
	}
	t.Fatal("nothing was yielded")
}

// TestRingPorts: clockwise means the next process, which receives on its counterclockwise port.
func TestRingPorts(t *testing.T) {
	r := must(topology.Ring(3, false))
	q, back, ok := r.Link(2, election.Clockwise)
	require.Equal(t, []any{0, election.Counterclockwise, true}, []any{q, back, ok})
	q, back, ok = r.Link(0, election.Counterclockwise)
	require.Equal(t, []any{2, election.Clockwise, true}, []any{q, back, ok})
	_, _, ok = must(topology.Ring(3, true)).Link(0, election.Counterclockwise)
	require.False(t, ok, "messages travel one way")
}

func TestCompletePorts(t *testing.T) {
	c := must(topology.Complete(4))
	for p := range 4 {
		var peers []int
		for port := range election.Port(3) {
			q, _, _ := c.Link(p, port)
			peers = append(peers, q)
		}
		require.IsIncreasing(t, peers)
		require.NotContains(t, peers, p)
	}
}

func TestCompleteOf(t *testing.T) {
	ids := []election.ID{7, 2, 9, 4}
	c := must(topology.CompleteOf(ids))
	for p := range ids {
		var peers []election.ID
		for port := range election.Port(3) {
			q, back, ok := c.Link(p, port)
			require.True(t, ok)
			peers = append(peers, ids[q])
			home, again, _ := c.Link(q, back)
			require.Equal(t, []any{p, port}, []any{home, again})
		}
		require.IsIncreasing(t, peers)
		require.NotContains(t, peers, ids[p])
		_, _, ok := c.Link(p, 3)
		require.False(t, ok)
	}
	require.Equal(t, must(topology.Complete(2)), must(topology.CompleteOf([]election.ID{3, 8})))
}

func TestBadTopologies(t *testing.T) {
	for _, tt := range []struct {
		name string
		err  error
		want string
	}{
		{"no ring", second(topology.Ring(0, true)), "a ring of 0 processes"},
		{"huge ring", second(topology.Ring(1<<40, true)), "a ring of 1099511627776 processes"},
		{"no ids", second(topology.CompleteOf(nil)), "a complete graph of 0 processes"},
		{"negative", second(topology.Complete(-1)), "a complete graph of -1 processes"},
		{"nobody", second(topology.New(election.Graph, 0, nil)), "0 processes and 0 links"},
		{"out of range", second(topology.New(election.Graph, 2, [][2]int{{0, 2}})), "link 0 joins 0 and 2, of 2 processes"},
		{"below zero", second(topology.New(election.Graph, 2, [][2]int{{0, -1}})), "link 0 joins 0 and -1"},
		{"loop", second(topology.New(election.Graph, 2, [][2]int{{0, 1}, {1, 1}})), "link 1 joins 1 to itself"},
		{"twice", second(topology.New(election.Graph, 2, [][2]int{{0, 1}, {1, 0}})), "link 1 joins 0 and 1 again"},
		{"apart", second(topology.New(election.Graph, 4, [][2]int{{0, 1}, {2, 3}})), "process 2 is not connected to process 0"},
		{"cycle", second(topology.New(election.Tree, 3, [][2]int{{0, 1}, {1, 2}, {2, 0}})), "a tree of 3 processes with 3 links has a cycle"},
		{"cycle and apart", second(topology.New(election.Tree, 4, [][2]int{{0, 1}, {1, 2}, {2, 0}})), "process 3 is not connected"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			require.ErrorIs(t, tt.err, topology.ErrTopology)
			require.ErrorContains(t, tt.err, tt.want)
		})
	}
}

func second(_ topology.Topology, err error) error { return err }
