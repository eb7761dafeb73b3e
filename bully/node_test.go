package bully_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/bully"
	"github.com/go-election/election/lab/scenario"
)

// table is a View of process 0 among others.
type table []election.Rank

func (v table) Self(int) election.Rank                       { return v[0] }
func (v table) Ports(int) int                                { return len(v) - 1 }
func (v table) Peer(_ int, port election.Port) election.Rank { return v[port+1] }

// random returns an event that may or may not make sense.
func random(r *rand.Rand, ports int) election.Event {
	ops := []election.Op{election.Init, election.Rejoin, election.Start, election.Recv, election.Recv, election.Recv, election.Timeout, election.Suspect, election.Trust}
	return election.Event{Op: ops[r.IntN(len(ops))], Port: election.Port(r.IntN(ports)), Timer: uint8(r.IntN(4)),
		Msg: election.Message{Kind: uint8(r.IntN(10)), Term: r.Uint64N(6), Value: r.Uint64N(6), Rank: election.Rank{ID: election.ID(1 + r.IntN(5))}}}
}

// TestPure: the same state and the same event give the same effects and the same state, and a
// state that is saved and restored is the same.
func TestPure(t *testing.T) {
	view := table{{ID: 3}, {ID: 1}, {ID: 2}, {ID: 4}, {ID: 5}}
	for _, alg := range bully.Algorithms() {
		r := rand.New(rand.NewPCG(1, 2))
		node := alg.New(election.Setup{Self: view[0], Ports: 4})
		one, two := election.NewEnv(view, nil), election.NewEnv(view, nil)
		for range 100_000 {
			ev := random(r, 4)
			before := new(election.State).Append(nil, node)
			twin := alg.New(election.Setup{Self: view[0], Ports: 4})
			require.NoError(t, new(election.State).Restore(twin, before))
			require.Equal(t, before, new(election.State).Append(nil, twin))
			fx, fx2 := one.Begin(0), two.Begin(0)
			again := ev
			node.Step(one, &ev)
			twin.Step(two, &again)
			require.Equal(t, *fx, *fx2, "%v", ev)
			require.Equal(t, new(election.State).Append(nil, node), new(election.State).Append(nil, twin))
		}
	}
}

// TestNoAllocation: a step allocates nothing.
func TestNoAllocation(t *testing.T) {
	view := table{{ID: 3}, {ID: 1}, {ID: 2}, {ID: 4}, {ID: 5}}
	for _, alg := range bully.Algorithms() {
		r := rand.New(rand.NewPCG(1, 2))
		node := alg.New(election.Setup{Self: view[0], Ports: 4})
		env := election.NewEnv(view, nil)
		var ev election.Event
		step := func() {
			ev = random(r, 4)
			env.Begin(0)
			node.Step(env, &ev)
		}
		for range 10_000 {
			step() // until all lists are as long as they get
		}
		require.Zero(t, testing.AllocsPerRun(10_000, step), alg.Title())
	}
}

// TestTermsEnd: a Term that nothing can follow ends elections with an error, not with a wrong one.
func TestTermsEnd(t *testing.T) {
	view := table{{ID: 3}, {ID: 1}, {ID: 2}}
	for _, alg := range bully.Algorithms() {
		node := alg.New(election.Setup{Self: view[0], Ports: 2})
		env := election.NewEnv(view, nil)
		for _, ev := range []election.Event{
			{Op: election.Recv, Msg: election.Message{Kind: 1, Term: ^uint64(0), Rank: view[1]}},
			{Op: election.Start},
		} {
			env.Begin(0)
			node.Step(env, &ev)
		}
		fx := env.Begin(0)
		node.Step(env, &election.Event{Op: election.Rejoin})
		require.ErrorIs(t, fx.Err, election.ErrTermExhausted, alg.Title())
	}
}

// TestPrioritiesDecide: the largest Rank leads, whatever the IDs.
func TestPrioritiesDecide(t *testing.T) {
	for _, alg := range bully.Algorithms() {
		r := run(t, scenario.Input{Algorithm: alg, IDs: among(4), Priorities: []uint64{1, 7, 7, 0}})
		require.Equal(t, election.ID(3), r.Leader)
		require.True(t, r.Agreed)
	}
}
