package check_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election/lab/check"
	"github.com/go-election/election/lab/sim"
	"github.com/go-election/election/lab/verdict"
)

// replayed wants a property not to hold, and the simulator to come to the same end by the same steps.
func replayed(t testing.TB, c check.Config, property verdict.Property) *check.Trail {
	t.Helper()
	trail := fails(t, c, property)
	want, err := check.Follow(c, trail)
	require.NoError(t, err, trail.Steps)
	require.NoError(t, c.Input.Check())
	s, err := sim.New(sim.Config{Input: c.Input, Steps: trail.Steps})
	require.NoError(t, err)
	require.NoError(t, s.Run(t.Context()), trail.Steps)
	for p, outcome := range want {
		require.Equal(t, outcome, s.Outcome(p), "process %d after %v", c.IDs[p], trail.Steps)
	}
	return trail
}
