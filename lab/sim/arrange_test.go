package sim_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/dkr"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lab/sim"
	"github.com/go-election/election/lcr"
)

func TestArrange(t *testing.T) {
	for order, want := range map[sim.Order][]election.ID{
		sim.SortedOrder: {5, 2, 3, 4}, sim.WorstOrder: {4, 3, 2, 5}, sim.BestOrder: {5, 2, 3, 4},
	} {
		in := scenario.Input{Algorithm: lcr.Participant(), IDs: []election.ID{3, 5, 2, 4},
			Priorities: []uint64{1, 0, 1, 1}}
		require.True(t, sim.Arrange(&in, order, 0))
		require.Equal(t, want, in.IDs, order)
		for i, id := range in.IDs {
			require.Equal(t, id == 5, in.Priorities[i] == 0, "priorities stay with their processes")
		}
	}
	in := scenario.Input{Algorithm: dkr.Algorithm(), IDs: []election.ID{1, 2, 3}}
	require.False(t, sim.Arrange(&in, "upwards", 0))
	unknown := wildInput(3, nil)
	for _, order := range []sim.Order{sim.BestOrder, sim.WorstOrder} {
		require.False(t, sim.Arrange(&unknown, order, 0), "the algorithm does not say which one is the best")
	}
	in.Priorities = []uint64{10, 20, 30}
	orders := make(map[[3]election.ID]bool)
	for seed := range uint64(50) {
		require.True(t, sim.Arrange(&in, sim.RandomOrder, seed))
		for i, id := range in.IDs {
			require.EqualValues(t, 10*id, in.Priorities[i])
		}
		orders[[3]election.ID(in.IDs)] = true
	}
	require.Len(t, orders, 6, "each order is drawn")
}
