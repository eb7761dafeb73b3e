package topology_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/lab/topology"
)

// weightsOf returns the weights of all links, port by port.
func weightsOf(t topology.Topology) (all [][]uint64) {
	for p := range t.Len() {
		var of []uint64
		for port := range election.Port(t.Ports(p)) {
			of = append(of, topology.Weight(t, p, port))
		}
		all = append(all, of)
	}
	return all
}

// TestWeights: both ends of a link have its weight, which is asked for once, and the rest stays as it was.
func TestWeights(t *testing.T) {
	asked := 0
	of := func(p, q int) uint64 {
		require.Less(t, p, q)
		asked++
		return uint64(10*p + q)
	}
	graph := must(topology.New(election.Graph, 3, [][2]int{{2, 0}, {1, 2}}))
	g := topology.WithWeights(graph, of)
	require.Equal(t, [][]uint64{{2}, {12}, {2, 12}}, weightsOf(g))
	require.Equal(t, 2, asked)
	require.Zero(t, topology.Weight(g, 0, 1), "no such port")
	require.Equal(t, topology.Name(graph), topology.Name(g))
	require.True(t, topology.IsWeighted(g))
	require.False(t, topology.IsWeighted(graph))
	require.False(t, topology.Equal(graph, g))
	require.True(t, topology.Equal(g, topology.WithWeights(g, of)))

	again := topology.WithWeights(g, func(int, int) uint64 { return 0 })
	require.False(t, topology.IsWeighted(again))
	require.True(t, topology.Equal(graph, again))

	tree := topology.WithWeights(must(topology.Path(3)), of).(topology.Rooted)
	require.Equal(t, [][]uint64{{1}, {1, 12}, {12}}, weightsOf(tree))
	moved, err := topology.RootAt(tree, 2)
	require.NoError(t, err)
	require.Equal(t, 2, moved.Root())
	require.Equal(t, weightsOf(tree), weightsOf(moved))

	ring := must(topology.Ring(3, true))
	require.Equal(t, [][]uint64{{1, 2}, {12, 1}, {2, 12}}, weightsOf(topology.WithWeights(ring, of)))
	twoWay, err := topology.AsGraph(topology.WithWeights(must(topology.Ring(3, false)), of))
	require.NoError(t, err)
	require.Equal(t, [][]uint64{{1, 2}, {12, 1}, {2, 12}}, weightsOf(twoWay))
}

// TestDOTWeights: a weight applies to all links of its statement, or to the links after the statement edge.
func TestDOTWeights(t *testing.T) {
	for text, want := range map[string][][]uint64{
		"graph { 1 -- 2 -- 3 [color=red, weight=7]; 1 -- 3 }":            {{7, 0}, {7, 7}, {7, 0}},
		"graph { edge [weight=2] 1 -- 2; 2 -- 3 [weight=\"5\"][len=1] }": {{2}, {2, 5}, {5}},
		"graph { node [weight=x] 1 [weight=2.5]; 1 -- 2 }":               {{0}, {0}},
		"strict graph { 1 -- 2 [weight=3]; 2 -- 1 [weight=4]; 1 -- 2 }":  {{4}, {4}},
		"graph { 1 -- 2 [weight=18446744073709551615] }":                 {{1<<64 - 1}, {1<<64 - 1}},
		"graph { 1 -- 2 [weight=3, weight=4] }":                          {{4}, {4}},
	} {
		g, _, err := topology.ReadDOT(strings.NewReader(text), election.Graph)
		require.NoError(t, err, text)
		require.Equal(t, want, weightsOf(g), text)
	}
	for text, why := range map[string]string{
		"graph { 1 -- 2 [weight=-1] }":                   `line 1: "-1" is no weight, a whole number`,
		"graph {\n 1 -- 2 [weight=0.5] }":                `line 2: "0.5" is no weight, a whole number`,
		"graph { 1 -- 2 [weight=18446744073709551616] }": "is no weight",
		"graph { edge [weight=x]; 1 -- 2 }":              `"x" is no weight`,
		"graph { 1 -- 2 [weight=] }":                     "where the value of an attribute is needed",
	} {
		_, _, err := topology.ReadDOT(strings.NewReader(text), election.Graph)
		require.ErrorIs(t, err, topology.ErrTopology, text)
		require.ErrorContains(t, err, why, text)
	}
}

// TestWriteDOT: what is written is read as the same processes, links, ports and weights.
func TestWriteDOT(t *testing.T) {
	ids := []election.ID{5, 9, 2, 7}
	plain := must(topology.New(election.Graph, 4, [][2]int{{3, 0}, {1, 2}, {0, 1}, {2, 3}}))
	for _, g := range []topology.Topology{plain, topology.WithWeights(plain,
		func(p, q int) uint64 { return uint64(p * q) }),
		must(topology.New(election.Graph, 1, nil))} {
		var b strings.Builder
		require.NoError(t, topology.WriteDOT(&b, g, ids[:g.Len()]))
		require.Equal(t, topology.IsWeighted(g), strings.Contains(b.String(), "weight"))
		read, order, err := topology.ReadDOT(strings.NewReader(b.String()), election.Graph)
		require.NoError(t, err)
		require.Equal(t, ids[:g.Len()], order)
		require.True(t, topology.Equal(g, read), b.String())
	}
	var b strings.Builder
	require.NoError(t, topology.WriteDOT(&b, topology.WithWeights(must(topology.Path(2)),
		func(int, int) uint64 { return 3 }),
		ids[:2]))
	require.Equal(t, "graph {\n\t5;\n\t9;\n\t5 -- 9 [weight=3];\n}\n", b.String())
}
