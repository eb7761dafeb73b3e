package soak_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/catalog"
	"github.com/go-election/election/lab/soak"
	"github.com/go-election/election/lcr"
	"github.com/go-election/election/observe"
	"github.com/go-election/election/params"
)

// TestDetector: where an algorithm survives crashes if a failure detector reports them, processes crash,
// and a Node that ignores the reports fails, as the smallest run shows when it is simulated again.
func TestDetector(t *testing.T) {
	over, err := lcr.Participant().OverComplete()
	require.NoError(t, err)
	for _, profile := range []soak.Profile{soak.Broad, soak.Chaos} {
		r, err := soak.Run(t.Context(), soak.Config{Algorithm: over, Runs: 200, Profile: profile})
		require.NoError(t, err)
		require.Nil(t, r.Failure)
		require.Greater(t, r.Crashes, uint64(200))

		deaf := spoil(over, func(n election.Node, e *election.Env, ev *election.Event) {
			if ev.Op != election.Suspect {
				n.Step(e, ev)
			}
		})
		r, err = soak.Run(t.Context(), soak.Config{Algorithm: deaf, Runs: 100, Profile: profile})
		require.NoError(t, err)
		require.NotNil(t, r.Failure)
		require.Len(t, r.Failure.Smallest.CrashAt, 1)
		replay(t, deaf, r.Failure)
	}
}

// TestReportsOfPlans: the reports of a plan come when nothing of the crashed process is in flight.
func TestReportsOfPlans(t *testing.T) {
	over, err := lcr.Participant().OverComplete()
	require.NoError(t, err)
	suspects, trusts := 0, 0
	for _, profile := range []soak.Profile{soak.Broad, soak.Chaos} {
		c := soak.Config{Algorithm: over, Profile: profile}
		for seed := range uint64(100) {
			plan, err := c.Plan(seed)
			require.NoError(t, err)
			require.Equal(t, len(plan.CrashAt) > 0, plan.SuspectAfter > 0)
			where := plan.Positions()
			last := make(map[election.ID]time.Duration) // when a message of the process has arrived
			plan.Run(func(o *observe.Occurrence) {
				if o.What != observe.Step {
					return
				}
				peer := func() election.ID {
					q, _, _ := plan.Topology.Link(where[o.Process], o.Event.Port)
					return plan.IDs[q]
				}
				switch o.Event.Op {
				case election.Recv:
					last[peer()] = o.At
				case election.Suspect:
					suspects++
					since, down := downSince(plan, peer(), o.At)
					require.True(t, down, "seed %d", seed)
					require.GreaterOrEqual(t, o.At, since+plan.SuspectAfter)
					require.LessOrEqual(t, last[peer()], since+plan.SuspectAfter)
				case election.Trust:
					trusts++
					_, down := downSince(plan, peer(), o.At)
					require.False(t, down, "seed %d", seed)
				}
			})
		}
	}
	require.Greater(t, suspects, 200)
	require.Greater(t, trusts, 50)
}

// TestReturns: where a crash is survived only if the process comes back, it does, in the smallest run too.
func TestReturns(t *testing.T) {
	a, err := catalog.Find("mutex", "tokenring")
	require.NoError(t, err)
	c := soak.Config{Algorithm: a, Runs: 200, Params: map[string]params.Value{"regenerate": {Number: 20}}}
	r, err := soak.Run(t.Context(), c)
	require.NoError(t, err)
	require.Nil(t, r.Failure)
	require.Greater(t, r.Crashes, uint64(100))
	for seed := range uint64(50) {
		plan, err := c.Plan(seed)
		require.NoError(t, err)
		require.Len(t, plan.RestartAt, len(plan.CrashAt))
	}
}
