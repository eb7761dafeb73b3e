package mesh_test

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lab/sim"
	"github.com/go-election/election/lab/topology"
	"github.com/go-election/election/local"
	"github.com/go-election/election/mesh"
	"github.com/go-election/election/nodetest"
	"github.com/go-election/election/observe"
)

// links returns those of a grid, row by row.
func links(rows, cols int) (all [][2]int) {
	for p := range rows * cols {
		if (p+1)%cols != 0 {
			all = append(all, [2]int{p, p + 1})
		}
		if p+cols < rows*cols {
			all = append(all, [2]int{p, p + cols})
		}
	}
	return all
}

// numbered is a mesh whose processes number their ports in any order.
type numbered struct{ topology.Topology }

func (numbered) Shape() election.Shape { return election.Mesh }

func meshOf(t testing.TB, n int, links [][2]int) topology.Topology {
	t.Helper()
	graph, err := topology.New(election.Graph, n, links)
	require.NoError(t, err)
	return numbered{graph}
}

// grid returns a run in which all start.
func grid(t testing.TB, rows, cols int, ids []election.ID) sim.Config {
	t.Helper()
	shape := meshOf(t, rows*cols, links(rows, cols))
	return sim.Config{Input: scenario.Input{Algorithm: mesh.Algorithm(), Topology: shape, IDs: ids}}
}

// shuffled numbers the ports of all processes at random.
func shuffled(t testing.TB, c *sim.Config, rows, cols int, seed uint64) {
	t.Helper()
	all := links(rows, cols)
	rand.New(rand.NewPCG(seed, 5)).Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	c.Topology = meshOf(t, rows*cols, all)
}

// elect runs an election and requires that the largest corner wins, known to all, and that all
// know that the election has ended.
func elect(t testing.TB, c sim.Config) sim.Result {
	t.Helper()
	c.Until = 1e4 * sim.Unit
	r, err := sim.Run(t.Context(), c)
	require.NoError(t, err)
	require.NoError(t, r.Err(), "seed %d", c.Seed)
	require.Equal(t, largestCorner(&c.Input), r.Leader, "seed %d", c.Seed)
	return r
}

func largestCorner(in *scenario.Input) election.ID {
	var best election.Rank
	for p := range in.IDs {
		if in.Topology.Ports(p) == 2 && best.Less(in.Self(p)) {
			best = in.Self(p)
		}
	}
	return best.ID
}

// exact is the number of messages of each kind.
func exact(rows, cols int) []observe.KindCount {
	n, around := uint64(rows*cols), uint64(rows+cols)
	return []observe.KindCount{
		{Kind: "hello", Count: 4*n - 2*around},
		{Kind: "corner", Count: 8 * (around - 2)},
		{Kind: "elected", Count: 3*n - 2*around + 1},
	}
}

// TestWorkedExamples: 3 x 3, all start, and 4 x 5, two start.
func TestWorkedExamples(t *testing.T) {
	c := grid(t, 3, 3, []election.ID{1, 2, 3, 4, 5, 6, 7, 8, 9})
	r := elect(t, c)
	require.Equal(t, exact(3, 3), r.ByKind)
	require.EqualValues(t, 72, r.Messages)
	require.Equal(t, 15*sim.Unit, r.Time)

	c = grid(t, 4, 5, []election.ID{17, 3, 20, 8, 11, 2, 15, 6, 19, 1, 7, 12, 4, 18, 9, 13, 5, 16, 10, 14})
	c.Initiators = []election.ID{1, 20}
	r = elect(t, c)
	require.Equal(t, election.ID(17), r.Leader)
	require.Equal(t, exact(4, 5), r.ByKind)
	require.EqualValues(t, 161, r.Messages)
	require.Equal(t, 24*sim.Unit, r.Time)
}

// TestAlways: the same count for all sizes, IDs, numberings of ports, initiators and schedules,
// ordered and not.
func TestAlways(t *testing.T) {
	require.False(t, mesh.Algorithm().NeedsFIFO)
	for rows := 3; rows <= 8; rows++ {
		for cols := 3; cols <= 8; cols++ {
			n := rows * cols
			for seed := range uint64(60) {
				c := grid(t, rows, cols, nodetest.Random(n, seed))
				c.Seed = seed
				if seed%2 == 1 {
					shuffled(t, &c, rows, cols, seed)
				}
				switch seed % 3 {
				case 1:
					c.Initiators = nodetest.Some(c.IDs, seed)
				case 2:
					c.Initiators = c.IDs[int(seed)%n:][:1]
				}
				if seed%5 != 0 {
					c.Schedule, c.Unordered = sim.RandomDelay, seed%5 > 2
				}
				r := elect(t, c)
				require.Equal(t, exact(rows, cols), r.ByKind, "%d x %d seed %d", rows, cols, seed)
				require.EqualValues(t, 7*n+4*(rows+cols)-15, r.Messages)
			}
		}
	}
}

// TestEveryInitiator: any process starts alone.
func TestEveryInitiator(t *testing.T) {
	for _, side := range [][2]int{{3, 3}, {3, 7}, {5, 4}, {8, 8}} {
		c := grid(t, side[0], side[1], nodetest.Random(side[0]*side[1], 1))
		for p := range c.IDs {
			c.Initiators = c.IDs[p : p+1]
			require.Equal(t, exact(side[0], side[1]), elect(t, c).ByKind)
		}
	}
}

// TestCornerOrders: every order of the corners around the border.
func TestCornerOrders(t *testing.T) {
	for order := range nodetest.Orders(4) {
		for seed := range uint64(50) {
			ids := []election.ID{0, 20, 0, 10, 30, 40, 0, 50, 0}
			for i, p := range []int{0, 2, 8, 6} {
				ids[p] = order[i]
			}
			c := grid(t, 3, 3, ids)
			c.Schedule, c.Unordered, c.Seed = sim.RandomDelay, true, seed
			require.Equal(t, exact(3, 3), elect(t, c).ByKind)
		}
	}
}

// TestLarge: 40000 processes.
func TestLarge(t *testing.T) {
	c := grid(t, 200, 200, nodetest.Random(200*200, 1))
	c.Initiators = c.IDs[777:778]
	require.Equal(t, exact(200, 200), elect(t, c).ByKind)
	c.Schedule, c.Unordered = sim.RandomDelay, true
	require.Equal(t, exact(200, 200), elect(t, c).ByKind)
}

// TestPriorities: by priority, ties by ID. All corners have the same, or two of them.
func TestPriorities(t *testing.T) {
	for seed := range uint64(200) {
		c := grid(t, 4, 3, nodetest.Random(12, seed))
		for _, v := range nodetest.Random(12, seed+1000) {
			c.Priorities = append(c.Priorities, uint64(v)/uint64(1+seed%8))
		}
		if seed%4 == 0 {
			c.Priorities = slices.Repeat([]uint64{7}, 12)
		}
		require.Equal(t, exact(4, 3), elect(t, c).ByKind)
	}
}

// TestLateStart: a process that is awake takes part already, and any other may start at any time.
func TestLateStart(t *testing.T) {
	require.Equal(t, election.LateIgnored, mesh.Algorithm().LateStart)
	c := grid(t, 5, 4, nodetest.Random(20, 1))
	c.Initiators = c.IDs
	for at := range time.Duration(12) { // no process has heard of the end by then
		c.StartTimes = slices.Repeat([]time.Duration{at * sim.Unit}, 20)
		c.StartTimes[9] = 0
		require.Equal(t, exact(5, 4), elect(t, c).ByKind)
	}
}

// TestAgain holds elections one after another among the same Nodes. Each process starts the next one
// as soon as it knows of the end: messages of the former come late, and are not heeded.
func TestAgain(t *testing.T) {
	for seed := range uint64(100) {
		c := grid(t, 4, 4, nodetest.Random(16, seed))
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
		require.Equal(t, largestCorner(&c.Input), r.Leader)
		for p := range c.IDs {
			require.GreaterOrEqual(t, s.Outcome(p).Term, uint64(3))
			require.Equal(t, s.Outcome(0).Term, s.Outcome(p).Term)
		}
	}
}

// TestAgainCounts: an election finds the Nodes as good as new.
func TestAgainCounts(t *testing.T) {
	c := grid(t, 3, 5, nodetest.Random(15, 1))
	s, err := sim.New(c)
	require.NoError(t, err)
	for term := uint64(1); term <= 3; term++ {
		require.NoError(t, s.Run(t.Context()))
		r := s.Result()
		require.NoError(t, r.Err())
		require.Equal(t, term*(7*15+4*8-15), r.Messages)
		require.Equal(t, term, s.Outcome(0).Term)
		for p := range c.IDs {
			s.Post(p, election.Event{Op: election.Start})
		}
	}
}

// TestGoroutines: the same counts without any schedule.
func TestGoroutines(t *testing.T) {
	for side := 3; side <= 8; side++ {
		for seed := range uint64(10) {
			c := grid(t, side, 3, nodetest.Random(3*side, seed))
			if seed > 0 {
				c.Initiators = nodetest.Some(c.IDs, seed)
			}
			r, err := local.Run(t.Context(), local.Config{Input: c.Input})
			require.NoError(t, err)
			require.NoError(t, r.Err())
			require.Equal(t, largestCorner(&c.Input), r.Leader)
			require.Equal(t, exact(side, 3), r.ByKind)
		}
	}
}

// TestTooSmall: on paths and ladders every process refuses, whichever starts, and none leads.
func TestTooSmall(t *testing.T) {
	for _, side := range [][2]int{{1, 1}, {1, 2}, {2, 1}, {1, 3}, {1, 4}, {9, 1}, {2, 2}, {2, 3}, {3, 2},
		{2, 4}, {2, 9}} {
		n := side[0] * side[1]
		for p := range n {
			for seed := range uint64(20) {
				c := grid(t, side[0], side[1], nodetest.Random(n, 1))
				c.Initiators = c.IDs[p : p+1]
				if seed > 0 {
					c.Schedule, c.Unordered, c.Seed = sim.RandomDelay, true, seed
				}
				r, err := sim.Run(t.Context(), c)
				require.ErrorIs(t, err, mesh.ErrTooSmall)
				require.ErrorIs(t, err, election.ErrInput)
				require.Zero(t, r.Claimants)
				require.Zero(t, r.Leader)
				require.True(t, r.Terminated, "all have refused")
				require.EqualValues(t, 2*len(links(side[0], side[1])), r.Count("hello"))
				require.Zero(t, r.Count("elected"))
			}
		}
	}
}

// TestState: the state is never larger than that with four messages that wait.
func TestState(t *testing.T) {
	const fixed, waiting = 3 + 1 + 2 + 4, 16 + 4 + 4
	largest := 0
	for seed := range uint64(600) {
		rows, cols := 3+int(seed%3), 3+int(seed%4)
		c := grid(t, rows, cols, nodetest.Random(rows*cols, seed))
		c.Algorithm = nodetest.Measured(c.Algorithm, &largest)
		c.Schedule, c.Unordered, c.Seed = sim.RandomDelay, true, seed
		if seed%2 == 1 {
			c.Delay = sim.Delay{Distribution: sim.Exponential, Mean: sim.Unit}
		}
		elect(t, c)
	}
	require.LessOrEqual(t, largest, fixed+4*waiting)
	require.GreaterOrEqual(t, largest, fixed+3*waiting, "four are rare")
}
