package lease_test

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lab/sim"
	"github.com/go-election/election/lease"
)

// transfers are handovers from one of three candidates to another, again and again. Messages take up to a unit.
type transfers struct {
	*sim.Sim
	now time.Duration
	rng *rand.Rand
}

func newTransfers(t *testing.T, seed uint64, delay time.Duration) *transfers {
	a, err := lease.New(lease.Config{Delay: delay})
	require.NoError(t, err)
	ids := []election.ID{1, 2, 3}
	s, err := sim.New(sim.Config{Schedule: sim.RandomDelay, Seed: seed, Until: 60 * sim.Unit,
		Input: scenario.Input{Algorithm: a, IDs: ids, Initiators: ids}})
	require.NoError(t, err)
	require.NoError(t, s.Run(t.Context()))
	return &transfers{s, 60 * sim.Unit, rand.New(rand.NewPCG(seed, 0))}
}

// run runs for a while, or until one leads.
func (s *transfers) run(t *testing.T, d time.Duration) (leader int, took time.Duration) {
	for began := s.now; ; s.now += sim.Unit / 10 {
		s.Extend(s.now)
		require.NoError(t, s.Sim.Run(t.Context()))
		for leader = range 3 {
			if s.Outcome(leader).Role == election.Leader {
				return leader, s.now - began
			}
		}
		if s.now-began > d {
			return -1, d
		}
	}
}

// transfer makes the leader hand over to one of the others after all have followed it for long.
func (s *transfers) transfer(t *testing.T) (from, to int) {
	s.now += 200 * sim.Unit
	from, _ = s.run(t, 100*sim.Unit)
	require.GreaterOrEqual(t, from, 0)
	to = (from + 1 + s.rng.IntN(2)) % 3
	s.Post(from, election.Event{Op: election.Command, Msg: lease.Resign(0, election.ID(to+1))})
	return from, to
}

// TestTransfer: the process that a leader names leads next, and not a third one whose turn comes early, even if
// messages take several times as long as Delay.
func TestTransfer(t *testing.T) {
	for _, delay := range []time.Duration{sim.Unit, sim.Unit / 2, sim.Unit / 4} {
		for seed := range uint64(50) {
			s := newTransfers(t, seed, delay)
			for range 10 {
				_, to := s.transfer(t)
				next, _ := s.run(t, 100*sim.Unit)
				require.Equal(t, to, next, "seed %d, Delay %v", seed, delay)
			}
		}
	}
}
