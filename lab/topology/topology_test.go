package topology_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/lab/topology"
)

func must(t topology.Topology, err error) topology.Topology {
	if err != nil {
		panic(err)
	}
	return t
}

// TestLinks: for every shape, both ends of a link name each other, and Index numbers all of them.
func TestLinks(t *testing.T) {
	edges := [][2]int{{0, 1}, {1, 2}, {3, 4}, {4, 5}, {0, 3}, {1, 4}, {2, 5}}
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
		{"graph", must(topology.New(election.Graph, 6, edges)), 14},
		{"tree of parents", must(topology.TreeOf([]int{1, -1, 1, 2})), 6},
		{"root alone", must(topology.TreeOf([]int{-1})), 0},
		{"binary tree", must(topology.BinaryTree(6)), 10},
		{"path", must(topology.Path(5)), 8},
		{"star", must(topology.Star(5)), 8},
		{"random tree", must(topology.RandomTree(40, 7)), 78},
		{"grid", must(topology.Grid(3, 4)), 34},
		{"grid of 1 x 1", must(topology.Grid(1, 1)), 0},
		{"grid of 1 x 4", must(topology.Grid(1, 4)), 6},
		{"grid of 4 x 1", must(topology.Grid(4, 1)), 6},
		{"mesh", must(topology.Mesh(3, 3)), 24},
		{"torus", must(topology.Torus(3, 5)), 60},
		{"circulant", must(topology.Circulant(7, 1, 3)), 28},
		{"circulant with diameters", must(topology.Circulant(6, 1, 3)), 18},
		{"circulant without a ring", must(topology.Circulant(6, 2, 3)), 18},
		{"chords 1", must(topology.Chords(1)), 0},
		{"chords 2", must(topology.Chords(2)), 2},
		{"chords 3", must(topology.Chords(3)), 6},
		{"chords 4", must(topology.Chords(4)), 12},
		{"chords 16", must(topology.Chords(16)), 64},
		{"hypercube 0", must(topology.Hypercube(0)), 0},
		{"hypercube 1", must(topology.Hypercube(1)), 2},
		{"hypercube 4", must(topology.Hypercube(4)), 64},
		{"sparse random graph", must(topology.RandomGraph(30, 50, 1)), 100},
		{"dense random graph", must(topology.RandomGraph(9, 30, 1)), 60},
		{"all links", must(topology.RandomGraph(9, 36, 1)), 72},
		{"random tree as a graph", must(topology.RandomGraph(9, 8, 1)), 16},
		{"random graph of 1", must(topology.RandomGraph(1, 0, 1)), 0},
		{"random graph of 2", must(topology.RandomGraph(2, 1, 1)), 2},
		{"a ring as a graph", must(topology.AsGraph(must(topology.Ring(3, false)))), 6},
	} {
		t.Run(tt.name, func(t *testing.T) {
			whole(t, tt.t, tt.links)
		})
	}
}

// whole wants this number of links, each with two ends, numbered, that join all processes.
func whole(t *testing.T, all topology.Topology, links int) {
	t.Helper()
	found := 0
	indices := map[int]bool{}
	for from, to := range topology.All(all) {
		found++
		i := all.Index(from.Process, from.Port)
		require.True(t, i >= 0 && i < all.Links())
		require.False(t, indices[i])
		indices[i] = true
		require.Less(t, int(to.Port), all.Ports(to.Process))
		if !all.OneWay() {
			q, back, ok := all.Link(to.Process, to.Port)
			require.True(t, ok)
			require.Equal(t, from, topology.End{Process: q, Port: back})
		}
	}
	require.Equal(t, links, found)
	connected(t, all)
	for p := range all.Len() {
		_, _, ok := all.Link(p, election.Port(all.Ports(p)))
		require.False(t, ok, "a port too many")
		_, _, ok = all.Link(p, 1<<31)
		require.False(t, ok)
	}
}

// connected wants a path from process 0 to all others.
func connected(t *testing.T, all topology.Topology) {
	t.Helper()
	reached := map[int]bool{0: true}
	for todo := []int{0}; len(todo) > 0; {
		p := todo[0]
		todo = todo[1:]
		for port := range election.Port(all.Ports(p)) {
			if q, _, ok := all.Link(p, port); ok && !reached[q] {
				reached[q] = true
				todo = append(todo, q)
			}
		}
	}
	require.Len(t, reached, all.Len())
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
		for _, port := range []election.Port{3, election.NoPort} {
			_, _, ok := c.Link(p, port)
			require.False(t, ok)
		}
	}
	require.Equal(t, must(topology.Complete(2)), must(topology.CompleteOf([]election.ID{3, 8})))
}

// TestCompleteFor: for an algorithm that knows PortsByID, ports lead to the next larger ID and so on around.
func TestCompleteFor(t *testing.T) {
	ids := []election.ID{7, 2, 9, 4}
	require.Equal(t, must(topology.CompleteOf(ids)), must(topology.CompleteFor(&election.Algorithm{}, ids)))
	a := &election.Algorithm{Knows: election.PortsByID}
	around := map[election.ID][]election.ID{2: {4, 7, 9}, 4: {7, 9, 2}, 7: {9, 2, 4}, 9: {2, 4, 7}}
	for _, ids := range [][]election.ID{ids, {2, 4, 7, 9}} {
		c := must(topology.CompleteFor(a, ids))
		for p, id := range ids {
			for port := range election.Port(3) {
				q, back, ok := c.Link(p, port)
				require.True(t, ok)
				require.Equal(t, around[id][port], ids[q])
				home, again, _ := c.Link(q, back)
				require.Equal(t, []any{p, port}, []any{home, again})
			}
			for _, port := range []election.Port{3, election.NoPort} {
				_, _, ok := c.Link(p, port)
				require.False(t, ok)
			}
		}
	}
	_, _, ok := must(topology.CompleteFor(a, ids[:1])).Link(0, 0)
	require.False(t, ok)
	_, err := topology.CompleteFor(a, nil)
	require.Error(t, err)
}

func TestBadTopologies(t *testing.T) {
	many := uint64(1) << 40
	huge := int(many) // or 0, in 32 bits
	for _, tt := range []struct {
		name string
		err  error
		want string
	}{
		{"no ring", second(topology.Ring(0, true)), "a ring of 0 processes"},
		{"huge ring", second(topology.Ring(huge, true)), fmt.Sprintf("a ring of %d processes", huge)},
		{"no ids", second(topology.CompleteOf(nil)), "a complete graph of 0 processes"},
		{"negative", second(topology.Complete(-1)), "a complete graph of -1 processes"},
		{"no process", second(topology.New(election.Graph, 0, nil)), "0 processes and 0 links"},
		{"out of range", second(topology.New(election.Graph, 2, [][2]int{{0, 2}})),
			"link 0 joins 0 and 2, of 2 processes"},
		{"below zero", second(topology.New(election.Graph, 2, [][2]int{{0, -1}})), "link 0 joins 0 and -1"},
		{"loop", second(topology.New(election.Graph, 2, [][2]int{{0, 1}, {1, 1}})),
			"link 1 joins 1 to itself"},
		{"twice", second(topology.New(election.Graph, 2, [][2]int{{0, 1}, {1, 0}})),
			"link 1 joins 1 and 0 again, as link 0 does"},
		{"apart", second(topology.New(election.Graph, 4, [][2]int{{0, 1}, {2, 3}})),
			"process 2 is not connected to process 0"},
		{"cycle", second(topology.New(election.Tree, 3, [][2]int{{0, 1}, {1, 2}, {2, 0}})),
			"link 2, of 2 and 0, closes a cycle, which a tree has not"},
		{"cycle and apart", second(topology.New(election.Tree, 4, [][2]int{{0, 1}, {1, 2}, {2, 0}})),
			"link 2, of 2 and 0, closes a cycle"},
		{"parallel in a tree", second(topology.New(election.Tree, 3, [][2]int{{0, 1}, {1, 0}})),
			"link 1 joins 1 and 0 again, as link 0 does"},
		{"a tree apart", second(topology.New(election.Tree, 3, [][2]int{{0, 1}})),
			"process 2 is not connected to process 0"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			require.ErrorIs(t, tt.err, topology.ErrTopology)
			require.ErrorContains(t, tt.err, tt.want)
		})
	}
}

func second(_ topology.Topology, err error) error { return err }

// TestNewShapes: New refuses shapes, such as a hypercube, whose ports have a meaning.
func TestNewShapes(t *testing.T) {
	for _, shape := range []election.Shape{election.Ring, election.Complete, election.Hypercube,
		election.Mesh, "x"} {
		_, err := topology.New(shape, 2, [][2]int{{0, 1}})
		require.ErrorIs(t, err, topology.ErrTopology, shape)
	}
}

// TestWrittenOut: a topology that is written out port by port equals the one it was written from.
func TestWrittenOut(t *testing.T) {
	ring, err := topology.Ring(4, false)
	require.NoError(t, err)
	tree, err := topology.BinaryTree(6)
	require.NoError(t, err)
	graph, err := topology.RandomGraph(9, 14, 3)
	require.NoError(t, err)
	for _, from := range []topology.Topology{ring, tree, graph} {
		ports := make([][]topology.End, from.Len())
		for _, there := range topology.All(from) {
			back, port, _ := from.Link(there.Process, there.Port)
			require.EqualValues(t, len(ports[back]), port)
			ports[back] = append(ports[back], there)
		}
		to := topology.FromPorts(from.Shape(), ports)
		if tree, ok := from.(topology.Rooted); ok {
			require.False(t, topology.Equal(from, to), "only one has a root")
			up := make([]election.Port, from.Len())
			for p := range up {
				up[p] = tree.Parent(p)
			}
			to = topology.WithParents(to, tree.Root(), up)
		}
		require.True(t, topology.Equal(from, to))
		ports[1][0] = topology.End{Process: -1}
		to = topology.FromPorts(from.Shape(), ports)
		require.False(t, topology.Equal(from, to))
		_, _, ok := to.Link(1, 0)
		require.False(t, ok)
	}
}

// TestSizes: Sizes returns exactly the sizes that the constructors accept.
func TestSizes(t *testing.T) {
	require.Equal(t, []int{1, 2, 3}, topology.Sizes(election.Ring, 3))
	require.Equal(t, []int{1, 2, 4, 8, 16}, topology.Sizes(election.Hypercube, 20))
	require.Equal(t, []int{9, 12, 15, 16, 18, 20}, topology.Sizes(election.Mesh, 20))
	require.Empty(t, topology.Sizes(election.Mesh, 8))
}

// TestAround: for an algorithm that knows PortsAround, ports lead around in the order of the processes. Circles in
// another order lead around as well; ports in ascending order do not.
func TestAround(t *testing.T) {
	ids := []election.ID{30, 10, 40, 20}
	c := must(topology.CompleteFor(&election.Algorithm{Knows: election.PortsAround}, ids))
	for p := range ids {
		for port := range election.Port(3) {
			q, back, ok := c.Link(p, port)
			require.True(t, ok)
			require.Equal(t, (p+1+int(port))%4, q)
			require.Equal(t, 2-port, back)
		}
	}
	require.True(t, topology.Around(c))
	require.True(t, topology.Around(must(topology.CompleteFor(&election.Algorithm{Knows: election.PortsByID}, ids))))
	require.False(t, topology.Around(must(topology.Complete(4))))
	for n := 1; n < 3; n++ { // there is one order of so few
		require.True(t, topology.Around(must(topology.Complete(n))))
	}
	_, err := topology.CompleteFor(&election.Algorithm{Knows: election.PortsAround}, nil)
	require.ErrorContains(t, err, "a complete graph of 0 processes")
	path := must(topology.Path(4))
	require.False(t, topology.Around(path))
	// Tables of ports: a circle 0, 2, 1, 3, and the same with two ports of a process swapped.
	circle := []int{0, 2, 1, 3}
	ports := make([][]topology.End, 4)
	for place, p := range circle {
		for on := 1; on < 4; on++ {
			q := circle[(place+on)%4]
			ports[p] = append(ports[p], topology.End{Process: q, Port: election.Port(3 - on)})
		}
	}
	require.True(t, topology.Around(topology.FromPorts(election.Complete, ports)))
	ports[3][1], ports[3][2] = ports[3][2], ports[3][1]
	require.False(t, topology.Around(topology.FromPorts(election.Complete, ports)))
	ports[3] = ports[3][:2]
	require.False(t, topology.Around(topology.FromPorts(election.Complete, ports)))
}
