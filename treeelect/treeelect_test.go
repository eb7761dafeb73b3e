package treeelect_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/cost"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lab/sim"
	"github.com/go-election/election/lab/topology"
	"github.com/go-election/election/lab/verdict"
	"github.com/go-election/election/local"
	"github.com/go-election/election/nodetest"
	"github.com/go-election/election/observe"
	"github.com/go-election/election/treeelect"
)

var long = flag.Bool("long", false, "try larger networks and more schedules")

func units(n int) time.Duration { return time.Duration(n) * sim.Unit }

func rooted(t *testing.T, tree topology.Topology, root int) topology.Rooted {
	t.Helper()
	r, err := topology.RootAt(tree, root)
	require.NoError(t, err)
	return r
}

// expected returns what the data sheet states for a variant on n processes; depth is the depth of the
// initiator, and k the number of initiators.
func expected(variant string, n, depth, k int) map[string]int {
	m := map[string]int{"demand": n - 1, "report": n - 1, "elected": n - 1}
	switch variant {
	case "root":
		m["done"] = n - 1
	case "climb":
		m["done"], m["climb"] = n-1, depth
	case "saturation":
		if n == 1 {
			return map[string]int{}
		}
		return map[string]int{"wakeup": n + k - 2, "saturation": n, "elected": n - 2}
	}
	return m
}

// seeds returns how many random runs a test makes: a third of all in short mode.
func seeds(all uint64) uint64 {
	if !*long {
		return all / 3
	}
	return all
}

// TestAllTrees: every tree of few processes, every root and, but for the largest, every initiator.
func TestAllTrees(t *testing.T) {
	for n := 1; n <= 6; n++ {
		count := 0
		for tree := range nodetest.Trees(n) {
			count++
			for root := range n {
				if !*long && n == 6 && root != count%n {
					continue // one root of each tree, another one for the next
				}
				tree := rooted(t, tree, root)
				height := nodetest.Eccentricity(tree, root)
				depths := nodetest.Distances(tree, root)

				r := nodetest.Elect(t, sim.Config{Input: nodetest.Input(treeelect.Root(), tree,
					nodetest.Sorted(n), root)})
				nodetest.Counts(t, &r.Result, expected("root", n, 0, 1))
				require.Equal(t, units(4*height), r.Time)

				r = nodetest.Elect(t, sim.Config{Input: nodetest.Input(treeelect.Any(), tree,
					nodetest.Sorted(n), root)})
				nodetest.Counts(t, &r.Result, expected("any", n, 0, 1))
				require.Equal(t, units(3*height), r.Time)

				for p := range n {
					if n == 6 && p != (root+1)%n {
						continue
					}
					r = nodetest.Elect(t, sim.Config{Input: nodetest.Input(treeelect.Climb(), tree,
						nodetest.Sorted(n), p)})
					nodetest.Counts(t, &r.Result, expected("climb", n, depths[p], 1))
					require.Equal(t, units(depths[p]+4*height), r.Time)
				}
			}
		}
	}
}

// TestAllSaturations: every tree of few processes and every set of initiators; among six, one and all.
func TestAllSaturations(t *testing.T) {
	for n := 1; n <= 6; n++ {
		for tree := range nodetest.Trees(n) {
			diameter := nodetest.Diameter(tree)
			for starters := range nodetest.Subsets(nodetest.Sorted(n)) {
				if n == 6 && len(starters) != 1 && len(starters) != n {
					continue
				}
				in := nodetest.Input(treeelect.Saturation(), tree, nodetest.Sorted(n))
				in.Initiators = starters
				r := nodetest.Elect(t, sim.Config{Input: in})
				nodetest.Counts(t, &r.Result, expected("saturation", n, 0, len(starters)))
				require.LessOrEqual(t, r.Time, units(3*diameter))
				if len(starters) == n {
					require.Equal(t, units(diameter), r.Time)
					require.EqualValues(t, treeelect.Saturation().Worst.Count(n), r.Messages)
				}
			}
		}
	}
}

// TestFormulas: what the descriptors say of one initiator, and of n.
func TestFormulas(t *testing.T) {
	for _, a := range []*election.Algorithm{treeelect.Root(), treeelect.Any(), treeelect.Saturation()} {
		for n := 1; n <= 40; n++ {
			r := nodetest.Elect(t, sim.Config{Input: scenario.Input{Algorithm: a,
				IDs: nodetest.Random(n, 1)}})
			for _, b := range []cost.Bound{a.Best, a.Mean, a.Worst} {
				require.EqualValues(t, b.Count(n), r.Messages)
			}
		}
	}
}

// TestFormulasOfClimb: one message fewer for each process if the root starts than where the other end of a
// path does.
func TestFormulasOfClimb(t *testing.T) {
	a := treeelect.Climb()
	for n := 1; n <= 10; n++ {
		path, err := topology.Path(n)
		require.NoError(t, err)
		for starter, bound := range map[int]cost.Bound{0: a.Best, n - 1: a.Worst} {
			in := nodetest.Input(a, rooted(t, path, 0), nodetest.Random(n, 1), starter)
			require.EqualValues(t, bound.Count(n), nodetest.Elect(t, sim.Config{Input: in}).Messages)
		}
	}
}

// random returns a run on a random tree, ports in any order, in which k processes start, with many
// equal priorities, on a random schedule.
func random(t *testing.T, a *election.Algorithm, n, k int, seed uint64) (c sim.Config, depth int) {
	t.Helper()
	rng := rand.New(rand.NewPCG(seed, 5))
	var tree topology.Topology
	tree, err := topology.RandomTree(n, seed)
	require.NoError(t, err)
	switch seed % 8 {
	case 0:
		tree, err = topology.Path(n)
	case 1:
		tree, err = topology.Star(n)
	}
	require.NoError(t, err)
	tree = nodetest.Shuffled(rooted(t, tree, 0), rng.Shuffle)
	root := rng.IntN(n)
	starters := rng.Perm(n)[:k]
	if a.Variant == "root" {
		starters[0] = root
	}
	depth = nodetest.Distances(tree, root)[starters[0]]
	c = sim.Config{Input: nodetest.Input(a, rooted(t, tree, root), nodetest.Random(n, seed), starters...),
		Schedule: sim.RandomDelay, Unordered: seed%2 == 1, Seed: seed}
	for range n {
		c.Priorities = append(c.Priorities, rng.Uint64N(3))
	}
	return c, depth
}

// TestRandomTrees: the counts are those of every schedule, on links that keep the order and that
// do not.
func TestRandomTrees(t *testing.T) {
	for _, a := range []*election.Algorithm{treeelect.Root(), treeelect.Any(), treeelect.Climb(),
		treeelect.Saturation()} {
		require.False(t, a.NeedsFIFO)
		for seed := range seeds(400) {
			n, k := 1+int(seed*7919%400), 1
			if a.Variant == "saturation" {
				k = 1 + int(seed*104729)%n
			}
			c, depth := random(t, a, n, k, seed)
			r := nodetest.Elect(t, c)
			nodetest.Counts(t, &r.Result, expected(a.Variant, n, depth, k), "%s, n = %d, seed %d",
				a.Title(), n, seed)
		}
	}
}

// TestSaturationOnAnySchedule: few processes, every set of initiators, many schedules.
func TestSaturationOnAnySchedule(t *testing.T) {
	for n := 1; n <= 4; n++ {
		for tree := range nodetest.Trees(n) {
			for starters := range nodetest.Subsets(nodetest.Sorted(n)) {
				for seed := range seeds(40) {
					in := nodetest.Input(treeelect.Saturation(), tree, nodetest.Sorted(n))
					in.Initiators = starters
					c := sim.Config{Input: in, Schedule: sim.RandomDelay, Unordered: seed%2 == 1, Seed: seed}
					r := nodetest.Elect(t, c)
					nodetest.Counts(t, &r.Result, expected("saturation", n, 0, len(starters)))
				}
			}
		}
	}
}

// TestRootKnowsThatAllKnow: when the root knows of the end, all have decided.
func TestRootKnowsThatAllKnow(t *testing.T) {
	graph, err := topology.RandomGraph(30, 60, 1)
	require.NoError(t, err)
	for _, a := range []*election.Algorithm{treeelect.Root(), treeelect.Climb(), treeelect.Graph()} {
		for seed := range uint64(50) {
			c, _ := random(t, a, 30, 1, seed)
			root := -1
			if tree, ok := c.Topology.(topology.Rooted); ok && a.Knows == election.RootPort {
				root = tree.Root()
			} else {
				c.Topology = graph
			}
			s, err := sim.New(c)
			require.NoError(t, err)
			for p, id := range c.IDs {
				if root < 0 && id == c.Initiators[0] {
					root = p
				}
			}
			for !s.Ended(root) {
				require.True(t, s.Step())
			}
			for p := range c.IDs {
				require.NotEqual(t, election.Undecided, s.Outcome(p).Role)
				require.True(t, s.Ended(p))
			}
			require.False(t, s.Step(), "nothing is under way any more")
		}
	}
}

// TestNotInitiator: only the root starts variant root.
func TestNotInitiator(t *testing.T) {
	tree, err := topology.Path(3)
	require.NoError(t, err)
	for p := 1; p < 3; p++ {
		r, err := sim.Run(t.Context(), sim.Config{Input: nodetest.Input(treeelect.Root(), tree,
			nodetest.Sorted(3), p)})
		require.ErrorIs(t, err, election.ErrNotInitiator)
		var failed *observe.ProcessError
		require.ErrorAs(t, err, &failed)
		require.EqualValues(t, p+1, failed.ID)
		require.Zero(t, r.Messages)
	}
}

// TestRefusedStartDoesNoHarm: afterwards the root starts as ever.
func TestRefusedStartDoesNoHarm(t *testing.T) {
	tree, err := topology.Path(3)
	require.NoError(t, err)
	for _, ids := range [][]election.ID{{3, 2, 1}, {1, 2, 3}} {
		s, err := sim.New(sim.Config{Input: nodetest.Input(treeelect.Root(), tree, ids)})
		require.NoError(t, err)
		s.Post(1, election.Event{Op: election.Start})
		require.ErrorIs(t, s.Run(t.Context()), election.ErrNotInitiator)
		s.Post(0, election.Event{Op: election.Start})
		_ = s.Run(t.Context()) // the same error again
		r := s.Result()
		require.NoError(t, r.Err())
		require.True(t, r.Terminated)
		require.EqualValues(t, 8, r.Messages)
	}
}

// TestTwoStartAtOnce: if only one may start, the election of the larger one continues.
func TestTwoStartAtOnce(t *testing.T) {
	for _, a := range treeelect.Algorithms() {
		if a.Variant == "root" {
			continue
		}
		for seed := range uint64(300) {
			ids := nodetest.Random(2+int(seed%12), seed)
			in := scenario.Input{Algorithm: a, IDs: ids, Initiators: []election.ID{}}
			s, err := sim.New(sim.Config{Input: in, Schedule: sim.RandomDelay, Unordered: seed%2 == 1,
				Seed: seed})
			require.NoError(t, err)
			one := int(seed) % len(ids)
			two := (one + 1 + int(seed/7)%(len(ids)-1)) % len(ids)
			s.Post(one, election.Event{Op: election.Start})
			s.Post(two, election.Event{Op: election.Start})
			require.NoError(t, s.Run(t.Context()))
			r := s.Result()
			require.NoError(t, r.Err(), "%s, seed %d", a.Title(), seed)
			require.EqualValues(t, len(ids), r.Leader)
			require.True(t, r.Terminated, "%s, seed %d", a.Title(), seed)
		}
	}
}

// TestScenarios: the worked examples, kind by kind.
func TestScenarios(t *testing.T) {
	f, err := os.Open("../testdata/scenarios/treeelect.json")
	require.NoError(t, err)
	list, err := scenario.Read(f)
	require.NoError(t, f.Close())
	require.NoError(t, err)
	require.Len(t, list, 8)
	for _, s := range list {
		in, err := s.Input(find)
		require.NoError(t, err)
		r := nodetest.Elect(t, sim.Config{Input: in})
		require.NoError(t, s.Expect.Compare(&r.Result, &r.Time), s.Name)
	}
}

func find(name, variant string) (*election.Algorithm, error) {
	for _, a := range treeelect.Algorithms() {
		if a.Name == name && a.Variant == variant {
			return a, nil
		}
	}
	return nil, fmt.Errorf("no %s/%s", name, variant)
}

// TestGoroutines: real concurrency, the same counts.
func TestGoroutines(t *testing.T) {
	for _, a := range []*election.Algorithm{treeelect.Root(), treeelect.Any(), treeelect.Climb(),
		treeelect.Saturation()} {
		for seed := range uint64(40) {
			n, k := 1+int(seed*7919%60), 1
			if a.Variant == "saturation" {
				k = n
			}
			c, depth := random(t, a, n, k, seed)
			r, err := local.Run(t.Context(), local.Config{Input: c.Input})
			require.NoError(t, err)
			require.NoError(t, r.Err())
			require.Equal(t, c.Expected().ID, r.Leader)
			nodetest.Counts(t, &r.Result, expected(a.Variant, n, depth, k))
		}
	}
}

// TestAgain: five elections one after another, each by another process where that may be, and each
// as if it were the first.
func TestAgain(t *testing.T) {
	for _, a := range treeelect.Algorithms() {
		ids := nodetest.Random(12, 1)
		in := scenario.Input{Algorithm: a, IDs: ids, Initiators: []election.ID{}}
		s, err := sim.New(sim.Config{Input: in})
		require.NoError(t, err)
		for term := range 5 {
			p := 5 * term % len(ids)
			if a.Variant == "root" {
				p = 0
			}
			in.Initiators = ids[p : p+1]
			once := nodetest.Elect(t, sim.Config{Input: in})
			before := s.Result().Messages
			s.Post(p, election.Event{Op: election.Start})
			require.NoError(t, s.Run(t.Context()))
			r := s.Result()
			require.NoError(t, r.Err())
			require.True(t, r.Terminated)
			require.Equal(t, once.Messages, r.Messages-before)
			for p := range ids {
				require.EqualValues(t, term+1, s.Outcome(p).Term)
			}
		}
	}
}

func TestPriorities(t *testing.T) {
	for _, a := range treeelect.Algorithms() {
		nodetest.Priorities(t, a)
	}
}

// TestCrash: one crash blocks the election, as the data sheet warns.
func TestCrash(t *testing.T) {
	for _, a := range treeelect.Algorithms() {
		for down := range 4 {
			in := scenario.Input{Algorithm: a, IDs: nodetest.Sorted(4)}
			in.Crashed = in.IDs[down : down+1]
			r, err := sim.Run(t.Context(), sim.Config{Input: in})
			require.NoError(t, err)
			require.ErrorIs(t, r.Err(), verdict.ErrNoLeader, "%s without %d", a.Title(), down)
			require.Zero(t, r.Claimants)
		}
	}
}
