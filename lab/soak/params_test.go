package soak_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/catalog"
	"github.com/go-election/election/lab/soak"
	"github.com/go-election/election/lab/verdict"
	"github.com/go-election/election/params"
)

// values are parameters that are numbers.
func values(numbers map[string]float64) map[string]params.Value {
	all := make(map[string]params.Value)
	for name, v := range numbers {
		all[name] = params.Value{Number: v}
	}
	return all
}

// TestTimesOfParameters: times that a user sets, long or short, are no failure of the algorithm.
func TestTimesOfParameters(t *testing.T) {
	for _, c := range []struct {
		name, variant string
		params        map[string]float64
		seed, runs    uint64
	}{
		{"mutex", "arbiter", map[string]float64{"delay": 1e4}, 0, 20},
		{"bully", "", map[string]float64{"heartbeat": 1e5}, 160, 20},
		{"bully", "", map[string]float64{"heartbeat": 0.01}, 3, 1},
		{"bully", "", map[string]float64{"delay": 0.2}, 0, 20},
		{"bully", "", map[string]float64{"alive_timeout": 3}, 0, 20}, // too short for a delay of 4
		{"modbully", "convenience", map[string]float64{"refresh": 5}, 150, 20},
		{"mutex", "tokenring", map[string]float64{"regenerate": 50, "critical_section": 300}, 0, 150},
	} {
		a, err := catalog.Find(c.name, c.variant)
		require.NoError(t, err)
		r, err := soak.Run(t.Context(), soak.Config{Algorithm: a, Params: values(c.params), Seed: c.seed,
			Runs: c.runs})
		require.NoError(t, err, "%s %v", a.Title(), c.params)
		if f := r.Failure; f != nil {
			require.Fail(t, f.Violation.Error(), "%s %v, seed %d", a.Title(), c.params, f.Seed)
		}
	}
}

// TestOrderOfParameters: whether links keep the order is for the election to say that a parameter names.
func TestOrderOfParameters(t *testing.T) {
	a, err := catalog.Find("mutex", "arbiter")
	require.NoError(t, err)
	unordered := 0
	for seed := range uint64(20) {
		for inner, needs := range map[string]bool{"dkr": true, "modbully/number": true, "bully": false} {
			c := soak.Config{Algorithm: a, Params: map[string]params.Value{"election": {Text: inner}}}
			plan, err := c.Plan(seed)
			require.NoError(t, err, inner)
			require.False(t, needs && plan.Unordered)
			if plan.Unordered {
				unordered++
			}
		}
	}
	require.Positive(t, unordered)
}

// deafToTimers returns an algorithm with parameters, whose Nodes miss timers of a name.
func deafToTimers(t *testing.T, name, variant string, numbers map[string]float64,
	missed func(timer uint8) bool) *election.Algorithm {
	t.Helper()
	a, err := catalog.Find(name, variant)
	require.NoError(t, err)
	spoilt := spoil(a, nil)
	spoilt.Params = a.Params
	spoilt.Configure = func(g *params.Given) (*election.Algorithm, error) {
		b, err := a.Configure(g)
		if err != nil {
			return nil, err
		}
		return spoil(b, func(n election.Node, e *election.Env, ev *election.Event) {
			if ev.Op != election.Timeout || !missed(ev.Timer) {
				n.Step(e, ev)
			}
		}), nil
	}
	return spoilt
}

// TestRestless: in a run that never comes to rest, what is never done is found. Heartbeats alone have to show
// that a leader is down, and links lose messages where that is survived.
func TestRestless(t *testing.T) {
	const watch, doubt = 3, 128
	for _, c := range []struct {
		name, variant string
		params        map[string]float64
		missed        uint8
		property      verdict.Property
		seed          uint64
	}{
		{"bully", "rules", map[string]float64{"heartbeat": 8}, watch, verdict.Agreement, 350},
		{"mutex", "tokenring", map[string]float64{"regenerate": 50}, doubt, verdict.Served, 0},
	} {
		missing := func(timer uint8) bool { return timer == c.missed }
		none := func(uint8) bool { return false }
		for _, missed := range []func(uint8) bool{none, missing} {
			r, err := soak.Run(t.Context(), soak.Config{Params: values(c.params), Seed: c.seed, Runs: 100,
				Algorithm: deafToTimers(t, c.name, c.variant, c.params, missed)})
			require.NoError(t, err)
			if missed(c.missed) {
				require.NotNil(t, r.Failure, c.name)
				require.Equal(t, c.property, r.Failure.Shrunk.Violation.Property)
				require.Equal(t, 1, r.Failure.Smallest.Faults())
			} else {
				require.Nil(t, r.Failure, c.name)
			}
		}
	}
}
