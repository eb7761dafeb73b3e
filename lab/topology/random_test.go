package topology_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election/lab/topology"
)

// shown lists the neighbours of all processes.
func shown(t topology.Topology) string {
	all := [][]int{}
	for p := range t.Len() {
		all = append(all, peers(t, p))
	}
	return fmt.Sprint(all)
}

// TestRandomIsPinned: a seed gives the same topology in every version.
func TestRandomIsPinned(t *testing.T) {
	require.Equal(t, pinnedTree, shown(must(topology.RandomTree(8, 1))))
	require.Equal(t, pinnedGraph, shown(must(topology.RandomGraph(8, 10, 1))))
	require.Equal(t, pinnedDense, shown(must(topology.RandomGraph(6, 12, 1))))
}

const (
	pinnedTree  = "[[4] [5] [7] [4 5 6] [0 3] [1 3] [3 7] [2 6]]"
	pinnedGraph = "[[4] [3 5] [6 7] [1 4 5 6 7] [0 3] [1 3] [2 3 7] [2 3 6]]"
	pinnedDense = "[[2 3] [2 3 4 5] [0 1 3 4 5] [0 1 2 4 5] [1 2 3 5] [1 2 3 4]]"
)

func TestRandomFollowsTheSeed(t *testing.T) {
	for _, makes := range []func(seed uint64) (topology.Topology, error){
		func(seed uint64) (topology.Topology, error) { return topology.RandomTree(50, seed) },
		func(seed uint64) (topology.Topology, error) { return topology.RandomGraph(50, 100, seed) },
		func(seed uint64) (topology.Topology, error) { return topology.RandomGraph(20, 150, seed) },
	} {
		first := must(makes(1))
		require.Equal(t, first, must(makes(1)))
		require.NotEqual(t, first, must(makes(2)))
	}
}

// TestRandomTreesAreUniform: of the 16 trees of four processes, each is drawn about as often.
func TestRandomTreesAreUniform(t *testing.T) {
	const draws = 16_000
	count := map[string]int{}
	for seed := range uint64(draws) {
		count[shown(must(topology.RandomTree(4, seed)))]++
	}
	require.Len(t, count, 16)
	for tree, n := range count {
		require.InDelta(t, draws/16, n, 150, tree) // five standard deviations
	}
}

// TestRandomGraphs: a random graph has exactly the requested number of distinct links, from a tree to the
// complete graph.
func TestRandomGraphs(t *testing.T) {
	for n := 1; n <= 9; n++ {
		for links := n - 1; links <= n*(n-1)/2; links++ {
			g := must(topology.RandomGraph(n, links, uint64(n*links)))
			require.Equal(t, 2*links, g.Links())
			connected(t, g)
			for p := range n {
				require.NotContains(t, peers(g, p), p)
				for i, q := range peers(g, p) {
					require.True(t, i == 0 || q > peers(g, p)[i-1])
				}
			}
		}
	}
}
