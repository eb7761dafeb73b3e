package sim

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/bully"
	"github.com/go-election/election/dkr"
	"github.com/go-election/election/lab/fault"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lab/topology"
	"github.com/go-election/election/lcr"
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

// TestFloodOfManyLinks: on large networks the limit for messages in flight is eight for each link, if one day
// of the calendar has room for that many plus two.
func TestFloodOfManyLinks(t *testing.T) {
	for links, want := range map[int]int{0: leastFlood, leastFlood / 8: leastFlood,
		leastFlood/8 + 1: leastFlood + 8, 1<<23 - 1: 1<<26 - 8, 1 << 23: 1<<26 - 2, 1 << 24: 1<<26 - 2} {
		require.Equal(t, want, floodOf(links), "%d links", links)
	}
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

// TestHorizon: a message arrives within its delay, or within three delays if links duplicate or reorder
// messages.
func TestHorizon(t *testing.T) {
	for _, tt := range []struct {
		faults         fault.Plan
		unit, ofRandom time.Duration
	}{
		{fault.Plan{}, Unit, 5 * Unit},
		{fault.Plan{Loss: 0.5}, Unit, 5 * Unit},
		{fault.Plan{Duplicate: 0.5}, 3 * Unit, 15 * Unit},
		{fault.Plan{Reorder: 0.5}, 3 * Unit, 15 * Unit},
	} {
		in := scenario.Input{Algorithm: lcr.Participant(), IDs: []election.ID{1, 2}, Faults: tt.faults}
		s, err := New(Config{Input: in, Force: true})
		require.NoError(t, err)
		require.Equal(t, tt.unit, s.horizon(), "%+v", tt.faults)
		s, err = New(Config{Input: in, Force: true, Schedule: RandomDelay, Delay: Delay{Max: 5 * Unit}})
		require.NoError(t, err)
		require.Equal(t, tt.ofRandom, s.horizon(), "%+v", tt.faults)
	}
}
