package election_test

import (
	"fmt"
	"math/bits"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/catalog"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lab/sim"
)

// ranked returns n processes in random order, some of them of one priority.
func ranked(rng *rand.Rand, n int) (ids []election.ID, priorities []uint64) {
	for _, i := range rng.Perm(n) {
		ids, priorities = append(ids, election.ID(i+1)), append(priorities, rng.Uint64N(3))
	}
	return ids, priorities
}

// fits returns the size next to n that the default links of an algorithm can have.
func fits(a *election.Algorithm, n int) int {
	switch a.Topology {
	case election.Hypercube:
		return 1 << bits.Len(uint(n)/2)
	case election.Mesh:
		return []int{9, 12, 15, 16}[n%4]
	}
	return n
}

// mayStart reports whether a process may start an algorithm: with some only the root may, the first.
func mayStart(a *election.Algorithm, p int) bool { return p == 0 || a.Title() != "treeelect/root" }

// winner returns who must be elected where p has begun.
func winner(in *scenario.Input, p int) election.ID {
	return in.Winner(func(int) bool { return true }, func(q int) bool { return q == p })
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
					ids, priorities := ranked(rng, fits(a, 1+int(seed)%9))
					in := scenario.Input{Algorithm: a, IDs: ids, Priorities: priorities}
					require.NoError(t, in.Check())
					s, err := sim.New(sim.Config{Input: in, Schedule: sim.RandomDelay, Unordered: unordered,
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
						require.Equal(t, winner(&in, last), s.Outcome(p).Leader.ID, "seed %d", seed)
						require.EqualValues(t, elections, s.Outcome(p).Term, "seed %d", seed)
					}
				}
			})
		}
	}
}

// stepToAnEnd steps until some process knows that the election of a Term has ended, and returns
// one that does.
func stepToAnEnd(t *testing.T, a *election.Algorithm, s *sim.Sim, term uint64, rng *rand.Rand, n int) int {
	t.Helper()
	for {
		first := rng.IntN(n)
		for i := range n {
			if p := (first + i) % n; mayStart(a, p) && s.Ended(p) && s.Outcome(p).Term == term {
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
				ids, priorities := ranked(rng, fits(a, 2+int(seed)%7))
				in := scenario.Input{Algorithm: a, IDs: ids, Priorities: priorities}
				require.NoError(t, in.Check())
				s, err := sim.New(sim.Config{Input: in, Schedule: sim.RandomDelay, Seed: seed})
				require.NoError(t, err)
				someone := func() int {
					for {
						if p := rng.IntN(len(ids)); mayStart(a, p) {
							return p
						}
					}
				}
				for range 4 {
					require.NoError(t, s.Run(t.Context()))
					s.Post(someone(), start())
				}
				require.NoError(t, s.Run(t.Context()))
				p := someone()
				s.Restart(p)
				require.Equal(t, election.Undecided, s.Outcome(p).Role)
				s.Post(p, start())
				require.NoError(t, s.Run(t.Context()))
				r := s.Result()
				require.NoError(t, r.Err(), "seed %d", seed)
				require.Equal(t, winner(&in, p), r.Leader, "seed %d", seed)
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
				ids, priorities := ranked(rng, fits(a, 3+int(seed)%7))
				down, notices := 1, 0
				in := scenario.Input{Algorithm: a, IDs: ids, Priorities: priorities,
					Crashed:   ids[down : down+1],
					RecoverAt: []scenario.At{{ID: ids[down], Time: 1000 * sim.Unit}}}
				require.NoError(t, in.Check())
				s, err := sim.New(sim.Config{Input: in, Schedule: sim.RandomDelay, Seed: seed})
				require.NoError(t, err)
				require.NoError(t, s.Run(t.Context()))
				stuck := s.Result()
				require.Error(t, stuck.Err(), "seed %d: it ended in spite of the crash", seed)
				s.Post(notices, election.Event{Op: election.Renew})
				require.NoError(t, s.Run(t.Context()))
				r := s.Result()
				require.NoError(t, r.Err(), "seed %d", seed)
				require.Equal(t, winner(&in, notices), r.Leader, "seed %d", seed)
			}
		})
	}
}
