package local_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/bully"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/local"
	"github.com/go-election/election/observe"
)

// TestObserved: an observed run numbers all messages from 1, in the order of sending. It reports once for each
// message that it is received or lost, and for each process that it crashes or recovers. Processes that are
// down all the time lose the messages sent to them, and so do processes that crash later.
func TestObserved(t *testing.T) {
	a, err := bully.Rules(bully.Config{Delay: scenario.Unit})
	require.NoError(t, err)
	synctest.Test(t, func(t *testing.T) {
		in := scenario.Input{Algorithm: a, IDs: []election.ID{1, 2, 3, 4}, Crashed: []election.ID{4},
			Initiators: []election.ID{1, 2}, StartTimes: []time.Duration{0, 100 * scenario.Unit},
			CrashAt:   []scenario.At{{ID: 3, Time: 50 * scenario.Unit}},
			RecoverAt: []scenario.At{{ID: 3, Time: 200 * scenario.Unit}}}
		sent, fate := uint64(0), make(map[uint64]observe.What)
		turns := make(map[election.ID][]observe.What)
		lost := make(map[election.ID]int)
		r, err := local.Run(t.Context(), local.Config{Input: in, Observe: func(o *observe.Occurrence) {
			switch o.What {
			case observe.Crash, observe.Recover:
				require.Zero(t, o.Message)
				require.Equal(t, o.Process == 4, o.At == 0)
				turns[o.Process] = append(turns[o.Process], o.What)
				return
			case observe.Step:
				if n := uint64(len(o.Effects.Sends)); n > 0 {
					require.Equal(t, sent+1, o.First)
					sent += n
				}
				if o.Event.Op != election.Recv {
					require.Zero(t, o.Message)
					return
				}
			case observe.Lose:
				lost[o.Process]++
			}
			require.NotContains(t, fate, o.Message)
			require.LessOrEqual(t, o.Message, sent, "it is sent before it arrives")
			fate[o.Message] = o.What
		}})
		require.NoError(t, err)
		require.Equal(t, election.ID(3), r.Leader)
		require.Equal(t, r.Messages, sent)
		require.Len(t, fate, int(sent))
		require.NotContains(t, fate, uint64(0))
		require.Equal(t, map[election.ID][]observe.What{4: {observe.Crash},
			3: {observe.Crash, observe.Recover}}, turns)
		require.NotZero(t, lost[4])
		require.NotZero(t, lost[3])
		require.Len(t, lost, 2)
	})
}

// TestDepth: the longest chain of causes does not depend on whether the run is observed.
func TestDepth(t *testing.T) {
	in := scenario.Input{Algorithm: bully.Algorithms()[0], IDs: []election.ID{1, 2, 3},
		Initiators: []election.ID{1}, Crashed: []election.ID{3}}
	for _, observer := range []observe.Observer{nil, func(*observe.Occurrence) {}} {
		synctest.Test(t, func(t *testing.T) {
			r, err := local.Run(t.Context(), local.Config{Input: in, Observe: observer})
			require.NoError(t, err)
			require.EqualValues(t, 2, r.Chain)
		})
	}
}

// TestChoices: an observer gets the choices of each step, and of that step only.
func TestChoices(t *testing.T) {
	alg := scripted(func(_ election.ID, e *election.Env, ev *election.Event) {
		if ev.Op == election.Start {
			require.Less(t, e.Choose(7), 7)
			require.Less(t, e.Choose(2), 2)
			e.Send(election.Clockwise, election.Message{Kind: 1})
		}
	})
	in := scenario.Input{Algorithm: alg, IDs: ids{1, 2}}
	var among [][]int
	_, err := local.Run(t.Context(), local.Config{Input: in, Observe: func(o *observe.Occurrence) {
		if o.What == observe.Step {
			var step []int
			for _, c := range o.Choices {
				require.Less(t, c.Chosen, c.Of)
				step = append(step, c.Of)
			}
			among = append(among, step)
		}
	}})
	require.NoError(t, err)
	require.ElementsMatch(t, [][]int{nil, nil, {7, 2}, {7, 2}, nil, nil}, among)
}
