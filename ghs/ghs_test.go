package ghs_test

import (
	"cmp"
	"context"
	"flag"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/ghs"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lab/sim"
	"github.com/go-election/election/lab/topology"
	"github.com/go-election/election/lab/verdict"
	"github.com/go-election/election/local"
	"github.com/go-election/election/nodetest"
)

var long = flag.Bool("long", false, "try larger networks and more schedules")

// edges lists the links of an election, the smaller ID of each first, from the lightest to the heaviest.
func edges(in *scenario.Input) (list [][2]election.ID) {
	weight := make(map[[2]election.ID]uint64)
	for from, to := range topology.All(in.Topology) {
		if e := [2]election.ID{in.IDs[from.Process], in.IDs[to.Process]}; e[0] < e[1] {
			weight[e] = in.Weight(from.Process, from.Port)
			list = append(list, e)
		}
	}
	slices.SortFunc(list, func(a, b [2]election.ID) int {
		return cmp.Or(cmp.Compare(weight[a], weight[b]), verdict.CompareEdges(a, b))
	})
	return list
}

// kruskal returns the minimum spanning tree: it takes each link, the lightest first, that joins two parts.
func kruskal(in *scenario.Input) (tree [][2]election.ID) {
	part := make(map[election.ID]election.ID)
	for _, id := range in.IDs {
		part[id] = id
	}
	for _, e := range edges(in) {
		if from, to := part[e[0]], part[e[1]]; from != to {
			tree = append(tree, e)
			for id, p := range part {
				if p == from {
					part[id] = to
				}
			}
		}
	}
	slices.SortFunc(tree, verdict.CompareEdges)
	return tree
}

// elect runs an election, and requires what the data sheet promises.
func elect(t *testing.T, c sim.Config) sim.Result {
	t.Helper()
	r := nodetest.Elect(t, c)
	in := c.Input
	require.NoError(t, in.Check())
	require.Equal(t, kruskal(&in), r.Tree)
	n, links := float64(len(in.IDs)), float64(in.Topology.Links()/2)
	require.EqualValues(t, n-1, r.Count("elected"))
	require.LessOrEqual(t, float64(r.Messages)-(n-1), 2*links+5*n*math.Log2(n))
	require.LessOrEqual(t, float64(r.Messages), in.Algorithm.Worst.CountPorts(len(in.IDs),
		in.Topology.Links()))
	// Each CONNECT makes a link a branch at its sender: of each link at one end, of a core at both.
	require.GreaterOrEqual(t, float64(r.Count("connect")), n-1)
	if n > 1 {
		onTree := slices.ContainsFunc(r.Tree, func(e [2]election.ID) bool {
			return slices.Contains(e[:],
				r.Leader)
		})
		require.True(t, onTree)
	}
	return r
}

// weighted draws weights below most.
func weighted(g topology.Topology, rng *rand.Rand, most uint64) topology.Topology {
	return topology.WithWeights(g, func(int, int) uint64 { return rng.Uint64N(most) })
}

// TestAllGraphs: every connected graph of few processes, with weights of which many are equal, all start.
func TestAllGraphs(t *testing.T) {
	largest := 5
	if !*long {
		largest = 4
	}
	rng := rand.New(rand.NewPCG(1, 1))
	for n := 1; n <= largest; n++ {
		for g := range nodetest.Graphs(n) {
			for range 6 {
				in := scenario.Input{Algorithm: ghs.Algorithm(), Topology: weighted(g, rng, 4),
					IDs: nodetest.Sorted(n)}
				elect(t, sim.Config{Input: in})
			}
		}
	}
}

// TestAllInitiators: every set of initiators wakes all others.
func TestAllInitiators(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 2))
	for n := 1; n <= 4; n++ {
		for g := range nodetest.Graphs(n) {
			for starters := range nodetest.Subsets(nodetest.Sorted(n)) {
				in := nodetest.Input(ghs.Algorithm(), weighted(g, rng, 100), nodetest.Sorted(n))
				in.Initiators = starters
				elect(t, sim.Config{Input: in})
			}
		}
	}
}

// TestRandom: larger graphs, any initiators, random delays.
func TestRandom(t *testing.T) {
	runs := uint64(600)
	if !*long {
		runs = 100
	}
	for seed := range runs {
		rng := rand.New(rand.NewPCG(seed, 3))
		n := 2 + rng.IntN(40)
		most := n * (n - 1) / 2
		g, err := topology.RandomGraph(n, n-1+rng.IntN(most-n+2), seed)
		require.NoError(t, err)
		in := scenario.Input{Algorithm: ghs.Algorithm(), IDs: nodetest.Random(n, seed),
			Topology: weighted(nodetest.Shuffled(g, rng.Shuffle), rng, uint64(1+rng.IntN(1000)))}
		in.Initiators = nodetest.Some(in.IDs, seed)
		elect(t, sim.Config{Input: in, Schedule: sim.RandomDelay, Seed: seed})
	}
}

// TestTies: where links have no weights, the IDs of their ends order them.
func TestTies(t *testing.T) {
	star, err := topology.Complete(7)
	require.NoError(t, err)
	g, err := topology.AsGraph(star)
	require.NoError(t, err)
	r := elect(t, sim.Config{Input: scenario.Input{Algorithm: ghs.Algorithm(), Topology: g,
		IDs: nodetest.Sorted(7)}})
	require.Equal(t, [][2]election.ID{{1, 2}, {1, 3}, {1, 4}, {1, 5}, {1, 6}, {1, 7}}, r.Tree)
	require.EqualValues(t, 2, r.Leader)
}

// TestPriorities: of the ends of the core the larger Rank leads, not the larger ID.
func TestPriorities(t *testing.T) {
	pair, err := topology.New(election.Graph, 2, [][2]int{{0, 1}})
	require.NoError(t, err)
	in := scenario.Input{Algorithm: ghs.Algorithm(), Topology: pair, IDs: nodetest.Sorted(2),
		Priorities: []uint64{7, 3}}
	require.EqualValues(t, 1, elect(t, sim.Config{Input: in}).Leader)
	in.Priorities = nil
	require.EqualValues(t, 2, elect(t, sim.Config{Input: in}).Leader)
}

// TestLarge: a star, of which one process has all links, and a long path.
func TestLarge(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 4))
	for _, make := range []func(int) (topology.Rooted, error){topology.Star, topology.Path} {
		g, err := make(3000)
		require.NoError(t, err)
		elect(t, sim.Config{Input: scenario.Input{Algorithm: ghs.Algorithm(),
			Topology: weighted(g, rng, 1<<40),
			IDs:      nodetest.Sorted(3000)}})
	}
}

// TestUnordered: links that do not keep the order break the election.
func TestUnordered(t *testing.T) {
	broken := 0
	for seed := range uint64(100) {
		rng := rand.New(rand.NewPCG(seed, 5))
		g, err := topology.RandomGraph(6, 9, seed)
		require.NoError(t, err)
		in := scenario.Input{Algorithm: ghs.Algorithm(), IDs: nodetest.Sorted(6),
			Topology: weighted(g, rng, 100)}
		r, err := sim.Run(context.Background(), sim.Config{Input: in, Schedule: sim.RandomDelay,
			Unordered: true, Force: true, Seed: seed})
		if err != nil || r.Err() != nil || !slices.Equal(r.Tree, kruskal(&in)) {
			broken++
		}
	}
	require.Greater(t, broken, 50)
}

// TestGoroutines: real concurrency, the same tree.
func TestGoroutines(t *testing.T) {
	for seed := range uint64(20) {
		rng := rand.New(rand.NewPCG(seed, 6))
		g, err := topology.RandomGraph(12, 30, seed)
		require.NoError(t, err)
		in := scenario.Input{Algorithm: ghs.Algorithm(), IDs: nodetest.Random(12, seed),
			Topology: weighted(g, rng, 20)}
		r, err := local.Run(t.Context(), local.Config{Input: in})
		require.NoError(t, err)
		require.NoError(t, r.Err())
		require.Equal(t, kruskal(&in), r.Tree)
	}
}

// TestCrash: one crash blocks the election, as the data sheet warns.
func TestCrash(t *testing.T) {
	for down := range 4 {
		in := scenario.Input{Algorithm: ghs.Algorithm(), IDs: nodetest.Sorted(4)}
		in.Crashed = in.IDs[down : down+1]
		r, err := sim.Run(t.Context(), sim.Config{Input: in})
		require.NoError(t, err)
		require.ErrorIs(t, r.Err(), verdict.ErrNoLeader)
	}
}

// TestBits: what a message carries, by the widths of this election.
func TestBits(t *testing.T) {
	pair, err := topology.New(election.Graph, 2, [][2]int{{0, 1}})
	require.NoError(t, err)
	pair = topology.WithWeights(pair, func(int, int) uint64 { return 1000 })
	in := scenario.Input{Algorithm: ghs.Algorithm(), Topology: pair, IDs: []election.ID{200, 255},
		Priorities: []uint64{3, 1}}
	r := elect(t, sim.Config{Input: in})
	nodetest.Counts(t, &r.Result, map[string]int{"connect": 2, "initiate": 2, "report": 2,
		"elected": 1})
	const weight, id, priority, level = 10, 8, 2, 2
	require.EqualValues(t, 2*(level+id+priority)+2*(weight+2*id+level+1)+2*(weight+2*id)+id+priority, r.Bits)
}

// TestBound: 2E + 5n*log2 n, rounded down, and n-1.
func TestBound(t *testing.T) {
	for _, c := range []struct {
		n, ports int
		most     float64
	}{{1, 0, 0}, {2, 2, 2 + 10 + 1}, {3, 6, 6 + 23 + 2}, {8, 56, 56 + 120 + 7}} {
		require.InDelta(t, c.most, ghs.Algorithm().Worst.CountPorts(c.n, c.ports), 1e-9)
	}
}
