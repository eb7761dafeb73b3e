package election_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lab/sim"
	"github.com/go-election/election/lcr"
)

// TestOverlayWinner: on an overlay the rule of the algorithm holds among the processes that are up.
func TestOverlayWinner(t *testing.T) {
	all := []election.Candidate{{Rank: election.Rank{ID: 1}, Up: true, Initiator: true},
		{Rank: election.Rank{ID: 2}, Up: true}, {Rank: election.Rank{ID: 3}, Initiator: true}}
	overlaid(t, func(own, over *election.Algorithm) {
		switch own.Winner {
		case nil:
			require.Nil(t, over.Winner, own.Title())
		case election.LargestOfAll:
			require.Same(t, election.LargestOfLive, over.Winner, own.Title())
		default:
			require.Equal(t, own.Winner.Name+" that are up", over.Winner.Name)
			require.Equal(t, own.Winner.ByStart, over.Winner.ByStart)
			require.EqualValues(t, 1, over.Winner.Of(all))
		}
	})
}

// TestOverlayAlone: a process that recovers when there is no other elects itself again.
func TestOverlayAlone(t *testing.T) {
	overlaid(t, func(own, over *election.Algorithm) {
		in := scenario.Input{Algorithm: over, IDs: []election.ID{5},
			CrashAt:   []scenario.At{{ID: 5, Time: 3 * scenario.Unit}},
			RestartAt: []scenario.At{{ID: 5, Time: 4 * scenario.Unit}}}
		r, err := sim.Run(t.Context(), sim.Config{Input: in})
		require.NoError(t, err)
		require.NoError(t, r.Err(), own.Title())
		require.EqualValues(t, 5, r.Leader)
	})
}

// TestOverlayUnknownKind: a message of a kind that no process of the overlay sends does not bring its sender
// back into the overlay.
func TestOverlayUnknownKind(t *testing.T) {
	over, err := lcr.Participant().OverComplete()
	require.NoError(t, err)
	in := scenario.Input{Algorithm: over, IDs: []election.ID{1, 2, 3}}
	require.NoError(t, in.Check())
	node, e := in.Node(0), election.NewEnv(&in, nil)
	step := func(ev election.Event) string {
		e.Begin(0)
		node.Step(e, &ev)
		return string(new(election.State).Append(nil, &node))
	}
	step(election.Event{Op: election.Init})
	suspected := step(election.Event{Op: election.Suspect, Port: 1})
	last := uint8(len(over.Kinds))
	require.Equal(t, suspected, step(election.Event{Op: election.Recv, Port: 1,
		Msg: election.Message{Kind: last + 1, Term: 9}}))
	require.NotEqual(t, suspected, step(election.Event{Op: election.Recv, Port: 1,
		Msg: election.Message{Kind: last, Term: 9}}))
}
