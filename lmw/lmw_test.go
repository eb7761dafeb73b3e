package lmw_test

import (
	"flag"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lab/sim"
	"github.com/go-election/election/lab/topology"
	"github.com/go-election/election/lab/verdict"
	"github.com/go-election/election/lmw"
	"github.com/go-election/election/local"
	"github.com/go-election/election/nodetest"
	"github.com/go-election/election/observe"
)

var long = flag.Bool("long", false, "try larger networks and more schedules")

// elect runs an election, and requires what the data sheet promises, by what each message was sent for.
func elect(t *testing.T, c sim.Config) sim.Result {
	t.Helper()
	n := len(c.IDs)
	woken, back, passed := make(map[election.ID]bool), 0, 0
	c.Observe = func(o *observe.Occurrence) {
		if o.What != observe.Step {
			return
		}
		for i := range o.Effects.Sends {
			switch m := &o.Effects.Sends[i].Msg; {
			case m.Kind != 1:
			case m.Rank.ID != o.Process:
				passed++
			case woken[o.Process]:
				back++
			default:
				woken[o.Process] = true
			}
		}
	}
	r := nodetest.Elect(t, c)
	if n == 1 {
		require.Zero(t, r.Messages)
		return r
	}
	require.Len(t, woken, n)
	require.LessOrEqual(t, passed, n-1, "ids %v", c.IDs)
	require.LessOrEqual(t, back, 2*(n-1))
	require.EqualValues(t, n+passed+back, r.Count("elect"))
	require.EqualValues(t, n-1, r.Count("elected"))
	require.GreaterOrEqual(t, float64(r.Messages), c.Algorithm.Best.Count(n))
	require.LessOrEqual(t, float64(r.Messages), c.Algorithm.Worst.Count(n))
	return r
}

// TestOrders: every order around the circle, up to rotation; all start. It pins the most messages and the
// longest time.
func TestOrders(t *testing.T) {
	largest := 7
	if !*long {
		largest = 6
	}
	for n := 1; n <= largest; n++ {
		least, most, longest := uint64(1<<60), uint64(0), time.Duration(0)
		for ids := range nodetest.Orders(n) {
			if ids[0] != 1 {
				continue
			}
			r := elect(t, nodetest.Ring(lmw.Algorithm(), ids))
			least, most, longest = min(least, r.Messages), max(most, r.Messages), max(longest, r.Time)
		}
		require.EqualValues(t, lmw.Algorithm().Best.Count(n), least)
		require.EqualValues(t, []int{0, 0, 5, 10, 14, 19, 23, 27}[n], most, "n = %d", n)
		require.Equal(t, []time.Duration{0, 0, 4, 6, 7, 8, 9, 10}[n]*sim.Unit, longest, "n = %d", n)
	}
}

// TestInitiators: every set of processes starts, in every order. The others wake up, and the largest of all
// is elected.
func TestInitiators(t *testing.T) {
	for n := 1; n <= 5; n++ {
		for order := range nodetest.Orders(n) {
			for part := range nodetest.Subsets(order) {
				c := nodetest.Ring(lmw.Algorithm(), order)
				c.Initiators = part
				elect(t, c)
			}
		}
	}
}

// TestFalling: Ranks that fall around the circle take the fewest, at every size.
func TestFalling(t *testing.T) {
	a := lmw.Algorithm()
	for _, n := range []int{2, 3, 10, 200} {
		r := elect(t, nodetest.Ring(a, nodetest.IDs(a.Best.Arrange(n))))
		require.EqualValues(t, 3*n-1, r.Messages)
	}
}

// TestRandom: larger circles, any initiators at any time, delays, and links that do not keep the order.
func TestRandom(t *testing.T) {
	for seed := range uint64(400) {
		rng := rand.New(rand.NewPCG(seed, 3))
		n := 1 + rng.IntN(40)
		c := nodetest.Ring(lmw.Algorithm(), nodetest.Random(n, seed))
		c.Seed, c.Schedule, c.Unordered = seed, sim.RandomDelay, seed%2 > 0
		c.Initiators = nodetest.Some(c.IDs, seed)
		c.StartTimes = make([]time.Duration, len(c.Initiators))
		for i := range c.StartTimes[1:] { // the election ends at 3 at the earliest
			c.StartTimes[1+i] = time.Duration(rng.Int64N(int64(sim.Unit)))
		}
		elect(t, c)
	}
}

// TestMean: the mean of random orders.
func TestMean(t *testing.T) {
	const n, runs = 100, 100
	sum := uint64(0)
	for seed := range uint64(runs) {
		r := elect(t, nodetest.Ring(lmw.Algorithm(), nodetest.Random(n, seed)))
		sum += r.Count("elect")
	}
	require.InDelta(t, 2.88, float64(sum)/n/runs, 0.03)
}

// TestPorts: links that do not lead around are refused; any circle will do.
func TestPorts(t *testing.T) {
	c := nodetest.Ring(lmw.Algorithm(), []election.ID{1, 2, 3, 4})
	var err error
	c.Topology, err = topology.Complete(4)
	require.NoError(t, err)
	_, err = sim.Run(t.Context(), c)
	require.ErrorContains(t, err, "topology: lmw needs ports in the order of a ring")
	require.ErrorIs(t, err, election.ErrInput)
}

// TestPriorities: the largest Rank leads, not the largest ID.
func TestPriorities(t *testing.T) { nodetest.Priorities(t, lmw.Algorithm()) }

// TestGoroutines: real concurrency, within the same bounds.
func TestGoroutines(t *testing.T) {
	for seed := range uint64(20) {
		ids := nodetest.Random(15, seed)
		r, err := local.Run(t.Context(), local.Config{Input: scenario.Input{Algorithm: lmw.Algorithm(),
			IDs: ids, Initiators: nodetest.Some(ids, seed)}})
		require.NoError(t, err)
		require.NoError(t, r.Err())
		require.LessOrEqual(t, float64(r.Messages), lmw.Algorithm().Worst.Count(15))
	}
}

// TestCrash: one crash blocks the election, as the data sheet warns.
func TestCrash(t *testing.T) {
	for down := range election.ID(4) {
		c := nodetest.Ring(lmw.Algorithm(), []election.ID{1, 2, 3, 4})
		c.Crashed = []election.ID{down + 1}
		r, err := sim.Run(t.Context(), c)
		require.NoError(t, err)
		require.ErrorIs(t, r.Err(), verdict.ErrNoLeader)
	}
}

// TestFormulas holds the bounds against values that were worked out by hand.
func TestFormulas(t *testing.T) {
	for n, want := range map[int][2]float64{1: {0, 0}, 2: {5, 6}, 3: {8, 11}, 10: {29, 46}} {
		require.InDelta(t, want[0], lmw.Algorithm().Best.Count(n), 0)
		require.InDelta(t, want[1], lmw.Algorithm().Worst.Count(n), 0)
	}
}
