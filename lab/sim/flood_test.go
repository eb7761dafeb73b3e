package sim

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/dkr"
	"github.com/go-election/election/lab/fault"
	"github.com/go-election/election/lab/scenario"
)

// TestFlood: an algorithm whose messages multiply ends with an error, and not with all the memory.
func TestFlood(t *testing.T) {
	s, err := New(Config{Seed: 1, Force: true, Input: scenario.Input{
		Algorithm: dkr.Algorithm(), IDs: []election.ID{1, 2, 3, 4, 5, 6},
		Faults: fault.Plan{Duplicate: 0.2}}})
	require.NoError(t, err)
	require.Equal(t, leastFlood, s.flood)
	s.flood >>= 6 // the whole would take seconds
	require.ErrorIs(t, s.Run(t.Context()), ErrFlood)
	require.GreaterOrEqual(t, s.byTime.n, s.flood)
}
