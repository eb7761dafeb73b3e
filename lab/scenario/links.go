package scenario

import (
	"errors"
	"math"
	"slices"

	"github.com/go-election/election"
	"github.com/go-election/election/input"
	"github.com/go-election/election/lab/topology"
)

// build makes the topology for an Input that is complete but for it.
func (l *Links) build(in *Input) (topology.Topology, error) {
	if err := l.check(); err != nil {
		return nil, err
	}
	n := len(in.IDs)
	var t topology.Topology
	var err error
	switch l.Kind {
	case election.Ring:
		oneWay := !in.Algorithm.TwoWay
		if l.Bidirectional != nil {
			oneWay = !*l.Bidirectional
		}
		t, err = topology.Ring(n, oneWay)
	case election.Complete:
		t, err = topology.CompleteFor(in.Algorithm, in.IDs)
	case election.Tree, election.Graph:
		t, err = l.network(in)
	case election.Hypercube:
		t, err = l.hypercube(n)
	case election.Mesh:
		t, err = l.mesh(n)
	default:
		return nil, input.Errorf("topology.kind: %s is not one of %s", quote(string(l.Kind)), listed(shapes))
	}
	if err != nil {
		return nil, asInput("topology", err)
	}
	return t, nil
}

// check refuses what this kind of topology does not have.
func (l *Links) check() error {
	of := func(kinds ...election.Shape) bool {
		return slices.Contains(kinds, l.Kind)
	}
	if l.Kind == "" {
		return input.Errorf("topology.kind: missing")
	}
	for _, field := range []struct {
		name  string
		given bool
		fits  bool
	}{
		{"bidirectional", l.Bidirectional != nil, of(election.Ring)},
		{"edges", l.Edges != nil, of(election.Tree, election.Graph)},
		{"weights", l.Weights != nil, of(election.Tree, election.Graph)},
		{"parent", l.Parent != nil, of(election.Tree)},
		{"dimension", l.Dimension != nil, of(election.Hypercube)},
		{"rows", l.Rows != 0, of(election.Mesh)},
		{"cols", l.Cols != 0, of(election.Mesh)},
	} {
		if field.given && !field.fits {
			return input.Errorf("topology.%s: not a property of the kind %s", field.name, l.Kind)
		}
	}
	switch {
	case l.Weights != nil && len(l.Weights) != len(l.Edges):
		return input.Errorf("topology.weights: %d for %d edges", len(l.Weights), len(l.Edges))
	case l.Edges == nil && of(election.Graph):
		return input.Errorf("topology.edges: a graph needs edges")
	case l.Edges == nil && l.Parent == nil && of(election.Tree):
		return input.Errorf("topology.edges: a tree needs edges, or a parent for each process except the root")
	case l.Dimension == nil && of(election.Hypercube):
		return input.Errorf("topology.dimension: required for a hypercube")
	case l.Rows == 0 && of(election.Mesh):
		return input.Errorf("topology.rows: required for a mesh")
	case l.Cols == 0 && of(election.Mesh):
		return input.Errorf("topology.cols: required for a mesh")
	}
	return nil
}

func (l *Links) hypercube(n int) (topology.Topology, error) {
	t, err := topology.Hypercube(*l.Dimension)
	switch {
	case err != nil:
		return nil, input.Errorf("topology.dimension: %d is more than %d", *l.Dimension,
			topology.MaxDimension)
	case t.Len() != n:
		return nil, input.Errorf("topology.dimension: %d makes %d processes, not %d", *l.Dimension, t.Len(),
			n)
	}
	return t, nil
}

func (l *Links) mesh(n int) (topology.Topology, error) {
	switch {
	case l.Rows < 3:
		return nil, input.Errorf("topology.rows: %d, a mesh has at least 3", l.Rows)
	case l.Cols < 3:
		return nil, input.Errorf("topology.cols: %d, a mesh has at least 3", l.Cols)
	case l.Rows > math.MaxInt32 || l.Cols > math.MaxInt32 || l.Rows*l.Cols != n:
		return nil, input.Errorf("topology: a mesh of %d x %d does not have %d processes", l.Rows, l.Cols, n)
	}
	return topology.Mesh(l.Rows, l.Cols)
}

// network makes a graph or a tree of edges, of parents, or of both. It says what is wrong in terms
// of IDs, which the topology does not know.
func (l *Links) network(in *Input) (topology.Topology, error) {
	// Check the IDs now: with a repeated one the positions below would be wrong.
	if err := checkIDs(in.IDs); err != nil {
		return nil, err
	}
	positions := in.Positions()
	links, err := l.links(positions)
	if err != nil {
		return nil, err
	}
	if l.Parent == nil {
		return l.join(in.IDs, links)
	}
	parents, root, err := l.parents(in.IDs, positions)
	if err != nil {
		return nil, err
	}
	if l.Edges == nil {
		for p, parent := range parents {
			if p != root {
				links = append(links, [2]int{p, parent})
			}
		}
	}
	t, err := l.join(in.IDs, links)
	if err != nil {
		return nil, err
	}
	tree, err := topology.RootAt(t, root)
	if err != nil {
		return nil, err
	}
	for p, parent := range parents {
		if p == root {
			continue
		}
		// Edges and parents may both be given, and must not contradict each other.
		if q, _, _ := tree.Link(p, tree.Parent(p)); q != parent {
			return nil, input.Errorf("topology.parent.%d: %d, but the edges lead from %d to the root, %d, "+
				"by way "+
				"of %d",
				in.IDs[p], in.IDs[parent], in.IDs[p], in.IDs[root], in.IDs[q])
		}
	}
	return tree, nil
}

// links returns the edges as pairs of positions.
func (l *Links) links(positions map[election.ID]int) ([][2]int, error) {
	links := make([][2]int, len(l.Edges))
	for i, edge := range l.Edges {
		for end, id := range edge {
			p, ok := positions[id]
			if !ok {
				return nil, input.Errorf("topology.edges[%d]: %d is not a process", i, id)
			}
			links[i][end] = p
		}
	}
	return links, nil
}

// parents returns the position of each process's parent, and that of the root, which has none.
func (l *Links) parents(ids []election.ID, positions map[election.ID]int) ([]int, int, error) {
	parents, root := make([]int, len(ids)), -1
	for p, id := range ids {
		parent, ok := l.Parent[id]
		switch {
		case !ok && root >= 0:
			return nil, 0, input.Errorf("topology.parent: %d and %d have no parent, but a tree has one root",
				ids[root], id)
		case !ok:
			root = p
			continue
		case parent == id:
			return nil, 0, input.Errorf("topology.parent.%d: a process cannot be its own parent", id)
		}
		if parents[p], ok = positions[parent]; !ok {
			return nil, 0, input.Errorf("topology.parent.%d: %d is not a process", id, parent)
		}
	}
	if root < 0 {
		return nil, 0, input.Errorf("topology.parent: every process has a parent, so there is no root")
	}
	// Each process but the root has a parent, so what is more names no process.
	if len(l.Parent) > len(ids)-1 {
		var strange []election.ID
		for id := range l.Parent {
			if _, ok := positions[id]; !ok {
				strange = append(strange, id)
			}
		}
		return nil, 0, input.Errorf("topology.parent: %d is not a process", slices.Min(strange))
	}
	return parents, root, nil
}

// join makes a topology of links: those of the edges or, without these, those of the parents.
func (l *Links) join(ids []election.ID, links [][2]int) (topology.Topology, error) {
	t, err := topology.New(l.Kind, len(ids), links)
	wrong, ok := errors.AsType[*topology.LinkError](err)
	switch {
	case !ok && l.Weights != nil && err == nil:
		return weigh(t, links, l.Weights), nil
	case !ok:
		return t, err
	}
	i, a, b := wrong.Link, ids[wrong.A], ids[wrong.B]
	if l.Edges == nil {
		return nil, input.Errorf("topology.parent.%d: the path up from %d does not end at the root", a, a)
	}
	switch wrong.Why {
	case topology.ToItself:
		return nil, input.Errorf("topology.edges[%d]: joins %d to itself", i, a)
	case topology.Twice:
		return nil, input.Errorf("topology.edges[%d]: %d and %d are already joined by edges[%d]", i, a, b,
			wrong.First)
	case topology.Cycle:
		return nil, input.Errorf("topology.edges[%d]: %d and %d close a cycle, which a tree cannot have", i, a, b)
	}
	return nil, input.Errorf("topology.edges: no path joins %d and %d", a, b)
}

// weigh gives the links of a topology their weights.
func weigh(t topology.Topology, links [][2]int, weights []uint64) topology.Topology {
	of := make(map[[2]int]uint64, len(links))
	for i, l := range links {
		of[[2]int{min(l[0], l[1]), max(l[0], l[1])}] = weights[i]
	}
	return topology.WithWeights(t, func(p, q int) uint64 { return of[[2]int{p, q}] })
}
