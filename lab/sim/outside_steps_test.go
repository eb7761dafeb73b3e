package sim_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/catalog"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lab/sim"
	"github.com/go-election/election/observe"
)

// TestStepsOutside: steps that leave the model of an algorithm say so, as acts do. Of time steps say nothing,
// so that none leaves the model by it.
func TestStepsOutside(t *testing.T) {
	for _, c := range []struct {
		algorithm string
		steps     []scenario.Step
		want      string
	}{
		{"lcr", []scenario.Step{{Do: observe.Start, Process: 1}, {Do: observe.Start, Process: 2}}, ""},
		{"lcr", []scenario.Step{{Do: observe.Start, Process: 1}, {Do: observe.Crash, Process: 2}},
			"lcr/participant promises nothing where processes crash"},
		{"lcr", []scenario.Step{{Do: observe.Start, Process: 1}, {Do: observe.Lose, Process: 2, Port: 1}},
			"lcr/participant promises nothing where messages are lost"},
		{"bully", []scenario.Step{{Do: observe.Start, Process: 1}, {Do: observe.Crash, Process: 2}}, ""},
	} {
		a, err := catalog.Find(c.algorithm, "")
		require.NoError(t, err)
		r, err := sim.Run(t.Context(), sim.Config{Input: scenario.Input{Algorithm: a,
			IDs: []election.ID{1, 2, 3}}, Steps: c.steps})
		require.NoError(t, err)
		if c.want == "" {
			require.Empty(t, r.Outside)
			continue
		}
		require.Len(t, r.Outside, 1)
		require.Equal(t, c.want, r.Outside[0].Why)
	}
}
