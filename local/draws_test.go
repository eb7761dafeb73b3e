package local_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/itairodeh"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/local"
	"github.com/go-election/election/observe"
)

// TestDraws: goroutines draw the values of the Input, and a process that draws more ends the run.
func TestDraws(t *testing.T) {
	in := scenario.Input{Algorithm: itairodeh.Rounds(), IDs: []election.ID{1, 2},
		Draws: [][]int{{1, 2, 1}, {1, 2, 2}}}
	r, err := local.Run(t.Context(), local.Config{Input: in, Observe: func(*observe.Occurrence) {}})
	require.NoError(t, err)
	require.EqualValues(t, 2, r.Leader)
	in.Draws = [][]int{{1}, {1}}
	_, err = local.Run(t.Context(), local.Config{Input: in})
	require.ErrorIs(t, err, election.ErrInput)
	require.ErrorContains(t, err, "draws more than the 1 numbers of its list")
}
