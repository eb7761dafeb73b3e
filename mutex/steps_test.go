package mutex_test

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/bully"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lcr"
	"github.com/go-election/election/modbully"
	"github.com/go-election/election/mutex"
	"github.com/go-election/election/params"
)

// single is the process 3 among 1..5, step by step; the others are not there.
type single struct {
	alg  *election.Algorithm
	node election.Node
	env  *election.Env
}

func alone(t *testing.T) func(*election.Algorithm, error) *single {
	return func(a *election.Algorithm, err error) *single {
		t.Helper()
		require.NoError(t, err)
		p := &single{alg: a, node: a.New(election.Setup{Self: view[0], Ports: 4}),
			env: election.NewEnv(view, nil)}
		p.step(election.Event{Op: election.Init})
		return p
	}
}

func (p *single) step(ev election.Event) *election.Effects {
	fx := p.env.Begin(0)
	p.node.Step(p.env, &ev)
	return fx
}

// hears delivers a message of this kind to the machine of its Layer.
func (p *single) hears(port election.Port, kind string, m election.Message) *election.Effects {
	m.Kind = p.kind(kind)
	return p.step(election.Event{Op: election.Recv, Port: port, Msg: m})
}

func (p *single) kind(name string) uint8 {
	return uint8(1 + slices.IndexFunc(p.alg.Kinds, func(k election.Kind) bool { return k.Name == name }))
}

// sent checks the only message of a step: its kind and its receiver.
func (p *single) sent(t *testing.T, fx *election.Effects, to election.Port, kind string) election.Message {
	t.Helper()
	require.Len(t, fx.Sends, 1)
	require.Equal(t, to, fx.Sends[0].Port)
	require.Equal(t, p.kind(kind), fx.Sends[0].Msg.Kind)
	return fx.Sends[0].Msg
}

// TestTakenBack: a process that has taken its request back gives the grant back that comes all the same.
func TestTakenBack(t *testing.T) {
	p := alone(t)(mutex.Arbiter(mutex.Config{Election: bully.Algorithms()[0], Arbiter: 4}))
	m := p.sent(t, p.step(mutex.Request(0, 1)), 2, "request")
	require.Empty(t, p.step(mutex.Release(0, 1)).Sends)
	fx := p.hears(2, "grant", m)
	require.Empty(t, fx.Signals)
	p.sent(t, fx, 2, "release")
}

// TestTakenBackHere: the arbiter takes its own request out of the queue, and no other.
func TestTakenBackHere(t *testing.T) {
	p := alone(t)(mutex.Arbiter(mutex.Config{Election: bully.Algorithms()[0], Arbiter: 3}))
	m := election.Message{Round: 1, Layer: 1}
	p.sent(t, p.hears(0, "request", m), 0, "grant")
	require.Empty(t, p.step(mutex.Request(0, 1)).Sends)
	require.Empty(t, p.hears(1, "request", m).Sends)
	require.Empty(t, p.step(mutex.Release(0, 1)).Sends)
	fx := p.hears(0, "release", m)
	require.Empty(t, fx.Signals)
	p.sent(t, fx, 1, "grant")
}

// TestReignOfAnAdoptedTerm: an arbiter that adopts a larger Term, without an election of its own, reigns
// in that Term.
func TestReignOfAnAdoptedTerm(t *testing.T) {
	elect, err := modbully.New(modbully.Number, modbully.Config{Coordinator: 4})
	require.NoError(t, err)
	p := alone(t)(mutex.Arbiter(mutex.Config{Election: elect}))
	fx := p.step(election.Event{Op: election.Suspect, Port: 2})
	require.Equal(t, election.Outcome{Term: 1, Leader: view[0], Role: election.Leader}, fx.Outcome)
	p.step(mutex.Request(0, 1))
	fx = p.hears(0, "election", election.Message{Term: 7, Rank: view[1]})
	require.EqualValues(t, 7, fx.Outcome.Term)
	fx = p.step(election.Event{Op: election.Timeout, Timer: 192, Layer: 1})
	require.Len(t, fx.Signals, 1)
	require.EqualValues(t, 7, fx.Signals[0].Event.Msg.Value>>32)
}

// TestAnswerToAnotherRequest: an answer counts for the request that it answers only.
func TestAnswerToAnotherRequest(t *testing.T) {
	p := alone(t)(mutex.RicartAgrawala(mutex.Config{}))
	require.Len(t, p.step(mutex.Request(0, 1)).Sends, 4)
	for port := range election.Port(4) {
		require.Empty(t, p.hears(port, "ok", election.Message{Value: 9}).Signals)
	}
	for port := range election.Port(3) {
		require.Empty(t, p.hears(port, "ok", election.Message{Value: 1}).Signals)
	}
	require.Len(t, p.hears(3, "ok", election.Message{Value: 1}).Signals, 1)
}

// TestRestingToken: a token whose budget is used up is part of the state.
func TestRestingToken(t *testing.T) {
	a, err := mutex.TokenRing(mutex.Config{First: 1, Hops: 1})
	p := alone(t)(a, err)
	require.Empty(t, p.hears(1, "token", election.Message{Round: 1}).Sends)
	twin := alone(t)(a, err)
	require.NoError(t, new(election.State).Restore(twin.node, new(election.State).Append(nil, p.node)))
	require.Len(t, twin.step(mutex.Request(0, 1)).Signals, 1)
}

// TestBoundsOfTimes: a section may take the whole lease, and no more.
func TestBoundsOfTimes(t *testing.T) {
	_, err := mutex.Arbiter(mutex.Config{Election: bully.Algorithms()[0], CriticalSection: time.Hour,
		Lease: time.Hour})
	require.NoError(t, err)
	_, err = mutex.Arbiter(mutex.Config{Election: bully.Algorithms()[0], CriticalSection: time.Hour,
		Lease: time.Hour - 1})
	require.ErrorIs(t, err, election.ErrInput)
}

// TestParametersOfTheElection: the parameters of the election are parameters of the arbiter too, except for the
// delay, which both share.
func TestParametersOfTheElection(t *testing.T) {
	a, err := mutex.Arbiter(mutex.Config{Election: bully.Algorithms()[0]})
	require.NoError(t, err)
	var names []string
	for _, p := range a.Params {
		names = append(names, p.Name)
	}
	for _, p := range bully.Algorithms()[0].Params {
		require.Contains(t, names, p.Name)
	}
	slices.Sort(names)
	require.Equal(t, slices.Compact(slices.Clone(names)), names)
}

// TestHopsByDefault: a token that is never regenerated stops after two rounds.
func TestHopsByDefault(t *testing.T) {
	for _, a := range mutex.Algorithms(lcr.Participant()) {
		if a.Variant == "tokenring" {
			a, err := scenario.Configure(a, nil, among(3), 0)
			require.NoError(t, err)
			require.False(t, a.NeverQuiesces)
			a, err = scenario.Configure(a, map[string]params.Value{"regenerate": {Number: 5}}, among(3), 0)
			require.NoError(t, err)
			require.True(t, a.NeverQuiesces)
		}
	}
}

// TestConfigureKeeps: what was set before counts unless it is given.
func TestConfigureKeeps(t *testing.T) {
	ring, err := mutex.TokenRing(mutex.Config{First: 2, Regenerate: unit, Sections: 3, Bridge: true})
	require.NoError(t, err)
	arbiter, err := mutex.Arbiter(mutex.Config{Election: bully.Algorithms()[0], Sections: 3, Delay: 2 * unit})
	require.NoError(t, err)
	all, err := mutex.RicartAgrawala(mutex.Config{Sections: 3})
	require.NoError(t, err)
	for _, a := range []*election.Algorithm{ring, arbiter, all} {
		b, err := scenario.Configure(a, nil, among(3), 0)
		require.NoError(t, err)
		require.Equal(t, 3, b.Sections)
		require.Equal(t, a.Topology, b.Topology)
		require.Equal(t, a.NeverQuiesces, b.NeverQuiesces)
		require.Equal(t, a.Delay, b.Delay)
	}
}
