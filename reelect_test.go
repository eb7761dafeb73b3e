package election_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/catalog"
	"github.com/go-election/election/internal/catalogtest"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lab/sim"
	"github.com/go-election/election/observe"
)

// TestReelectEverywhere: after any losses, when the links are whole again, a Reelect at every process ends in
// one leader, and so does one at the process that has heard of the largest Term. At any other it need not: it
// may begin a Term in which others have taken part already.
func TestReelectEverywhere(t *testing.T) {
	seeds := uint64(300)
	if !*long {
		seeds = 15
	}
	elsewhere := 0
	for _, a := range catalog.All() {
		if a.LongLived() {
			continue
		}
		t.Run(a.Title(), func(t *testing.T) {
			for seed := range seeds {
				all := newStuck(t, a, seed)
				for p := range all.terms {
					all.reelect(p)
				}
				require.NoError(t, all.end(), "seed %d", seed)

				one := newStuck(t, a, seed)
				one.reelect(slices.Index(one.terms, slices.Max(one.terms)))
				require.NoError(t, one.end(), "seed %d", seed)

				other := newStuck(t, a, seed)
				other.reelect(slices.Index(other.terms, slices.Min(other.terms)))
				if other.end() != nil {
					elsewhere++
				}
			}
		})
	}
	require.NotZero(t, elsewhere)
}

// stuck is a run in which messages were lost, at every process another part of them.
type stuck struct {
	*sim.Sim
	t         *testing.T
	algorithm *election.Algorithm
	terms     []uint64 // the largest that each process has heard of
}

func newStuck(t *testing.T, a *election.Algorithm, seed uint64) *stuck {
	t.Helper()
	rng := rand.New(rand.NewPCG(seed, 7))
	ids, priorities := catalogtest.Ranked(rng, catalogtest.Fits(a, 3+int(seed)%6))
	in := scenario.Input{Algorithm: a, IDs: ids, Priorities: priorities}
	require.NoError(t, in.Check())
	s := &stuck{t: t, algorithm: a, terms: make([]uint64, len(ids))}
	where := in.Positions()
	hear := func(o *observe.Occurrence) {
		if o.What != observe.Step {
			return
		}
		term := &s.terms[where[o.Process]]
		*term = max(*term, o.Event.Msg.Term)
		for i := range o.Effects.Sends {
			*term = max(*term, o.Effects.Sends[i].Msg.Term)
		}
	}
	var err error
	s.Sim, err = sim.New(sim.Config{Input: in, Schedule: sim.RandomDelay, Seed: seed, Observe: hear})
	require.NoError(t, err)
	for range 1 + rng.IntN(5) {
		_, err := s.Do(scenario.Step{Do: observe.Cut, Groups: [][]election.ID{{ids[rng.IntN(len(ids))]}}})
		require.NoError(t, err)
		s.reelect(rng.IntN(len(ids)))
		for range rng.IntN(10 * len(ids)) {
			s.Step()
		}
		_, err = s.Do(scenario.Step{Do: observe.Heal})
		require.NoError(t, err)
	}
	require.NoError(t, s.Run(t.Context()))
	return s
}

// reelect asks a process that may begin an election.
func (s *stuck) reelect(p int) {
	if catalogtest.MayStart(s.algorithm, p) {
		s.Post(p, election.Event{Op: election.Reelect})
	}
}

// end runs on, and returns an error if not all follow one leader.
func (s *stuck) end() error {
	require.NoError(s.t, s.Run(s.t.Context()))
	r := s.Result()
	return r.Err()
}
