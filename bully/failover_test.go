package bully_test

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/bully"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lab/sim"
	"github.com/go-election/election/lab/soak"
)

// TestHaltingWithHeartbeats: these runs went from one election to the next forever, since a follower
// waited for the first heartbeat from READY on, and the leader sent it as long after the last DONE.
func TestHaltingWithHeartbeats(t *testing.T) {
	alg := halting(t, bully.Config{Heartbeat: 2 * sim.Unit})
	s, err := sim.New(sim.Config{Seed: 24, Schedule: sim.RandomDelay, Until: 1000 * sim.Unit,
		Delay: sim.Delay{Min: sim.Unit / 2, Max: sim.Unit},
		Input: scenario.Input{Algorithm: alg, IDs: among(4),
			CrashAt: []scenario.At{{ID: 4, Time: 10 * sim.Unit}}}})
	require.NoError(t, err)
	require.NoError(t, s.Run(t.Context()))
	r := s.Result()
	require.NoError(t, r.Err())
	require.Equal(t, election.ID(3), r.Leader)
	require.LessOrEqual(t, s.Outcome(0).Term, uint64(2))
	runs := uint64(200) // 50 is one of them
	if *long {
		runs = 5000
	}
	soaked, err := soak.Run(t.Context(), soak.Config{Algorithm: alg, Runs: runs})
	require.NoError(t, err)
	require.Nil(t, soaked.Failure)
}

// TestFailOver: if a leader with heartbeats crashes, all agree on the next one in the time that the package
// comment gives, whichever processes were down before.
func TestFailOver(t *testing.T) {
	runs := uint64(200)
	if *long {
		runs = 1000
	}
	for seed := range runs {
		rng := rand.New(rand.NewPCG(seed, 3))
		n := 2 + rng.IntN(5)
		at := 100*sim.Unit + time.Duration(rng.Int64N(int64(10*sim.Unit)))
		in := scenario.Input{IDs: among(n), CrashAt: []scenario.At{{ID: election.ID(n), Time: at}}}
		next, larger := 0, 0 // the next leader, and how many processes above it are down
		for id := n - 1; id > 0; id-- {
			switch down := rng.IntN(3) == 0 && (next > 0 || id > 1); {
			case down:
				in.CrashAt = append(in.CrashAt, scenario.At{ID: election.ID(id), Time: 50 * sim.Unit})
			case next == 0:
				next, larger = id, n-id
			}
		}
		shortest := time.Duration(rng.IntN(4)) * sim.Unit / 4
		c := bully.Config{Heartbeat: time.Duration(1+rng.IntN(3)) * sim.Unit, Patience: uint64(rng.IntN(2))}
		alive := 3 * sim.Unit
		noticed := time.Duration(1+c.Patience)*c.Heartbeat + alive
		for _, v := range []struct {
			algorithm *election.Algorithm
			bound     time.Duration
		}{
			{rules(t, c), noticed + 4*sim.Unit},
			{halting(t, c), noticed + time.Duration(larger)*alive + 7*sim.Unit},
		} {
			in.Algorithm = v.algorithm
			s, err := sim.New(sim.Config{Seed: seed, Schedule: sim.RandomDelay, Until: at + v.bound,
				Input: in,
				Delay: sim.Delay{Min: shortest, Max: sim.Unit}})
			require.NoError(t, err)
			require.NoError(t, s.Run(t.Context()))
			r := s.Result()
			require.NoError(t, r.Err(), "%s, seed %d", v.algorithm.Title(), seed)
			require.EqualValues(t, next, r.Leader, "%s, seed %d", v.algorithm.Title(), seed)
		}
	}
}

// TestLeaderSuspected: when the leader is suspected, the process below it that is up leads without a time-out,
// and sends no message to ask processes that are suspected.
func TestLeaderSuspected(t *testing.T) {
	for _, c := range []struct {
		algorithm *election.Algorithm
		within    time.Duration
		messages  uint64
	}{
		// 3 announces itself to all four; 1 and 2 ask those above them that are up, and get their answers.
		{rules(t, bully.Config{}), 2 * sim.Unit, 4 + 3 + 3 + 2},
		// 1 asks 2, and 2 asks 3, which halts both: six messages each.
		{halting(t, bully.Config{}), 6 * sim.Unit, 2 + 2 + 2*6},
	} {
		s, err := sim.New(sim.Config{Input: scenario.Input{Algorithm: c.algorithm, IDs: among(5)}})
		require.NoError(t, err)
		require.NoError(t, s.Run(t.Context()))
		for gone := 4; gone >= 3; gone-- {
			s.Crash(gone)
			before, r := s.Now(), s.Result()
			for p := range gone {
				s.Post(p, election.Event{Op: election.Suspect, Port: election.Port(gone - 1)})
			}
			require.NoError(t, s.Run(t.Context()))
			after := s.Result()
			require.NoError(t, after.Err())
			require.EqualValues(t, gone, after.Leader)
			require.LessOrEqual(t, s.Now()-before, c.within, "%s", c.algorithm.Title())
			if gone == 3 {
				require.Equal(t, c.messages, after.Messages-r.Messages, "%s", c.algorithm.Title())
			}
		}
	}
}
