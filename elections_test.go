package election_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/catalog"
	"github.com/go-election/election/internal/catalogtest"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lab/sim"
)

// TestElectionsOneAfterAnother: as soon as any process knows that an election has ended, it starts the next
// one, while messages of the last are still in flight. In the end all processes agree on the right leader each
// time, in the latest Term.
func TestElectionsOneAfterAnother(t *testing.T) {
	const elections = 6
	for _, a := range catalog.All() {
		if a.LongLived() {
			continue
		}
		for _, unordered := range []bool{false, true} {
			if unordered && (a.NeedsFIFO || a.Synchronous) {
				continue
			}
			t.Run(fmt.Sprintf("%s/unordered=%t", a.Title(), unordered), func(t *testing.T) {
				for seed := range uint64(150) {
					rng := rand.New(rand.NewPCG(seed, 1))
					ids, priorities := catalogtest.Ranked(rng, catalogtest.Fits(a, 1+int(seed)%9))
					in := scenario.Input{Algorithm: a, IDs: ids, Priorities: priorities}
					require.NoError(t, in.Check())
					s, err := sim.New(sim.Config{Input: in, Schedule: scheduleOf(a), Unordered: unordered,
						Seed: seed})
					require.NoError(t, err)
					last := 0
					for term := range uint64(elections - 1) {
						last = stepToAnEnd(t, a, s, term+1, rng, len(ids))
						s.Post(last, start())
					}
					require.NoError(t, s.Run(t.Context()), "seed %d", seed)
					r := s.Result()
					require.NoError(t, r.Err(), "seed %d", seed)
					require.Equal(t, 1, r.Claimants)
					for p := range ids {
						require.NoError(t, catalogtest.Winner(&in, last).Judge(s.Outcome(p).Leader.ID),
							"seed %d", seed)
						require.EqualValues(t, elections, s.Outcome(p).Term, "seed %d", seed)
					}
				}
			})
		}
	}
}

// scheduleOf returns a schedule on which a single process may begin an election.
func scheduleOf(a *election.Algorithm) sim.Schedule {
	if a.Synchronous {
		return sim.UnitDelay
	}
	return sim.RandomDelay
}

// stepToAnEnd steps until some process knows that the election of a Term has ended, and returns
// one that does.
func stepToAnEnd(t *testing.T, a *election.Algorithm, s *sim.Sim, term uint64, rng *rand.Rand, n int) int {
	t.Helper()
	for {
		first := rng.IntN(n)
		for i := range n {
			if p := (first + i) % n; catalogtest.MayStart(a, p) && s.Ended(p) && s.Outcome(p).Term == term {
				return p
			}
		}
		require.True(t, s.Step(), "no event is left, and no process knows of an end")
	}
}

// TestRestartCatchesUp: on two-way links a process that has lost its Term, and starts an
// election that no process listens to, learns the current Term and starts the one after it.
func TestRestartCatchesUp(t *testing.T) {
	tried := 0
	for _, a := range catalog.All() {
		if !a.TwoWay || a.LongLived() { // long-lived algorithms have tests of their own
			continue
		}
		if a.Synchronous { // it decides by its clock, perhaps before it hears of the current Term
			continue
		}
		tried++
		t.Run(a.Title(), func(t *testing.T) {
			for seed := range uint64(100) {
				rng := rand.New(rand.NewPCG(seed, 2))
				ids, priorities := catalogtest.Ranked(rng, catalogtest.Fits(a, 2+int(seed)%7))
				in := scenario.Input{Algorithm: a, IDs: ids, Priorities: priorities}
				require.NoError(t, in.Check())
				s, err := sim.New(sim.Config{Input: in, Schedule: scheduleOf(a), Seed: seed})
				require.NoError(t, err)
				starter := func() int {
					for {
						if p := rng.IntN(len(ids)); catalogtest.MayStart(a, p) {
							return p
						}
					}
				}
				for range 4 {
					require.NoError(t, s.Run(t.Context()))
					s.Post(starter(), start())
				}
				require.NoError(t, s.Run(t.Context()))
				p := starter()
				s.Restart(p)
				require.Equal(t, election.Undecided, s.Outcome(p).Role)
				s.Post(p, start())
				require.NoError(t, s.Run(t.Context()))
				r := s.Result()
				require.NoError(t, r.Err(), "seed %d", seed)
				require.NoError(t, catalogtest.Winner(&in, p).Judge(r.Leader), "seed %d", seed)
				require.NotZero(t, r.Count("catch_up"))
			}
		})
	}
	require.GreaterOrEqual(t, tried, 3)
}

// TestReelect: a process that notices that a crash has stopped an election abandons it for the next one, after
// the links work again.
func TestReelect(t *testing.T) {
	for _, a := range catalog.All() {
		if a.LongLived() || a.Faults.Unaided() || a.Faults.Loss {
			continue // it may end in spite of the crash
		}
		t.Run(a.Title(), func(t *testing.T) {
			for seed := range uint64(100) {
				rng := rand.New(rand.NewPCG(seed, 3))
				ids, priorities := catalogtest.Ranked(rng, catalogtest.Fits(a, 3+int(seed)%7))
				down, notices := 1, 0
				in := scenario.Input{Algorithm: a, IDs: ids, Priorities: priorities,
					Crashed:   ids[down : down+1],
					RecoverAt: []scenario.At{{ID: ids[down], Time: 1000 * sim.Unit}}}
				require.NoError(t, in.Check())
				s, err := sim.New(sim.Config{Input: in, Schedule: scheduleOf(a), Seed: seed})
				require.NoError(t, err)
				require.NoError(t, s.Run(t.Context()))
				stuck := s.Result()
				require.Error(t, stuck.Err(), "seed %d: it ended in spite of the crash", seed)
				s.Post(notices, election.Event{Op: election.Reelect})
				require.NoError(t, s.Run(t.Context()))
				r := s.Result()
				require.NoError(t, r.Err(), "seed %d", seed)
				require.NoError(t, catalogtest.Winner(&in, notices).Judge(r.Leader), "seed %d", seed)
			}
		})
	}
}
