package scenario

import (
	"slices"

	"github.com/go-election/election"
	"github.com/go-election/election/topology"
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
		t, err = topology.CompleteOf(in.IDs)
	case election.Tree, election.Graph:
		var links [][2]int
		if links, err = l.links(in); err != nil {
			return nil, err
		}
		t, err = topology.New(l.Kind, n, links)
	default:
		return nil, bad("topology.kind: %s is not available yet", l.Kind)
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
		return bad("topology.kind: none is given")
	}
	for _, field := range []struct {
		name  string
		given bool
		fits  bool
	}{
		{"bidirectional", l.Bidirectional != nil, of(election.Ring)},
		{"edges", l.Edges != nil, of(election.Tree, election.Graph)},
		{"parent", l.Parent != nil, of(election.Tree)},
		{"dimension", l.Dimension != nil, of(election.Hypercube)},
		{"rows", l.Rows != 0, of(election.Mesh)},
		{"cols", l.Cols != 0, of(election.Mesh)},
	} {
		if field.given && !field.fits {
			return bad("topology.%s: not a property of the kind %s", field.name, l.Kind)
		}
	}
	switch {
	case l.Parent != nil:
		return bad("topology.parent: rooted trees are not available yet")
	case l.Edges == nil && of(election.Tree, election.Graph):
		return bad("topology.edges: a %s needs them", l.Kind)
	}
	return nil
}

// links returns the edges as pairs of positions, once it is sure that they make a tree or a
// connected graph. It says what is wrong in terms of IDs, which the topology does not know.
func (l *Links) links(in *Input) ([][2]int, error) {
	if err := checkIDs(in.IDs); err != nil {
		return nil, err
	}
	positions := in.Positions()
	links := make([][2]int, len(l.Edges))
	first := make(map[[2]int]int, len(l.Edges))
	joined := newParts(len(positions))
	for i, edge := range l.Edges {
		for end, id := range edge {
			p, ok := positions[id]
			if !ok {
				return nil, bad("topology.edges[%d]: %d is not a process", i, id)
			}
			links[i][end] = p
		}
		low, high := min(links[i][0], links[i][1]), max(links[i][0], links[i][1])
		if low == high {
			return nil, bad("topology.edges[%d]: it joins %d to itself", i, edge[0])
		}
		if k, ok := first[[2]int{low, high}]; ok {
			return nil, bad("topology.edges[%d]: %d and %d are joined by edges[%d] already", i, edge[0], edge[1], k)
		}
		first[[2]int{low, high}] = i
		if !joined.join(low, high) && l.Kind == election.Tree {
			return nil, bad("topology.edges[%d]: %d and %d close a cycle, which a tree has not", i, edge[0], edge[1])
		}
	}
	for p, id := range in.IDs {
		if joined.of(p) != joined.of(0) {
			return nil, bad("topology.edges: no path joins %d and %d", in.IDs[0], id)
		}
	}
	return links, nil
}

// parts are the connected parts of a graph: a forest in which each points towards the root of
// its part.
type parts []int32

func newParts(n int) parts {
	p := make(parts, n)
	for i := range p {
		p[i] = int32(i)
	}
	return p
}

// of returns the root of the part of i.
func (p parts) of(i int) int {
	for p[i] != int32(i) {
		p[i] = p[p[i]] // halves the way of the next who asks
		i = int(p[i])
	}
	return i
}

// join makes one part of two and reports whether they were two.
func (p parts) join(i, j int) bool {
	i, j = p.of(i), p.of(j)
	p[i] = int32(j)
	return i != j
}
