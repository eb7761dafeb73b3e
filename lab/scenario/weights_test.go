package scenario_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/catalog"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lab/verdict"
)

const heavy = `{"algorithm": "ghs", "topology": {"kind": "graph", "edges": [[1, 2], [3, 2]], "weights": [5, 18]}, ` +
	`"ids": [1, 2, 3], "expect": {"tree": [[2, 1], [2, 3]]}}`

// TestWeights: weights stand beside edges, are written as they were read, and are known to processes.
func TestWeights(t *testing.T) {
	list, err := scenario.Read(strings.NewReader(heavy))
	require.NoError(t, err)
	var b strings.Builder
	require.NoError(t, scenario.Write(&b, list...))
	require.Equal(t, heavy+"\n", b.String())
	in, err := list[0].Input(catalog.Find)
	require.NoError(t, err)
	require.Equal(t, []uint64{5, 18, 0}, []uint64{in.Weight(1, 0), in.Weight(1, 1), in.Weight(1, 2)})
	require.Equal(t, election.Rank{ID: 3}, in.Peer(1, 1))
	require.EqualValues(t, 5, in.Widths().Weight)
	made, err := scenario.Of(&in)
	require.NoError(t, err)
	require.Equal(t, []uint64{5, 18}, made.Topology.Weights)

	echo := strings.Replace(strings.Replace(heavy, "ghs", "echo", 1),
		`, "expect": {"tree": [[2, 1], [2, 3]]}`, "", 1)
	list, err = scenario.Read(strings.NewReader(echo))
	require.NoError(t, err)
	in, err = list[0].Input(catalog.Find)
	require.NoError(t, err, "of other algorithms they are no matter")
	require.Zero(t, in.Peer(1, 1))
	require.Zero(t, in.Widths().Weight)
}

// TestWeightsRefused: what cannot be is said in a line.
func TestWeightsRefused(t *testing.T) {
	for _, c := range [][3]string{
		{"[5, 18]", "[5]", "topology.weights: 1 for 2 edges"},
		{"[5, 18]", "[5, -1]", "topology.weights[1]"},
		{`"graph"`, `"complete"`, "topology.edges: not a property of the kind complete"},
		{`"edges": [[1, 2], [3, 2]], `, "", "topology.weights: 2 for 0 edges"},
		{"[2, 3]]}", "[1, 3]]}", "expect.tree[1]: no link joins 1 and 3"},
		{"[2, 3]]}", "[2, 4]]}", "expect.tree[1]: no link joins 2 and 4"},
		{`"ghs"`, `"echo"`, "expect.tree: echo/implicit builds none"},
	} {
		require.Contains(t, heavy, c[0])
		list, err := scenario.Read(strings.NewReader(strings.Replace(heavy, c[0], c[1], 1)))
		if err == nil {
			_, err = list[0].Input(catalog.Find)
		}
		require.ErrorIs(t, err, election.ErrInput)
		require.ErrorContains(t, err, c[2])
	}
}

// TestExpectTree: the links of the tree are compared, in any order.
func TestExpectTree(t *testing.T) {
	e := scenario.Expect{Tree: [][2]election.ID{{3, 2}, {2, 1}}}
	r := verdict.Result{Tree: [][2]election.ID{{1, 2}, {2, 3}}}
	require.NoError(t, e.Compare(&r, nil))
	require.Equal(t, [2]election.ID{3, 2}, e.Tree[0], "it stays as it is")
	r.Tree[1] = [2]election.ID{1, 3}
	err := e.Compare(&r, nil)
	require.ErrorIs(t, err, scenario.ErrUnexpected)
	require.ErrorContains(t, err, "tree: [[1 2] [1 3]], not [[1 2] [2 3]]")
}
