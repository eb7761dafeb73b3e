package scenario_test

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lab/topology"
)

// TestOfIsReadBack: the scenario of an Input makes the same links, with the same ports, for every kind of
// network that a file can describe.
func TestOfIsReadBack(t *testing.T) {
	tree := func(parents ...int) topology.Topology { return must(topology.TreeOf(parents)) }
	for name, c := range map[string]struct {
		links topology.Topology
		given bool // in the file, since it is not the one that is there without it
		both  bool // the algorithm needs no way back, though there is one
	}{
		"one-way ring":      {links: must(topology.Ring(5, true)), given: false},
		"two-way ring":      {links: must(topology.Ring(5, false)), given: false},
		"complete":          {links: must(topology.CompleteOf([]election.ID{40, 39, 38, 37})), given: false},
		"hypercube":         {links: must(topology.Hypercube(3)), given: false},
		"square mesh":       {links: must(topology.Mesh(4, 4)), given: false},
		"flat mesh":         {links: must(topology.Mesh(3, 5)), given: false},
		"high mesh":         {links: must(topology.Mesh(5, 3)), given: true},
		"mesh of two sizes": {links: must(topology.Mesh(3, 8)), given: true},
		"path":              {links: must(topology.Path(4)), given: true},
		"star":              {links: must(topology.Star(4)), given: true},
		"binary tree":       {links: must(topology.BinaryTree(6)), given: false},
		"another root":      {links: tree(1, 2, -1, 2), given: true},
		"chords":            {links: must(topology.Chords(6)), given: false},
		"grid":              {links: must(topology.Grid(2, 3)), given: true},
		"links of a graph": {links: must(topology.New(election.Graph, 4,
			[][2]int{{2, 3}, {0, 2}, {1, 2}, {3, 1}})),
			given: true},
		"a way back": {links: must(topology.Ring(5, false)), given: true, both: true},
		"links backwards": {links: must(topology.New(election.Tree, 4, [][2]int{{2, 3}, {1, 2}, {0, 1}})),
			given: true},
		"links of a tree": {links: must(topology.New(election.Tree, 4, [][2]int{{2, 3}, {0, 2}, {1, 2}})),
			given: true},
	} {
		a := fake(c.links.Shape())
		a.Knows = election.OwnPorts
		if _, ok := c.links.(topology.Rooted); ok {
			a = fromRoot()
		}
		in := scenario.Input{Algorithm: a, Topology: c.links}
		for p := range c.links.Len() {
			in.IDs = append(in.IDs, election.ID(40-p))
		}
		a.TwoWay = c.links.Shape() == election.Ring && !c.links.OneWay() && !c.both
		s, err := scenario.Of(&in)
		require.NoError(t, err, name)
		require.Equal(t, c.given, s.Topology != nil, name)
		var file bytes.Buffer
		require.NoError(t, scenario.Write(&file, s))
		all, err := scenario.Read(&file)
		require.NoError(t, err, name)
		back, err := all[0].Input(func(string, string) (*election.Algorithm, error) { return a, nil })
		require.NoError(t, err, name)
		require.True(t, topology.Equal(c.links, back.Topology), name)
		if rooted, ok := c.links.(topology.Rooted); ok {
			require.Equal(t, rooted.Root(), back.Topology.(topology.Rooted).Root(), name)
		}
	}
}

// TestOfWhatNoFileSays: ports that no order of links gives are refused, and so is an Input that cannot
// be run.
func TestOfWhatNoFileSays(t *testing.T) {
	// Ports 0 and 1 of each process lead to the next two, round three processes: no link can be the first.
	end := func(p int, port election.Port) topology.End { return topology.End{Process: p, Port: port} }
	around := topology.FromPorts(election.Graph, [][]topology.End{
		{end(1, 1), end(2, 0)}, {end(2, 1), end(0, 0)}, {end(0, 1), end(1, 0)},
	})
	in := scenario.Input{Algorithm: fake(election.Graph), Topology: around, IDs: []election.ID{1, 2, 3}}
	_, err := scenario.Of(&in)
	require.ErrorIs(t, err, election.ErrInput)
	in.Topology, in.IDs = nil, []election.ID{1, 1}
	_, err = scenario.Of(&in)
	require.ErrorIs(t, err, election.ErrInput)
}
