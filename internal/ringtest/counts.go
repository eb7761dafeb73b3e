package ringtest

import (
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/go-election/election"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lab/sim"
)

// Exact returns how many messages an election takes, announcement included, where that is known:
// at least low and at most high.
type Exact func(ids, initiators []election.ID) (low, high uint64)

func checkCount(t *testing.T, got uint64, c *sim.Config, exact Exact, initiators []election.ID) {
	t.Helper()
	if low, high := exact(c.IDs, initiators); got < low || got > high {
		require.Fail(t, fmt.Sprintf("%d messages; the test's Exact says %d to %d", got, low, high), about(c))
	}
}

// Bounds lets all start in every order of 1..n, n up to most, and requires that the least,
// the mean and the largest count are those of the descriptor, that its arrangements attain them,
// and that every single count is exact. In short mode the largest orders are tried up to rotation, which
// changes no count of a ring.
func Bounds(t *testing.T, a *election.Algorithm, most int, exact Exact) {
	for n := 1; n <= most; n++ {
		least, largest, sum, orders := uint64(math.MaxUint64), uint64(0), uint64(0), 0
		for ids := range Orders(n) {
			// Every rotation of an order takes the same messages, so one of each is enough.
			if testing.Short() && n == most && ids[0] != 1 {
				continue
			}
			c := Ring(a, ids)
			r := Elect(t, c)
			checkCount(t, r.Messages, &c, exact, ids)
			least, largest = min(least, r.Messages), max(largest, r.Messages)
			sum += r.Messages
			orders++
		}
		require.Close(t, a.Best.Count(n), float64(least), "best of %d", n)
		require.Equal(t, least, Elect(t, Ring(a, IDs(a.Best.Arrange(n)))).Messages, "best arrangement of %d",
			n)
		if a.Mean.Count != nil {
			require.Close(t, a.Mean.Count(n), float64(sum)/float64(orders), "mean of %d", n)
		}
		if a.Worst.Loose {
			require.AtLeast(t, float64(largest), a.Worst.Count(n), "worst of %d", n)
		} else {
			require.Close(t, a.Worst.Count(n), float64(largest), "worst of %d", n)
		}
		require.Equal(t, largest, Elect(t, Ring(a, IDs(a.Worst.Arrange(n)))).Messages,
			"worst arrangement of %d", n)
	}
}

// Initiators lets every set of processes start, in every order of 1..n, n up to most.
func Initiators(t *testing.T, a *election.Algorithm, most int, exact Exact) {
	for n := 1; n <= most; n++ {
		runs := 0
		for ids := range Orders(n) {
			for part := range Subsets(ids) {
				c := Ring(a, ids)
				c.Initiators = part
				checkCount(t, Elect(t, c).Messages, &c, exact, part)
				runs++
			}
		}
		// All subsets but the empty one: a slip in Orders or Subsets must not pass for a proof.
		require.Close(t, math.Gamma(float64(n+1))*float64(uint(1)<<n-1), float64(runs))
	}
}

// Large lets all start on larger rings, under both schedules, and requires that the counts
// stay within the bounds. The arrangements of the descriptor must attain those that are tight.
func Large(t *testing.T, a *election.Algorithm, most int) {
	for n := 9; n <= most; n += n/3 + 1 {
		best, worst := a.Best.Count(n), a.Worst.Count(n)
		require.Close(t, best, float64(Elect(t, Ring(a, IDs(a.Best.Arrange(n)))).Messages),
			"best arrangement of %d", n)
		if arrangement := a.Worst.Arrange(n); !a.Worst.Loose {
			require.Close(t, worst, float64(Elect(t, Ring(a, IDs(arrangement))).Messages),
				"worst arrangement of %d", n)
		}
		for seed := range uint64(4) {
			c := Ring(a, Random(n, seed))
			c.Seed = seed
			if seed%2 == 1 {
				c.Schedule = sim.RandomDelay
			}
			messages := float64(Elect(t, c).Messages)
			require.Between(t, best, messages, worst, about(&c))
		}
	}
}

// Priorities elects by priority, ties by ID, and requires that the counts are those of the
// processes numbered in that order.
func Priorities(t *testing.T, a *election.Algorithm) {
	for seed := range uint64(200) {
		ids := Random(1+int(seed%8), seed)
		c := Ring(a, ids)
		c.Priorities = make([]uint64, len(ids))
		order := make([]election.ID, len(ids))
		for i, v := range Random(len(ids), seed+1000) {
			// Some are equal, so that IDs decide between them.
			c.Priorities[i] = uint64(v) / 3
		}
		for i := range order { // the place among the Ranks
			for j := range ids {
				if c.Self(j).Compare(c.Self(i)) <= 0 {
					order[i]++
				}
			}
		}
		require.Equal(t, Elect(t, Ring(a, order)).Messages, Elect(t, c).Messages, about(&c))
	}
}

// Unordered runs elections over links that do not keep the order, also of an algorithm that asks
// for order, and requires that they go well.
func Unordered(t *testing.T, a *election.Algorithm, seeds uint64) {
	for seed := range seeds {
		c := unordered(a, seed)
		c.Force = true
		require.AtLeast(t, float64(len(c.IDs)), float64(Elect(t, c).Messages))
	}
}

// RefusedUnordered requires that the simulator refuses links that do not keep the order.
func RefusedUnordered(t *testing.T, a *election.Algorithm) {
	_, err := sim.Run(t.Context(), unordered(a, 0))
	require.ErrorIs(t, err, election.ErrNeedsFIFO)
}

// NeedsOrder requires that over links that do not keep the order some elections go wrong.
func NeedsOrder(t *testing.T, a *election.Algorithm, seeds uint64) {
	bad := 0
	for seed := range seeds {
		c := unordered(a, seed)
		c.Force, c.Until = true, 1000*sim.Unit
		r, err := sim.Run(t.Context(), c)
		require.NoError(t, err)
		if wrong(&c.Input, &r.Result) != "" {
			bad++
		}
	}
	require.True(t, bad > 0, "of %d runs none went wrong", seeds)
}

func unordered(a *election.Algorithm, seed uint64) sim.Config {
	ids := Random(1+int(seed%13), seed)
	return sim.Config{
		Input:    scenario.Input{Algorithm: a, IDs: ids, Initiators: Some(ids, seed)},
		Schedule: sim.RandomDelay, Unordered: true, Seed: seed,
	}
}

// LateStarts lets 2 start on a ring of 1..5, and another process after each step of that election, also when
// it knows of the end, which is a second election. The run goes on to its end: that must be right, and
// no process may change its decision.
func LateStarts(t *testing.T, a *election.Algorithm) {
	c := Ring(a, []election.ID{4, 1, 3, 5, 2})
	c.Initiators = []election.ID{2}
	alone := Elect(t, c)
	for late := range c.IDs {
		for steps := 0; c.IDs[late] != 2; steps++ {
			s, err := sim.New(c)
			require.NoError(t, err)
			more := true
			for range steps {
				more = s.Step()
			}
			s.Post(late, election.Event{Op: election.Start})
			decided := make([]election.Outcome, len(c.IDs))
			for going := true; going; going = s.Step() {
				for p, was := range decided {
					decided[p] = s.Outcome(p)
					require.True(t, was.Leader.ID == 0 || was.Term < decided[p].Term || was == decided[p],
						"%s: %d starts after %d steps, and %d changes its mind", a.Title(), c.IDs[late],
						steps, c.IDs[p])
				}
			}
			err = s.Run(t.Context())
			r, both := s.Result(), c.Input
			want := alone.Leader
			if err != nil {
				require.ErrorIs(t, err, election.ErrLateStart)
			} else if both.Initiators = []election.ID{2, c.IDs[late]}; s.Outcome(late).Term == 2 {
				// Its Start came after the decision, and began an election of which it is the only initiator.
				both.Initiators = both.Initiators[1:]
				want = winner(&both)
			} else {
				want = winner(&both)
			}
			require.True(t, r.Agreed && r.Terminated && r.Claimants == 1 && r.Leader == want,
				"%s: %d starts after %d steps: %+v, not %d", a.Title(), c.IDs[late], steps, r, want)
			// Any later Start would come after the end as well.
			if !more {
				break
			}
		}
	}
}

// JoinsLate lets 1 start on a ring of 1..5, and 3 when it has relayed. It requires that 3 joins the
// election, and counts the messages.
func JoinsLate(t *testing.T, a *election.Algorithm, messages uint64) {
	c := Ring(a, IDs([]uint64{1, 2, 3, 4, 5}))
	c.Initiators = []election.ID{1}
	alone := Elect(t, c)
	require.Equal(t, election.LateJoins, a.LateStart)
	c.Initiators = []election.ID{1, 3}
	c.StartTimes = []time.Duration{0, 3 * sim.Unit}
	r := Elect(t, c)
	require.Equal(t, alone.Leader, r.Leader)
	require.Equal(t, messages, r.Messages)
}

// Again holds three elections one after another among the same Nodes: each must find them as good
// as new.
func Again(t *testing.T, a *election.Algorithm) {
	ids := Random(9, 1)
	s, err := sim.New(Ring(a, ids))
	require.NoError(t, err)
	require.NoError(t, s.Run(t.Context()))
	once := s.Result()
	require.Equal(t, Elect(t, Ring(a, ids)).ByKind, once.ByKind)
	for term := uint64(2); term <= 3; term++ {
		for p := range ids {
			s.Post(p, election.Event{Op: election.Start})
		}
		require.NoError(t, s.Run(t.Context()))
		r := s.Result()
		require.Equal(t, "", wrong(&scenario.Input{Algorithm: a, IDs: ids}, &r.Result))
		require.Equal(t, term*once.Messages, r.Messages)
		for p := range ids {
			require.Equal(t, term, s.Outcome(p).Term, fmt.Sprint(ids[p]))
		}
	}
}

// Measured returns the algorithm with Nodes that note how many bytes their largest State takes.
func Measured(a *election.Algorithm, largest *int) *election.Algorithm {
	measured := *a
	measured.New = func(s election.Setup) election.Node { return &measuredNode{a.New(s), largest} }
	return &measured
}

type measuredNode struct {
	election.Node
	largest *int
}

func (n *measuredNode) Step(e *election.Env, ev *election.Event) {
	n.Node.Step(e, ev)
	*n.largest = max(*n.largest, len(new(election.State).Append(nil, n.Node)))
}
