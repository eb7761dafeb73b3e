package scenario_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lab/topology"
)

// fromRoot returns an algorithm that the root of a tree starts.
func fromRoot() *election.Algorithm {
	a := fake(election.Tree)
	a.Knows, a.SingleInitiator = election.RootPort, true
	return a
}

// neighbours returns the ids behind the ports of each process.
func neighbours(in *scenario.Input) [][]election.ID {
	all := make([][]election.ID, len(in.IDs))
	for from, to := range topology.All(in.Topology) {
		all[from.Process] = append(all[from.Process], in.IDs[to.Process])
	}
	return all
}

func TestLinks(t *testing.T) {
	type ids = [][]election.ID
	for text, want := range map[string]struct {
		links ids
		root  election.ID // 0 where there is none
	}{
		`"algorithm": "tree", "ids": [4, 2, 6], "topology": {"kind": "tree", "edges": [[2, 6], [4, 2]]}`: {
			links: ids{{2}, {6, 4}, {2}}},
		`"algorithm": "tree", "ids": [4, 2, 6], "topology": {"kind": "tree", "edges": [[2, 6], [4, 2]], "parent": {"4": 2, "2": 6}}`: {
			links: ids{{2}, {6, 4}, {2}}, root: 6},
		`"algorithm": "graph", "ids": [4, 2, 6], "topology": {"kind": "tree", "parent": {"4": 2, "6": 2}}`: {
			links: ids{{2}, {4, 6}, {2}}, root: 2},
		`"algorithm": "tree", "ids": [4], "topology": {"kind": "tree", "parent": {}}`: {links: ids{nil},
			root: 4},
		`"algorithm": "tree", "ids": [4], "topology": {"kind": "tree", "edges": []}`: {links: ids{nil}},
		`"algorithm": "hypercube", "ids": [5], "topology": {"kind": "hypercube", "dimension": 0}`: {
			links: ids{nil}},
		`"algorithm": "hypercube", "ids": [4, 1, 2, 3], "topology": {"kind": "hypercube", "dimension": 2}`: {
			links: ids{{1, 2}, {4, 3}, {3, 4}, {2, 1}}},
		`"algorithm": "mesh", "ids": [1,2,3,4,5,6,7,8,9,10,11,12], "topology": {"kind": "mesh", "rows": 3, "cols": 4}`: {
			links: ids{{2, 5}, {1, 3, 6}, {2, 4, 7}, {3, 8}, {1, 6, 9}, {2, 5, 7, 10}, {3, 6, 8, 11},
				{4, 7, 12},
				{5, 10}, {6, 9, 11}, {7, 10, 12}, {8, 11}}},
	} {
		s := one(t, "{"+text+"}")
		roundTrip(t, []*scenario.Scenario{s})
		in, err := s.Input(find)
		require.NoError(t, err, text)
		require.Equal(t, want.links, neighbours(&in), text)
		tree, ok := in.Topology.(topology.Rooted)
		require.Equal(t, want.root != 0, ok, text)
		if ok {
			require.Equal(t, want.root, in.IDs[tree.Root()], text)
		}
	}
}

func TestLinksRefused(t *testing.T) {
	const tree, cube, mesh = `"kind": "tree"`, `"kind": "hypercube"`, `"kind": "mesh"`
	for text, want := range map[string]string{
		tree +
			`, "parent": {}`: `parent: 5 and 6 have no parent, but a tree has one root`,
		tree +
			`, "parent": {"6": 5}`: `parent: 5 and 7 have no parent, but a tree has one root`,
		tree +
			`, "parent": {"5": 6, "6": 7, "7": 9, "9": 5}`: `parent: every process has a parent, so there is no root`,
		tree + `, "parent": {"6": 6, "7": 5, "9": 5}`:         `parent.6: a process cannot be its own parent`,
		tree + `, "parent": {"6": 8, "7": 5, "9": 5}`:         `parent.6: 8 is not a process`,
		tree + `, "parent": {"6": 5, "7": 5, "9": 5, "8": 5}`: `parent: 8 is not a process`,
		tree +
			`, "parent": {"6": 7, "7": 6, "9": 5}`: `parent.7: the path up from 7 does not end at the root`,
		tree +
			`, "parent": {"6": 7, "7": 9, "9": 6}`: `parent.9: the path up from 9 does not end at the root`,
		tree + `, "edges": [[5, 6]], "parent": {"6": 8, "7": 5, "9": 5}`: `parent.6: 8 is not a process`,
		tree +
			`, "edges": [[5, 6], [6, 7], [7, 9]], "parent": {"6": 5, "7": 5, "9": 7}`: `parent.7: 5, but the ` +
			`edges lead from 7 to the root, 5, by way of 6`,
		tree +
			`, "edges": [[5, 6], [6, 7]], "parent": {"6": 5, "7": 6, "9": 7}`: `edges: no path joins 5 and 9`,
		cube:                            `dimension: required for a hypercube`,
		cube + `, "dimension": 3`:       `dimension: 3 makes 8 processes, not 4`,
		cube + `, "dimension": 26`:      `dimension: 26 is more than 25`,
		mesh + `, "cols": 4`:            `rows: required for a mesh`,
		mesh + `, "rows": 4`:            `cols: required for a mesh`,
		mesh + `, "rows": 2, "cols": 3`: `rows: 2, a mesh has at least 3`,
		mesh + `, "rows": 3, "cols": 2`: `cols: 2, a mesh has at least 3`,
	} {
		s := one(t, `{"algorithm": "tree", "ids": [5, 6, 7, 9], "topology": {`+text+`}}`)
		_, err := s.Input(find)
		assert.ErrorIs(t, err, election.ErrInput, text)
		assert.EqualError(t, err, prefix+"topology."+want, text)
	}
	for text, want := range map[string]string{
		mesh + `, "rows": 3, "cols": 3`: `topology: a mesh of 3 x 3 does not have 4 processes`,
		mesh +
			`, "rows": 33554432, "cols": 33554432`: `topology: a mesh of 33554432 x 33554432 does not have 4 processes`,
		cube + `, "dimension": 2`: `topology: fake needs a tree, not a hypercube`,
	} {
		s := one(t, `{"algorithm": "tree", "ids": [5, 6, 7, 9], "topology": {`+text+`}}`)
		_, err := s.Input(find)
		assert.EqualError(t, err, prefix+want, text)
	}
}

// Only a tree is taken where a graph is asked for.
func TestNothingElseConverts(t *testing.T) {
	for _, links := range []topology.Topology{
		must(topology.Ring(9, false)), must(topology.Complete(9)), must(topology.Mesh(3, 3)),
	} {
		in := scenario.Input{Algorithm: fake(election.Graph), IDs: []election.ID{1, 2, 3, 4, 5, 6, 7, 8, 9},
			Topology: links}
		require.ErrorIs(t, in.Check(), election.ErrInput)
		in.Topology = must(topology.AsGraph(links))
		require.NoError(t, in.Check())
		require.Zero(t, in.Peer(0, 0), "in a graph no process knows another")
	}
	rooted := must(topology.Star(3))
	in := scenario.Input{Algorithm: fake(election.Tree), IDs: []election.ID{1, 2, 3}, Topology: rooted}
	require.NoError(t, in.Check())
	require.Equal(t, election.Setup{Self: election.Rank{ID: 1}, Ports: 2}, in.Setup(0),
		"a process that does not ask does not know")
}

func TestDefault(t *testing.T) {
	for _, c := range []struct {
		shape election.Shape
		n     int
		want  string
	}{
		{election.Tree, 1, "binary tree"}, {election.Tree, 7, "binary tree"},
		{election.Graph, 1, "circulant graph of steps []"},
		{election.Graph, 2, "circulant graph of steps [1]"},
		{election.Graph, 30, "circulant graph of steps [1 5]"},
		{election.Hypercube, 1, "hypercube of dimension 0"},
		{election.Hypercube, 64, "hypercube of dimension 6"},
		{election.Mesh, 9, "mesh of 3 x 3"}, {election.Mesh, 40, "mesh of 5 x 8"},
		{election.Ring, 4, "one-way ring"}, {election.Complete, 4, "complete graph"},
	} {
		ids := make([]election.ID, c.n)
		for i := range ids {
			ids[i] = election.ID(c.n - i)
		}
		in := scenario.Input{Algorithm: fake(c.shape), IDs: ids}
		require.NoError(t, in.Check())
		require.Equal(t, c.want, topology.Name(in.Topology))
		require.Equal(t, c.shape, in.Topology.Shape())
	}
}

func TestStarters(t *testing.T) {
	ids := []election.ID{5, 3, 9, 4}
	tree := must(topology.TreeOf([]int{2, 2, -1, 0}))
	one := fake(election.Tree)
	one.SingleInitiator = true
	for _, c := range []struct {
		name string
		in   scenario.Input
		want []election.ID
	}{
		{"all", scenario.Input{Algorithm: fake(election.Tree)}, nil},
		{"none", scenario.Input{Algorithm: fake(election.Tree), Initiators: []election.ID{}},
			[]election.ID{}},
		{"those named", scenario.Input{Algorithm: fake(election.Tree), Initiators: ids[1:3]}, ids[1:3]},
		{"the first", scenario.Input{Algorithm: single()}, ids[:1]},
		{"the root", scenario.Input{Algorithm: fromRoot(), Topology: tree}, ids[2:3]},
		{"the root, where anyone may", scenario.Input{Algorithm: one, Topology: tree}, ids[2:3]},
		{"the root, where none is given", scenario.Input{Algorithm: fromRoot()}, ids[:1]},
		{"a chosen one", scenario.Input{Algorithm: one, Topology: tree, Initiators: ids[3:]}, ids[3:]},
	} {
		c.in.IDs = ids
		require.NoError(t, c.in.Check(), c.name)
		require.Equal(t, c.want, c.in.Starters(), c.name)
		if c.want != nil {
			require.Len(t, c.want, c.in.Starts(), c.name)
		}
	}
}

// TestSetupOfARootedTree: a Node gets its place in the tree if the algorithm asks for that.
func TestSetupOfARootedTree(t *testing.T) {
	a := fromRoot()
	var seen []election.Setup
	a.New = func(s election.Setup) election.Node {
		seen = append(seen, s)
		return silent{}
	}
	in := scenario.Input{Algorithm: a, IDs: []election.ID{5, 3, 9, 4},
		Topology: must(topology.TreeOf([]int{2, 2, -1, 0}))}
	require.NoError(t, in.Check())
	for p := range in.IDs {
		in.Node(p)
	}
	require.Equal(t, []election.Setup{
		{Self: election.Rank{ID: 5}, Ports: 2, Parent: 0},
		{Self: election.Rank{ID: 3}, Ports: 1},
		{Self: election.Rank{ID: 9}, Ports: 2, Root: true},
		{Self: election.Rank{ID: 4}, Ports: 1},
	}, seen)
	in.Topology = must(topology.RootAt(in.Topology, 3))
	require.Equal(t, election.Setup{Self: election.Rank{ID: 5}, Ports: 2, Parent: 1}, in.Setup(0))
}
