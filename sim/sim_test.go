package sim_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/lcr"
	"github.com/go-election/election/scenario"
	"github.com/go-election/election/sim"
)

func input(a *election.Algorithm, ids []election.ID) scenario.Input {
	return scenario.Input{Algorithm: a, IDs: ids}
}

func TestSmall(t *testing.T) {
	r, err := sim.Run(context.Background(), sim.Config{Input: input(lcr.Participant(), []election.ID{3, 1, 4, 8, 5, 2})})
	require.NoError(t, err)
	require.Equal(t, uint64(22), r.Messages)
	t.Log(r)
}
