package itairodeh_test

import (
	"flag"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/itairodeh"
	"github.com/go-election/election/lab/check"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/nodetest"
)

var long = flag.Bool("long", false, "try larger networks and more schedules")

// visited visits every state of an election.
func visited(t *testing.T, c itairodeh.Config, initiators []election.ID, n int) *check.Result {
	t.Helper()
	a, err := itairodeh.New(c)
	require.NoError(t, err)
	r, err := check.Run(t.Context(), check.Config{Workers: 1, Input: scenario.Input{Algorithm: a,
		IDs: rising(n), Initiators: initiators}})
	require.NoError(t, err)
	return r
}

func rising(n int) []election.ID {
	ids := make([]election.ID, n)
	for p := range ids {
		ids[p] = election.ID(p + 1)
	}
	return ids
}

// TestEveryState: whatever the processes draw, whichever start and whenever, at most one leads, and with
// probability 1 one does, as all then know.
func TestEveryState(t *testing.T) {
	for n := 1; n <= 4; n++ {
		for k := uint32(2); k <= 3; k++ {
			if n == 4 && k == 3 && !*long {
				continue
			}
			for initiators := range nodetest.Subsets(rising(n)) {
				if initiators[0] != 1 { // another ring, turned, is the same: no process looks at an ID
					continue
				}
				r := visited(t, itairodeh.Config{K: k, Finite: true}, initiators, n)
				require.NoError(t, r.Err(), "%d of %d draw from %d", len(initiators), n, k)
				require.True(t, r.Exhausted)
			}
		}
	}
}
