package trace_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/catalog"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lab/sim"
)

// TestLegendIsOfWhatOccurs: the legend has each kind of message, line and mark that occurs, and no other.
func TestLegendIsOfWhatOccurs(t *testing.T) {
	a, err := catalog.Find("bully", "")
	require.NoError(t, err)
	c := sim.Config{Input: scenario.Input{Algorithm: a, IDs: numbered(5), Initiators: []election.ID{2}}}
	signs := func() (all []string) {
		for _, e := range elements(t, drawn(t, simulated(t, c), svgOf)) {
			if e.attr["class"] == "process" {
				return all
			}
			if e.name == "text" && e.attr["font-weight"] == "" {
				all = append(all, e.text)
			}
		}
		return nil
	}
	c.CrashAt = []scenario.At{{ID: 5, Time: scenario.Unit / 2}}
	require.Equal(t, []string{"election", "alive", "coordinator", "lost", "follows", "starts", "leads", "time-out",
		"crashes"}, signs()[1:])
	c.CrashAt, c.Crashed = nil, []election.ID{5}
	require.Equal(t, []string{"election", "alive", "coordinator", "lost", "follows", "starts", "leads", "time-out",
		"crashes"}, signs()[1:])
}
