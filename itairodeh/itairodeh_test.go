package itairodeh_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/cost"
	"github.com/go-election/election/itairodeh"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lab/sim"
	"github.com/go-election/election/lab/topology"
	"github.com/go-election/election/lab/verdict"
	"github.com/go-election/election/nodetest"
	"github.com/go-election/election/observe"
	"github.com/go-election/election/params"
)

// byHand is what comes of an election in which all n processes start, by the rules of the rounds and not of
// the messages: in each round the processes that are still active draw. A token goes as far as the next
// larger number among them; those of the largest go round.
type byHand struct {
	leader         int
	rounds, tokens int
}

// elect works an election out. draw returns what a process draws in a round, both from 0.
func elect(n int, draw func(p, round int) int) (b byHand) {
	in := make([]int, n)
	for p := range in {
		in[p] = p
	}
	for ; ; b.rounds++ {
		largest := 0
		for _, p := range in {
			largest = max(largest, draw(p, b.rounds))
		}
		var stay []int
		for i, p := range in {
			mine, hops := draw(p, b.rounds), n
			for j := 1; j < len(in); j++ {
				if q := in[(i+j)%len(in)]; draw(q, b.rounds) > mine {
					hops = (q - p + n) % n
					break
				}
			}
			b.tokens += hops
			if mine == largest {
				stay = append(stay, p)
			}
		}
		if in = stay; len(in) == 1 {
			b.leader = in[0]
			b.rounds++
			return b
		}
	}
}

// drawn returns lists of draws for a number of rounds.
func drawn(r *rand.Rand, n, k, rounds int) [][]int {
	lists := make([][]int, n)
	for p := range lists {
		for range rounds {
			lists[p] = append(lists[p], 1+r.IntN(k))
		}
	}
	return lists
}

func config(a *election.Algorithm, n int, draws [][]int) sim.Config {
	return sim.Config{Input: scenario.Input{Algorithm: a, IDs: rising(n), Draws: draws}}
}

// TestCounts: the leader, the messages and the time are those of the rounds, on any schedule and for either
// variant.
func TestCounts(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for run := range 400 {
		n, k := 1+r.IntN(20), 2+r.IntN(20)
		c := itairodeh.Config{K: uint32(k), Finite: run%2 == 1}
		a, err := itairodeh.New(c)
		require.NoError(t, err)
		lists := drawn(r, n, k, 60)
		want := elect(n, func(p, round int) int { return lists[p][round] })
		run := config(a, n, lists)
		got := nodetest.Elect(t, run)
		require.Equal(t, election.ID(want.leader+1), got.Leader)
		require.Equal(t, uint64(want.tokens+n), got.Messages)
		require.Equal(t, time.Duration((want.rounds+1)*n)*sim.Unit, got.Time)
		require.GreaterOrEqual(t, float64(got.Messages), a.Best.Count(n))
		run.Schedule, run.Seed = sim.RandomDelay, r.Uint64()
		got = nodetest.Elect(t, run)
		require.Equal(t, election.ID(want.leader+1), got.Leader)
		require.Equal(t, uint64(want.tokens+n), got.Messages)
	}
}

// TestBest: numbers that rise take the fewest messages, and every order of n different numbers up to n = 6
// takes as many as the rounds say.
func TestBest(t *testing.T) {
	for n := 1; n <= 6; n++ {
		least := math.Inf(1)
		for order := range nodetest.Orders(n) {
			lists := make([][]int, n)
			for p, v := range order {
				lists[p] = []int{int(v)}
			}
			if n == 1 {
				lists[0] = nil // there is nothing to draw from
			}
			least = min(least, float64(nodetest.Elect(t, config(itairodeh.Rounds(), n, lists)).Messages))
		}
		require.Equal(t, itairodeh.Rounds().Best.Count(n), least, "n = %d", n)
	}
}

// expected returns R(m) of the package's documentation, for K = k.
func expected(m, k int) float64 {
	r := make([]float64, m+1)
	for i := 1; i <= m; i++ {
		sum, same := 1.0, 0.0
		for j := 2; j <= i; j++ {
			var p float64
			for v := 1; v <= k; v++ {
				p += choose(i, j) * math.Pow(float64(v-1), float64(i-j)) / math.Pow(float64(k), float64(i))
			}
			if j == i {
				same = p
			} else {
				sum += p * r[j]
			}
		}
		r[i] = sum / (1 - same)
	}
	return r[m]
}

func choose(n, k int) float64 {
	c := 1.0
	for i := range k {
		c = c * float64(n-i) / float64(i+1)
	}
	return c
}

// TestRounds: the mean of the rounds that elections take is R(n), within three standard errors. Seeds are
// fixed, so it is the same mean each time.
func TestRounds(t *testing.T) {
	for n, want := range map[int]float64{2: 2, 3: 1.6875, 4: 1.6, 8: 1.498, 16: 1.456, 64: 1.427} {
		require.InDelta(t, want, expected(n, n), 0.0005, "R(%d)", n)
		runs := 4000 / max(1, n/4)
		var sum, squares float64
		for seed := range uint64(runs) {
			c := config(itairodeh.Rounds(), n, nil)
			c.Seed = seed
			r := nodetest.Elect(t, c)
			rounds := float64(r.Time/sim.Unit)/float64(n) - 1 // and n units for the announcement
			sum, squares = sum+rounds, squares+rounds*rounds
		}
		mean := sum / float64(runs)
		deviation := math.Sqrt(squares/float64(runs) - mean*mean)
		require.InDelta(t, want, mean, 3*deviation/math.Sqrt(float64(runs)), "R(%d)", n)
	}
	require.InDelta(t, 2, expected(2, 2), 1e-12)
	require.InDelta(t, 4.0/3, expected(2, 4), 1e-12) // two of four numbers are the same in 1 of 4
}

// TestBlind: all that processes know of themselves is the same, and all happens as before. So nothing
// depends on an ID but what the leader is called.
func TestBlind(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 100 {
		n := 1 + r.IntN(9)
		lists := drawn(r, n, max(n, 2), 60)
		c := config(itairodeh.Rounds(), n, lists)
		seen, leader := events(t, c)
		shuffled := c
		shuffled.IDs = slices.Clone(c.IDs)
		r.Shuffle(n, func(i, j int) {
			shuffled.IDs[i], shuffled.IDs[j] = shuffled.IDs[j], shuffled.IDs[i]
		})
		again, where := events(t, shuffled)
		require.Equal(t, seen, again)
		require.Equal(t, leader, where)
		plain, blind := c.Algorithm, *c.Algorithm
		blind.New = func(s election.Setup) election.Node {
			s.Self = name
			return &masked{Node: plain.New(s)}
		}
		c.Algorithm = &blind
		again, where = events(t, c)
		require.Equal(t, seen, again)
		require.Equal(t, leader, where)
	}
}

// name is the one that all processes have.
var name = election.Rank{ID: 1}

// masked is a Node that knows all processes, itself among them, by this name.
type masked struct{ election.Node }

func (m *masked) Step(e *election.Env, ev *election.Event) {
	seen := *ev
	if seen.Msg.Rank.ID != 0 {
		seen.Msg.Rank = name
	}
	env := election.NewEnv(oneName{}, e.Choose)
	fx := env.Begin(0)
	m.Node.Step(env, &seen)
	for _, out := range fx.Sends {
		e.Send(out.Port, out.Msg)
	}
	if fx.Decided() {
		e.Decide(name)
	}
}

// oneName is the View of a masked Node.
type oneName struct{}

func (oneName) Self(int) election.Rank                { return name }
func (oneName) Ports(int) int                         { return 2 }
func (oneName) Peer(int, election.Port) election.Rank { return election.Rank{} }

// events returns all messages of a run, with positions in place of IDs, and where the leader stands.
func events(t *testing.T, c sim.Config) (all []string, leader int) {
	where := c.Positions()
	leader = -1
	c.Observe = func(o *observe.Occurrence) {
		if o.What != observe.Step {
			return
		}
		p := where[o.Process]
		for i := range o.Effects.Sends {
			m := o.Effects.Sends[i].Msg
			m.Rank.ID = min(m.Rank.ID, 1)
			all = append(all, fmt.Sprint(p, m))
		}
		if o.Effects.Decided() && o.Event.Msg.Kind == 1 { // what comes home is a token
			leader = p
		}
	}
	_, err := sim.Run(t.Context(), c)
	require.NoError(t, err)
	return all, leader
}

// TestWrongSize: with fewer processes than there are several lead, with more none does: a token that is too
// old is dropped, or the only active process draws forever.
func TestWrongSize(t *testing.T) {
	for _, tt := range []struct {
		n, size int
		draws   [][]int
		leaders int
		rests   bool
	}{
		{n: 4, size: 2, draws: [][]int{{2}, {1}, {2}, {1}}, leaders: 2, rests: true},
		{n: 2, size: 1, draws: [][]int{{2}, {2}}, leaders: 2, rests: true},
		{n: 3, size: 2, draws: [][]int{{1}, {2}, {3}}, leaders: 0, rests: true},
		{n: 3, size: 4, draws: [][]int{{1}, {2}, {3}}, leaders: 0, rests: true},
		{n: 2, size: 4, draws: [][]int{{1}, {2, 1, 1, 1, 1, 1, 1}}, leaders: 0},
	} {
		for _, finite := range []bool{false, true} {
			a, err := itairodeh.New(itairodeh.Config{Size: uint32(tt.size), K: 3, Finite: finite})
			require.NoError(t, err)
			c := config(a, tt.n, tt.draws)
			c.Until = 20 * sim.Unit
			s, err := sim.New(c)
			require.NoError(t, err)
			require.NoError(t, s.Run(t.Context()))
			leaders := 0
			for p := range tt.n {
				if s.Outcome(p).Role == election.Leader {
					leaders++
				}
			}
			require.Equal(t, tt.leaders, leaders, "%d of %d", tt.size, tt.n)
			s.Extend(21 * sim.Unit)
			require.Equal(t, tt.rests, !s.Step(), "%d of %d", tt.size, tt.n)
		}
	}
}

// TestWrongSizeIsFound: the checker finds what is wrong with each wrong size in the fewest steps. Where a
// size is a multiple of the number of processes, the token of the last active process comes home as
// shared, and it draws forever; at other sizes too large the token is dropped.
func TestWrongSizeIsFound(t *testing.T) {
	for _, tt := range []struct {
		n, size uint32
		want    verdict.Property
		steps   int
	}{
		{2, 1, verdict.OneLeader, 4}, {3, 2, verdict.Agreement, 6}, {4, 2, verdict.OneLeader, 6},
		{1, 2, verdict.Ends, 3}, {2, 3, verdict.Agreement, 6}, {2, 4, verdict.Ends, 7},
		{3, 4, verdict.Agreement, 8},
	} {
		r := visited(t, itairodeh.Config{Size: tt.size, K: 2, Finite: true}, nil, int(tt.n))
		found := r.Counterexample
		require.NotNil(t, found, "%d of %d", tt.size, tt.n)
		require.Equal(t, tt.want, found.Property, "%d of %d", tt.size, tt.n)
		require.Len(t, found.Steps, tt.steps, "%d of %d", tt.size, tt.n)
	}
}

func TestConfig(t *testing.T) {
	for c, want := range map[itairodeh.Config]string{
		{K: 1}:          "K: processes that draw from one number stay alike for ever",
		{K: 1, Size: 2}: "K: processes that draw from one number stay alike for ever",
		{K: 1 << 31}:    "K: 2147483648 is more than 2^31-1",
	} {
		_, err := itairodeh.New(c)
		require.ErrorIs(t, err, election.ErrInput)
		require.ErrorContains(t, err, want)
	}
	for _, c := range []itairodeh.Config{{K: 1, Size: 1}, {K: 2}, {K: 1<<31 - 1}} {
		_, err := itairodeh.New(c)
		require.NoError(t, err)
	}
	a := itairodeh.Rounds()
	require.True(t, a.Knows == election.NetworkSize)
	given := func(name string, number float64) (*election.Algorithm, error) {
		return scenario.Configure(a, map[string]params.Value{name: {Number: number}}, rising(3), 0)
	}
	a, err := given("size", 3)
	require.NoError(t, err)
	require.False(t, a.Knows == election.NetworkSize)
	for size, endless := range map[float64]bool{1: false, 2: false, 4: false, 5: false, 6: true, 9: true} {
		a, err := given("size", size)
		require.NoError(t, err)
		require.Equal(t, endless, a.NeverQuiesces, "size %v of 3", size)
	}
	_, err = given("size", 1<<32)
	require.EqualError(t, err, "election: bad input: params.size: 4294967296 is more than 2147483647")
	_, err = given("k", 1)
	require.ErrorContains(t, err, "stay alike")
	b, err := given("k", 7)
	require.NoError(t, err)
	r, err := sim.Run(t.Context(), config(b, 3, [][]int{{7}, {6}, {6}}))
	require.NoError(t, err)
	require.Equal(t, election.ID(1), r.Leader)
}

// TestBits: a token has as many as it says.
func TestBits(t *testing.T) {
	w := cost.NewWidths(7, 7, 0)
	bits := func(c itairodeh.Config) uint64 {
		a, err := itairodeh.New(c)
		require.NoError(t, err)
		return a.Kinds[0].Bits(w)
	}
	require.EqualValues(t, 32+1+3+3, bits(itairodeh.Config{}))
	require.EqualValues(t, 1+3+3, bits(itairodeh.Config{Finite: true}))
	require.EqualValues(t, 1+3+2, bits(itairodeh.Config{Finite: true, K: 2}))
	require.EqualValues(t, 1+4+4, bits(itairodeh.Config{Finite: true, Size: 9}))
	require.EqualValues(t, 3, itairodeh.Finite().Kinds[1].Bits(w))
}

func TestLateStarts(t *testing.T) {
	for _, a := range itairodeh.Algorithms() {
		require.Equal(t, election.LateIgnored, a.LateStart)
		for p := range 5 {
			c := config(a, 5, nil)
			c.Initiators = []election.ID{1, election.ID(p + 1)}[:min(p+1, 2)]
			c.StartTimes = []time.Duration{0, 3 * sim.Unit}[:len(c.Initiators)]
			r := nodetest.Elect(t, c)
			if p <= 3 { // the token has come before the start
				require.Equal(t, election.ID(1), r.Leader)
			}
		}
	}
}

// TestUnordered: with rounds links need not keep the order; without, some elections go wrong.
func TestUnordered(t *testing.T) {
	require.Zero(t, nodetest.Unordered(t, itairodeh.Rounds(), 300))
	require.Positive(t, nodetest.Unordered(t, itairodeh.Finite(), 300))
}

// TestTwoWay: on a ring on which messages travel both ways, they go clockwise.
func TestTwoWay(t *testing.T) {
	links, err := topology.Ring(3, false)
	require.NoError(t, err)
	c := config(itairodeh.Rounds(), 3, [][]int{{3}, {1}, {2}})
	c.Topology = links
	require.Equal(t, election.ID(1), nodetest.Elect(t, c).Leader)
}
