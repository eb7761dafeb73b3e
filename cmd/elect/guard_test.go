package main

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/observe"
)

// TestSectionsOfSteps: a counterexample of mutual exclusion fails in a simulation too, not only where it is judged.
func TestSectionsOfSteps(t *testing.T) {
	for name, test := range map[string]struct {
		check []string
		want  string
	}{
		"tokens": {[]string{"mutex/arbiter", "-n", "2", "--crashes", "1", "--recoveries", "1"}, "enters critical section 0 with token"},
		"served": {[]string{"mutex/tokenring", "-n", "2"}, "process 2 asked and was never served"},
	} {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "counterexample.json")
			require.Equal(t, statusFailed, elect(t, "", append(append([]string{"check"}, test.check...), "--out", file)...).code)
			r := elect(t, "", "sim", "--scenario", file)
			require.Equal(t, statusFailed, r.code)
			require.Contains(t, r.stderr, test.want)
		})
	}
}

// TestGuard: two inside, or a token that is not larger, are told; who crashes is inside no more.
func TestGuard(t *testing.T) {
	entered := func(who election.ID, token uint64) *observe.Occurrence {
		fx := &election.Effects{}
		fx.Signals = []election.Signal{{Event: election.Event{Op: election.Entered, Msg: election.Message{Value: token}}}}
		return &observe.Occurrence{What: observe.Stepped, Process: who, Event: &election.Event{}, Effects: fx}
	}
	for want, all := range map[string][]*observe.Occurrence{
		"processes 1 and 2 are in critical section 0 together":      {entered(1, 1), entered(2, 2)},
		"process 2 enters critical section 0 with token 1, after 1": {entered(1, 1), {What: observe.Crashed, Process: 1}, entered(2, 1)},
	} {
		g, told := newGuard(), 0
		observe := g.observe(func(*observe.Occurrence) { told++ })
		for _, o := range all {
			require.NoError(t, g.err)
			observe(o)
		}
		require.EqualError(t, g.err, want)
		require.Equal(t, len(all), told)
	}
}
