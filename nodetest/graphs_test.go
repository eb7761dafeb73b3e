package nodetest_test

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/lab/topology"
	"github.com/go-election/election/nodetest"
)

// links lists the links of t, in order.
func links(t topology.Topology) [][2]int {
	var all [][2]int
	for from, to := range topology.All(t) {
		if from.Process < to.Process {
			all = append(all, [2]int{from.Process, to.Process})
		}
	}
	slices.SortFunc(all, func(a, b [2]int) int { return slices.Compare(a[:], b[:]) })
	return all
}

// TestAll: as many as there are, no two the same.
func TestAll(t *testing.T) {
	trees := []int{0, 1, 1, 3, 16, 125, 1296}
	graphs := []int{0, 1, 1, 4, 38, 728, 26704}
	for n := 1; n <= 6; n++ {
		seen := map[[15][2]int]bool{}
		count := 0
		for tree := range nodetest.Trees(n) {
			require.Equal(t, election.Tree, tree.Shape())
			var key [15][2]int
			copy(key[:], links(tree))
			require.Len(t, links(tree), n-1)
			seen[key] = true
			count++
		}
		require.Equal(t, trees[n], count)
		require.Len(t, seen, count)
		count = 0
		for range nodetest.Graphs(n) {
			count++
		}
		require.Equal(t, graphs[n], count)
	}
	for range nodetest.Trees(5) {
		break // no panic: the iterator has heard that it is enough
	}
	for range nodetest.Graphs(5) {
		break
	}
}

// TestWeighted: of four processes, the 1896 orders of the links of all graphs are 79 up to symmetry; of
// three, 12 are 2. No two have the same order of the same links, and no two links of one weigh the same.
func TestWeighted(t *testing.T) {
	for n, want := range []int{0, 1, 1, 2, 79} {
		if n == 0 {
			continue
		}
		seen := map[string]bool{}
		for _, g := range nodetest.Weighted(n) {
			of := links(g)
			slices.SortFunc(of, func(a, b [2]int) int { return cmp.Compare(weight(g, a), weight(g, b)) })
			for i := range of {
				require.EqualValues(t, i, weight(g, of[i]))
			}
			seen[fmt.Sprint(of)] = true
		}
		require.Len(t, seen, want)
		require.Len(t, nodetest.Weighted(n), want)
	}
}

// weight returns the weight of a link.
func weight(g topology.Topology, link [2]int) uint64 {
	for from, to := range topology.All(g) {
		if from.Process == link[0] && to.Process == link[1] {
			return topology.Weight(g, from.Process, from.Port)
		}
	}
	panic("no such link")
}

func TestDistances(t *testing.T) {
	path, err := topology.Path(4)
	require.NoError(t, err)
	require.Equal(t, []int{1, 0, 1, 2}, nodetest.Distances(path, 1))
	require.Equal(t, 2, nodetest.Eccentricity(path, 1))
	require.Equal(t, 3, nodetest.Diameter(path))
}

func TestShuffled(t *testing.T) {
	star, err := topology.Star(9)
	require.NoError(t, err)
	shuffled := nodetest.Shuffled(star, rand.New(rand.NewPCG(1, 1)).Shuffle)
	require.Equal(t, links(star), links(shuffled))
	q, _, _ := shuffled.Link(0, 0)
	require.NotEqual(t, 1, q, "the ports are in another order")
}
