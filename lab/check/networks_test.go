package check_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/lab/topology"
	"github.com/go-election/election/nodetest"
)

// network is where an algorithm is checked.
type network struct {
	links topology.Topology // if nil, the default
	of    []election.ID
	// orders are counted, not named: that many IDs stand in another order.
	name string
}

// networks returns all networks of n processes that are not the same but for names: rings by the order
// of IDs, one complete graph, every tree with every root, every connected graph, where links have weights
// with every order of these, cubes with the largest anywhere.
func networks(t testing.TB, a *election.Algorithm, n int) (all []network) {
	t.Helper()
	switch a.Topology {
	case election.Ring:
		for _, order := range rings(n) {
			all = append(all, network{of: order, name: fmt.Sprintf("ring %d", order)})
		}
	case election.Tree:
		return trees(t, n, a.Knows == election.RootPort)
	case election.Graph:
		if a.Knows == election.LinkWeights {
			for _, g := range nodetest.Weighted(n) {
				all = append(all, network{links: g, of: rising(n), name: "weighted graph"})
			}
			return all
		}
		return graphs(t, n)
	case election.Hypercube:
		if _, ok := topology.Dimension(n); !ok {
			return nil
		}
		for _, order := range rings(n) {
			all = append(all, network{of: order, name: fmt.Sprintf("hypercube %d", order)})
		}
	case election.Complete:
		if a.Knows == election.PortsAround { // it matters how they stand around the circle
			for _, order := range rings(n) {
				all = append(all, network{of: order, name: fmt.Sprintf("circle %d", order)})
			}
			return all
		}
		all = []network{{of: rising(n), name: fmt.Sprintf("complete %d", n)}}
	}
	return all
}

// trees returns every tree of the processes 1..n, if it is to be rooted with every root.
func trees(t testing.TB, n int, rooted bool) (all []network) {
	t.Helper()
	for root := range n {
		if root > 0 && !rooted {
			break
		}
		parents := make([]int, n)
		for code := range power(n, n-1) {
			for p := range n {
				parents[p] = -1
				if p != root {
					parents[p] = code % n
					code /= n
				}
			}
			tree, err := topology.TreeOf(parents)
			if err != nil {
				continue // it has a cycle
			}
			all = append(all, network{links: tree, of: rising(n), name: fmt.Sprintf("tree %d", parents)})
		}
	}
	return all
}

func power(n, k int) int {
	if k == 0 {
		return 1
	}
	return n * power(n, k-1)
}

// graphs returns every connected graph of the processes 1..n.
func graphs(t testing.TB, n int) (all []network) {
	t.Helper()
	var pairs [][2]int
	for p := range n {
		for q := range p {
			pairs = append(pairs, [2]int{q, p})
		}
	}
	for mask := range 1 << len(pairs) {
		var links [][2]int
		for i, pair := range pairs {
			if mask>>i&1 == 1 {
				links = append(links, pair)
			}
		}
		if g, err := topology.New(election.Graph, n, links); err == nil {
			all = append(all, network{links: g, of: rising(n), name: fmt.Sprintf("graph %d", links)})
		}
	}
	return all
}

// TestNetworks: there are as many as theory says (Cayley; connected labelled graphs).
func TestNetworks(t *testing.T) {
	connected := []int{1, 1, 4, 38, 728}
	for n := 1; n <= 5; n++ {
		require.Len(t, trees(t, n, true), power(n, n-1))
		require.Len(t, graphs(t, n), connected[n-1])
		if n > 1 {
			require.Len(t, trees(t, n, false), power(n, n-2))
		}
	}
	require.Len(t, rings(5), 24)
	require.Len(t, subsets(rising(3)), 7)
}
