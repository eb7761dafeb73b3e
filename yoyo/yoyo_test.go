package yoyo_test

import (
	"flag"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lab/sim"
	"github.com/go-election/election/lab/topology"
	"github.com/go-election/election/lab/verdict"
	"github.com/go-election/election/local"
	"github.com/go-election/election/nodetest"
	"github.com/go-election/election/yoyo"
)

var long = flag.Bool("long", false, "try larger networks and more schedules")

func on(g topology.Topology, ids []election.ID) scenario.Input {
	return scenario.Input{Algorithm: yoyo.Algorithm(), Topology: g, IDs: ids}
}

// elect runs an election in which the IDs rise with the places of the processes. It requires the counts of
// the model, and what the data sheet promises of these.
func elect(t *testing.T, c sim.Config) *model {
	t.Helper()
	r := nodetest.Elect(t, c)
	n, ports := len(c.IDs), c.Topology.Links()
	require.Equal(t, c.IDs[0], r.Leader)
	m := modelled(c.Topology)
	nodetest.Counts(t, &r.Result, m.sent, c.IDs)
	s := append(slices.Concat([]int{n}, m.sources), 0)
	for i := range len(s) - 2 {
		require.GreaterOrEqual(t, s[i], s[i+1]+s[i+2], "sources %v", s)
	}
	a := yoyo.Algorithm()
	require.LessOrEqual(t, float64(r.Messages), a.Worst.CountPorts(n, ports))
	if n > 1 {
		require.Equal(t, n-1, m.sent["leaf"])
		require.GreaterOrEqual(t, float64(r.Messages), a.Best.CountPorts(n, ports))
		require.Equal(t, len(m.sources) == 1, float64(r.Messages) == a.Best.CountPorts(n, ports))
		require.Equal(t, 1, m.sources[len(m.sources)-1])
	}
	if c.Schedule != sim.RandomDelay && c.StartTimes == nil {
		longest := 1 + 2*(n-1)*len(m.sources) + n - 1
		if c.Initiators != nil {
			longest += n - 1
		}
		require.LessOrEqual(t, r.Time, time.Duration(longest)*sim.Unit)
	}
	return m
}

// TestAllGraphs: every connected graph of few processes, with every order of the IDs; all start.
func TestAllGraphs(t *testing.T) {
	largest := 6
	if !*long {
		largest = 5
	}
	for n := 1; n <= largest; n++ {
		most := 0
		for g := range nodetest.Graphs(n) {
			most = max(most, len(elect(t, sim.Config{Input: on(g, nodetest.Sorted(n))}).sources))
		}
		require.Equal(t, []int{0, 0, 1, 2, 2, 3, 3}[n], most, "rounds of %d", n)
	}
}

// TestAllInitiators: every set of initiators wakes all others, and changes no count.
func TestAllInitiators(t *testing.T) {
	for n := 1; n <= 4; n++ {
		for g := range nodetest.Graphs(n) {
			for starters := range nodetest.Subsets(nodetest.Sorted(n)) {
				in := on(g, nodetest.Sorted(n))
				in.Initiators = starters
				elect(t, sim.Config{Input: in})
			}
		}
	}
}

// TestRandom: larger graphs, ports in any order, any initiators, at any time, on links that do not keep
// the order.
func TestRandom(t *testing.T) {
	runs := uint64(2000)
	if !*long {
		runs = 200
	}
	for seed := range runs {
		rng := rand.New(rand.NewPCG(seed, 3))
		n := 2 + rng.IntN(30)
		most := n * (n - 1) / 2
		g, err := topology.RandomGraph(n, n-1+rng.IntN(min(most-n+2, 2*n)), seed)
		require.NoError(t, err)
		// RandomGraph adds each process to one before it. Here the IDs are at places of their own.
		in := on(nodetest.Shuffled(replaced(g, rng.Perm(n)), rng.Shuffle), nodetest.Sorted(n))
		in.Initiators = nodetest.Some(in.IDs, seed)
		in.StartTimes = make([]time.Duration, len(in.Initiators))
		// A start that comes after the end would begin another election: of few processes with short delays,
		// that is soon.
		for i := range in.StartTimes[1:] {
			in.StartTimes[1+i] = time.Duration(rng.Int64N(int64(sim.Unit) * int64(n) / 30))
		}
		elect(t, sim.Config{Input: in, Schedule: sim.RandomDelay, Unordered: seed%2 > 0, Seed: seed})
	}
}

// replaced returns the graph with its processes at other places.
func replaced(g topology.Topology, place []int) topology.Topology {
	var pairs [][2]int
	for from, to := range topology.All(g) {
		if from.Process < to.Process {
			pairs = append(pairs, [2]int{place[from.Process], place[to.Process]})
		}
	}
	again, err := topology.New(election.Graph, g.Len(), pairs)
	if err != nil {
		panic(err)
	}
	return again
}

// slowest returns a tree of F(rounds+2) processes that takes this many rounds, F(1) = F(2) = 1. The
// processes of the graph of one round are the sources of the round before. So each of its local minima
// gets one neighbour more, which stands between that and all its neighbours.
func slowest(t *testing.T, rounds int) topology.Topology {
	var links [][2]int
	n := 1
	for range rounds {
		above := make([][]int, n) // the neighbours of a local minimum
		for p := range n {
			for _, l := range links {
				if low, high := min(l[0], l[1]), max(l[0], l[1]); low == p {
					above[p] = append(above[p], high)
				}
			}
		}
		var between [][2]int
		next := n
		for p := range n {
			minimum := !slices.ContainsFunc(links, func(l [2]int) bool { return max(l[0], l[1]) == p })
			if !minimum {
				continue
			}
			between = append(between, [2]int{p, next})
			for _, q := range above[p] {
				between = append(between, [2]int{q, next})
			}
			next++
		}
		links, n = between, next
	}
	g, err := topology.New(election.Graph, n, links)
	require.NoError(t, err)
	return g
}

// TestSlowest: at each Fibonacci number as many rounds are needed as there are at most, and among few
// processes as many messages.
func TestSlowest(t *testing.T) {
	for rounds, n := range []int{1, 2, 3, 5, 8, 13, 21, 34, 55} {
		g := slowest(t, rounds)
		require.Equal(t, n, g.Len())
		m := elect(t, sim.Config{Input: on(g, nodetest.Sorted(n))})
		require.Len(t, m.sources, rounds, "n = %d", n)
		sum := 0
		for _, sent := range m.sent {
			sum += sent
		}
		most := yoyo.Algorithm().Worst.CountPorts(n, g.Links())
		if n < 8 {
			require.InDelta(t, most, sum, 0, "n = %d", n)
		}
	}
}

// TestNotHalved: of three sources two are left after a round.
func TestNotHalved(t *testing.T) {
	g, err := topology.New(election.Graph, 5, [][2]int{{0, 3}, {2, 3}, {2, 4}, {1, 4}})
	require.NoError(t, err)
	require.Equal(t, []int{3, 2, 1}, elect(t, sim.Config{Input: on(g, nodetest.Sorted(5))}).sources)
}

// TestPriorities: the smallest Rank leads, not the smallest ID; of one priority the smallest ID.
func TestPriorities(t *testing.T) {
	for priorities, leader := range map[[3]uint64]election.ID{{0, 0, 0}: 1, {5, 0, 0}: 2, {5, 7, 0}: 3,
		{5, 5, 5}: 1, {5, 5, 9}: 1} {
		g, err := topology.Path(3)
		require.NoError(t, err)
		in := on(g, nodetest.Sorted(3))
		in.Priorities = priorities[:]
		require.Equal(t, leader, nodetest.Elect(t, sim.Config{Input: in}).Leader, "%v", priorities)
	}
}

// TestLarge: a process with all links, a long path, and a complete graph.
func TestLarge(t *testing.T) {
	star, err := topology.Star(400)
	require.NoError(t, err)
	path, err := topology.Path(400)
	require.NoError(t, err)
	clique, err := topology.Complete(40)
	require.NoError(t, err)
	graph, err := topology.AsGraph(clique)
	require.NoError(t, err)
	for _, g := range []topology.Topology{star, path, graph} {
		rng := rand.New(rand.NewPCG(9, 9))
		elect(t, sim.Config{Input: on(replaced(g, rng.Perm(g.Len())), nodetest.Sorted(g.Len()))})
	}
}

// TestGoroutines: real concurrency, the same counts.
func TestGoroutines(t *testing.T) {
	for seed := range uint64(20) {
		g, err := topology.RandomGraph(12, 20, seed)
		require.NoError(t, err)
		g = replaced(g, rand.New(rand.NewPCG(seed, 6)).Perm(12))
		r, err := local.Run(t.Context(), local.Config{Input: on(g, nodetest.Sorted(12))})
		require.NoError(t, err)
		require.NoError(t, r.Err())
		nodetest.Counts(t, &r.Result, modelled(g).sent)
	}
}

// TestCrash: one crash blocks the election, as the data sheet warns.
func TestCrash(t *testing.T) {
	for down := range 4 {
		path, err := topology.Path(4)
		require.NoError(t, err)
		in := on(path, nodetest.Sorted(4))
		in.Crashed = in.IDs[down : down+1]
		r, err := sim.Run(t.Context(), sim.Config{Input: in})
		require.NoError(t, err)
		require.ErrorIs(t, r.Err(), verdict.ErrNoLeader)
	}
}

// TestBounds holds the bounds against values that were worked out by hand.
func TestBounds(t *testing.T) {
	for _, c := range []struct {
		n, ports    int
		least, most float64
	}{{1, 0, 0, 0}, {2, 2, 5, 5}, {3, 4, 10, 14}, {4, 12, 27, 39}, {5, 8, 20, 36}, {8, 20, 47, 107},
		{100, 1000, 2099, 10099}} {
		require.InDelta(t, c.least, yoyo.Algorithm().Best.CountPorts(c.n, c.ports), 0)
		require.InDelta(t, c.most, yoyo.Algorithm().Worst.CountPorts(c.n, c.ports), 0, "n = %d", c.n)
	}
}
