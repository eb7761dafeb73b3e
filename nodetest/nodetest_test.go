package nodetest

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lab/verdict"
	"github.com/go-election/election/lcr"
)

func TestWrongEndsAreFound(t *testing.T) {
	in := scenario.Input{Algorithm: lcr.Initiators(), IDs: []election.ID{3, 1, 2},
		Initiators: []election.ID{1, 2}}
	good := verdict.Result{Leader: 2, Claimants: 1, Agreed: true, Terminated: true}
	require.NoError(t, wrong(&in, &good))
	for _, test := range []struct {
		spoil func(r *verdict.Result)
		want  string
	}{
		{func(r *verdict.Result) { r.Agreed = false }, "no leader that all agree on"},
		{func(r *verdict.Result) { r.Leader = 3 }, "the leader is 3, not 2"},
		{func(r *verdict.Result) { r.Claimants = 2 }, "2 processes believe they lead"},
		{func(r *verdict.Result) { r.Terminated = false }, "not all know that the election has ended"},
	} {
		r := good
		test.spoil(&r)
		require.EqualError(t, wrong(&in, &r), test.want)
	}
}

func TestWinner(t *testing.T) {
	in := scenario.Input{Algorithm: lcr.Participant(), IDs: []election.ID{4, 2, 3, 1},
		Initiators: []election.ID{1}}
	require.Equal(t, election.ID(4), winner(&in))
	in.Priorities = []uint64{0, 7, 7, 5}
	require.Equal(t, election.ID(3), winner(&in))
	in.Algorithm = lcr.Initiators()
	require.Equal(t, election.ID(1), winner(&in))
	in.Initiators = nil
	require.Equal(t, election.ID(3), winner(&in))
}

func TestOrdersAndSubsets(t *testing.T) {
	seen := map[[4]election.ID]bool{}
	for ids := range Orders(4) {
		seen[[4]election.ID(ids)] = true
	}
	require.Len(t, seen, 24)
	var parts [][]election.ID
	for part := range Subsets([]election.ID{5, 6}) {
		parts = append(parts, slices.Clone(part))
	}
	require.Equal(t, [][]election.ID{{5}, {6}, {5, 6}}, parts)
	for seed := range uint64(50) {
		some := Some(Random(4, seed), seed)
		require.NotEmpty(t, some)
		slices.Sort(some)
		require.Equal(t, some, slices.Compact(slices.Clone(some)))
	}
}
