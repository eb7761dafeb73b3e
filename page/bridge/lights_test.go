package bridge_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election/lab/check"
	"github.com/go-election/election/lab/museum"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lab/trace"
	"github.com/go-election/election/lab/verdict"
	"github.com/go-election/election/page/bridge"
)

// TestTwoLeases: a film names the step after which two leases are valid at one moment, by the clocks of the
// run, and names none where a process leads after the lease of the one before.
func TestTwoLeases(t *testing.T) {
	var b bridge.Bridge
	entries := 0
	for _, x := range museum.All() {
		if x.Property != verdict.OneLease {
			continue
		}
		entries++
		found, err := check.Run(t.Context(), x.Config)
		require.NoError(t, err)
		in := x.Config.Input
		in.Algorithm = x.Algorithm()
		require.NoError(t, in.Check())
		s, err := scenario.Of(&in)
		require.NoError(t, err)
		s.Steps = found.Counterexample.Steps
		var head trace.FilmHead
		ask(t, &b, "film", object{"scenario": s}, &head)
		require.NotEmpty(t, head.Wrong, x.ID())
		last := head.Wrong[len(head.Wrong)-1]
		require.Regexp(t, `^process \d leads in Term \d while the lease of process \d in Term \d is valid$`,
			last.Why)
	}
	require.GreaterOrEqual(t, entries, 5)

	// The leader pauses for longer than its lease, and another one begins to lead.
	text := json.RawMessage(`{"algorithm": "lease", "ids": [1, 2, 3], "clock_rates": [[1, 1.01]], "until": 400,
		"pause_at": [[3, 100, 200]]}`)
	film, err := trace.ReadFilm(ask(t, &b, "film", object{"scenario": text}, nil).Data)
	require.NoError(t, err)
	require.Empty(t, film.Head.Wrong)
	leaders := make(map[uint16]bool)
	for i, p := range film.Changes.Process {
		if film.Changes.Until[i] > 0 {
			leaders[p] = true
		}
	}
	require.GreaterOrEqual(t, len(leaders), 2)
}
