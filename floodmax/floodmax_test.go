package floodmax_test

import (
	"flag"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/cost"
	"github.com/go-election/election/floodmax"
	"github.com/go-election/election/lab/fault"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lab/sim"
	"github.com/go-election/election/lab/topology"
	"github.com/go-election/election/lab/verdict"
	"github.com/go-election/election/local"
	"github.com/go-election/election/nodetest"
	"github.com/go-election/election/observe"
	"github.com/go-election/election/params"
)

var long = flag.Bool("long", false, "try larger networks and more schedules")

// largest returns how many processes there are at most where all graphs are tried: one less in short tests.
func largest(n int) int {
	if !*long {
		return n - 1
	}
	return n
}

// on returns a run in which all start, with as many rounds as the diameter.
func on(t *testing.T, with func(floodmax.Config) (*election.Algorithm, error), links topology.Topology,
	ids []election.ID) sim.Config {
	return sim.Config{Input: scenario.Input{Algorithm: of(t, with, uint32(nodetest.Diameter(links))),
		Topology: links, IDs: ids}}
}

// elect makes a run, and requires what the data sheet promises.
func elect(t *testing.T, c sim.Config) sim.Result {
	t.Helper()
	r := nodetest.Elect(t, c)
	rounds, ports := nodetest.Diameter(c.Topology), c.Topology.Links()
	all := c.Initiators == nil
	switch c.Algorithm.Variant {
	case "alpha":
		nodetest.Counts(t, &r.Result, map[string]int{"max": rounds * ports,
			"safe": (rounds + 1) * ports})
	case "basic":
		if all {
			nodetest.Counts(t, &r.Result, map[string]int{"max": rounds * ports})
		}
	case "change":
		if all && c.Schedule != sim.RandomDelay {
			nodetest.Counts(t, &r.Result, map[string]int{"max": changes(&c.Input)})
		}
	}
	require.LessOrEqual(t, r.Messages, uint64(c.Algorithm.Worst.At(len(c.IDs), ports)))
	return r
}

// changes returns how many messages change takes if all start: in a round after the first a process sends if
// it has a larger one at exactly the distance that has been reached in the round before.
func changes(in *scenario.Input) (sum int) {
	for p := range in.IDs {
		far := nodetest.Distances(in.Topology, p)
		within := func(distance int) (most election.ID) {
			for q, d := range far {
				if d <= distance {
					most = max(most, in.IDs[q])
				}
			}
			return most
		}
		for round := 1; round <= nodetest.Diameter(in.Topology); round++ {
			if round == 1 || within(round-1) > within(round-2) {
				sum += in.Topology.Ports(p)
			}
		}
	}
	return sum
}

// TestGraphs: on every connected graph, in every arrangement, all start. Each knows the leader at the same
// instant.
func TestGraphs(t *testing.T) {
	for n := 1; n <= largest(5); n++ {
		for links := range nodetest.Graphs(n) {
			rounds := time.Duration(nodetest.Diameter(links)) * sim.Unit
			for ids := range nodetest.Orders(n) {
				if n == 5 && ids[0] > ids[1] { // half of them will do
					continue
				}
				c := on(t, floodmax.Basic, links, ids)
				c.Observe = func(o *observe.Occurrence) {
					if n > 1 && o.What == observe.Step && o.Effects.Decided() {
						require.Equal(t, rounds, o.At)
					}
				}
				require.Equal(t, rounds, elect(t, c).Time)
				elect(t, on(t, floodmax.Change, links, ids))
				if n < 5 {
					elect(t, on(t, floodmax.Alpha, links, ids))
				}
			}
		}
	}
}

// TestInitiators: any set of processes starts at one instant.
func TestInitiators(t *testing.T) {
	for n := 2; n <= 4; n++ {
		for links := range nodetest.Graphs(n) {
			for part := range nodetest.Subsets(nodetest.Sorted(n)) {
				for _, with := range []func(floodmax.Config) (*election.Algorithm, error){floodmax.Basic,
					floodmax.Change, floodmax.Alpha} {
					c := on(t, with, links, nodetest.Sorted(n))
					c.Initiators = part
					elect(t, c)
				}
			}
		}
	}
}

// TestRandom: random graphs, sets of initiators, priorities and delays, as far as the model allows for them.
func TestRandom(t *testing.T) {
	for seed := range uint64(200) {
		random := rand.New(rand.NewPCG(seed, 5))
		n := 2 + random.IntN(24)
		links, err := topology.RandomGraph(n, min(n-1+random.IntN(n), n*(n-1)/2), seed)
		require.NoError(t, err)
		ids := nodetest.Random(n, seed)
		priorities := make([]uint64, n)
		for p := range priorities {
			priorities[p] = random.Uint64N(3)
		}
		for _, with := range []func(floodmax.Config) (*election.Algorithm, error){floodmax.Basic,
			floodmax.Change} {
			c := on(t, with, links, ids)
			elect(t, c)
			c.Priorities, c.Initiators = priorities, nodetest.Some(ids, seed)
			nodetest.Elect(t, c)
			c.Initiators, c.Schedule, c.Seed = nil, sim.RandomDelay, seed
			elect(t, c) // up to a unit
		}
		c := on(t, floodmax.Alpha, links, ids)
		c.Initiators, c.Schedule, c.Seed = nodetest.Some(ids, seed), sim.RandomDelay, seed
		c.Delay, c.Unordered = sim.Delay{Min: sim.Unit, Max: 9 * sim.Unit}, seed%2 == 1
		for range c.Initiators { // before the end, or they begin another election
			c.StartTimes = append(c.StartTimes, time.Duration(random.Int64N(int64(sim.Unit))))
		}
		elect(t, c)
	}
}

// TestTime: alpha takes a unit for each pulse, if no message takes longer, after all are awake.
func TestTime(t *testing.T) {
	for n := 2; n <= 9; n++ {
		links, err := topology.Path(n)
		require.NoError(t, err)
		ids, rounds := nodetest.Random(n, uint64(n)), time.Duration(n-1)
		c := on(t, floodmax.Alpha, links, ids)
		require.Equal(t, (rounds+1)*sim.Unit, elect(t, c).Time)
		c.Initiators = ids[:1] // the last wakes after n-1 units
		require.Equal(t, (2*rounds+1)*sim.Unit, elect(t, c).Time)
	}
}

// path returns five processes in a row.
func path(t *testing.T) topology.Topology {
	links, err := topology.Path(5)
	require.NoError(t, err)
	return links
}

// leaders makes a run on the path 5-1-2-3-4, and returns which processes lead.
func leaders(t *testing.T, c sim.Config) (all []election.ID) {
	t.Helper()
	c.Topology, c.IDs = path(t), []election.ID{5, 1, 2, 3, 4}
	s, err := sim.New(c)
	require.NoError(t, err)
	require.NoError(t, s.Run(t.Context()))
	for p, id := range c.IDs {
		require.NotZero(t, s.Outcome(p).Leader.ID)
		if s.Outcome(p).Role == election.Leader {
			all = append(all, id)
		}
	}
	r := s.Result()
	if len(all) > 1 {
		require.ErrorIs(t, r.Err(), verdict.ErrNoLeader)
	}
	return all
}

// TestTooFewRounds: where there are fewer rounds than the diameter several may lead, as the data sheet warns.
func TestTooFewRounds(t *testing.T) {
	for _, with := range []func(floodmax.Config) (*election.Algorithm, error){floodmax.Basic, floodmax.Change,
		floodmax.Alpha} {
		for rounds, want := range map[uint32][]election.ID{1: {5, 4}, 2: {5, 4}, 3: {5, 4}, 4: {5}, 9: {5}} {
			c := sim.Config{Input: scenario.Input{Algorithm: of(t, with, rounds)}}
			require.Equal(t, want, leaders(t, c), "%d rounds", rounds)
		}
	}
}

// TestNotSynchronous: late starts, slow messages, messages that are overtaken, wrong clocks, and where only
// some start also quick messages, make basic elect several or none that all agree on. The simulator refuses
// such runs. Alpha bears them.
func TestNotSynchronous(t *testing.T) {
	late := sim.Config{Input: scenario.Input{Initiators: []election.ID{4, 5},
		StartTimes: []time.Duration{0, 7 * sim.Unit / 2}}}
	slow := sim.Config{Delay: sim.Delay{Min: 2 * sim.Unit, Max: 2 * sim.Unit}}
	quick := sim.Config{Input: scenario.Input{Initiators: []election.ID{3, 5}}}
	reorder := sim.Config{Input: scenario.Input{Faults: fault.Plan{Reorder: 0.6}}}
	some := reorder
	some.Initiators = []election.ID{4, 5}
	fast := sim.Config{Input: scenario.Input{ClockRates: []scenario.ClockRate{{ID: 1, Rate: 1},
		{ID: 3, Rate: 3}}}}
	for i, c := range []sim.Config{late, slow, quick, reorder, some, fast} {
		c.Topology, c.IDs = path(t), []election.ID{5, 1, 2, 3, 4}
		want := sim.ErrSynchronous
		switch i {
		case 1:
			c.Schedule, want = sim.RandomDelay, sim.ErrDelay
		case 2:
			c.Schedule = sim.RandomDelay
		}
		c.Algorithm = of(t, floodmax.Basic, 4)
		_, err := sim.Run(t.Context(), c)
		require.ErrorIs(t, err, want, "%d", i)
		wrong := 0
		for seed := range uint64(40) {
			forced := c
			forced.Force, forced.Seed = true, seed
			r, err := sim.Run(t.Context(), forced)
			require.NoError(t, err)
			if r.Err() != nil {
				wrong++
			}
			forced.Force, forced.Algorithm = false, of(t, floodmax.Alpha, 4)
			require.EqualValues(t, 5, nodetest.Elect(t, forced).Leader)
		}
		require.Positive(t, wrong, "%d", i)
	}
}

// TestSynchronous: clocks that are listed and right, and faults that change no time, leave a run synchronous.
func TestSynchronous(t *testing.T) {
	c := on(t, floodmax.Basic, path(t), []election.ID{5, 1, 2, 3, 4})
	c.ClockRates = []scenario.ClockRate{{ID: 1, Rate: 1}, {ID: 3, Rate: 1}}
	c.Faults.Partitions = []fault.Partition{{From: 9 * sim.Unit, Groups: [][]election.ID{{5}}}}
	require.EqualValues(t, 5, nodetest.Elect(t, c).Leader)
	c.ClockRates[1].Rate = 0.5
	_, err := sim.Run(t.Context(), c)
	require.ErrorIs(t, err, sim.ErrSynchronous, "a slow clock, too")
}

// TestCrash: a crash makes basic elect the wrong process or several, and blocks alpha.
func TestCrash(t *testing.T) {
	links, err := topology.Path(3)
	require.NoError(t, err)
	c := on(t, floodmax.Basic, links, []election.ID{3, 1, 2})
	c.Crashed = []election.ID{1}
	r, err := sim.Run(t.Context(), c)
	require.NoError(t, err)
	require.Equal(t, 2, r.Claimants)
	c.Algorithm = of(t, floodmax.Alpha, 2)
	r, err = sim.Run(t.Context(), c)
	require.NoError(t, err)
	require.Zero(t, r.Claimants)
}

// TestGoroutines: alpha elects where real concurrency makes the delays.
func TestGoroutines(t *testing.T) {
	for n := 1; n <= 20; n += 3 {
		ids := nodetest.Random(n, uint64(n))
		for _, starters := range [][]election.ID{ids, ids[:1], nodetest.Some(ids, uint64(n))} {
			r, err := local.Run(t.Context(), local.Config{Input: scenario.Input{
				Algorithm: of(t, floodmax.Alpha, 0), IDs: ids, Initiators: starters,
			}})
			require.NoError(t, err)
			require.NoError(t, r.Err())
			require.Equal(t, slices.Max(ids), r.Leader)
		}
	}
}

// TestRefused: what no election can have.
func TestRefused(t *testing.T) {
	for _, with := range []func(floodmax.Config) (*election.Algorithm, error){floodmax.Basic, floodmax.Change,
		floodmax.Alpha} {
		for _, delay := range []time.Duration{-1, params.MaxTimeout + 1} {
			_, err := with(floodmax.Config{Delay: delay})
			require.ErrorIs(t, err, election.ErrInput)
			require.ErrorContains(t, err, "Delay: ")
		}
		a := of(t, with, 0)
		_, err := a.Configure(params.New[election.ID](map[string]params.Value{"rounds": {}}, time.Second,
			nil))
		require.ErrorContains(t, err, "without a round no process hears of another")
		large := map[string]params.Value{"rounds": {Number: 1 << 32}}
		_, err = a.Configure(params.New[election.ID](large, time.Second, nil))
		require.ErrorContains(t, err, "params.rounds: 4294967296 is more than 1000000")
		_, err = with(floodmax.Config{Delay: params.MaxTimeout})
		require.NoError(t, err)
	}
	a := of(t, floodmax.Alpha, 0)
	_, err := a.Configure(params.New[election.ID](map[string]params.Value{"delay": {Number: 1}}, time.Second,
		nil))
	require.ErrorContains(t, err, "there is only rounds", "alpha has no clock")
}

// TestDescription: the parameters change what is described.
func TestDescription(t *testing.T) {
	for rounds, want := range map[uint32][]string{
		0: {"(n-1)*M, M ports in all", "M, M ports in all", "≤ (n-1)*M", "(2*(n-1) + 1)*M, M ports in all"},
		1: {"1*M, M ports in all", "M, M ports in all", "≤ 1*M", "(2*1 + 1)*M, M ports in all"},
		4: {"4*M, M ports in all", "M, M ports in all", "≤ 4*M", "(2*4 + 1)*M, M ports in all"},
	} {
		basic, change, alpha := of(t, floodmax.Basic, rounds), of(t, floodmax.Change, rounds),
			of(t, floodmax.Alpha, rounds)
		require.Equal(t, want, []string{basic.Worst.String(), change.Best.String(),
			change.Worst.String(), alpha.Worst.String()})
		for _, a := range []*election.Algorithm{basic, change, alpha} {
			require.Equal(t, rounds == 0, a.Knows == election.NetworkSize)
			require.Equal(t, a.Variant != "alpha", a.Synchronous)
		}
		require.Equal(t, time.Second, basic.Delay)
		require.Zero(t, alpha.Delay)
	}
	require.Zero(t, of(t, floodmax.Change, 0).Best.At(1, 0))
	require.EqualValues(t, 24, of(t, floodmax.Basic, 0).Best.At(4, 8))
	require.EqualValues(t, 8, of(t, floodmax.Change, 0).Best.At(4, 8))
	require.EqualValues(t, 56, of(t, floodmax.Alpha, 0).Best.At(4, 8))
	require.EqualValues(t, 40, of(t, floodmax.Basic, 5).Best.At(4, 8))
	require.EqualValues(t, 8, of(t, floodmax.Basic, 1).Best.At(4, 8))
	require.Zero(t, of(t, floodmax.Basic, 0).Best.At(1, 0))
	widths := cost.NewWidths(100, 1000, 0)
	for rounds, want := range map[uint32]uint64{0: 10 + 7, 5: 10 + 7, 1000: 10 + 10} {
		require.Equal(t, want, of(t, floodmax.Change, rounds).Kinds[0].Bits(widths))
	}
}
