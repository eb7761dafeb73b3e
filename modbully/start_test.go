package modbully_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lab/sim"
	"github.com/go-election/election/modbully"
)

// TestStartAtAFollower: a Start and a Reelect say nothing of the leader. While it is up, it leads again.
func TestStartAtAFollower(t *testing.T) {
	for _, v := range variants {
		for _, op := range []election.Op{election.Start, election.Reelect} {
			for p := range 4 {
				s, err := sim.New(sim.Config{Input: scenario.Input{Algorithm: build(t, v, modbully.Config{}),
					IDs: upTo(1, 4), Crashed: []election.ID{4}}})
				require.NoError(t, err)
				require.NoError(t, s.Run(t.Context()))
				s.Post(p, election.Event{Op: op})
				require.NoError(t, s.Run(t.Context()))
				r := s.Result()
				require.NoError(t, r.Err(), "%s: %v at %d", v, op, p+1)
				require.EqualValues(t, 3, r.Leader, "%s: %v at %d", v, op, p+1)
			}
		}
	}
}

// TestLeaderSuspected: when the leader is suspected, the process below it that is up leads without a time-out,
// and sends no message to ask processes that are suspected.
func TestLeaderSuspected(t *testing.T) {
	for v, messages := range map[modbully.Variant]uint64{
		modbully.Base:        2 * 5,         // two COORDINATORs, again for each ELECTION, and ACCEPT
		modbully.Convenience: 2 * 3,         // COORDINATOR, PCRP and MPC: 1 and 2 wait for 3
		modbully.Number:      2 + 2*2,       // ELECTION, COORDINATOR and REPLY
		modbully.Grant:       1 + 2 + 3 + 2, // ELECTION of 1 to 2 and 3, of 2 to 3, their OKs, COORDINATOR
	} {
		s, err := sim.New(sim.Config{Input: scenario.Input{Algorithm: build(t, v, modbully.Config{}),
			IDs: upTo(1, 5)}})
		require.NoError(t, err)
		require.NoError(t, s.Run(t.Context()))
		for gone := 4; gone >= 3; gone-- {
			s.Crash(gone)
			before, earlier := s.Now(), s.Result()
			for p := range gone {
				s.Post(p, election.Event{Op: election.Suspect, Port: election.Port(gone - 1)})
			}
			require.NoError(t, s.Run(t.Context()))
			r := s.Result()
			require.NoError(t, r.Err(), v)
			require.EqualValues(t, gone, r.Leader)
			require.LessOrEqual(t, s.Now()-before, 3*sim.Unit, v)
			if gone == 3 {
				require.Equal(t, messages, r.Messages-earlier.Messages, v)
			}
		}
	}
}
