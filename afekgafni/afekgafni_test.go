package afekgafni_test

import (
	"flag"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/afekgafni"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lab/sim"
	"github.com/go-election/election/lab/topology"
	"github.com/go-election/election/lab/verdict"
	"github.com/go-election/election/local"
	"github.com/go-election/election/nodetest"
	"github.com/go-election/election/observe"
)

var long = flag.Bool("long", false, "try larger networks and more schedules")

func each(t *testing.T, check func(*testing.T, *election.Algorithm)) {
	for _, a := range afekgafni.Algorithms() {
		t.Run(a.Variant, func(t *testing.T) { check(t, a) })
	}
}

// largest returns how many processes there are at most where all orders are tried: one less in short tests.
func largest(n int) int {
	if !*long {
		return n - 1
	}
	return n
}

// k is the binary logarithm of n, rounded up.
func k(n int) int { return bits.Len(uint(n - 1)) }

// elect runs an election, and requires the counts that the data sheet promises of every schedule. Of sync
// they are those of the synchronous model where all start at once and each message takes one unit.
func elect(t *testing.T, c sim.Config) sim.Result {
	t.Helper()
	n := len(c.IDs)
	perLevel := make([]int, n+1)
	c.Observe = func(o *observe.Occurrence) {
		if o.What != observe.Step {
			return
		}
		// One message counts for the level of its candidate: that over the first link.
		for i := range o.Effects.Sends {
			if m := &o.Effects.Sends[i].Msg; m.Kind == 1 && i == 0 {
				perLevel[m.Round]++
			}
		}
	}
	r := nodetest.Elect(t, c)
	starters := c.Initiators
	if starters == nil {
		starters = c.IDs
	}
	require.Contains(t, starters, r.Leader)
	require.EqualValues(t, n-1, r.Count("elected"))
	require.LessOrEqual(t, r.Messages, uint64(c.Algorithm.Worst.Count(n)))
	synchronous := c.Schedule != sim.RandomDelay && c.StartTimes == nil
	async := c.Algorithm.Variant == "async"
	for level, candidates := range perLevel {
		switch {
		case async:
			require.LessOrEqual(t, candidates, n/(level+1), "level %d of %d: %v", level, n, c.Initiators)
		case synchronous && level > 0:
			require.LessOrEqual(t, candidates, n>>(level-1), "level %d of %d: %v", level, n, c.Initiators)
		}
	}
	if async {
		require.LessOrEqual(t, r.Count("kill"), r.Count("capture"))
		require.LessOrEqual(t, r.Count("killed"), r.Count("kill"))
		require.LessOrEqual(t, r.Count("accept"), r.Count("capture"))
	} else if synchronous {
		require.LessOrEqual(t, r.Messages, uint64(3*n*k(n)+n-1))
		if c.Priorities == nil {
			require.Equal(t, slices.Max(starters), r.Leader)
		}
		if n > 1 {
			require.Equal(t, time.Duration(2*k(n)+1)*sim.Unit, r.Time)
		}
	}
	return r
}

// TestAllStart: if ports are ordered around the circle and all start, the largest captures all.
func TestAllStart(t *testing.T) {
	each(t, func(t *testing.T, a *election.Algorithm) {
		for n := 1; n <= largest(7); n++ {
			for ids := range nodetest.Orders(n) {
				r := elect(t, nodetest.Ring(a, ids))
				require.EqualValues(t, a.Best.Count(n), r.Messages, "ids %v", ids)
				require.EqualValues(t, n, r.Leader)
				if a.Variant == "async" && n > 1 {
					require.Equal(t, time.Duration(2*n-1)*sim.Unit, r.Time)
				}
			}
		}
		for _, n := range []int{33, 100} {
			c := nodetest.Ring(a, nodetest.Random(n, 1))
			require.EqualValues(t, 4*(n-1), elect(t, c).Messages)
			c.Schedule, c.Unordered = sim.RandomDelay, true
			require.EqualValues(t, 4*(n-1), elect(t, c).Messages, "on every schedule")
		}
	})
}

// TestInitiators: every set of processes starts, in every order. One that starts alone takes three messages a
// link, the same on every schedule.
func TestInitiators(t *testing.T) {
	each(t, func(t *testing.T, a *election.Algorithm) {
		for n := 1; n <= largest(6); n++ {
			longest := time.Duration(0)
			for order := range nodetest.Orders(n) {
				for part := range nodetest.Subsets(order) {
					c := nodetest.Ring(a, order)
					c.Initiators = part
					r := elect(t, c)
					longest = max(longest, r.Time)
					if len(part) == 1 {
						require.EqualValues(t, 3*(n-1), r.Messages)
					}
				}
			}
			if a.Variant == "async" {
				want := []time.Duration{0, 0, 3, 7, 9, 13, 15}[n] * sim.Unit
				require.Equal(t, want, longest, "n = %d, at most 4n-3", n)
			}
		}
	})
}

// TestAnyPorts: the bounds hold for any order of ports, any order of messages and any delays.
func TestAnyPorts(t *testing.T) {
	each(t, func(t *testing.T, a *election.Algorithm) {
		for seed := range uint64(300) {
			n := 1 + int(seed%20)
			ids := nodetest.Random(n, seed)
			c := nodetest.Ring(a, ids)
			links, err := topology.Complete(n)
			require.NoError(t, err)
			c.Seed, c.Initiators = seed, nodetest.Some(ids, seed)
			if seed%3 > 0 {
				c.Topology = links
			}
			if seed%2 > 0 {
				c.Schedule, c.Unordered = sim.RandomDelay, seed%4 > 1
			}
			if r := elect(t, c); len(c.Initiators) == 1 {
				require.EqualValues(t, 3*(n-1), r.Messages)
			}
		}
	})
}

// TestLarge: random sets among many processes.
func TestLarge(t *testing.T) {
	each(t, func(t *testing.T, a *election.Algorithm) {
		for seed := range uint64(6) {
			ids := nodetest.Random(100+int(seed)*29, seed)
			c := nodetest.Ring(a, ids)
			c.Initiators = nodetest.Some(ids, seed)
			r := elect(t, c)
			if a.Variant == "async" {
				require.LessOrEqual(t, r.Time, time.Duration(4*len(ids)-3)*sim.Unit)
			}
			c.Schedule, c.Seed = sim.RandomDelay, seed
			elect(t, c)
		}
	})
}

// TestLateInitiators: starts at any time, with equal priorities among the Ranks.
func TestLateInitiators(t *testing.T) {
	each(t, func(t *testing.T, a *election.Algorithm) {
		for seed := range uint64(500) {
			random := rand.New(rand.NewPCG(seed, 7))
			n := 2 + random.IntN(7)
			c := nodetest.Ring(a, nodetest.Random(n, seed))
			c.Initiators = nodetest.Some(c.IDs, seed)
			c.StartTimes = make([]time.Duration, len(c.Initiators))
			for i := range c.StartTimes[1:] { // the election ends at 3 at the earliest
				c.StartTimes[1+i] = time.Duration(random.Int64N(int64(2*sim.Unit) + 1))
			}
			for range n {
				c.Priorities = append(c.Priorities, random.Uint64N(3))
			}
			elect(t, c)
		}
	})
}

// TestGoroutines: real concurrency decides which candidates meet.
func TestGoroutines(t *testing.T) {
	each(t, func(t *testing.T, a *election.Algorithm) {
		for _, n := range []int{1, 2, 3, 8, 20} {
			for seed := range uint64(20) {
				ids := nodetest.Random(n, seed)
				for _, starters := range [][]election.ID{ids, ids[:1], nodetest.Some(ids, seed)} {
					r, err := local.Run(t.Context(), local.Config{Input: scenario.Input{
						Algorithm: a, IDs: ids, Initiators: starters,
					}})
					require.NoError(t, err)
					require.NoError(t, r.Err())
					require.Contains(t, starters, r.Leader)
					require.LessOrEqual(t, r.Messages, uint64(a.Worst.Count(n)))
					require.EqualValues(t, n-1, r.Count("elected"))
				}
			}
		}
	})
}

// TestCrash: one crash blocks the election, as the data sheet warns.
func TestCrash(t *testing.T) {
	each(t, func(t *testing.T, a *election.Algorithm) {
		for down := range election.ID(4) {
			c := nodetest.Ring(a, []election.ID{1, 2, 3, 4})
			c.Crashed = []election.ID{down + 1}
			r, err := sim.Run(t.Context(), c)
			require.NoError(t, err)
			require.Zero(t, r.Claimants, "without %d", down+1)
			require.ErrorIs(t, r.Err(), verdict.ErrNoLeader)
		}
	})
}

// TestFormulas holds the counts against values that were worked out by hand from their formulas.
func TestFormulas(t *testing.T) {
	for n, want := range map[int][3]float64{1: {0, 0, 0}, 2: {4, 4*2 + 1, 5}, 3: {8, 4*4 + 2, 7 * 2},
		4: {12, 4*7 + 3, 9 * 3}, 10: {36, 4*28 + 9, 21 * 9}} {
		require.InDelta(t, want[0], afekgafni.Async().Best.Count(n), 0)
		require.InDelta(t, want[0], afekgafni.Sync().Best.Count(n), 0)
		require.InDelta(t, want[1], afekgafni.Async().Worst.Count(n), 0, "n = %d", n)
		require.InDelta(t, want[2], afekgafni.Sync().Worst.Count(n), 0, "n = %d", n)
	}
}
