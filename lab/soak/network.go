package soak

import (
	"math"
	"math/bits"
	"slices"

	"github.com/go-election/election"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lab/topology"
)

// fittingSize returns a size next to n that a shape can have, if it can not more than most.
func fittingSize(shape election.Shape, n, most int) int {
	switch sizes := topology.Sizes(shape, max(most, 9)); shape {
	case election.Hypercube:
		return sizes[min(bits.Len(uint(n)/2), bits.Len(uint(most))-1)]
	case election.Mesh:
		return sizes[n%len(sizes)]
	}
	return n
}

// links draws a topology.
func (d *drawing) links() (err error) {
	n := len(d.IDs)
	switch a := d.Algorithm; a.Topology {
	case election.Ring:
		// An algorithm for one-way rings also runs on two-way ones, where its TermKeeper replies to old
		// messages.
		d.Topology, err = topology.Ring(n, !a.TwoWay && !d.oneIn(4))
	case election.Mesh:
		rows, cols, _ := topology.Square(n, 3)
		if d.oneIn(2) {
			rows, cols = cols, rows
		}
		d.Topology, err = topology.Mesh(rows, cols)
	case election.Tree:
		d.Topology, err = d.tree(n)
	case election.Graph:
		d.Topology, err = d.graph(n)
	default:
		d.Topology, err = scenario.Default(a, d.IDs)
	}
	if err == nil && d.Algorithm.Knows == election.LinkWeights {
		d.weights()
	}
	return err
}

// weights draws the weights of the links: few, so that many are equal, or any.
func (d *drawing) weights() {
	values := []uint64{1, 3, uint64(d.Topology.Links()), math.MaxUint64}[d.IntN(4)]
	d.Topology = topology.WithWeights(d.Topology, func(int, int) uint64 { return d.Uint64N(values) })
}

// tree draws a tree, its root and in which order its processes number their links.
func (d *drawing) tree(n int) (topology.Topology, error) {
	var t topology.Rooted
	var err error
	switch d.IntN(4) {
	case 0:
		t, err = topology.Path(n)
	case 1:
		t, err = topology.Star(n)
	case 2:
		t, err = topology.BinaryTree(n)
	default:
		t, err = topology.RandomTree(n, d.Uint64())
	}
	if err != nil {
		return nil, err
	}
	shuffled, err := d.shuffled(election.Tree, t)
	if err != nil {
		return nil, err
	}
	return topology.RootAt(shuffled, d.IntN(n))
}

func (d *drawing) graph(n int) (topology.Topology, error) {
	var t topology.Topology
	var err error
	switch most := n * (n - 1) / 2; d.IntN(4) {
	case 0:
		t, err = topology.Chords(n)
	case 1:
		t, err = topology.Complete(n)
	default:
		t, err = topology.RandomGraph(n, n-1+d.IntN(most-n+2), d.Uint64())
	}
	if err != nil {
		return nil, err
	}
	return d.shuffled(election.Graph, t)
}

func (d *drawing) shuffled(shape election.Shape, t topology.Topology) (topology.Topology, error) {
	pairs := linksOf(t)
	// The order of the links numbers the ports: an algorithm must not depend on generated numbers.
	d.Shuffle(len(pairs), func(i, j int) { pairs[i], pairs[j] = pairs[j], pairs[i] })
	return topology.New(shape, t.Len(), pairs)
}

// linksOf lists all links once.
func linksOf(t topology.Topology) (pairs [][2]int) {
	for from, to := range topology.All(t) {
		if from.Process < to.Process {
			pairs = append(pairs, [2]int{from.Process, to.Process})
		}
	}
	return pairs
}

// withoutProcess returns links of the same shape without a process, and which processes are left. More may
// have to go. There may be none.
func withoutProcess(in *scenario.Input, gone int) (t topology.Topology, left []int, ok bool) {
	n := len(in.IDs)
	if n == 1 {
		return nil, nil, false
	}
	keep := func(p int) bool { return p != gone }
	var err error
	switch shape := in.Topology.Shape(); shape {
	case election.Ring:
		t, err = topology.Ring(n-1, in.Topology.OneWay())
	case election.Complete:
		t, err = topology.CompleteFor(in.Algorithm, slices.Delete(slices.Clone(in.IDs), gone, gone+1))
	case election.Tree, election.Graph:
		t, err = contracted(in.Topology, gone)
	case election.Hypercube:
		dimension, _ := topology.Dimension(n)
		t, err = topology.Hypercube(dimension - 1)
		// A cube shrinks only by half: keep the half that does not hold the process.
		keep = func(p int) bool { return (p^gone)>>(dimension-1) != 0 }
	case election.Mesh:
		t, keep, err = smallerMesh(in.Topology, gone)
	}
	if err != nil || t == nil {
		return nil, nil, false
	}
	for p := range n {
		if keep(p) {
			left = append(left, p)
		}
	}
	return t, left, len(left) == t.Len()
}

// contracted takes a process out of a tree or graph: its neighbours hang on the first of them.
func contracted(t topology.Topology, gone int) (topology.Topology, error) {
	// A neighbour takes over the links of the process, so the graph stays connected.
	heir, _, _ := t.Link(gone, 0)
	number := func(p int) int {
		if p > gone {
			p--
		}
		return p
	}
	weights := make(map[[2]int]uint64)
	var pairs [][2]int
	for from, to := range topology.All(t) {
		l := [2]int{from.Process, to.Process}
		for i := range l {
			if l[i] == gone {
				l[i] = heir
			}
			l[i] = number(l[i])
		}
		l = [2]int{min(l[0], l[1]), max(l[0], l[1])}
		if _, seen := weights[l]; l[0] != l[1] && !seen {
			weights[l] = topology.Weight(t, from.Process, from.Port)
			pairs = append(pairs, l)
		}
	}
	small, err := topology.New(t.Shape(), t.Len()-1, pairs)
	if err == nil && topology.IsWeighted(t) {
		small = topology.WithWeights(small, func(p, q int) uint64 { return weights[[2]int{p, q}] })
	}
	tree, rooted := t.(topology.Rooted)
	if err != nil || !rooted {
		return small, err
	}
	root := tree.Root()
	if root == gone {
		root = heir
	}
	return topology.RootAt(small, number(root))
}

// smallerMesh takes the row of a process out of a mesh, or its column.
func smallerMesh(t topology.Topology, gone int) (small topology.Topology, keep func(p int) bool, err error) {
	cols := 3
	for t.Ports(cols-1) != 2 {
		cols++
	}
	rows := t.Len() / cols
	if rows > 3 {
		small, err = topology.Mesh(rows-1, cols)
		return small, func(p int) bool { return p/cols != gone/cols }, err
	}
	small, err = topology.Mesh(rows, cols-1)
	return small, func(p int) bool { return p%cols != gone%cols }, err
}
