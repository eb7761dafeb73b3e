package mutex_test

import (
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/bully"
	"github.com/go-election/election/hypercube"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lab/sim"
	"github.com/go-election/election/lab/verdict"
	"github.com/go-election/election/lcr"
	"github.com/go-election/election/mesh"
	"github.com/go-election/election/mutex"
	"github.com/go-election/election/params"
)

func among(n int) []election.ID {
	ids := make([]election.ID, n)
	for i := range ids {
		ids[i] = election.ID(i + 1)
	}
	return ids
}

// simulate runs a Config that must be right.
func simulate(t *testing.T, c sim.Config, a *election.Algorithm, err error) sim.Result {
	t.Helper()
	require.NoError(t, err)
	c.Algorithm = a
	r, err := sim.Run(t.Context(), c)
	require.NoError(t, err)
	return r
}

// TestCounts: an entry takes three messages with an arbiter, and none at the arbiter itself; 2(n-1) if all are
// asked; one hop on a ring if every process wants to enter.
func TestCounts(t *testing.T) {
	for n := 1; n <= 40; n++ {
		in := scenario.Input{IDs: among(n)}
		for _, schedule := range []sim.Schedule{sim.UnitDelay, sim.RandomDelay} {
			config := sim.Config{Input: in, Schedule: schedule, Seed: uint64(n)}
			c := mutex.Config{CriticalSection: unit, Election: bully.Algorithms()[0], Arbiter: election.ID(n),
				Lease: 1000 * unit}
			a, err := mutex.Arbiter(c)
			r := simulate(t, config, a, err)
			require.NoError(t, r.Err())
			require.Len(t, r.Entries, n)
			require.EqualValues(t, 3*(n-1), r.Messages)

			a, err = mutex.RicartAgrawala(c)
			r = simulate(t, config, a, err)
			require.Len(t, r.Entries, n)
			require.EqualValues(t, n*2*(n-1), r.Messages)

			c.First, c.Hops = 1, uint32(n)
			a, err = mutex.TokenRing(c)
			r = simulate(t, config, a, err)
			require.Len(t, r.Entries, n)
			require.EqualValues(t, n, r.Messages)
			for i, entry := range r.Entries {
				require.Equal(t, election.ID(i+1), entry.ID)
			}
		}
	}
}

// TestArbiterIsElected: the first request begins the election of an arbiter, any of those for
// complete graphs will do.
func TestArbiterIsElected(t *testing.T) {
	for _, elect := range []*election.Algorithm{bully.Algorithms()[0], poll()} {
		a, err := mutex.Arbiter(mutex.Config{CriticalSection: unit, Election: elect})
		r := simulate(t, sim.Config{Input: scenario.Input{IDs: among(5), Initiators: []election.ID{2, 3}}}, a,
			err)
		require.NoError(t, r.Err(), elect.Name)
		require.EqualValues(t, 5, r.Leader)
		require.Len(t, r.Entries, 2)
		require.GreaterOrEqual(t, r.Count("request"), uint64(2),
			"again where bully announces the coordinator again")
		require.EqualValues(t, 2, r.Count("grant"))
		require.EqualValues(t, 2, r.Count("release"))
	}
}

// TestArbiterOfARing: the same by an algorithm for rings, over the complete graph. When the arbiter
// has crashed each process that hears of it leaves it out of its ring, and the others elect another; a
// process that has not heard of it yet holds that up until it has.
func TestArbiterOfARing(t *testing.T) {
	a, err := mutex.Arbiter(mutex.Config{CriticalSection: 20 * unit, Election: lcr.Participant()})
	require.NoError(t, err)
	s, err := sim.New(sim.Config{Input: scenario.Input{Algorithm: a, IDs: among(4),
		Initiators: []election.ID{1, 2},
		CrashAt:    []scenario.At{{ID: 4, Time: 15 * unit}}}, Until: 16 * unit})
	require.NoError(t, err)
	require.NoError(t, s.Run(t.Context()))
	require.EqualValues(t, 4, s.Outcome(0).Leader.ID)
	for i, p := range []int{1, 0, 2} {
		s.Post(p, election.Event{Op: election.Suspect, Port: 2})
		require.Equal(t, election.Undecided, s.Outcome(p).Role)
		s.Extend(time.Duration(20+4*i) * unit)
		require.NoError(t, s.Run(t.Context()))
	}
	s.Extend(200 * unit)
	require.NoError(t, s.Run(t.Context()))
	r := s.Result()
	require.NoError(t, r.Err())
	require.EqualValues(t, 3, r.Leader)
	require.Len(t, r.Entries, 2)
	require.Equal(t, verdict.Entry{At: 9 * unit, ID: 1, Token: 1<<32 | 3<<30 | 1}, r.Entries[0])
	require.EqualValues(t, 2, r.Entries[1].ID)
	require.EqualValues(t, s.Outcome(0).Term<<32|2<<30|1, r.Entries[1].Token)
	require.Greater(t, r.Entries[1].At, (9+20)*unit, "the first has stayed inside")
}

// TestBridge: the token is lost with a process that stays down. When its neighbours hear of it they are linked
// with each other, and a waiting process regenerates the token; finally one process is left, and when another
// has recovered the token continues.
func TestBridge(t *testing.T) {
	a, err := mutex.TokenRing(mutex.Config{CriticalSection: unit, First: 1, Regenerate: 10 * unit,
		Bridge: true})
	require.NoError(t, err)
	s, err := sim.New(sim.Config{Input: scenario.Input{Algorithm: a, IDs: among(3),
		Initiators: []election.ID{2},
		CrashAt:    []scenario.At{{ID: 2, Time: 3 * unit / 2}, {ID: 3, Time: 60 * unit}},
		RestartAt:  []scenario.At{{ID: 3, Time: 90 * unit}}}})
	require.NoError(t, err)
	ask := func(at time.Duration, p int, events ...election.Event) sim.Result {
		s.Extend(at * unit)
		require.NoError(t, s.Run(t.Context()))
		for _, ev := range events {
			s.Post(p, ev)
		}
		return s.Result()
	}
	gone := func(port election.Port) election.Event {
		return election.Event{Op: election.Suspect, Port: port}
	}
	ask(5, 0, gone(0), mutex.Request(0, 1))
	ask(5, 2, gone(1))
	require.Equal(t, uint64(1<<32|1), ask(30, 0).Entries[1].Token)
	ask(62, 0, gone(1))
	ask(63, 0, mutex.Request(0, 2))
	r := ask(85, 0)
	require.Len(t, r.Entries, 3, "alone")
	require.EqualValues(t, 1, r.Entries[2].ID)
	require.Greater(t, r.Entries[2].Token, r.Entries[1].Token)
	sent := r.Messages
	require.Equal(t, sent, ask(89, 0).Messages, "it rests")
	ask(91, 2, gone(1), mutex.Request(0, 3))
	r = ask(130, 0)
	require.Len(t, r.Entries, 4)
	require.EqualValues(t, 3, r.Entries[3].ID)
	require.Greater(t, r.Entries[3].Token, r.Entries[2].Token)
}

// TestElectionIsNamed: a parameter names the election, which has parameters of its own.
func TestElectionIsNamed(t *testing.T) {
	all := slices.Concat(lcr.Algorithms(), mesh.Algorithms(), hypercube.Algorithms(),
		mutex.Algorithms(bully.Algorithms()[0]), bully.Algorithms())
	for _, test := range []struct{ name, other, kind, want string }{
		{"lcr", "", "election", ""},
		{"lcr/wave", "", "elected", ""},
		{"bully", "alive_timeout", "alive", ""},
		{"bully/halting", "", "halt", ""},
		{"lcr", "alive_timeout", "", "\"alive_timeout\" is not a parameter"},
		{"rcl", "", "",
			"\"rcl\" is not one of lcr, lcr/participant, lcr/initiators, lcr/max, lcr/wave, bully, " +
				"bully/rules, bully/halting"},
	} {
		values := map[string]params.Value{"election": {Text: test.name}}
		if test.other != "" {
			values[test.other] = params.Value{Number: 4}
		}
		a, err := mutex.Algorithms(bully.Algorithms()[0], all...)[0].Configure(params.New(values, unit,
			among(3)))
		if test.want != "" {
			require.ErrorIs(t, err, election.ErrInput)
			require.ErrorContains(t, err, test.want)
			continue
		}
		require.NoError(t, err, test.name)
		require.True(t,
			slices.ContainsFunc(a.Kinds, func(k election.Kind) bool { return k.Name == test.kind }),
			test.name)
		r := simulate(t, sim.Config{Input: scenario.Input{IDs: among(5)}}, a, nil)
		require.Len(t, r.Entries, 5, test.name)
	}
}

// TestArbiterCrashes: the next arbiter rebuilds the queue, a process that is inside stays inside, and tokens
// continue from the next Term.
func TestArbiterCrashes(t *testing.T) {
	a, err := mutex.Arbiter(mutex.Config{CriticalSection: 20 * unit, Election: bully.Algorithms()[0],
		Arbiter: 4})
	require.NoError(t, err)
	s, err := sim.New(sim.Config{Input: scenario.Input{Algorithm: a, IDs: among(4),
		Initiators: []election.ID{1, 2},
		CrashAt:    []scenario.At{{ID: 4, Time: 5 * unit}}}, Until: 6 * unit})
	require.NoError(t, err)
	require.NoError(t, s.Run(t.Context()))
	s.Post(1, election.Event{Op: election.Suspect, Port: 2})
	s.Extend(100 * unit)
	require.NoError(t, s.Run(t.Context()))
	r := s.Result()
	require.NoError(t, r.Err())
	require.EqualValues(t, 3, r.Leader)
	require.Len(t, r.Entries, 2)
	require.Equal(t, verdict.Entry{At: 2 * unit, ID: 1, Token: 3<<30 | 1}, r.Entries[0])
	require.Equal(t, verdict.Entry{At: 24 * unit, ID: 2, Token: 1<<32 | 2<<30 | 1}, r.Entries[1])
}

// TestClientCrashes: its grant expires.
func TestClientCrashes(t *testing.T) {
	a, err := mutex.Arbiter(mutex.Config{CriticalSection: unit, Election: bully.Algorithms()[0], Arbiter: 3,
		Lease: 5 * unit})
	r := simulate(t, sim.Config{Input: scenario.Input{IDs: among(3), Initiators: []election.ID{1, 2},
		CrashAt: []scenario.At{{ID: 1, Time: 2*unit + 1}}}}, a, err)
	require.Len(t, r.Entries, 2)
	require.Equal(t, 2*unit, r.Entries[0].At)
	require.Equal(t, (1+5+2+1)*unit, r.Entries[1].At,
		"granted after 1, a lease and two delays more, and one to get there")
}

// TestTokenIsMadeAnew: the token goes down with its holder; when the ring is whole again a process
// makes another, of a larger Term, and only one.
func TestTokenIsMadeAnew(t *testing.T) {
	a, err := mutex.TokenRing(mutex.Config{CriticalSection: unit, First: 1, Regenerate: 30 * unit})
	r := simulate(t, sim.Config{Until: 200 * unit, Input: scenario.Input{IDs: among(4),
		Initiators: []election.ID{2, 1, 4},
		StartTimes: []time.Duration{0, 10 * unit, 10 * unit},
		CrashAt:    []scenario.At{{ID: 2, Time: 3 * unit / 2}},
		RecoverAt:  []scenario.At{{ID: 2, Time: 20 * unit}}}}, a, err)
	require.Len(t, r.Entries, 3)
	require.EqualValues(t, 1, r.Entries[0].Token)
	require.Equal(t, uint64(1<<32|1), r.Entries[1].Token)
	require.Equal(t, uint64(1<<32|2), r.Entries[2].Token)
}

// TestSections: they have nothing to do with each other.
func TestSections(t *testing.T) {
	c := mutex.Config{Sections: 3, CriticalSection: 5 * unit, Election: bully.Algorithms()[0], Arbiter: 1,
		First: 1, Hops: 20}
	for i, variant := range []func(mutex.Config) (*election.Algorithm, error){mutex.Arbiter,
		mutex.RicartAgrawala, mutex.TokenRing} {
		a, err := variant(c)
		require.NoError(t, err)
		s, err := sim.New(sim.Config{Input: scenario.Input{Algorithm: a, IDs: among(3),
			Initiators: []election.ID{}}, Until: 1})
		require.NoError(t, err)
		for p := range 3 {
			s.Post(p, mutex.Request(uint8(p), 7))
		}
		s.Extend(100 * unit)
		require.NoError(t, s.Run(t.Context()))
		r := s.Result()
		require.Len(t, r.Entries, 3, a.Title())
		require.Less(t, r.Entries[2].At, 5*unit, "%s: all are inside together %d", a.Title(), i)
	}
}

func TestRefused(t *testing.T) {
	elect := bully.Algorithms()[0]
	for want, c := range map[string]mutex.Config{
		"Sections: 65 is not between 1 and 64": {Sections: 65, Election: elect},
		"Sections: -1 is not between 1 and 64": {Sections: -1, Election: elect},
		"Lease: 1s is shorter than 2s": {Lease: unit, CriticalSection: 2 * unit,
			Election: elect},
		"Grace: -1ns is not between 0":                       {Grace: -1, Election: elect},
		"Grace: 1.999999999s is shorter than 2s":             {Grace: 2*unit - 1, Election: elect},
		"Regenerate: a token with a budget of hops":          {Hops: 1, Regenerate: 1, Election: elect},
		"mesh runs on a mesh, which a crash would leave":     {Election: mesh.Algorithms()[0]},
		"hypercube runs on a hypercube, which a crash would": {Election: hypercube.Algorithms()[0]},
		"Config.Election: missing":                           {},
		"Lease: -1ns is not between 0": {Lease: -1, CriticalSection: 2 * unit,
			Election: elect},
		"Delay: 2562047h47m16.854775807s is not":             {Delay: math.MaxInt64, Election: elect},
		"mutex/arbiter elects no process to be an arbiter":   {Election: mutex.Algorithms(elect)[0]},
		"mutex/ricartagrawala elects no process to be":       {Election: mutex.Algorithms(elect)[1]},
		"mutex/tokenring elects no process to be an arbiter": {Election: mutex.Algorithms(elect)[2]},
	} {
		_, err := mutex.Arbiter(c)
		require.ErrorIs(t, err, election.ErrInput)
		require.ErrorContains(t, err, want)
	}
	_, err := mutex.Arbiter(mutex.Config{Delay: params.MaxTimeout, Election: elect})
	require.NoError(t, err, "what is derived from it is longer")
	_, err = mutex.TokenRing(mutex.Config{Hops: 9})
	require.ErrorIs(t, err, election.ErrInput)
	require.ErrorContains(t, err, "First: no process has the token")
	for _, no := range []*election.Algorithm{nil, mesh.Algorithms()[0], mutex.Algorithms(elect)[1]} {
		require.Panics(t, func() { mutex.Algorithms(no) })
	}
	for _, values := range []map[string]params.Value{
		{"hops": {}}, {"hops": {Number: 1.5}}, {"hops": {Text: "many"}}, {"critical_section": {}},
		{"first": {Number: 9}},
		{"hops": {Number: 1}, "regenerate": {Number: 1}}, {"lease": {Number: 1}},
	} {
		_, err := mutex.Algorithms(elect)[2].Configure(params.New(values, unit, among(3)))
		require.ErrorIs(t, err, election.ErrInput, fmt.Sprint(values))
	}
}

// voter is an election that knows one election only: each process sends its Rank to all.
type voter struct {
	spoke bool
	heard uint32
	best  election.Rank
}

func poll() *election.Algorithm {
	return &election.Algorithm{Name: "poll", Topology: election.Complete, TwoWay: true,
		Winner: election.LargestOfAll,
		Kinds:  []election.Kind{{Name: "vote"}}, New: func(election.Setup) election.Node { return &voter{} }}
}

func (n *voter) Step(e *election.Env, ev *election.Event) {
	if ev.Op != election.Start && ev.Op != election.Recv {
		return
	}
	if !n.spoke {
		n.spoke, n.best = true, e.Self()
		for port := range election.Port(e.Ports()) {
			e.Send(port, election.Message{Kind: 1, Rank: e.Self()})
		}
	}
	if ev.Op == election.Recv {
		n.heard++
		if n.best.Less(ev.Msg.Rank) {
			n.best = ev.Msg.Rank
		}
	}
	if int(n.heard) == e.Ports() {
		e.Decide(n.best)
		e.Done()
	}
}

func (n *voter) State(s *election.State) {
	s.Bool(&n.spoke)
	s.Uint32(&n.heard)
	s.Rank(&n.best)
}
