package soak

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/lab/verdict"
	"github.com/go-election/election/lease"
	"github.com/go-election/election/params"
)

// leases returns package lease with clocks that are right, as far as its Nodes know.
func leases(t *testing.T) *election.Algorithm {
	t.Helper()
	a, err := lease.New(lease.Config{Delay: unit, Drift: -1})
	require.NoError(t, err)
	return a
}

// TestBeyondDrift: where clocks are wrong by more than the leases allow for, the judge finds two at once.
func TestBeyondDrift(t *testing.T) {
	a := leases(t)
	wrong := *a
	wrong.Configure = func(g *params.Given) (*election.Algorithm, error) {
		b, err := a.Configure(g)
		if err == nil {
			b.Faults.Drift = 0.4
		}
		return b, err
	}
	wrong.Faults.Drift = 0.4
	r, err := Run(t.Context(), Config{Algorithm: &wrong, Runs: 1000, Processes: 5, Workers: 1})
	require.NoError(t, err)
	require.NotNil(t, r.Failure)
	require.Equal(t, verdict.OneLease, r.Failure.Violation.Property)
}

// TestLeaderInTime: once all is as it should be, one leads within the time that package lease says, and the
// others follow it. What crashes stays down: a voter that comes back without memory takes longer.
func TestLeaderInTime(t *testing.T) {
	judged := 0
	for _, profile := range []Profile{Broad, Chaos} {
		c := Config{Algorithm: leases(t), Processes: 7, Profile: profile}
		for seed := range uint64(1000) {
			p, err := c.Plan(seed)
			require.NoError(t, err)
			if len(p.RecoverAt)+len(p.RestartAt) > 0 {
				continue
			}
			y, err := p.begin(context.Background(), nil)
			require.NoError(t, err)
			for _, w := range y.Prompts {
				y.until(w.At)
				y.prompt(w)
			}
			y.until(y.planEnd())
			if !slices.ContainsFunc(y.is, func(is participant) bool { return is.asked > 0 && !is.down }) {
				continue // no process that is up is a candidate
			}
			judged++
			delay, lasts := y.Algorithm.Delay, 100*y.Algorithm.Delay
			if v, ok := p.params["lease"]; ok {
				lasts = time.Duration(v.Number * float64(unit))
			}
			others := time.Duration(len(p.IDs) - 1)
			y.until(y.planEnd() + lasts + others*2*delay + 36*delay)
			require.Nil(t, y.wrong)
			require.Nil(t, y.judge(), "%s, seed %d: %s", profile, seed, p.Describe())
		}
	}
	require.Greater(t, judged, 800)
}
