package experiment_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/lab/experiment"
)

func TestResolve(t *testing.T) {
	processes := []election.ID{2, 5, 9}
	ids, err := experiment.Resolve("crashed", []experiment.Place{{FromN: true}, {ID: 2, FromN: true},
		{ID: 5}}, processes)
	require.NoError(t, err)
	require.Equal(t, []election.ID{9, 2, 5}, ids)
	for _, p := range []experiment.Place{{ID: 3}, {ID: 3, FromN: true}, {}} {
		_, err := experiment.Resolve("crashed", []experiment.Place{p}, processes)
		require.ErrorIs(t, err, election.ErrInput)
		require.ErrorContains(t, err, "crashed[0]: ")
	}
}
