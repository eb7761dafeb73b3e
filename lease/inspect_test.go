package lease_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lab/sim"
	"github.com/go-election/election/lease"
)

// TestGrantOf: while a process leads, a majority has lent it their votes, for longer than its lease.
func TestGrantOf(t *testing.T) {
	s, err := sim.New(sim.Config{Input: scenario.Input{Algorithm: lease.Algorithms()[0], IDs: []election.ID{1, 2, 3}},
		Until: 60 * sim.Unit})
	require.NoError(t, err)
	led := 0
	for s.Step() {
		for p := range 3 {
			o := s.Outcome(p)
			if o.Role != election.Leader {
				continue
			}
			led++
			votes := 0
			for q := range 3 {
				if g := lease.GrantOf(s.Node(q), s.Now()); g.Owner == election.ID(p+1) && g.Term == o.Term && g.Until >= o.Until {
					votes++
				}
				require.Zero(t, lease.GrantOf(s.Node(q), s.Now()+time.Hour))
			}
			require.GreaterOrEqual(t, votes, 2)
		}
	}
	require.NotZero(t, led)
}
