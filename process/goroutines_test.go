package process_test

import (
	"math/rand/v2"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/catalog"
	"github.com/go-election/election/internal/catalogtest"
	"github.com/go-election/election/lab/fault"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lab/sim"
	"github.com/go-election/election/local"
	"github.com/go-election/election/mutex"
	"github.com/go-election/election/params"
	"github.com/go-election/election/transport/faults"
	"github.com/go-election/election/transport/memory"
)

// processes are the processes of one input, wherever they run.
type processes interface {
	post(p int, ev election.Event)
	crash(p int)
	settle() // takes a while, enough for an election, or for all processes to enter their sections
	outcome(p int) election.Outcome
	entries() int // to critical sections, so far
}

// settling is how long that is. A token goes round all the time.
const settling = 200 * scenario.Unit

// timed returns all algorithms that come to rest and tolerate a link delay of one unit here. A synchronous
// algorithm does not: if a message and a timer are due at the same instant, a bubble may handle either first.
// Package electiontest uses shorter links for it.
func timed() []*election.Algorithm {
	return slices.DeleteFunc(catalogtest.Resting(), func(a *election.Algorithm) bool { return a.Synchronous })
}

// TestEverythingOnGoroutines: every algorithm elects twice in a row, with goroutines over the transport in
// memory, on links with a delay of one unit. Both times it elects the same process as in the simulator, whether
// or not the processes are founders of their group. Package local elects the same process.
func TestEverythingOnGoroutines(t *testing.T) {
	for _, a := range timed() {
		t.Run(a.Title(), func(t *testing.T) {
			for seed := range uint64(8) {
				onGoroutines(t, a, nil, seed, fault.Plan{})
			}
		})
	}
}

// TestEveryArbiterOnGoroutines: the same of an arbiter, whichever algorithm elects it.
func TestEveryArbiterOnGoroutines(t *testing.T) {
	arbiter, err := catalog.Find("mutex", "arbiter")
	require.NoError(t, err)
	tried := 0
	for _, a := range timed() {
		if _, err := mutex.Arbiter(mutex.Config{Election: a}); err != nil {
			require.True(t, a.Sections > 0 || a.Elects == election.GroupLeaders || a.Topology == election.Hypercube ||
				a.Topology == election.Mesh, a.Title())
			continue
		}
		tried++
		t.Run(a.Title(), func(t *testing.T) {
			onGoroutines(t, arbiter, map[string]params.Value{"election": {Text: a.Title()}}, 3,
				fault.Plan{})
		})
	}
	require.Greater(t, tried, 20)
}

// TestCopiesOnGoroutines: links that deliver a copy of half of all packets change nothing, whatever the
// algorithm does with a message that comes twice.
func TestCopiesOnGoroutines(t *testing.T) {
	for _, a := range timed() {
		t.Run(a.Title(), func(t *testing.T) {
			for seed := range uint64(3) {
				onGoroutines(t, a, nil, seed, fault.Plan{Duplicate: 0.5})
			}
		})
	}
}

// onGoroutines runs an election among the processes of a seed, over links with these faults.
func onGoroutines(t *testing.T, a *election.Algorithm, values map[string]params.Value, seed uint64,
	plan fault.Plan) {
	t.Helper()
	rng := rand.New(rand.NewPCG(seed, 4))
	in := scenario.Input{}
	in.IDs, in.Priorities = catalogtest.Ranked(rng, catalogtest.Fits(a, 3+int(seed)))
	in.Algorithm = configured(t, a, values, in.IDs)
	require.NoError(t, in.Check())
	again := rng.IntN(len(in.IDs))
	for !catalogtest.MayStart(a, again) {
		again = rng.IntN(len(in.IDs))
	}
	want := twice(t, &in, simulate(t, in), again)
	byChance := in.Algorithm.Winner == nil && in.Algorithm.Elects != election.NoLeader // twice has judged the leaders
	synctest.Test(t, func(t *testing.T) {
		c := gather(t, &in, faults.Config{Plan: plan, Min: scenario.Unit, Seed: seed})
		got := twice(t, &in, c, again)
		require.True(t, byChance || got == want, "%v, not %v", got, want)
		c.end()
	})
	synctest.Test(t, func(t *testing.T) {
		r, err := local.Run(t.Context(), local.Config{Input: in})
		require.NoError(t, err)
		if byChance {
			require.NoError(t, r.Err())
			return
		}
		require.Equal(t, want[0], r.Leader)
	})
}

// configured returns an algorithm with these parameters for these processes; a token that goes round
// may do so for longer.
func configured(t *testing.T, a *election.Algorithm, values map[string]params.Value,
	ids []election.ID) *election.Algorithm {
	t.Helper()
	if values == nil {
		values = map[string]params.Value{}
	}
	if budget := a.Params.NameOf(params.MessageBudget); budget != "" {
		values[budget] = params.Value{Number: 1000}
	}
	a, err := scenario.Configure(a, values, ids, sim.Unit)
	require.NoError(t, err)
	return a
}

// twice runs two elections, and returns both leaders. If the largest live process leads, the first leader
// crashes before the second election and the others suspect it.
func twice(t *testing.T, in *scenario.Input, all processes, again int) [2]election.ID {
	t.Helper()
	where := in.Positions()
	up := make([]int, 0, len(in.IDs))
	for p := range in.IDs {
		up = append(up, p)
	}
	all.settle()
	switch {
	case in.Algorithm.Elects == election.NoLeader:
		inside(t, in, all)
		for p := range in.IDs {
			require.Equal(t, election.Undecided, all.outcome(p).Role)
		}
		return [2]election.ID{}
	case in.Algorithm.Sections > 0 && !in.Algorithm.Faults.Unaided(): // a Start asks for entry
		inside(t, in, all)
		leader := all.outcome(0).Leader.ID
		agreed(t, in, all, up, leader)
		return [2]election.ID{leader, leader}
	}
	first := all.outcome(0).Leader.ID
	require.NoError(t, in.Expected().Judge(first))
	agreed(t, in, all, up, first)
	if !in.Algorithm.Faults.Unaided() {
		all.post(again, begin)
		all.settle()
		second := all.outcome(again).Leader.ID
		require.NoError(t, catalogtest.Winner(in, again).Judge(second))
		for _, p := range up {
			require.EqualValues(t, 2, all.outcome(p).Term)
		}
		agreed(t, in, all, up, second)
		return [2]election.ID{first, second}
	}
	gone := where[first]
	all.crash(gone)
	up = append(up[:gone], up[gone+1:]...)
	var heir election.Rank
	for _, p := range up {
		if r := in.Self(p); heir.Less(r) {
			heir = r
		}
		for port := range election.Port(in.Ports(p)) {
			if in.Peer(p, port).ID == first {
				all.post(p, election.Event{Op: election.Suspect, Port: port})
			}
		}
	}
	all.settle()
	agreed(t, in, all, up, heir.ID)
	return [2]election.ID{first, heir.ID}
}

// agreed requires that these processes follow a leader, and that it leads.
func agreed(t *testing.T, in *scenario.Input, all processes, up []int, leader election.ID) {
	t.Helper()
	for _, p := range up {
		want := election.Follower
		if in.IDs[p] == leader {
			want = election.Leader
		}
		require.Equal(t, leader, all.outcome(p).Leader.ID, "process %d", in.IDs[p])
		require.Equal(t, want, all.outcome(p).Role, "process %d", in.IDs[p])
	}
}

// inside requires that all processes have entered, and enter again.
func inside(t *testing.T, in *scenario.Input, all processes) {
	t.Helper()
	require.Equal(t, len(in.IDs), all.entries())
	for p := range in.IDs {
		all.post(p, begin)
	}
	all.settle()
	require.Equal(t, 2*len(in.IDs), all.entries())
}

// simulated are processes in the simulator.
type simulated struct {
	t *testing.T
	*sim.Sim
}

func simulate(t *testing.T, in scenario.Input) *simulated {
	t.Helper()
	s, err := sim.New(sim.Config{Input: in})
	require.NoError(t, err)
	return &simulated{t, s}
}

func (s *simulated) post(p int, ev election.Event)  { s.Post(p, ev) }
func (s *simulated) crash(p int)                    { s.Crash(p) }
func (s *simulated) outcome(p int) election.Outcome { return s.Outcome(p) }
func (s *simulated) entries() int                   { return len(s.Result().Entries) }

func (s *simulated) settle() {
	s.Extend(s.Now() + settling)
	require.NoError(s.t, s.Run(s.t.Context()))
}

// gathered are processes that run over the transport in memory, in a bubble.
type gathered struct {
	*cluster
	entered []int // by process
}

// gather starts the processes that start at the beginning.
func gather(t *testing.T, in *scenario.Input, network faults.Config) *gathered {
	t.Helper()
	links, err := faults.NewLinks(network)
	require.NoError(t, err)
	transports := inMemory(t, memory.New())
	g := &gathered{cluster: &cluster{t: t, in: in, machines: make([]machine, len(in.IDs))},
		entered: make([]int, len(in.IDs))}
	for p, id := range in.IDs {
		g.machines[p] = machine{transport: links.Over(transports(id)), crash: func() {}}
		config := configOf(t, in, p)
		// By default a process comes back, which must not matter. The token of a ring is made by founders.
		config.Founding = network.Seed%2 == 0 || in.Algorithm.Title() == "mutex/tokenring"
		config.OnRaise = func(ev election.Event) {
			if ev.Op == election.Entered {
				g.entered[p]++
			}
		}
		g.run(p, config)
	}
	for _, e := range g.events() {
		e.do()
	}
	return g
}

func (g *gathered) post(p int, ev election.Event) {
	process := g.machines[p].process
	if ev.Op == election.Suspect {
		require.NoError(g.t, process.Suspect(g.in.Peer(p, ev.Port).ID))
		return
	}
	require.Equal(g.t, election.Start, ev.Op)
	require.NoError(g.t, process.Start())
}
func (g *gathered) crash(p int) { g.discard(p) }

func (g *gathered) settle() {
	time.Sleep(settling)
	synctest.Wait()
}

func (g *gathered) outcome(p int) election.Outcome { return g.machines[p].process.Outcome() }

func (g *gathered) entries() (sum int) {
	for _, n := range g.entered {
		sum += n
	}
	return sum
}

func (g *gathered) end() {
	for p := range g.machines {
		g.machines[p].crash()
		require.NoError(g.t, g.machines[p].transport.Close())
	}
}
