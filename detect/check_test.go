package detect_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/detect"
	"github.com/go-election/election/lab/check"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lab/verdict"
	"github.com/go-election/election/lcr"
)

// TestNoWrongSuspicion: in every state of two processes, up to twelve delays, neither is suspected while
// messages take no longer than the bound, or each would begin another election. With a pause, one is.
func TestNoWrongSuspicion(t *testing.T) {
	a, err := detect.Under(lcr.Max(), detect.Deadline{Delay: scenario.Unit})
	require.NoError(t, err)
	visit := func(adjust func(*check.Config)) *check.Result {
		c := check.Config{Delay: scenario.Unit, Until: 12 * scenario.Unit,
			Input: scenario.Input{Algorithm: a, IDs: []election.ID{1, 2}, Initiators: []election.ID{1}},
			Properties: []check.Property{{Name: "one election", Kind: verdict.Always,
				Holds: func(s *check.State) bool {
					return s.Outcome(0).Term <= 1 &&
						s.Outcome(1).Term <= 1
				}}}}
		adjust(&c)
		r, err := check.Run(t.Context(), c)
		require.NoError(t, err)
		return r
	}
	r := visit(func(*check.Config) {})
	require.NoError(t, r.Err())
	require.True(t, r.Exhausted)
	require.EqualValues(t, 4137, r.States)
	r = visit(func(c *check.Config) { c.Pauses = 1 })
	require.NotNil(t, r.Counterexample)
	require.Equal(t, "one election", string(r.Counterexample.Property))
	r = visit(func(c *check.Config) { c.Crashes, c.Properties = 1, nil })
	require.NoError(t, r.Err())
	require.True(t, r.Exhausted)
	require.EqualValues(t, 7540, r.States)
}
