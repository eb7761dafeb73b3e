package treeelect_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/electiontest"
	"github.com/go-election/election/lab/sim"
	"github.com/go-election/election/lab/topology"
	"github.com/go-election/election/local"
	"github.com/go-election/election/nodetest"
	"github.com/go-election/election/treeelect"
)

// over returns the variants that run over graphs, by what they run on the tree.
func over(t *testing.T) map[string]*election.Algorithm {
	t.Helper()
	all := map[string]*election.Algorithm{}
	for _, variant := range []string{"root", "any", "saturation"} {
		a, err := treeelect.OverGraph(variant)
		require.NoError(t, err)
		require.NoError(t, a.Check())
		all[variant] = a
	}
	return all
}

// TestConformance: the catalog has one of these only.
func TestConformance(t *testing.T) {
	for variant, a := range over(t) {
		t.Run(variant, func(t *testing.T) {
			electiontest.Test(t, a, electiontest.Options{Seeds: 50, Processes: 7, States: 5000})
		})
	}
}

// onGraph is what the data sheet promises: the tree, and then the variant.
func onGraph(variant string, links topology.Topology) map[string]int {
	n, m := links.Len(), links.Links()
	want := expected(variant, n, 0, 1)
	want["build"], want["joined"] = m-(n-1), n-1
	return want
}

func TestGraph(t *testing.T) {
	a := treeelect.Graph()
	require.Equal(t, "treeelect/graph", a.Title())
	require.Equal(t, "M + 4(n-1), M ports in all", a.Best.Formula)
	for _, variant := range []string{"climb", "graph", "", "nonsense"} {
		_, err := treeelect.OverGraph(variant)
		require.ErrorIs(t, err, election.ErrInput)
		require.ErrorContains(t, err, variant)
	}
}

// TestAllGraphs: every connected graph of few processes and every initiator.
func TestAllGraphs(t *testing.T) {
	for variant, a := range over(t) {
		for n := 1; n <= 5; n++ {
			count := 0
			for g := range nodetest.Graphs(n) {
				count++
				for p := range n {
					if !*long && n == 5 && p != count%n {
						continue // one initiator in each graph, another one in the next
					}
					r := nodetest.Elect(t, sim.Config{Input: nodetest.Input(a, g, nodetest.Sorted(n), p)})
					nodetest.Counts(t, &r.Result, onGraph(variant, g))
					// The first to ask has been asked the shortest way, so that the tree is as high
					// as the initiator is far from the farthest process.
					ecc := nodetest.Eccentricity(g, p)
					after := map[string]int{"root": 4 * ecc, "any": 3 * ecc, "saturation": 3 * ecc}[variant]
					require.LessOrEqual(t, r.Time, units(2*ecc+1+after), variant)
					if variant != "saturation" {
						require.GreaterOrEqual(t, r.Time, units(2*ecc+after), variant)
					}
				}
			}
		}
	}
}

// randomGraph returns a run on a random graph, sparse or dense, on a random schedule, links in
// order or not, ports in any order, with many equal priorities.
func randomGraph(t *testing.T, a *election.Algorithm, seed uint64) sim.Config {
	t.Helper()
	rng := rand.New(rand.NewPCG(seed, 9))
	n := 1 + rng.IntN(200)
	most := n * (n - 1) / 2
	count := min(most, n-1+rng.IntN(3*n))
	switch seed % 10 {
	case 0:
		count = most
	case 1:
		count = n - 1
	}
	g, err := topology.RandomGraph(n, count, seed)
	require.NoError(t, err)
	c := sim.Config{Input: nodetest.Input(a, nodetest.Shuffled(g, rng.Shuffle), nodetest.Random(n, seed),
		rng.IntN(n)),
		Schedule: sim.RandomDelay, Unordered: seed%2 == 1, Seed: seed}
	for range n {
		c.Priorities = append(c.Priorities, rng.Uint64N(3))
	}
	return c
}

func TestRandomGraphs(t *testing.T) {
	for variant, a := range over(t) {
		for seed := range seeds(200) {
			c := randomGraph(t, a, seed)
			r := nodetest.Elect(t, c)
			nodetest.Counts(t, &r.Result, onGraph(variant, c.Topology), "%s, seed %d", variant, seed)
		}
	}
}

func TestGraphsOnGoroutines(t *testing.T) {
	for variant, a := range over(t) {
		for seed := range uint64(20) {
			c := randomGraph(t, a, seed)
			r, err := local.Run(t.Context(), local.Config{Input: c.Input})
			require.NoError(t, err)
			require.NoError(t, r.Err())
			require.Equal(t, c.Expected().ID, r.Leader)
			nodetest.Counts(t, &r.Result, onGraph(variant, c.Topology))
		}
	}
}

// TestTreeAmongGraphs: a tree is a graph, too, and then a tree of itself.
func TestTreeAmongGraphs(t *testing.T) {
	for n := 1; n <= 5; n++ {
		for tree := range nodetest.Trees(n) {
			for p := range n {
				r := nodetest.Elect(t, sim.Config{Input: nodetest.Input(treeelect.Graph(), tree,
					nodetest.Sorted(n), p)})
				require.EqualValues(t, 6*(n-1), r.Messages)
				require.Equal(t, units(6*nodetest.Eccentricity(tree, p)), r.Time)
			}
		}
	}
}
