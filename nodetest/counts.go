package nodetest

import (
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/go-election/election"
	"github.com/go-election/election/lab/sim"
)

// Exact returns the least and the largest number of messages of an election, with the announcement. Both are
// equal if the number is known.
type Exact func(ids, initiators []election.ID) (low, high uint64)

// Bounds tests elections in which all processes start, in every order of 1..n, for each n up to most. The least,
// mean and largest number of messages must equal the bounds of the descriptor, its arrangements must attain them, and each number must be exact. In short mode the largest orders are tried up to rotation, which
// changes no count of a ring.
func Bounds(t *testing.T, a *election.Algorithm, most int, exact Exact) {
	for n := 1; n <= most; n++ {
		least, largest, sum, orders := math.Inf(1), 0.0, 0.0, 0.0
		for ids := range Orders(n) {
			if testing.Short() && n == most && ids[0] != 1 {
				continue
			}
			messages := electExactly(t, Ring(a, ids), ids, exact)
			least, largest = min(least, messages), max(largest, messages)
			sum, orders = sum+messages, orders+1
		}
		within(t, least, a.Best.Count(n), least, "best of %d", n)
		within(t, least, messages(t, a, a.Best.Arrange(n)), least, "best arrangement of %d", n)
		if a.Mean.Count != nil {
			within(t, sum/orders, a.Mean.Count(n), sum/orders, "mean of %d", n)
		}
		most := largest
		if a.Worst.Loose {
			most = math.Inf(1)
		}
		within(t, largest, a.Worst.Count(n), most, "worst of %d", n)
		within(t, largest, messages(t, a, a.Worst.Arrange(n)), largest, "worst arrangement of %d", n)
	}
}

// Initiators tests elections with every set of initiators, in every order of 1..n, for each n up to most.
func Initiators(t *testing.T, a *election.Algorithm, most int, exact Exact) {
	for n := 1; n <= most; n++ {
		for ids := range Orders(n) {
			for part := range Subsets(ids) {
				c := Ring(a, ids)
				c.Initiators = part
				electExactly(t, c, part, exact)
			}
		}
	}
}

// Large tests elections in which all processes start, on larger rings and with unit and random delays. The
// numbers of messages must be within the bounds, and the arrangements of the descriptor must attain tight bounds.
func Large(t *testing.T, a *election.Algorithm, most int) {
	for n := 9; n <= most; n += n/3 + 1 {
		best, worst := a.Best.Count(n), a.Worst.Count(n)
		within(t, best, messages(t, a, a.Best.Arrange(n)), best, "best arrangement of %d", n)
		if arrangement := a.Worst.Arrange(n); !a.Worst.Loose {
			within(t, worst, messages(t, a, arrangement), worst, "worst arrangement of %d", n)
		}
		for seed := range uint64(4) {
			c := Ring(a, Random(n, seed))
			c.Seed = seed
			if seed%2 == 1 {
				c.Schedule = sim.RandomDelay
			}
			within(t, best, float64(Elect(t, c).Messages), worst, "%s", about(&c))
		}
	}
}

// Priorities tests elections by priority. Each must take as many messages as the election of processes that are
// numbered in the order of their Ranks.
func Priorities(t *testing.T, a *election.Algorithm) {
	for seed := range uint64(200) {
		ids := Random(1+int(seed%8), seed)
		c := Ring(a, ids)
		c.Priorities = make([]uint64, len(ids))
		for i, v := range Random(len(ids), seed+1000) {
			c.Priorities[i] = uint64(v) / 3 // some are equal, so that IDs decide
		}
		places := make([]uint64, len(ids))
		for i := range ids {
			for j := range ids {
				if c.Self(j).Compare(c.Self(i)) <= 0 {
					places[i]++
				}
			}
		}
		want := messages(t, a, places)
		within(t, want, float64(Elect(t, c).Messages), want, "%s", about(&c))
	}
}

// Unordered simulates elections over links that do not keep the order, even if the algorithm needs order, and
// returns how many do not end as the descriptor promises.
func Unordered(t *testing.T, a *election.Algorithm, seeds uint64) (wrongEnds int) {
	for seed := range seeds {
		ids := Random(1+int(seed%13), seed)
		c := Ring(a, ids)
		c.Initiators, c.Schedule, c.Unordered, c.Seed = Some(ids, seed), sim.RandomDelay, true, seed
		c.Force, c.Until = true, 1000*sim.Unit
		r, err := sim.Run(t.Context(), c)
		if err != nil {
			t.Fatalf("%v: %s", err, about(&c))
		}
		if wrong(&c.Input, &r.Result) != nil {
			wrongEnds++
		}
	}
	return wrongEnds
}

// JoinsLate tests a ring of 1..5 on which 1 starts, and 3 after it has relayed: 3 must join the election, which
// takes the given number of messages.
func JoinsLate(t *testing.T, a *election.Algorithm, messages uint64) {
	c := Ring(a, []election.ID{1, 2, 3, 4, 5})
	c.Initiators = []election.ID{1, 3}
	c.StartTimes = []time.Duration{0, 3 * sim.Unit}
	if r := Elect(t, c); r.Leader != 5 || r.Messages != messages || a.LateStart != election.LateJoins {
		t.Fatalf("leader %d, %d messages, want 5, %d; a late start %s", r.Leader, r.Messages, messages, a.LateStart)
	}
}

// Measured returns the algorithm with Nodes that note the size of their largest State, in bytes.
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

// messages returns the number of messages if all processes of an arrangement start.
func messages(t *testing.T, a *election.Algorithm, arrangement []uint64) float64 {
	t.Helper()
	return float64(Elect(t, Ring(a, IDs(arrangement))).Messages)
}

func electExactly(t *testing.T, c sim.Config, initiators []election.ID, exact Exact) float64 {
	t.Helper()
	r := Elect(t, c)
	if low, high := exact(c.IDs, initiators); r.Messages < low || r.Messages > high {
		t.Fatalf("%d messages, want %d to %d: %s", r.Messages, low, high, about(&c))
	}
	return float64(r.Messages)
}

// within fails the test unless low <= got <= high, except for rounding.
func within(t *testing.T, low, got, high float64, format string, args ...any) {
	t.Helper()
	const rounding = 1e-9
	if got < low-rounding || got > high+rounding || math.IsNaN(got) {
		t.Fatalf("%s: %v, want %v to %v", fmt.Sprintf(format, args...), got, low, high)
	}
}
