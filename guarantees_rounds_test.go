package election_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/floodmax"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lab/sim"
	"github.com/go-election/election/lab/topology"
	"github.com/go-election/election/observe"
)

// tooFewRounds returns what the processes on a path know in each round, with fewer rounds than the length of
// the path.
func tooFewRounds(t *testing.T) string {
	a, err := floodmax.Basic(floodmax.Config{Rounds: 2})
	require.NoError(t, err)
	path, err := topology.Path(5)
	require.NoError(t, err)
	ids := []election.ID{5, 1, 2, 3, 4}
	rows := make(map[uint32]map[election.ID]election.ID)
	r, err := sim.Run(t.Context(), sim.Config{Input: scenario.Input{Algorithm: a, Topology: path, IDs: ids},
		Observe: func(o *observe.Occurrence) {
			if o.What != observe.Step {
				return
			}
			note := func(round uint32, best election.ID) {
				if rows[round] == nil {
					rows[round] = make(map[election.ID]election.ID)
				}
				rows[round][o.Process] = best
			}
			for i := range o.Effects.Sends {
				m := &o.Effects.Sends[i].Msg
				note(m.Round, m.Rank.ID)
			}
			if o.Effects.Decided() {
				note(3, o.Effects.Outcome.Leader.ID)
			}
		}})
	require.NoError(t, err)
	require.Equal(t, 2, r.Claimants)
	var b strings.Builder
	line := func(what string, of func(id election.ID) election.ID) {
		fmt.Fprintf(&b, "%-22s", what)
		for _, id := range ids {
			fmt.Fprintf(&b, "%3d", of(id))
		}
		b.WriteString("\n")
	}
	line("process", func(id election.ID) election.ID { return id })
	for round, what := range []string{"sends in round 1", "sends in round 2", "follows, or leads"} {
		line(what, func(id election.ID) election.ID { return rows[uint32(round+1)][id] })
	}
	return b.String()
}
