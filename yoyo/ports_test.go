package yoyo_test

import (
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lab/sim"
	"github.com/go-election/election/lab/topology"
	"github.com/go-election/election/yoyo"
)

// TestPortsCount: on one graph, with the same IDs, the number of messages depends on the order of the ports. It
// is within the bounds for each order.
func TestPortsCount(t *testing.T) {
	const n = 10
	rng := rand.New(rand.NewPCG(487, 2))
	var links [][2]int
	for p := range n {
		links = append(links, [2]int{p, (p + 1) % n})
		for q := p + 2; q < n; q++ {
			if (q+1)%n != p && rng.IntN(6) == 0 {
				links = append(links, [2]int{p, q})
			}
		}
	}
	ids := make([]election.ID, n)
	for p, k := range rng.Perm(n) {
		ids[p] = election.ID(k + 1)
	}
	a, counts := yoyo.Algorithm(), make(map[uint64]bool)
	for range 100 {
		// The order of the links is that of the ports.
		rng.Shuffle(len(links), func(i, j int) { links[i], links[j] = links[j], links[i] })
		graph, err := topology.New(election.Graph, n, links)
		require.NoError(t, err)
		r, err := sim.Run(t.Context(), sim.Config{Input: scenario.Input{Algorithm: a, Topology: graph, IDs: ids}})
		require.NoError(t, err)
		require.LessOrEqual(t, float64(r.Messages), a.Worst.CountPorts(n, 2*len(links)))
		require.GreaterOrEqual(t, float64(r.Messages), a.Best.CountPorts(n, 2*len(links)))
		counts[r.Messages] = true
	}
	require.Equal(t, []uint64{95, 97, 99, 101}, slices.Sorted(maps.Keys(counts)))
}
