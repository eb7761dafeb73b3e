package hypercube_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/cost"
	"github.com/go-election/election/hypercube"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lab/sim"
	"github.com/go-election/election/lab/topology"
	"github.com/go-election/election/local"
	"github.com/go-election/election/nodetest"
)

// cube returns a run in which all start.
func cube(t testing.TB, dimension int, ids []election.ID) sim.Config {
	t.Helper()
	links, err := topology.Hypercube(dimension)
	require.NoError(t, err)
	return sim.Config{Input: scenario.Input{Algorithm: hypercube.Algorithm(), Topology: links, IDs: ids}}
}

func elect(t testing.TB, c sim.Config) sim.Result {
	t.Helper()
	return nodetest.Elect(t, c)
}

// units returns how long a run has taken.
func units(r sim.Result) int { return int(r.Time / sim.Unit) }

// longest bounds the time if all start at once.
func longest(d int) int { return 2*d + (d-1)*d*(d+1)/6 }

// TestWorkedExamples: one process, and the most messages for d = 2 and d = 3.
func TestWorkedExamples(t *testing.T) {
	for _, c := range []struct {
		ids            []election.ID
		duels, elected uint64
		time           time.Duration
	}{
		{[]election.ID{5}, 0, 0, 0},
		{[]election.ID{4, 1, 2, 3}, 8, 3, 5},
		{[]election.ID{8, 1, 2, 3, 4, 5, 7, 6}, 24, 7, 10},
	} {
		d, ok := topology.Dimension(len(c.ids))
		require.True(t, ok)
		r := elect(t, cube(t, d, c.ids))
		require.Equal(t, c.duels, r.Count("duel"))
		require.Equal(t, c.elected, r.Count("elected"))
		require.Equal(t, c.time*sim.Unit, r.Time)
	}
}

// TestBest: the largest of every subcube are neighbours.
func TestBest(t *testing.T) {
	a := hypercube.Algorithm()
	for d := range 11 {
		r := elect(t, cube(t, d, nodetest.IDs(a.Best.Arrange(1<<d))))
		require.InDelta(t, a.Best.Count(1<<d), r.Messages, 1e-9)
		require.EqualValues(t, 2*(1<<d-1), r.Count("duel"))
	}
}

// TestRandom: random IDs, initiators and schedules, ordered and not. The initiators and the
// delays change no count.
func TestRandom(t *testing.T) {
	a := hypercube.Algorithm()
	require.False(t, a.NeedsFIFO)
	for d := range 11 {
		n := 1 << d
		for seed := range uint64(max(4000>>d, 8)) {
			c := cube(t, d, nodetest.Random(n, seed))
			c.Seed = seed
			if seed%4 != 0 {
				c.Schedule, c.Unordered = sim.RandomDelay, seed%4 >= 2
				c.Initiators = nodetest.Some(c.IDs, seed)
			}
			if seed%8 == 3 {
				c.Initiators = c.Initiators[:1]
			}
			r := elect(t, c)
			require.Equal(t, exact(c.IDs, d), r.Messages, "d = %d seed %d", d, seed)
			require.EqualValues(t, n-1, r.Count("elected"))
			require.GreaterOrEqual(t, float64(r.Messages), a.Best.Count(n))
			require.LessOrEqual(t, float64(r.Messages), a.Worst.Count(n))
			if seed%4 == 0 {
				require.LessOrEqual(t, units(r), longest(d))
			}
		}
	}
}

// TestLarge: 65536 processes.
func TestLarge(t *testing.T) {
	const d = 16
	c := cube(t, d, nodetest.Random(1<<d, 1))
	r := elect(t, c)
	require.Equal(t, exact(c.IDs, d), r.Messages)
	require.LessOrEqual(t, units(r), longest(d))
	c.Schedule, c.Unordered = sim.RandomDelay, true
	c.Initiators = c.IDs[7:8]
	c.Until = 4 << d * sim.Unit
	require.Equal(t, r.ByKind, elect(t, c).ByKind)
}

// TestOneInitiator: one half after the other.
func TestOneInitiator(t *testing.T) {
	for d := range 11 {
		for seed := range uint64(10) {
			c := cube(t, d, nodetest.Random(1<<d, seed))
			c.Initiators = c.IDs[:1]
			r := elect(t, c)
			require.GreaterOrEqual(t, units(r), 1<<d-1)
			require.Equal(t, exact(c.IDs, d), r.Messages)
		}
	}
}

// TestPriorities: by priority, ties by ID.
func TestPriorities(t *testing.T) {
	for seed := range uint64(200) {
		d := int(seed % 5)
		c := cube(t, d, nodetest.Random(1<<d, seed))
		for _, v := range nodetest.Random(1<<d, seed+1000) {
			c.Priorities = append(c.Priorities, uint64(v)/3)
		}
		order := make([]election.ID, 1<<d) // the place among the Ranks
		for i := range order {
			for j := range order {
				if !c.Self(i).Less(c.Self(j)) {
					order[i]++
				}
			}
		}
		require.Equal(t, exact(order, d), elect(t, c).Messages)
	}
}

// TestLateStart: a process that is awake takes part already, and any other may start at any time
// before the end.
func TestLateStart(t *testing.T) {
	require.Equal(t, election.LateIgnored, hypercube.Algorithm().LateStart)
	const d = 4
	for seed := range uint64(20) {
		c := cube(t, d, nodetest.Random(1<<d, seed))
		c.Initiators = c.IDs[:1]
		decided := units(elect(t, c)) - d // the announcement takes at most d
		c.Initiators = c.IDs
		for at := range decided {
			c.StartTimes = slices.Repeat([]time.Duration{time.Duration(at) * sim.Unit}, 1<<d)
			c.StartTimes[0] = 0
			require.Equal(t, exact(c.IDs, d), elect(t, c).Messages)
		}
	}
}

// TestAgain holds elections one after another among the same Nodes. Some start the next one while
// others have not heard of the end: messages of the former come late, and are not heeded.
func TestAgain(t *testing.T) {
	for seed := range uint64(100) {
		c := cube(t, 4, nodetest.Random(16, seed))
		c.Schedule, c.Unordered, c.Seed = sim.RandomDelay, true, seed
		s, err := sim.New(c)
		require.NoError(t, err)
		for p := range c.IDs {
			for !s.Ended(p) && s.Step() {
			}
			s.Post(p, election.Event{Op: election.Start})
		}
		s.Post(3, election.Event{Op: election.Reelect})
		require.NoError(t, s.Run(t.Context()))
		r := s.Result()
		require.NoError(t, r.Err(), "seed %d", seed)
		require.Equal(t, election.ID(16), r.Leader)
		for p := range c.IDs {
			require.GreaterOrEqual(t, s.Outcome(p).Term, uint64(3))
			require.Equal(t, s.Outcome(0).Term, s.Outcome(p).Term)
		}
	}
}

// TestAgainCounts: an election finds the Nodes as good as new.
func TestAgainCounts(t *testing.T) {
	c := cube(t, 5, nodetest.Random(32, 1))
	s, err := sim.New(c)
	require.NoError(t, err)
	for term := uint64(1); term <= 3; term++ {
		require.NoError(t, s.Run(t.Context()))
		r := s.Result()
		require.NoError(t, r.Err())
		require.Equal(t, term*exact(c.IDs, 5), r.Messages)
		require.Equal(t, term, s.Outcome(0).Term)
		for p := range c.IDs {
			s.Post(p, election.Event{Op: election.Start})
		}
	}
}

// TestGoroutines: the same counts without any schedule.
func TestGoroutines(t *testing.T) {
	for d := range 9 {
		for seed := range uint64(5) {
			c := cube(t, d, nodetest.Random(1<<d, seed))
			if seed > 0 {
				c.Initiators = nodetest.Some(c.IDs, seed)
			}
			r, err := local.Run(t.Context(), local.Config{Input: c.Input})
			require.NoError(t, err)
			require.NoError(t, r.Err())
			require.EqualValues(t, 1<<d, r.Leader)
			require.Equal(t, exact(c.IDs, d), r.Messages)
		}
	}
}

// TestBits: a duel carries a Rank, a stage up to d and two sets of d links.
func TestBits(t *testing.T) {
	kinds := hypercube.Algorithm().Kinds
	for d, stage := range []uint64{0, 1, 2, 2, 3, 3, 3, 3, 4} {
		w := cost.NewWidths(1<<d, 255, 0)
		require.Equal(t, 8+stage+2*uint64(d), kinds[0].Bits(w), "d = %d", d)
		require.EqualValues(t, 8, kinds[1].Bits(w))
	}
}

// TestOtherCubes: duels that cannot come from this cube, and stages that there are not, are not
// answered.
func TestOtherCubes(t *testing.T) {
	env := election.NewEnv(nil, nil)
	for _, m := range []election.Message{
		{Kind: 1, Round: 1, Value: 1 << 2},
		{Kind: 1, Round: 1, Value: 1 << (32 + 2)},
		{Kind: 1, Round: 0, Value: 1 << 32},
		{Kind: 1, Round: 9, Value: 1 << 32},
		{Kind: 9},
	} {
		node := hypercube.Algorithm().New(election.Setup{Self: election.Rank{ID: 5}, Ports: 2})
		env.Begin(0)
		node.Step(env, &election.Event{Op: election.Start})
		fx := env.Begin(0)
		node.Step(env, &election.Event{Op: election.Recv, Msg: m})
		require.Empty(t, fx.Sends, fmt.Sprint(m))
		require.False(t, fx.Rare(), fmt.Sprint(m))
	}
}

// TestState: the state is never larger than that with d-1 delayed duels.
func TestState(t *testing.T) {
	const fixed, delayed = 1 + 1 + 1 + 4 + 4, 16 + 4 + 1
	for d := range 7 {
		largest := 0
		for seed := range uint64(100) {
			c := cube(t, d, nodetest.Random(1<<d, seed))
			c.Algorithm = nodetest.Measured(c.Algorithm, &largest)
			c.Schedule, c.Unordered, c.Seed = sim.RandomDelay, true, seed
			elect(t, c)
		}
		require.LessOrEqual(t, largest, fixed+delayed*max(d-1, 0))
	}
}
