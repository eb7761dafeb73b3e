package afekgafni_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/afekgafni"
	"github.com/go-election/election/nodetest"
)

// The process under test is 5, of three.
var (
	self    = election.Rank{ID: 5}
	smaller = election.Rank{ID: 3}
	larger  = election.Rank{ID: 8}
)

func claim(kind uint8, level uint32, r election.Rank) election.Message {
	return election.Message{Kind: kind, Round: level, Rank: r}
}

func capture(level uint32, r election.Rank) election.Message { return claim(1, level, r) }
func kill(level uint32, r election.Rank) election.Message    { return claim(3, level, r) }
func killed(level uint32, r election.Rank) election.Message  { return claim(4, level, r) }

var accept = election.Message{Kind: 2}

func given(events ...election.Event) []election.Event { return events }

func from(p election.Port, m election.Message) election.Event { return nodetest.From(p, m) }

func sends(p election.Port, m election.Message) []election.Outgoing {
	return []election.Outgoing{nodetest.To(p, m)}
}

func toBoth(m election.Message) []election.Outgoing {
	return []election.Outgoing{nodetest.To(0, m), nodetest.To(1, m)}
}

const ended = nodetest.Decided | nodetest.Ended

func TestRulesOfAsync(t *testing.T) {
	elected := func(r election.Rank) election.Message { return election.Message{Kind: 5, Rank: r} }
	start := nodetest.Start()
	taken := from(1, capture(0, larger)) // by a process behind port 1
	nodetest.Rules(t, afekgafni.Async(), self, []nodetest.Rule{
		{Name: "start: try the first link", When: start, Sends: sends(0, capture(0, self))},
		{Name: "start: once", Given: given(start), When: start},
		{Name: "start: captured", Given: given(taken), When: start},
		{Name: "start: killed", Given: given(start, from(1, kill(0, larger))), When: start},
		{Name: "refuse: as large", Given: given(taken), When: from(0, capture(0, larger))},
		{Name: "refuse: smaller", Given: given(taken), When: from(0, capture(0, smaller))},
		{Name: "refuse: of a smaller level", Given: given(from(1, capture(1, smaller))),
			When: from(0, capture(0, larger))},
		{Name: "refuse: a candidate, a smaller one of level 0", Given: given(start),
			When: from(0, capture(0, smaller))},
		{Name: "accept: no owner, whatever the Rank", When: from(1, capture(0, smaller)),
			Sends: sends(1, accept)},
		{Name: "yield: to a larger Rank", Given: given(start), When: from(1, capture(0, larger)),
			Sends: sends(1, accept)},
		{Name: "yield: to a larger level", Given: given(start, from(0, accept)),
			When: from(1, capture(2, smaller)), Sends: sends(1, accept)},
		{Name: "yield: not to one of a smaller level", Given: given(start, from(0, accept)),
			When: from(1, capture(0, larger))},
		{Name: "yield: not to one of the same level and a smaller Rank", Given: given(start, from(0, accept)),
			When: from(1, capture(1, smaller))},
		{Name: "yield: killed, to a larger one", Given: given(start, from(0, kill(0, larger))),
			When: from(1, capture(1, smaller)), Sends: sends(1, accept)},
		{Name: "appeal: to the owner", Given: given(taken), When: from(0, capture(1, smaller)),
			Sends: sends(1, kill(1, smaller))},
		{Name: "appeal: of one that was a candidate", Given: given(start, taken),
			When: from(0, capture(1, smaller)), Sends: sends(1, kill(1, smaller))},
		{Name: "kill: by a larger one", Given: given(start), When: from(1, kill(0, larger)),
			Sends: sends(1, killed(0, larger))},
		{Name: "kill: not by a smaller one", Given: given(start), When: from(1, kill(0, smaller))},
		{Name: "kill: not by one of a smaller level", Given: given(start, from(0, accept)),
			When: from(1, kill(0, larger))},
		{Name: "kill: killed before, by a smaller one too", Given: given(start, from(1, kill(0, larger))),
			When: from(0, kill(0, smaller)), Sends: sends(0, killed(0, smaller))},
		{Name: "kill: captured before", Given: given(start, taken), When: from(0, kill(0, smaller)),
			Sends: sends(0, killed(0, smaller))},
		{Name: "change hands", Given: given(taken, from(0, capture(1, smaller))),
			When: from(1, killed(1, smaller)), Sends: sends(0, accept)},
		{Name: "change hands: the new owner is asked next",
			Given: given(taken, from(0, capture(1, smaller)), from(1, killed(1, smaller))),
			When:  from(1, capture(1, larger)), Sends: sends(0, kill(1, larger))},
		{Name: "change hands: not where a larger one has come since",
			Given: given(taken, from(0, capture(1, smaller)), from(0, capture(1, larger))),
			When:  from(1, killed(1, smaller))},
		{Name: "change hands: a candidate does not", Given: given(start), When: from(1, killed(0, self))},
		{Name: "advance: the next link, a level more", Given: given(start), When: from(0, accept),
			Sends: sends(1, capture(1, self))},
		{Name: "advance: an accept that comes twice", Given: given(start, from(0, accept)),
			When: from(0, accept)},
		{Name: "advance: not over a link that is not tried", Given: given(start), When: from(1, accept)},
		{Name: "advance: not if killed", Given: given(start, from(1, kill(0, larger))),
			When: from(0, accept)},
		{Name: "advance: not if captured", Given: given(start, taken), When: from(0, accept)},
		{Name: "advance: not if it has not started", When: from(0, accept)},
		{Name: "lead: no further link", Given: given(start, from(0, accept)), When: from(1, accept),
			Sends: toBoth(elected(self)), Outcome: nodetest.Lead(self), Did: ended},
		{Name: "elected: follow", Given: given(taken), When: from(1, elected(larger)),
			Outcome: nodetest.Follow(larger), Did: ended},
		{Name: "priority: larger before ID", Given: given(start),
			When:  from(1, capture(0, election.Rank{ID: 3, Priority: 1})),
			Sends: sends(1, accept)},
		{Name: "unknown kind: ignored", When: from(0, claim(9, 0, larger))},
	})
}

func TestRulesOfSync(t *testing.T) {
	elected := func(r election.Rank) election.Message { return election.Message{Kind: 3, Rank: r} }
	ack := election.Message{Kind: 2}
	start, closed := nodetest.Start(), election.Event{Op: election.Timeout}
	taken := given(from(1, capture(0, larger)), closed)
	nodetest.Rules(t, afekgafni.Sync(), self, []nodetest.Rule{
		{Name: "start: one link on level 0", When: start, Sends: sends(0, capture(0, self))},
		{Name: "start: once", Given: given(start), When: start},
		{Name: "start: captured", Given: taken, When: start},
		{Name: "start: what is gathered does not capture yet", Given: taken[:1], When: start,
			Sends: sends(0, capture(0, self))},
		{Name: "gather: no answer before the end", When: from(1, capture(0, larger))},
		{Name: "answer: the only one", Given: given(from(1, capture(0, smaller))), When: closed,
			Sends: sends(1, ack)},
		{Name: "answer: the largest, the first", When: closed,
			Given: given(from(1, capture(0, larger)), from(0, capture(0, smaller))), Sends: sends(1, ack)},
		{Name: "answer: the largest, the last", When: closed,
			Given: given(from(1, capture(0, smaller)), from(0, capture(0, larger))), Sends: sends(0, ack)},
		{Name: "answer: the larger level", When: closed,
			Given: given(from(1, capture(0, larger)), from(0, capture(1, smaller))), Sends: sends(0, ack)},
		{Name: "answer: each round again", Given: append(taken, from(0, capture(1, smaller))), When: closed,
			Sends: sends(0, ack)},
		{Name: "answer: none that is as large as before", Given: append(taken, from(0, capture(0, larger))),
			When: closed},
		{Name: "answer: a round that is over says nothing", When: closed,
			Given: given(from(1, capture(2, larger)), closed, from(0, capture(1, larger)))},
		{Name: "answer: a candidate, a larger one", Given: given(start, from(1, capture(0, larger))),
			When: closed, Sends: sends(1, ack)},
		{Name: "answer: a candidate, not a smaller one", Given: given(start, from(1, capture(0, smaller))),
			When: closed},
		{Name: "answer: not where the candidate has risen in the same round", When: closed,
			Given: given(start, from(1, capture(0, larger)), from(0, ack))},
		{Name: "advance: the next level", Given: given(start), When: from(0, ack),
			Sends: sends(1, capture(1, self))},
		{Name: "advance: captured", Given: append(given(start), taken...), When: from(0, ack)},
		{Name: "advance: not started", When: from(0, ack)},
		{Name: "lead: all have sent ack", Given: given(start, from(0, ack)), When: from(1, ack),
			Sends: toBoth(elected(self)), Outcome: nodetest.Lead(self), Did: ended},
		{Name: "lead: once", Given: given(start, from(0, ack), from(1, ack)), When: from(1, ack)},
		{Name: "elected: follow", Given: taken, When: from(1, elected(larger)),
			Outcome: nodetest.Follow(larger), Did: ended},
		{Name: "unknown kind: ignored", When: from(0, claim(9, 0, larger))},
	})
}

// many is the View of a process with ten links.
type many struct{}

func (many) Self(int) election.Rank                { return self }
func (many) Ports(int) int                         { return 10 }
func (many) Peer(int, election.Port) election.Rank { panic("the process looks where a link leads") }

// TestLevels: a candidate of sync tries 1, 2, 4 and the 3 links that are left, each when all of the level
// before have sent ack.
func TestLevels(t *testing.T) {
	env := election.NewEnv(many{}, nil)
	node := afekgafni.Sync().New(election.Setup{Self: self})
	step := func(ev election.Event) *election.Effects {
		fx := env.Begin(0)
		node.Step(env, &ev)
		return fx
	}
	fx, tried := step(nodetest.Start()), election.Port(0)
	for level, links := range []int{1, 2, 4, 3} {
		require.Len(t, fx.Sends, links)
		for _, out := range fx.Sends {
			require.Equal(t, nodetest.To(tried, capture(uint32(level), self)), out)
			tried++
		}
		for i := range links {
			if fx = step(from(0, election.Message{Kind: 2})); i < links-1 {
				require.Empty(t, fx.Sends)
			}
		}
	}
	require.Len(t, fx.Sends, 10)
	require.True(t, fx.Ended())
}

// TestRound: the first message of a round starts the timer, and no other.
func TestRound(t *testing.T) {
	env := election.NewEnv(many{}, nil)
	node := afekgafni.Sync().New(election.Setup{Self: self})
	timers := func(ev election.Event) []election.TimerChange {
		fx := env.Begin(0)
		node.Step(env, &ev)
		return fx.Timers
	}
	for round := range uint32(3) {
		require.Equal(t, []election.TimerChange{{}}, timers(from(0, capture(round, smaller))), "of no length")
		require.Empty(t, timers(from(1, capture(round, larger))))
		require.Empty(t, timers(election.Event{Op: election.Timeout}))
		require.Empty(t, timers(from(2, capture(round, larger))), "too small to be answered")
	}
}

// TestStates: a saved state is one of four, and a fifth is refused.
func TestStates(t *testing.T) {
	nodetest.States(t, afekgafni.Async().New(election.Setup{Self: self}), 4)
}
