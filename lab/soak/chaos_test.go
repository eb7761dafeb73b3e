package soak_test

import (
	"encoding/binary"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/catalog"
	"github.com/go-election/election/lab/soak"
	"github.com/go-election/election/lab/verdict"
)

// deafTo returns an algorithm of the catalog whose Nodes do not take some of their events.
func deafTo(t *testing.T, name, variant string,
	lost func(n election.Node, self election.Rank, ev *election.Event) bool) *election.Algorithm {
	t.Helper()
	a, err := catalog.Find(name, variant)
	require.NoError(t, err)
	return spoil(a, func(n election.Node, e *election.Env, ev *election.Event) {
		if !lost(n, e.Self(), ev) {
			n.Step(e, ev)
		}
	})
}

// TestChaos: mistakes that matter only where crashes and returns coincide with steps are found within as many
// runs as stand here. A seed stands where the mistake takes very many runs, most of which are left out.
func TestChaos(t *testing.T) {
	catchUp := func(_ election.Node, _ election.Rank, ev *election.Event) bool {
		return ev.Op == election.Recv && ev.Msg.Kind == election.CatchUp
	}
	ofTerm := func(n election.Node, r election.Rank, ev *election.Event) bool {
		return catchUp(n, r, ev) && ev.Msg.Rank.ID == 0
	}
	smaller := func(_ election.Node, self election.Rank, ev *election.Event) bool {
		return ev.Op == election.Recv && ev.Msg.Kind == 3 && ev.Msg.Rank.Less(self)
	}
	older := func(n election.Node, self election.Rank, ev *election.Event) bool { // than the election here
		if ev.Op != election.Recv || ev.Msg.Kind != 3 || ev.Msg.Rank.Less(self) {
			return false
		}
		state := new(election.State).Append(nil, n) // the Term, that in which the election began, ...
		return state[8+8+8+16] == 1 && ev.Msg.Term < binary.LittleEndian.Uint64(state[8:])
	}
	for _, c := range []struct {
		name, variant string
		deafTo        string
		lost          func(n election.Node, self election.Rank, ev *election.Event) bool
		seed, runs    uint64
	}{
		{"bully", "rules", "catch-ups", catchUp, 0, 100},
		{"bully", "rules", "older coordinators", older, 21_500, 200},      // Broad: not in 60,000
		{"bully", "rules", "smaller coordinators", smaller, 42_100, 200},  // Broad: not in 60,000
		{"modbully", "base", "catch-ups of a Term", ofTerm, 5_700, 200},   // Broad: 10,819
		{"modbully", "number", "catch-ups of a Term", ofTerm, 3_400, 200}, // Broad: 24,241
		{"modbully", "grant", "catch-ups of a Term", ofTerm, 300, 200},    // Broad: 11,420
	} {
		t.Run(c.name+" "+c.variant+" deaf to "+c.deafTo, func(t *testing.T) {
			r, err := soak.Run(t.Context(), soak.Config{Algorithm: deafTo(t, c.name, c.variant, c.lost),
				Profile: soak.Chaos, Seed: c.seed, Runs: c.runs})
			require.NoError(t, err)
			require.NotNil(t, r.Failure)
			require.Equal(t, verdict.Agreement, r.Failure.Violation.Property)
		})
	}
}

// TestChaosOfCatalog: what is right stands chaos too.
func TestChaosOfCatalog(t *testing.T) {
	runs := uint64(300)
	if !*long {
		runs = 100
	}
	for _, a := range catalog.All() {
		r, err := soak.Run(t.Context(), soak.Config{Algorithm: a, Profile: soak.Chaos, Runs: runs})
		require.NoError(t, err)
		require.Nil(t, r.Failure, a.Title())
	}
}
