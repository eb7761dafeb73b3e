package election_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/catalog"
	"github.com/go-election/election/scenario"
	"github.com/go-election/election/sim"
)

// ranked returns n processes in random order, some of them of one priority.
func ranked(rng *rand.Rand, n int) (ids []election.ID, priorities []uint64, largest election.Rank) {
	for _, i := range rng.Perm(n) {
		r := election.Rank{ID: election.ID(i + 1), Priority: rng.Uint64N(3)}
		ids, priorities = append(ids, r.ID), append(priorities, r.Priority)
		if largest.Less(r) {
			largest = r
		}
	}
	return ids, priorities, largest
}

// TestElectionsOneAfterAnother: as soon as any process knows that an election has ended it starts
// the next, while messages of the last are still under way. Every time all agree on the right
// leader in the end, in the latest Term.
func TestElectionsOneAfterAnother(t *testing.T) {
	const elections = 6
	for _, a := range catalog.All() {
		if a.LongLived {
			continue
		}
		for _, unordered := range []bool{false, true} {
			if unordered && a.NeedsFIFO {
				continue
			}
			t.Run(fmt.Sprintf("%s/unordered=%t", a.Title(), unordered), func(t *testing.T) {
				for seed := range uint64(150) {
					rng := rand.New(rand.NewPCG(seed, 1))
					ids, priorities, leader := ranked(rng, 1+int(seed)%9)
					s, err := sim.New(sim.Config{
						Input:    scenario.Input{Algorithm: a, IDs: ids, Priorities: priorities},
						Schedule: sim.RandomDelay, Unordered: unordered, Seed: seed,
					})
					require.NoError(t, err)
					for term := range uint64(elections - 1) {
						p := stepToAnEnd(t, s, term+1, rng, len(ids))
						s.Post(p, start())
						if a.Winner == election.LargestOfInitiators {
							leader = election.Rank{ID: ids[p], Priority: priorities[p]}
						}
					}
					require.NoError(t, s.Run(t.Context()), "seed %d", seed)
					r := s.Result()
					require.NoError(t, r.Err(), "seed %d", seed)
					require.Equal(t, 1, r.Leaders)
					for p := range ids {
						require.Equal(t, leader, s.Outcome(p).Leader, "seed %d", seed)
						require.EqualValues(t, elections, s.Outcome(p).Term, "seed %d", seed)
					}
				}
			})
		}
	}
}

// stepToAnEnd steps until some process knows that the election of a Term has ended, and returns
// one that does.
func stepToAnEnd(t *testing.T, s *sim.Sim, term uint64, rng *rand.Rand, n int) int {
	t.Helper()
	for {
		first := rng.IntN(n)
		for i := range n {
			if p := (first + i) % n; s.Ended(p) && s.Outcome(p).Term == term {
				return p
			}
		}
		require.True(t, s.Step(), "nothing is left to happen, and nobody knows of an end")
	}
}

// TestRestartCatchesUp: on two-way links a process that has lost its Term, and starts an
// election nobody listens to, learns the current Term and starts the one after it.
func TestRestartCatchesUp(t *testing.T) {
	tried := 0
	for _, a := range catalog.All() {
		if !a.TwoWay || a.LongLived { // those that keep Terms themselves have tests of their own
			continue
		}
		tried++
		t.Run(a.Title(), func(t *testing.T) {
			for seed := range uint64(100) {
				rng := rand.New(rand.NewPCG(seed, 2))
				ids, priorities, leader := ranked(rng, 2+int(seed)%7)
				s, err := sim.New(sim.Config{
					Input:    scenario.Input{Algorithm: a, IDs: ids, Priorities: priorities},
					Schedule: sim.RandomDelay, Seed: seed,
				})
				require.NoError(t, err)
				for range 4 {
					require.NoError(t, s.Run(t.Context()))
					s.Post(rng.IntN(len(ids)), start())
				}
				require.NoError(t, s.Run(t.Context()))
				p := rng.IntN(len(ids))
				s.Restart(p)
				require.Equal(t, election.Undecided, s.Outcome(p).Role)
				s.Post(p, start())
				require.NoError(t, s.Run(t.Context()))
				if a.Winner == election.LargestOfInitiators {
					leader = election.Rank{ID: ids[p], Priority: priorities[p]}
				}
				r := s.Result()
				require.NoError(t, r.Err(), "seed %d", seed)
				require.Equal(t, leader.ID, r.Leader, "seed %d", seed)
				require.NotZero(t, r.Count("catch_up"))
			}
		})
	}
	require.GreaterOrEqual(t, tried, 3)
}

// TestRenew: an election that a crash has stopped for ever is given up for the next one, on
// links that are whole again, by whoever notices.
func TestRenew(t *testing.T) {
	for _, a := range catalog.All() {
		if a.LongLived {
			continue
		}
		t.Run(a.Title(), func(t *testing.T) {
			for seed := range uint64(100) {
				rng := rand.New(rand.NewPCG(seed, 3))
				ids, priorities, leader := ranked(rng, 3+int(seed)%7)
				down, notices := 1, 0
				s, err := sim.New(sim.Config{
					Input: scenario.Input{Algorithm: a, IDs: ids, Priorities: priorities, Crashed: ids[down : down+1],
						RecoverAt: []scenario.At{{ID: ids[down], Time: 1000 * sim.Unit}}},
					Schedule: sim.RandomDelay, Seed: seed,
				})
				require.NoError(t, err)
				require.NoError(t, s.Run(t.Context()))
				stuck := s.Result()
				require.Error(t, stuck.Err(), "seed %d: it ended in spite of the crash", seed)
				s.Post(notices, election.Event{Op: election.Renew})
				require.NoError(t, s.Run(t.Context()))
				if a.Winner == election.LargestOfInitiators {
					leader = election.Rank{ID: ids[notices], Priority: priorities[notices]}
				}
				r := s.Result()
				require.NoError(t, r.Err(), "seed %d", seed)
				require.Equal(t, leader.ID, r.Leader, "seed %d", seed)
			}
		})
	}
}
