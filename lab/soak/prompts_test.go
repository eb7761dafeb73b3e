package soak_test

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/bully"
	"github.com/go-election/election/lab/sim"
	"github.com/go-election/election/lab/soak"
	"github.com/go-election/election/observe"
)

// TestPrompts: the detector reports each crash and each return at the time that was drawn, however long
// nothing has happened before, and no process trusts one that is down. A process with a leader starts
// only if that is down.
func TestPrompts(t *testing.T) {
	for _, profile := range []soak.Profile{soak.Broad, soak.Chaos} {
		c := soak.Config{Algorithm: bully.Algorithms()[0], Profile: profile}
		due, back := 0, 0
		for seed := range uint64(200) {
			plan, err := c.Plan(seed)
			require.NoError(t, err)
			suspected := make(map[election.ID][]time.Duration) // by the process that suspects another
			trusted := make(map[election.ID][]time.Duration)
			leader := make(map[election.ID]election.ID) // by the process that follows it
			where := plan.Positions()
			longest := max(plan.Delay.Longest(), sim.Unit)
			o := plan.Run(func(o *observe.Occurrence) {
				switch {
				case o.What == observe.Crash:
					delete(leader, o.Process)
					return
				case o.What != observe.Step:
					return
				case o.Event.Op == election.Suspect:
					suspected[o.Process] = append(suspected[o.Process], o.At)
				case o.Event.Op == election.Trust:
					trusted[o.Process] = append(trusted[o.Process], o.At)
					q, _, _ := plan.Topology.Link(where[o.Process], o.Event.Port)
					_, down := downSince(plan, plan.IDs[q], o.At)
					require.False(t, down, "seed %d: %d trusts %d", seed, o.Process, plan.IDs[q])
				case o.Event.Op == election.Start && leader[o.Process] != 0 &&
					slices.Contains(plan.Prompts, soak.Prompt{At: o.At, To: o.Process}):
					since, down := downSince(plan, leader[o.Process], o.At)
					require.True(t, down, "seed %d: %d starts while its leader is up", seed, o.Process)
					require.True(t, profile == soak.Chaos || o.At-since >= longest)
				}
				if o.Effects.Decided() {
					leader[o.Process] = o.Effects.Outcome.Leader.ID
				}
			})
			require.Nil(t, o.Violation)
			for _, w := range plan.Prompts {
				if w.Back {
					_, of := downSince(plan, w.Of, w.At)
					if _, to := downSince(plan, w.To, w.At); !of && !to {
						back++
						require.Contains(t, trusted[w.To], w.At, "seed %d: %d trusts %d", seed, w.To, w.Of)
					}
					continue
				}
				if since, down := downSince(plan, w.Of, w.At); !down || w.At-since < longest {
					continue // its last message may be in flight
				}
				if _, down := downSince(plan, w.To, w.At); !down {
					due++
					require.Contains(t, suspected[w.To], w.At, "seed %d: %d suspects %d", seed, w.To, w.Of)
				}
			}
		}
		require.Greater(t, due, 200)
		require.Greater(t, back, 100)
	}
}

// downSince returns since when a process is down at a time, if it is.
func downSince(p *soak.Plan, id election.ID, at time.Duration) (since time.Duration, down bool) {
	for _, turn := range p.Turns() {
		if turn.ID == id && turn.Time <= at {
			since, down = turn.Time, turn.Do == observe.Crash
		}
	}
	return since, down || slices.Contains(p.Crashed, id)
}
