package echo_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/echo"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lab/sim"
	"github.com/go-election/election/lab/topology"
	"github.com/go-election/election/lab/verdict"
	"github.com/go-election/election/local"
	"github.com/go-election/election/nodetest"
)

var long = flag.Bool("long", false, "try larger networks and more schedules")

func units(n int) time.Duration { return time.Duration(n) * sim.Unit }

// expected is what the data sheet promises of one initiator.
func expected(variant string, links topology.Topology) map[string]int {
	n, m := links.Len(), links.Links()
	switch variant {
	case "nok":
		return map[string]int{"demand": m - (n - 1), "nok": m - 2*(n-1), "report": n - 1, "elected": n - 1}
	case "extinction":
		return map[string]int{"wave": m, "elected": n - 1}
	}
	return map[string]int{"demand": m - (n - 1), "report": n - 1, "elected": n - 1}
}

// bounded requires what the data sheet promises of k initiators of extinction.
func bounded(t *testing.T, r *verdict.Result, links topology.Topology, k int, about ...any) {
	t.Helper()
	n, m := uint64(links.Len()), uint64(links.Links())
	require.Equal(t, n-1, r.Count("elected"), about...)
	require.GreaterOrEqual(t, r.Count("wave"), m, about...)
	require.LessOrEqual(t, r.Count("wave"), uint64(k)*m, about...)
}

// TestAllGraphs: every connected graph of few processes and every initiator.
func TestAllGraphs(t *testing.T) {
	tight := map[string]bool{}
	for n := 1; n <= 5; n++ {
		for g := range nodetest.Graphs(n) {
			for p := range n {
				ecc := nodetest.Eccentricity(g, p)
				for _, a := range echo.Algorithms() {
					r := nodetest.Elect(t, sim.Config{Input: nodetest.Input(a, g, nodetest.Sorted(n), p)})
					nodetest.Counts(t, &r.Result, expected(a.Variant, g))
					most := units(3*ecc + 1)
					if a.Variant == "nok" {
						most = units(3*ecc + 2)
						require.EqualValues(t, 2*g.Links()-n+1, r.Messages)
					} else {
						require.EqualValues(t, g.Links()+n-1, r.Messages)
					}
					require.GreaterOrEqual(t, r.Time, units(3*ecc))
					require.LessOrEqual(t, r.Time, most, a.Title())
					tight[a.Variant] = tight[a.Variant] || r.Time == most
				}
			}
		}
	}
	require.Equal(t, map[string]bool{"implicit": true, "nok": true, "extinction": true}, tight)
}

// TestSixProcesses: every connected graph of six, of five in short tests.
func TestSixProcesses(t *testing.T) {
	n, i := 6, 0
	if !*long {
		n = 5
	}
	for g := range nodetest.Graphs(n) {
		r := nodetest.Elect(t, sim.Config{Input: nodetest.Input(echo.Implicit(), g, nodetest.Sorted(n),
			i%n)})
		nodetest.Counts(t, &r.Result, expected("implicit", g))
		i++
	}
}

// TestAllInitiators: every connected graph of few processes, and every set of initiators.
func TestAllInitiators(t *testing.T) {
	most := 5
	if !*long {
		most = 4
	}
	for n := 1; n <= most; n++ {
		for g := range nodetest.Graphs(n) {
			for starters := range nodetest.Subsets(nodetest.Sorted(n)) {
				in := nodetest.Input(echo.Extinction(), g, nodetest.Sorted(n))
				in.Initiators = starters
				r := nodetest.Elect(t, sim.Config{Input: in})
				bounded(t, &r.Result, g, len(starters))
				winner := int(r.Leader) - 1
				require.LessOrEqual(t, r.Time, units(3*nodetest.Eccentricity(g, winner)+1))
			}
		}
	}
}

// TestFalling: on a complete graph on which all start in falling order, each sends a wave of its
// own to all, and joins that of the largest later.
func TestFalling(t *testing.T) {
	for n := 1; n <= 30; n++ {
		complete, err := topology.Complete(n)
		require.NoError(t, err)
		g, err := topology.AsGraph(complete)
		require.NoError(t, err)
		in := nodetest.Input(echo.Extinction(), g, nodetest.Sorted(n))
		for p := range n {
			in.Initiators = append(in.Initiators, election.ID(n-p))
		}
		r := nodetest.Elect(t, sim.Config{Input: in})
		nodetest.Counts(t, &r.Result, map[string]int{"wave": (n - 1) * (2*n - 1), "elected": n - 1})
	}
}

// random returns a run on a random graph, sparse or dense, on a random schedule, links in order or
// not, ports in any order, with many equal priorities, in which k processes start or, if k is zero,
// some.
func random(t *testing.T, a *election.Algorithm, k int, seed uint64) sim.Config {
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
	if seed%20 == 11 {
		g, err = topology.Star(n)
		require.NoError(t, err)
	}
	if k == 0 {
		k = 1 + rng.IntN(n)
	}
	c := sim.Config{Input: nodetest.Input(a, nodetest.Shuffled(g, rng.Shuffle), nodetest.Random(n, seed),
		rng.Perm(n)[:k]...),
		Schedule: sim.RandomDelay, Unordered: seed%2 == 1, Seed: seed}
	for range n {
		c.Priorities = append(c.Priorities, rng.Uint64N(3))
	}
	return c
}

func TestRandomGraphs(t *testing.T) {
	for _, a := range echo.Algorithms() {
		require.False(t, a.NeedsFIFO)
		for seed := range seeds(300) {
			c := random(t, a, 1, seed)
			r := nodetest.Elect(t, c)
			nodetest.Counts(t, &r.Result, expected(a.Variant, c.Topology), "%s, seed %d", a.Title(),
				seed)
		}
	}
}

func TestRandomExtinction(t *testing.T) {
	for seed := range seeds(200) {
		c := random(t, echo.Extinction(), 0, seed)
		r := nodetest.Elect(t, c)
		bounded(t, &r.Result, c.Topology, len(c.Initiators), "seed %d", seed)
	}
}

// TestAnySchedule: few processes, every set of initiators, many schedules.
func TestAnySchedule(t *testing.T) {
	for n := 1; n <= 4; n++ {
		for g := range nodetest.Graphs(n) {
			for seed := range seeds(60) {
				c := sim.Config{Schedule: sim.RandomDelay, Unordered: seed%2 == 1, Seed: seed}
				for _, a := range echo.Algorithms()[:2] {
					c.Input = nodetest.Input(a, g, nodetest.Sorted(n), int(seed)%n)
					r := nodetest.Elect(t, c)
					nodetest.Counts(t, &r.Result, expected(a.Variant, g))
				}
				for starters := range nodetest.Subsets(nodetest.Sorted(n)) {
					c.Input = nodetest.Input(echo.Extinction(), g, nodetest.Sorted(n))
					c.Initiators = starters
					r := nodetest.Elect(t, c)
					bounded(t, &r.Result, g, len(starters))
				}
			}
		}
	}
}

// TestLateInitiators: a late start is refused, or the process takes part; one that takes part is elected.
func TestLateInitiators(t *testing.T) {
	refused := 0
	for seed := range uint64(1000) {
		rng := rand.New(rand.NewPCG(seed, 7))
		n := 2 + rng.IntN(12)
		c := sim.Config{Input: scenario.Input{Algorithm: echo.Extinction(), IDs: nodetest.Random(n, seed)},
			Schedule: sim.RandomDelay, Unordered: seed%2 == 1, Seed: seed}
		c.Initiators = nodetest.Some(c.IDs, seed)
		c.StartTimes = make([]time.Duration, len(c.Initiators))
		for i := range c.StartTimes[1:] { // the election does not end before 1: the wave must come back
			c.StartTimes[1+i] = time.Duration(rng.Int64N(int64(sim.Unit)))
		}
		c.Delay = sim.Delay{Min: sim.Unit / 2, Max: 2 * sim.Unit}
		r, err := sim.Run(t.Context(), c)
		if err != nil {
			require.ErrorIs(t, err, election.ErrLateStart)
			refused++
		}
		require.NoError(t, r.Err(), "seed %d", seed)
		require.True(t, r.Terminated, "seed %d", seed)
		require.Contains(t, c.Initiators, r.Leader, "seed %d", seed)
	}
	require.Greater(t, refused, 100)
}

// TestTwoStartAtOnce: if only one may start, the election of the larger one continues.
func TestTwoStartAtOnce(t *testing.T) {
	for _, a := range echo.Algorithms()[:2] {
		for seed := range seeds(300) {
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

// TestAgain: five elections one after another, each by another process and each as if it were the
// first; and of extinction three in which all start.
func TestAgain(t *testing.T) {
	for _, a := range echo.Algorithms() {
		ids := nodetest.Random(12, 1)
		in := scenario.Input{Algorithm: a, IDs: ids, Initiators: []election.ID{}}
		s, err := sim.New(sim.Config{Input: in})
		require.NoError(t, err)
		for term := range 5 {
			p := 5 * term % len(ids)
			in.Initiators = ids[p : p+1]
			once := nodetest.Elect(t, sim.Config{Input: in})
			before := s.Result().Messages
			s.Post(p, election.Event{Op: election.Start})
			require.NoError(t, s.Run(t.Context()))
			r := s.Result()
			require.NoError(t, r.Err())
			require.True(t, r.Terminated)
			require.Equal(t, once.Leader, r.Leader)
			require.Equal(t, once.Messages, r.Messages-before)
			for p := range ids {
				require.EqualValues(t, term+1, s.Outcome(p).Term)
			}
		}
	}
}

func TestPriorities(t *testing.T) { each(t, nodetest.Priorities) }

func each(t *testing.T, check func(*testing.T, *election.Algorithm)) {
	for _, a := range echo.Algorithms() {
		t.Run(a.Variant, func(t *testing.T) { check(t, a) })
	}
}

// TestScenarios: the worked examples, kind by kind.
func TestScenarios(t *testing.T) {
	f, err := os.Open("../testdata/scenarios/echo.json")
	require.NoError(t, err)
	list, err := scenario.Read(f)
	require.NoError(t, f.Close())
	require.NoError(t, err)
	require.Len(t, list, 6)
	for _, s := range list {
		in, err := s.Input(find)
		require.NoError(t, err)
		r := nodetest.Elect(t, sim.Config{Input: in})
		require.NoError(t, s.Expect.Compare(&r.Result, &r.Time), s.Name)
	}
}

func find(name, variant string) (*election.Algorithm, error) {
	for _, a := range echo.Algorithms() {
		if a.Name == name && a.Variant == variant {
			return a, nil
		}
	}
	return nil, fmt.Errorf("no %s/%s", name, variant)
}

// TestGoroutines: real concurrency, the same counts.
func TestGoroutines(t *testing.T) {
	for _, a := range echo.Algorithms() {
		for seed := range uint64(60) {
			k := 1
			if a.Variant == "extinction" && seed%2 == 1 {
				k = 0
			}
			c := random(t, a, k, seed)
			r, err := local.Run(t.Context(), local.Config{Input: c.Input})
			require.NoError(t, err)
			require.NoError(t, r.Err())
			require.Equal(t, c.Expected().ID, r.Leader)
			if len(c.Initiators) == 1 {
				nodetest.Counts(t, &r.Result, expected(a.Variant, c.Topology))
			} else {
				bounded(t, &r.Result, c.Topology, len(c.Initiators))
			}
		}
	}
}

// TestCrash: one crash blocks the election, as the data sheet warns.
func TestCrash(t *testing.T) {
	for _, a := range echo.Algorithms() {
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

// seeds is the number of random elections, a tenth of them in short tests.
func seeds(all uint64) uint64 {
	if !*long {
		return all / 10
	}
	return all
}
