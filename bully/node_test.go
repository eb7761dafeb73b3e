package bully_test

import (
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
