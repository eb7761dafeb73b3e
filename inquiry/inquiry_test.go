package inquiry_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/inquiry"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lab/sim"
	"github.com/go-election/election/lab/topology"
	"github.com/go-election/election/lab/verdict"
	"github.com/go-election/election/local"
	"github.com/go-election/election/nodetest"
)

var long = flag.Bool("long", false, "try larger networks and more schedules")

// exact: under the unit schedule all hear of the first initiator first, so that the larger
// ones broadcast too and the smaller ones have lost, unless they have started themselves. A process
// of rank i that broadcasts costs n-1 election messages and i-1 acks.
func exact(ids, initiators []election.ID) (low, high uint64) {
	n := uint64(len(ids))
	e := n - 1
	for _, id := range ids {
		if id >= initiators[0] || slices.Contains(initiators, id) {
			e += n - 1 + uint64(id) - 1
		}
	}
	return e, e
}

// alone is what the data sheet promises of a single initiator of rank r.
func alone(n, r int) (elections, acks int) {
	return (n - r + 1) * (n - 1), (n*(n-1) - (r-1)*(r-2)) / 2
}

func TestBounds(t *testing.T) { nodetest.Bounds(t, inquiry.States(), largest(7), exact) }

func TestInitiators(t *testing.T) { nodetest.Initiators(t, inquiry.States(), largest(6), exact) }

// largest returns how many processes there are at most where all orders are tried: one less in short tests,
// which is a sixth of the orders.
func largest(n int) int {
	if !*long {
		return n - 1
	}
	return n
}

func TestLarge(t *testing.T) { nodetest.Large(t, inquiry.States(), 120) }

// TestAlone: one initiator of every rank, whatever the order of the ports.
func TestAlone(t *testing.T) {
	for n := 1; n <= largest(6); n++ {
		ports, err := topology.Complete(n)
		require.NoError(t, err)
		for ids := range nodetest.Orders(n) {
			for r := 1; r <= n; r++ {
				for _, links := range []topology.Topology{nil, ports} {
					c := sim.Config{Input: scenario.Input{Algorithm: inquiry.States(), Topology: links,
						IDs: ids, Initiators: []election.ID{election.ID(r)}}}
					got := nodetest.Elect(t, c)
					elections, acks := alone(n, r)
					require.EqualValues(t, elections, got.Count("election"), "ids %v, %d starts", ids, r)
					require.EqualValues(t, acks, got.Count("ack"), "ids %v, %d starts", ids, r)
					require.EqualValues(t, n-1, got.Count("elected"))
					require.Equal(t, duration(n, r), got.Time, "ids %v, %d starts", ids, r)
				}
			}
		}
	}
}

// duration: election, ack and elected of the largest, and before that one message to wake it.
func duration(n, r int) time.Duration {
	switch {
	case n == 1:
		return 0
	case r == n:
		return 3 * sim.Unit
	}
	return 4 * sim.Unit
}

// TestAllStart: the most messages there can be, on every schedule.
func TestAllStart(t *testing.T) {
	for n := 1; n <= 6; n++ {
		for ids := range nodetest.Orders(n) {
			r := nodetest.Elect(t, nodetest.Ring(inquiry.States(), ids))
			require.EqualValues(t, 3*n*(n-1)/2+n-1, r.Messages, "ids %v", ids)
			require.Equal(t, duration(n, n), r.Time)
		}
		for seed := range uint64(200) {
			c := nodetest.Ring(inquiry.States(), nodetest.Random(n, seed))
			c.Schedule, c.Unordered, c.Seed = sim.RandomDelay, seed%2 == 1, seed
			require.EqualValues(t, 3*n*(n-1)/2+n-1, nodetest.Elect(t, c).Messages, "ids %v, seed %d", c.IDs,
				seed)
		}
	}
}

// TestAnySchedule: the largest is elected by 2(n-1) to 3n(n-1)/2 messages, whichever processes start and
// however messages overtake each other. A process that starts alone takes no more than in lock-step.
func TestAnySchedule(t *testing.T) {
	least, most := map[int]uint64{}, map[int]uint64{}
	for n := 1; n <= largest(5); n++ {
		ids := nodetest.Random(n, 1)
		least[n] = 1 << 60
		for initiators := range nodetest.Subsets(ids) {
			for seed := range uint64(100) {
				for _, unordered := range []bool{false, true} {
					c := nodetest.Ring(inquiry.States(), ids)
					c.Initiators = initiators
					c.Schedule, c.Unordered, c.Seed = sim.RandomDelay, unordered, seed
					r := nodetest.Elect(t, c)
					e := r.Messages - r.Count("elected")
					least[n], most[n] = min(least[n], e), max(most[n], e)
					require.EqualValues(t, n-1, r.Count("elected"))
					if len(initiators) == 1 {
						elections, acks := alone(n, int(initiators[0]))
						require.LessOrEqual(t, e, uint64(elections+acks), "%v, seed %d", initiators, seed)
					}
				}
			}
		}
		require.EqualValues(t, 2*(n-1), least[n], "n = %d", n)
		require.EqualValues(t, 3*n*(n-1)/2, most[n], "n = %d", n)
	}
}

// TestLateInitiators: starts at any time before the end, with equal priorities among the Ranks.
func TestLateInitiators(t *testing.T) {
	for _, a := range inquiry.Algorithms() {
		for seed := range uint64(1000) {
			random := rand.New(rand.NewPCG(seed, 7))
			n := 2 + random.IntN(5)
			c := nodetest.Ring(a, nodetest.Random(n, seed))
			c.Initiators = nodetest.Some(c.IDs, seed)
			c.StartTimes = make([]time.Duration, len(c.Initiators))
			for i := range c.StartTimes[1:] { // the election ends at 2 at the earliest
				c.StartTimes[1+i] = time.Duration(random.Int64N(int64(2*sim.Unit) + 1))
			}
			for range n {
				c.Priorities = append(c.Priorities, random.Uint64N(3))
			}
			r := nodetest.Elect(t, c)
			require.EqualValues(t, n-1, r.Count("elected"), "only one announces, and once")
			if a.Variant == "states" {
				e := int(r.Messages) - (n - 1)
				require.GreaterOrEqual(t, e, 2*(n-1), "seed %d", seed)
				require.LessOrEqual(t, e, 3*n*(n-1)/2, "seed %d", seed)
			}
		}
	}
}

// TestScenarios: the worked examples, kind by kind.
func TestScenarios(t *testing.T) {
	f, err := os.Open("../testdata/scenarios/inquiry.json")
	require.NoError(t, err)
	list, err := scenario.Read(f)
	require.NoError(t, f.Close())
	require.NoError(t, err)
	require.Len(t, list, 3)
	for _, s := range list {
		in, err := s.Input(func(name, variant string) (*election.Algorithm, error) {
			require.Equal(t, "inquiry", name)
			require.Empty(t, variant)
			return inquiry.Algorithms()[0], nil
		})
		require.NoError(t, err)
		r := nodetest.Elect(t, sim.Config{Input: in})
		require.NoError(t, s.Expect.Compare(&r.Result, &r.Time), s.Name)
	}
}

// TestGoroutines: real concurrency decides the order in which processes hear of each other.
func TestGoroutines(t *testing.T) {
	for _, n := range []int{1, 2, 3, 8, 20} {
		for seed := range uint64(20) {
			ids := nodetest.Random(n, seed)
			for _, starters := range [][]election.ID{ids, ids[:1], nodetest.Some(ids, seed)} {
				r, err := local.Run(t.Context(), local.Config{Input: scenario.Input{
					Algorithm: inquiry.States(), IDs: ids, Initiators: starters,
				}})
				require.NoError(t, err)
				require.NoError(t, r.Err())
				require.Equal(t, election.ID(n), r.Leader)
				require.EqualValues(t, n-1, r.Count("elected"))
				e := int(r.Messages) - (n - 1)
				require.GreaterOrEqual(t, e, 2*(n-1))
				require.LessOrEqual(t, e, 3*n*(n-1)/2)
			}
		}
	}
}

// TestCrash: one crash blocks the election, as the data sheet warns.
func TestCrash(t *testing.T) {
	for _, a := range inquiry.Algorithms() {
		for down := range election.ID(4) {
			c := nodetest.Ring(a, []election.ID{1, 2, 3, 4})
			c.Crashed = []election.ID{down + 1}
			r, err := sim.Run(t.Context(), c)
			require.NoError(t, err)
			require.Zero(t, r.Claimants, "%s without %d", a.Title(), down+1)
			require.ErrorIs(t, r.Err(), verdict.ErrNoLeader)
		}
	}
}

func TestPriorities(t *testing.T) { each(t, nodetest.Priorities) }

// TestUnordered: messages that overtake each other change nothing, on larger graphs either.
func TestUnordered(t *testing.T) {
	each(t, func(t *testing.T, a *election.Algorithm) {
		require.False(t, a.NeedsFIFO)
		largest := map[string]uint64{"states": 40, "naive": 9}[a.Variant]
		for seed := range uint64(200) {
			c := nodetest.Ring(a, nodetest.Random(1+int(seed%largest), seed))
			c.Initiators = nodetest.Some(c.IDs, seed)
			c.Schedule, c.Unordered, c.Seed = sim.RandomDelay, true, seed
			r := nodetest.Elect(t, c)
			require.EqualValues(t, len(c.IDs)-1, r.Count("elected"))
		}
	})
}

func each(t *testing.T, check func(*testing.T, *election.Algorithm)) {
	for _, a := range inquiry.Algorithms() {
		t.Run(a.Variant, func(t *testing.T) { check(t, a) })
	}
}

// TestLateStart: 1 has made 3 broadcast long ago. In naive that makes 20 broadcasts of 4, and 62
// acks: 1, 1, 3, 5 and 10 broadcasts of the processes in the order of their Ranks.
func TestLateStart(t *testing.T) {
	nodetest.JoinsLate(t, inquiry.Naive(), 20*4+62+4)
}

// TestTies: of equal priorities the larger ID wins, and only one of them.
func TestTies(t *testing.T) {
	for _, a := range inquiry.Algorithms() {
		for n := 2; n <= 6; n++ {
			for set := range 1 << n { // the processes with the larger of two priorities
				c := nodetest.Ring(a, nodetest.Random(n, uint64(set)))
				for i := range n {
					c.Priorities = append(c.Priorities, uint64(4+set>>i&1))
				}
				r := nodetest.Elect(t, c)
				require.EqualValues(t, a.Worst.Count(n), r.Messages, fmt.Sprint(c.Priorities))
			}
		}
	}
}
