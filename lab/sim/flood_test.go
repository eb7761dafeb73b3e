package sim

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/bully"
	"github.com/go-election/election/dkr"
	"github.com/go-election/election/lab/fault"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lab/topology"
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

// TestFloodOfManyLinks: on large networks more messages may be under way, eight for each link.
func TestFloodOfManyLinks(t *testing.T) {
	links, err := topology.Complete(1000)
	require.NoError(t, err)
	ids := make([]election.ID, links.Len())
	for p := range ids {
		ids[p] = election.ID(p + 1)
	}
	s, err := New(Config{Input: scenario.Input{IDs: ids, Topology: links, Algorithm: bully.Algorithms()[0]}})
	require.NoError(t, err)
	require.Equal(t, 8*links.Links(), s.flood)
}
