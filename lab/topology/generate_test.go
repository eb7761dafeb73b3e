package topology_test

import (
	"errors"
	"fmt"
	"math"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/lab/topology"
)

// peers returns the processes behind the ports of p.
func peers(t topology.Topology, p int) []int {
	all := []int{}
	for port := range election.Port(t.Ports(p)) {
		q, _, _ := t.Link(p, port)
		all = append(all, q)
	}
	return all
}

// TestPorts: what is generated numbers its ports in the order of the processes behind them, and has
// the shape and the name that algorithms and people ask for.
func TestPorts(t *testing.T) {
	for _, c := range []struct {
		t     topology.Topology
		shape election.Shape
		name  string
		p     int
		peers []int
	}{
		{must(topology.Grid(3, 4)), election.Graph, "grid of 3 x 4", 0, []int{1, 4}},
		{must(topology.Grid(3, 4)), election.Graph, "grid of 3 x 4", 3, []int{2, 7}},
		{must(topology.Grid(3, 4)), election.Graph, "grid of 3 x 4", 5, []int{1, 4, 6, 9}},
		{must(topology.Grid(3, 4)), election.Graph, "grid of 3 x 4", 8, []int{4, 9}},
		{must(topology.Mesh(3, 4)), election.Mesh, "mesh of 3 x 4", 11, []int{7, 10}},
		{must(topology.Torus(3, 4)), election.Graph, "torus of 3 x 4", 0, []int{1, 3, 4, 8}},
		{must(topology.Torus(3, 4)), election.Graph, "torus of 3 x 4", 5, []int{1, 4, 6, 9}},
		{must(topology.Hypercube(3)), election.Hypercube, "hypercube of dimension 3", 5, []int{4, 7, 1}},
		{must(topology.Circulant(8, 1, 3)), election.Graph, "circulant graph of steps [1 3]", 1,
			[]int{0, 2, 4, 6}},
		{must(topology.Chords(16)), election.Graph, "circulant graph of steps [1 4]", 0, []int{1, 4, 12, 15}},
		{must(topology.Path(4)), election.Tree, "path", 2, []int{1, 3}},
		{must(topology.Star(4)), election.Tree, "star", 0, []int{1, 2, 3}},
		{must(topology.BinaryTree(6)), election.Tree, "binary tree", 1, []int{0, 3, 4}},
		{must(topology.TreeOf([]int{2, 0, -1})), election.Tree, "tree", 0, []int{1, 2}},
		{must(topology.RandomTree(3, 0)), election.Tree, "random tree", 0, nil},
		{must(topology.RandomGraph(4, 6, 0)), election.Graph, "random graph of 6 links", 2, []int{0, 1, 3}},
		{must(topology.New(election.Graph, 3, [][2]int{{2, 0}, {1, 0}})), election.Graph, "graph of 2 links",
			0, []int{2, 1}},
		{must(topology.New(election.Tree, 2, [][2]int{{1, 0}})), election.Tree, "tree", 0, []int{1}},
		{must(topology.Complete(3)), election.Complete, "complete graph", 1, []int{0, 2}},
		{must(topology.AsGraph(must(topology.Hypercube(2)))), election.Graph, "hypercube of dimension 2", 0,
			[]int{1, 2}},
		{must(topology.Ring(3, true)), election.Ring, "one-way ring", 2, []int{0, 1}},
		{must(topology.Ring(3, false)), election.Ring, "two-way ring", 2, []int{0, 1}},
		{unnamed{must(topology.Ring(3, false))}, election.Ring, "ring", 2, []int{0, 1}},
	} {
		require.Equal(t, c.shape, c.t.Shape(), c.name)
		require.Equal(t, c.name, topology.Name(c.t))
		if c.peers != nil {
			require.Equal(t, c.peers, peers(c.t, c.p), c.name)
		}
	}
}

type unnamed struct{ topology.Topology }

func TestDegrees(t *testing.T) {
	for _, c := range []struct {
		t    topology.Topology
		want map[int]int // the number of processes by their number of ports
	}{
		{must(topology.Mesh(4, 5)), map[int]int{2: 4, 3: 10, 4: 6}},
		{must(topology.Torus(4, 5)), map[int]int{4: 20}},
		{must(topology.Hypercube(4)), map[int]int{4: 16}},
		{must(topology.Star(9)), map[int]int{1: 8, 8: 1}},
		{must(topology.Path(9)), map[int]int{1: 2, 2: 7}},
		{must(topology.BinaryTree(7)), map[int]int{1: 4, 2: 1, 3: 2}},
		{must(topology.Chords(100)), map[int]int{4: 100}},
	} {
		got := map[int]int{}
		for p := range c.t.Len() {
			got[c.t.Ports(p)]++
		}
		require.Equal(t, c.want, got, topology.Name(c.t))
	}
}

func TestBadGenerated(t *testing.T) {
	ring := must(topology.Ring(3, true))
	const wide = math.MaxInt/2 + 1 // times 4 is 0
	for want, err := range map[string]error{
		"a path of 0 processes, not 1 to 33554432":                 second(topology.Path(0)),
		"a star of -1 processes, not 1 to 33554432":                second(topology.Star(-1)),
		"a binary tree of 1073741824 processes, not 1 to 33554432": second(topology.BinaryTree(1 << 30)),
		"a random tree of 0 processes, not 1 to 33554432":          second(topology.RandomTree(0, 1)),
		"a tree of 0 processes, not 1 to 33554432":                 second(topology.TreeOf(nil)),
		"processes 0 and 2 have no parent, a tree has one root": second(topology.TreeOf([]int{-1,
			0, -1})),
		"3, the parent of process 1, is not one of 3 processes": second(topology.TreeOf([]int{-1,
			3, 0})),
		"-2, the parent of process 1, is not one of 3 processes": second(topology.TreeOf([]int{-1,
			-2, 0})),
		"process 1 is its own parent": second(topology.TreeOf([]int{-1,
			1, 0})),
		"0, the parent of process 2, closes a cycle, which a tree has not": second(topology.TreeOf([]int{1, 2,
			0})),
		"1, the parent of process 2, closes a cycle, which a tree has not": second(topology.TreeOf([]int{-1,
			2, 1})),
		"a grid of 0 x 3, at least 1 x 1 are needed": second(topology.Grid(0,
			3)),
		fmt.Sprintf("a grid of %d x 4, more than 33554432 processes",
			wide): second(topology.Grid(wide, 4)),
		"a mesh of 3 x 2, at least 3 x 3 are needed": second(topology.Mesh(3,
			2)),
		"a torus of 2 x 3, at least 3 x 3 are needed": second(topology.Torus(2,
			3)),
		"a hypercube of dimension 26, not 0 to 25":            second(topology.Hypercube(26)),
		"a hypercube of dimension -1, not 0 to 25":            second(topology.Hypercube(-1)),
		"a circulant graph of 0 processes, not 1 to 33554432": second(topology.Circulant(0)),
		"a circulant graph of 7 processes with steps of 4, not 1 to 3": second(topology.Circulant(7,
			1, 4)),
		"a circulant graph of 7 processes with steps of 0, not 1 to 3": second(topology.Circulant(7,
			0)),
		"a circulant graph of 8 processes with steps of [2 4] is not connected": second(topology.Circulant(8,
			2, 4)),
		"a circulant graph of 33554432 processes with 9 steps is too large": second(topology.Circulant(1<<25,
			1, 2, 3, 4, 5, 6, 7, 8, 9)),
		"a random graph of 0 processes, not 1 to 33554432":       second(topology.RandomGraph(0, 0, 1)),
		"a random graph of 4 processes with 2 links, not 3 to 6": second(topology.RandomGraph(4, 2, 1)),
		"a random graph of 4 processes with 7 links, not 3 to 6": second(topology.RandomGraph(4, 7, 1)),
		"a one-way ring is no graph, whose links are two-way":    second(topology.AsGraph(ring)),
		"a ring of 2 processes is no graph: " +
			"it has a loop, or two links of the same": second(topology.AsGraph(must(topology.Ring(2,
			false)))),
		"a ring has no root, only a tree has":           second(topology.RootAt(ring, 0)),
		"process 3 cannot be the root, of 3 processes":  second(topology.RootAt(must(topology.Path(3)), 3)),
		"process -1 cannot be the root, of 3 processes": second(topology.RootAt(must(topology.Path(3)), -1)),
	} {
		require.ErrorIs(t, err, topology.ErrTopology, want)
		require.EqualError(t, err, "topology: "+want)
	}
}

func TestLinkError(t *testing.T) {
	_, err := topology.New(election.Graph, 3, [][2]int{{0, 1}, {1, 2}, {2, 1}})
	wrong, ok := errors.AsType[*topology.LinkError](err)
	require.True(t, ok)
	require.Equal(t, topology.LinkError{Why: topology.Twice, Link: 2, A: 2, B: 1, First: 1}, *wrong)
}

// TestRooted: the way up from anywhere ends at the root, whichever process that is.
func TestRooted(t *testing.T) {
	for _, tree := range []topology.Topology{
		must(topology.Path(1)), must(topology.Path(7)), must(topology.Star(7)), must(topology.BinaryTree(20)),
		must(topology.RandomTree(50, 3)), must(topology.TreeOf([]int{3, 3, 0, -1, 2})),
		must(topology.New(election.Tree, 4, [][2]int{{1, 0}, {2, 1}, {1, 3}})),
	} {
		for root := range tree.Len() {
			r, err := topology.RootAt(tree, root)
			require.NoError(t, err)
			require.Equal(t, root, r.Root())
			require.Equal(t, election.Tree, r.Shape())
			require.Equal(t, topology.Name(tree), topology.Name(r))
			require.Zero(t, r.Parent(root))
			for p := range r.Len() {
				steps := 0
				for q := p; q != root; steps++ {
					require.Less(t, steps, r.Len())
					q, _, _ = r.Link(q, r.Parent(q))
				}
			}
		}
	}
	require.Equal(t, 3, must(topology.TreeOf([]int{3, 3, 0, -1, 2})).(topology.Rooted).Root())
	for _, tree := range []topology.Topology{must(topology.Path(3)), must(topology.Star(3)),
		must(topology.BinaryTree(3)), must(topology.RandomTree(3, 1))} {
		require.Zero(t, tree.(topology.Rooted).Root())
	}
	_, ok := must(topology.New(election.Tree, 1, nil)).(topology.Rooted)
	require.False(t, ok)
}

func TestSquare(t *testing.T) {
	for _, c := range []struct {
		n, least, rows, cols int
		ok                   bool
	}{
		{12, 3, 3, 4, true}, {9, 3, 3, 3, true}, {100, 3, 10, 10, true}, {1, 1, 1, 1, true},
		{7, 1, 1, 7, true},
		{7, 3, 0, 0, false}, {10, 3, 0, 0, false}, {0, 1, 0, 0, false}, {-4, 0, 0, 0, false},
		{48, 3, 6, 8, true},
	} {
		rows, cols, ok := topology.Square(c.n, c.least)
		require.Equal(t, []any{c.rows, c.cols, c.ok}, []any{rows, cols, ok}, "%d", c.n)
	}
	for n, want := range map[int]int{1: 0, 2: 1, 1 << 25: 25, 0: -1, -8: -1, 6: -1, 1 << 26: -1,
		math.MinInt: -1} {
		d, ok := topology.Dimension(n)
		require.Equal(t, want >= 0, ok, n)
		require.Equal(t, max(want, 0), d, n)
	}
}

// TestHypercubeIsArithmetic: the largest one takes no memory to speak of.
func TestHypercubeIsArithmetic(t *testing.T) {
	h := must(topology.Hypercube(topology.MaxDimension))
	require.Equal(t, 25<<25, h.Links())
	q, back, ok := h.Link(1<<25-1, 24)
	require.Equal(t, []any{1<<24 - 1, election.Port(24), true}, []any{q, back, ok})
	require.Equal(t, h.Links()-1, h.Index(1<<25-1, 24))
	require.LessOrEqual(t, unsafe.Sizeof(h), uintptr(16))
}

// BenchmarkRandomGraph makes a million processes and five million links.
func BenchmarkRandomGraph(b *testing.B) {
	for b.Loop() {
		g := must(topology.RandomGraph(1_000_000, 5_000_000, 1))
		require.Equal(b, 10_000_000, g.Links())
	}
}

// BenchmarkNew makes the same of a list of links.
func BenchmarkNew(b *testing.B) {
	var links [][2]int
	for from, to := range topology.All(must(topology.RandomGraph(1_000_000, 5_000_000, 1))) {
		if from.Process < to.Process {
			links = append(links, [2]int{from.Process, to.Process})
		}
	}
	for b.Loop() {
		must(topology.New(election.Graph, 1_000_000, links))
	}
}
