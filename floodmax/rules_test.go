package floodmax_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/floodmax"
	"github.com/go-election/election/nodetest"
)

// The process under test is 5, with two neighbours and three rounds.
var (
	self    = election.Rank{ID: 5}
	smaller = election.Rank{ID: 3}
	larger  = election.Rank{ID: 8}
)

func largestIs(r election.Rank, round uint32) election.Message {
	return election.Message{Kind: 1, Rank: r, Round: round}
}

func toBoth(m election.Message) []election.Outgoing {
	return []election.Outgoing{nodetest.To(0, m), nodetest.To(1, m)}
}

func given(events ...election.Event) []election.Event { return events }

func hear(r election.Rank, round uint32) election.Event { return nodetest.From(1, largestIs(r, round)) }

func of(t *testing.T, with func(floodmax.Config) (*election.Algorithm, error), rounds uint32,
) *election.Algorithm {
	a, err := with(floodmax.Config{Rounds: rounds})
	require.NoError(t, err)
	return a
}

var start, over = nodetest.Start(), election.Event{Op: election.Timeout}

func TestRules(t *testing.T) {
	const ended = nodetest.Decided | nodetest.Ended
	last := given(start, over, over)
	nodetest.Rules(t, of(t, floodmax.Basic, 3), self, []nodetest.Rule{
		{Name: "start: send in round 1", When: start, Sends: toBoth(largestIs(self, 1))},
		{Name: "start: once", Given: given(start), When: start},
		{Name: "start: not after a first max", Given: given(hear(smaller, 1)), When: start},
		{Name: "send: a larger one", Given: given(start, hear(larger, 1)), When: over,
			Sends: toBoth(largestIs(larger, 2))},
		{Name: "send: the same again", Given: given(start, hear(smaller, 1)), When: over,
			Sends: toBoth(largestIs(self, 2))},
		{Name: "hear: no answer", Given: given(start), When: hear(larger, 1)},
		{Name: "hear: the larger of two", Given: given(start, hear(larger, 1), hear(smaller, 1)), When: over,
			Sends: toBoth(largestIs(larger, 2))},
		{Name: "hear: the priority before the ID",
			Given: given(start, hear(election.Rank{ID: 3, Priority: 1}, 1)), When: over,
			Sends: toBoth(largestIs(election.Rank{ID: 3, Priority: 1}, 2))},
		{Name: "join: wait for the end of the round", When: hear(smaller, 1)},
		{Name: "join: relay in the next round", Given: given(hear(smaller, 1)), When: over,
			Sends: toBoth(largestIs(smaller, 2))},
		{Name: "join: in the round of the message", Given: given(hear(smaller, 2)), When: over,
			Sends: toBoth(largestIs(smaller, 3))},
		{Name: "join: in the last round", Given: given(hear(smaller, 3)), When: over,
			Outcome: nodetest.Follow(smaller), Did: ended},
		{Name: "join: not in round 0", Given: given(hear(smaller, 0)), When: over},
		{Name: "join: not after the last round", Given: given(hear(smaller, 4)), When: over},
		{Name: "join: not for no process", Given: given(hear(election.Rank{}, 1)), When: over},
		{Name: "join: of that nothing stays", Given: given(hear(smaller, 0), hear(smaller, 4),
			hear(election.Rank{}, 1)), When: start, Sends: toBoth(largestIs(self, 1))},
		{Name: "round: the last", Given: given(start, over), When: over, Sends: toBoth(largestIs(self, 3))},
		{Name: "round: not before the start", When: over},
		{Name: "decide: lead", Given: last, When: over, Outcome: nodetest.Lead(self), Did: ended},
		{Name: "decide: follow", Given: append(last, hear(larger, 3)), When: over,
			Outcome: nodetest.Follow(larger), Did: ended},
		{Name: "decide: hear nothing afterwards", Given: append(last, over, hear(larger, 3)), When: over},
		{Name: "unknown kind: ignored", Given: given(start),
			When: nodetest.From(1, election.Message{Kind: 9})},
	})
}

func TestRulesOfChange(t *testing.T) {
	nodetest.Rules(t, of(t, floodmax.Change, 3), self, []nodetest.Rule{
		{Name: "send: in round 1", When: start, Sends: toBoth(largestIs(self, 1))},
		{Name: "send: what is new", Given: given(start, hear(larger, 1)), When: over,
			Sends: toBoth(largestIs(larger, 2))},
		{Name: "send: nothing new", Given: given(start, hear(smaller, 1)), When: over},
		{Name: "send: new once only", Given: given(start, hear(larger, 1), over), When: over},
		{Name: "send: what a relay has heard", Given: given(hear(smaller, 1)), When: over,
			Sends: toBoth(largestIs(smaller, 2))},
		{Name: "decide: without another message", Given: given(start, over, over), When: over,
			Outcome: nodetest.Lead(self), Did: nodetest.Decided | nodetest.Ended},
	})
}

// pair is the View of a process with two neighbours.
type pair struct{}

func (pair) Self(int) election.Rank                { return self }
func (pair) Ports(int) int                         { return 2 }
func (pair) Peer(int, election.Port) election.Rank { return election.Rank{} }

// TestOver: after the last round a MAX changes nothing, nor does a time-out.
func TestOver(t *testing.T) {
	env := election.NewEnv(pair{}, nil)
	node := of(t, floodmax.Basic, 1).New(election.Setup{Self: self, Ports: 2})
	var states [][]byte
	for _, ev := range given(start, over, hear(larger, 1), over) {
		env.Begin(0)
		node.Step(env, &ev)
		states = append(states, new(election.State).Append(nil, node))
	}
	require.NotEqual(t, states[0], states[1])
	require.Equal(t, states[1], states[2])
	require.Equal(t, states[1], states[3])
}

// TestTimers: a round takes a Delay, and a process that joins closes the round at once.
func TestTimers(t *testing.T) {
	a, err := floodmax.Basic(floodmax.Config{Rounds: 2, Delay: 7})
	require.NoError(t, err)
	for first, want := range map[election.Event]election.TimerChange{
		start: {Min: 7, Max: 7}, hear(smaller, 1): {},
	} {
		env := election.NewEnv(pair{}, nil)
		node := a.New(election.Setup{Self: self, Ports: 2})
		timers := func(ev election.Event) []election.TimerChange {
			fx := env.Begin(0)
			node.Step(env, &ev)
			return fx.Timers
		}
		require.Equal(t, []election.TimerChange{want}, timers(first))
		require.Empty(t, timers(hear(larger, 1)), "once a round")
		require.Equal(t, []election.TimerChange{{Min: 7, Max: 7}}, timers(over))
		require.Empty(t, timers(over), "after the last round")
	}
}
