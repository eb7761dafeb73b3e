package soak

import (
	"context"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/lab/sim"
	"github.com/go-election/election/lab/verdict"
	"github.com/go-election/election/lease"
	"github.com/go-election/election/params"
)

// TestVotersChange: the runs found groups, change their voters, take changes back, and end with the voters that all
// wish.
func TestVotersChange(t *testing.T) {
	const runs = 300
	c := Config{Algorithm: leases(t), Profile: Voters}
	changes, told := 0, map[string]int{}
	for seed := range uint64(runs) {
		p, err := c.Plan(seed)
		require.NoError(t, err)
		require.True(t, slices.ContainsFunc(p.IDs, p.isWished))
		require.Empty(t, p.RecoverAt)
		require.Len(t, p.RestartAt, len(p.CrashAt))
		require.Contains(t, p.Describe(), " commands")
		for _, c := range p.Commands {
			told[c.Name]++
		}
		y, err := p.begin(context.Background(), nil)
		require.NoError(t, err)
		y.playAll()
		require.Nil(t, y.wrong, "seed %d: %s", seed, p.Describe())
		require.True(t, y.isSettled(slices.Sorted(slices.Values(p.final))), "seed %d", seed)
		changes += y.chain.Changes()
	}
	require.Greater(t, changes, runs)
	for _, name := range []string{"change", "take back", "complete", "resign"} {
		require.Greater(t, told[name], 100, name)
	}
}

// blind is a voter that does not compare labels: it takes each to be its own.
type blind struct{ election.Node }

func (n blind) Inside() election.Node { return n.Node }

func (n blind) Step(e *election.Env, ev *election.Event) {
	const probe, claim = 1, 4
	if ev.Op == election.Recv && (ev.Msg.Kind == probe || ev.Msg.Kind == claim) && ev.Msg.Flags == 0 {
		own := *ev
		own.Msg.Rank.ID = election.ID(lease.Inspect(n.Node).Label)
		ev = &own
	}
	n.Node.Step(e, ev)
}

// TestVotersOfMistake: voters that do not compare labels break the chain of agreements. The smallest run is a scenario that
// the simulator repeats.
func TestVotersOfMistake(t *testing.T) {
	right := leases(t)
	wrong := *right
	wrong.Configure = func(g *params.Given) (*election.Algorithm, error) {
		a, err := right.Configure(g)
		if err != nil {
			return nil, err
		}
		configured := *a
		configured.New = func(s election.Setup) election.Node { return blind{a.New(s)} }
		configured.Configure = wrong.Configure
		return &configured, nil
	}
	r, err := Run(t.Context(), Config{Algorithm: &wrong, Profile: Voters, Runs: 3000})
	require.NoError(t, err)
	require.NotNil(t, r.Failure)
	require.Equal(t, verdict.Chain, r.Failure.Shrunk.Violation.Property)
	smallest := r.Failure.Smallest
	require.LessOrEqual(t, len(smallest.IDs), 3)

	s, err := smallest.Scenario()
	require.NoError(t, err)
	require.NotEmpty(t, s.Steps)
	in, err := s.Input(func(string, string) (*election.Algorithm, error) { return &wrong, nil })
	require.NoError(t, err)
	simulated, err := sim.Run(t.Context(), sim.Config{Input: in, Steps: s.Steps})
	require.NoError(t, err)
	require.Equal(t, smallest.Run(nil).Messages, simulated.Messages)
}

// TestSmallerVoters: a smaller plan keeps voters in every list, and one that all wishes have in common.
func TestSmallerVoters(t *testing.T) {
	c := Config{Algorithm: leases(t), Profile: Voters}
	dropped := 0
	for seed := range uint64(100) {
		p, err := c.Plan(seed)
		require.NoError(t, err)
		before := p.shown()
		for i := range p.IDs {
			q, more := dropProcess(p, i)
			require.True(t, more)
			if q == nil {
				continue
			}
			dropped++
			require.NoError(t, q.Check())
			for _, list := range q.lists() {
				require.NotContains(t, *list, p.IDs[i])
			}
		}
		q, _ := simpleIDs(p, 0)
		if q != nil {
			require.NoError(t, q.Check())
		}
		require.Equal(t, before, p.shown(), "the plan itself is as before")
	}
	require.Greater(t, dropped, 100)
}

// TestVotersRefused: only voters that may change can be drawn.
func TestVotersRefused(t *testing.T) {
	fixed := leases(t)
	fixed.Commands = nil
	_, err := Run(t.Context(), Config{Algorithm: fixed, Profile: Voters})
	require.EqualError(t, err, `election: bad input: profile: the voters of lease never change; choose another profile `+
		`than "voters"`)
	_, err = Run(t.Context(), Config{Algorithm: fixed, Profile: "none"})
	require.EqualError(t, err, `election: bad input: profile: "none" is not one of "", "chaos" and "voters"`)
}
