package yoyo_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/nodetest"
	"github.com/go-election/election/yoyo"
)

// The process under test is 5, and has the links 0 and 1.
var (
	self     = election.Rank{ID: 5}
	smallest = election.Rank{ID: 2}
	smaller  = election.Rank{ID: 3}
	larger   = election.Rank{ID: 8}

	yes, no    = election.Message{Kind: 3}, election.Message{Kind: 4}
	drop, leaf = election.Message{Kind: 5}, election.Message{Kind: 6}
)

func hello(r election.Rank) election.Message   { return election.Message{Kind: 1, Rank: r} }
func value(r election.Rank) election.Message   { return election.Message{Kind: 2, Rank: r} }
func elected(r election.Rank) election.Message { return election.Message{Kind: 7, Rank: r} }

func given(events ...election.Event) []election.Event { return events }

func from(p election.Port, m election.Message) election.Event { return nodetest.From(p, m) }

// sends returns the first message over port 0, the second over port 1.
func sends(over0, over1 election.Message) (list []election.Outgoing) {
	for port, m := range []election.Message{over0, over1} {
		if m.Kind != 0 {
			list = append(list, nodetest.To(election.Port(port), m))
		}
	}
	return list
}

var none election.Message

const ended = nodetest.Decided | nodetest.Ended

// What has happened before.
var (
	start  = nodetest.Start()
	source = given(start, from(0, hello(larger)), from(1, hello(larger)))    // it has sent 5 over both
	sink   = given(start, from(0, hello(smaller)), from(1, hello(smallest))) // it waits for two values
	inner  = given(start, from(0, hello(smaller)), from(1, hello(larger)))   // values come over 0
	waits  = then(inner, from(0, value(smaller)))                            // it has sent 3 over 1
)

// then returns a copy, so that no two rules share a list.
func then(before []election.Event, more ...election.Event) []election.Event {
	return slices.Concat(before, more)
}

func TestRulesDown(t *testing.T) {
	nodetest.Rules(t, yoyo.Algorithm(), self, []nodetest.Rule{
		{Name: "wake: start", When: start, Sends: sends(hello(self), hello(self))},
		{Name: "wake: once", Given: given(start), When: start},
		{Name: "wake: the first message", When: from(0, hello(larger)),
			Sends: sends(hello(self), hello(self))},
		{Name: "wake: a value", When: from(0, value(smaller)), Sends: sends(hello(self), hello(self))},
		{Name: "wake: no start after that", Given: given(from(0, hello(larger))), When: start},
		{Name: "orient: a source sends its Rank", Given: source[:2], When: from(1, hello(larger)),
			Sends: sends(value(self), value(self))},
		{Name: "orient: wait for values", Given: inner[:2], When: from(1, hello(larger))},
		{Name: "orient: by priority before ID", Given: given(start, from(1, hello(larger))),
			When: from(0, hello(election.Rank{ID: 3, Priority: 1})), Sends: sends(value(self), value(self))},
		{Name: "orient: HELLO comes behind the value", Given: given(start, from(0, value(smaller)),
			from(0, hello(smaller))), When: from(1, hello(larger)), Sends: sends(none, value(smaller))},
		{Name: "Yo-: the value", Given: inner, When: from(0, value(smallest)),
			Sends: sends(none, value(smallest))},
		{Name: "Yo-: wait for all values", Given: sink, When: from(0, value(smaller))},
	})
}

func TestRulesUp(t *testing.T) {
	nodetest.Rules(t, yoyo.Algorithm(), self, []nodetest.Rule{
		{Name: "sink: yes to the smallest, no to the other", Given: then(sink, from(0, value(smaller))),
			When:  from(1, value(smallest)),
			Sends: []election.Outgoing{nodetest.To(1, yes), nodetest.To(0, no)}},
		{Name: "sink: the other way round", Given: then(sink, from(0, value(smallest))),
			When: from(1, value(smaller)), Sends: sends(yes, no)},
		{Name: "sink: two of the same value: drop one, and leave by the other", When: from(1, value(smaller)),
			Given: then(sink, from(0, value(smaller))),
			Sends: []election.Outgoing{nodetest.To(1, drop), nodetest.To(0, leaf)}},
		{Name: "sink: its links go out in the next round, if it has voted no", When: from(1, value(smallest)),
			Given: then(sink, from(0, value(smaller)), from(1, value(smallest))),
			Sends: sends(value(smallest), none)},
		{Name: "-Yo: yes goes up", Given: waits, When: from(1, yes), Sends: sends(yes, none)},
		{Name: "-Yo: no goes up", Given: waits, When: from(1, no), Sends: sends(no, none)},
		{Name: "-Yo: a drop of the last link: leave", Given: waits, When: from(1, drop),
			Sends: sends(leaf, none)},
		{Name: "-Yo: a leaf at the last link: leave", Given: waits, When: from(1, leaf),
			Sends: sends(leaf, none)},
		{Name: "-Yo: a source waits for all votes", Given: source, When: from(0, yes)},
		{Name: "-Yo: a source with yes alone begins again", Given: then(source, from(0, yes)),
			When: from(1, yes), Sends: sends(value(self), value(self))},
		{Name: "-Yo: a link that is dropped gets no value", Given: then(source, from(0, yes)),
			When: from(1, drop), Sends: sends(value(self), none)},
		{Name: "-Yo: a source with a no waits for the value", Given: then(source, from(0, yes)),
			When: from(1, no)},
		{Name: "-Yo: which it passes on", Given: then(source, from(0, yes), from(1, no)),
			When: from(1, value(smaller)), Sends: sends(value(smaller), none)},
		{Name: "-Yo: the no of one round is forgotten in the next", When: from(0, yes), Sends: sends(none, yes),
			Given: then(source, from(0, yes), from(1, no), from(1, value(smaller)))},
		{Name: "-Yo: after a no the link goes out", Given: then(waits, from(1, no)),
			When: from(1, value(smallest)), Sends: sends(value(smallest), none)},
		{Name: "-Yo: after a yes it waits for the next value", Given: then(waits, from(1, yes)),
			When: from(0, value(smaller)), Sends: sends(none, value(smaller))},
		{Name: "keep: a value that is early", Given: source, When: from(1, value(smaller))},
		{Name: "keep: also behind the no of the same link", Given: then(source, from(1, no)),
			When: from(1, value(smaller))},
		{Name: "keep: it is needed after the last vote", When: from(0, yes), Sends: sends(value(smaller), none),
			Given: then(source, from(1, no), from(1, value(smaller)))},
		{Name: "keep: also where the no comes behind it", When: from(0, yes), Sends: sends(value(smaller), none),
			Given: then(source, from(1, value(smaller)), from(1, no))},
		{Name: "lead: no link is left", Given: then(source, from(0, leaf)), When: from(1, leaf),
			Sends: sends(elected(self), elected(self)), Outcome: nodetest.Lead(self), Did: ended},
		{Name: "lead: a link that was dropped leads to no child", Given: then(source, from(0, drop)),
			When: from(1, leaf), Sends: sends(none, elected(self)), Outcome: nodetest.Lead(self), Did: ended},
		{Name: "elected: follow, and pass it on", Given: then(waits, from(1, leaf)),
			When: from(0, elected(smaller)), Sends: sends(none, elected(smaller)),
			Outcome: nodetest.Follow(smaller), Did: ended},
		{Name: "elected: no child", Given: then(waits, from(1, drop)), When: from(0, elected(smaller)),
			Outcome: nodetest.Follow(smaller), Did: ended},
		{Name: "unknown kind: ignored", Given: source,
			When: from(0, election.Message{Kind: 9, Rank: larger})},
	})
}

// TestStates: a saved state is one of four, and a fifth is refused.
func TestStates(t *testing.T) {
	nodetest.States(t, yoyo.Algorithm().New(election.Setup{Self: self}), 4)
}

// TestSpoiltState: a saved state that lacks the places of values does no harm to the process that comes back
// with it.
func TestSpoiltState(t *testing.T) {
	env := election.NewEnv(linked{}, nil)
	for stage := byte(1); stage < 4; stage++ {
		node := yoyo.Algorithm().New(election.Setup{Self: self})
		saved := new(election.State).Append(nil, node)
		saved[0], saved[1] = stage, 1 // one message is missing
		require.NoError(t, new(election.State).Restore(node, saved))
		for kind := uint8(1); kind < 8; kind++ {
			env.Begin(0)
			ev := from(0, election.Message{Kind: kind, Rank: smaller})
			require.NotPanics(t, func() { node.Step(env, &ev) })
		}
	}
}

// linked is the View of a process with two links.
type linked struct{}

func (linked) Self(int) election.Rank                { return self }
func (linked) Ports(int) int                         { return 2 }
func (linked) Peer(int, election.Port) election.Rank { panic("the process looks where a link leads") }
