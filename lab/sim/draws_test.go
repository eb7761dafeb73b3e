package sim_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/itairodeh"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lab/sim"
	"github.com/go-election/election/observe"
)

// drawing is an election of two processes that draw three times.
func drawing(draws [][]int) sim.Config {
	return sim.Config{Input: scenario.Input{Algorithm: itairodeh.Rounds(), IDs: []election.ID{1, 2},
		Draws: draws}}
}

// TestDraws: processes draw the numbers of the Input with every seed, also after Restore and in a run with
// acts.
func TestDraws(t *testing.T) {
	want := [][]int{{1, 2, 1}, {1, 2, 2}}
	for seed := range uint64(3) {
		c := drawing(want)
		c.Seed = seed
		got := make([][]int, 2)
		c.Observe = func(o *observe.Occurrence) {
			for _, choice := range o.Choices {
				require.Equal(t, 2, choice.Of)
				got[o.Process-1] = append(got[o.Process-1], choice.Chosen+1)
			}
		}
		require.EqualValues(t, 2, run(t, c).Leader)
		require.Equal(t, want, got)
		c.Observe = nil
		s, err := sim.New(c)
		require.NoError(t, err)
		for range 4 {
			require.True(t, s.Step())
		}
		snap := s.Snapshot()
		for range 3 {
			require.NoError(t, s.Run(t.Context()))
			require.EqualValues(t, 2, s.Result().Leader)
			require.NoError(t, s.Restore(snap))
		}
	}
	c := drawing([][]int{{2}, {1}})
	c.Schedule = sim.Hand
	c.Acts = []scenario.Act{{Step: scenario.Step{Do: observe.Start, Process: 1}}}
	require.EqualValues(t, 1, run(t, c).Messages)
}

// TestDrawsEnd: a run ends if a process draws more numbers than its list has, or if a number of the list is
// out of range.
func TestDrawsEnd(t *testing.T) {
	for want, draws := range map[string][][]int{
		"draws[0]: 1 draws more than the 1 numbers of its list": {{1}, {1}},
		"draws[1][0]: 2 draws from 1 to 2, not 3":               {{1}, {3}},
	} {
		_, err := sim.Run(t.Context(), drawing(draws))
		require.ErrorIs(t, err, election.ErrInput)
		require.ErrorContains(t, err, want)
	}
}
