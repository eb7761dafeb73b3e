package lmw_test

import (
	"testing"

	"github.com/go-election/election"
	"github.com/go-election/election/lmw"
	"github.com/go-election/election/nodetest"
)

// The process under test is 5, of three: port 0 leads one place on, port 1 two places on.
var (
	self    = election.Rank{ID: 5}
	smaller = election.Rank{ID: 3}
	larger  = election.Rank{ID: 8}
	largest = election.Rank{ID: 9}
)

// elects is a challenge of a process that is this number of places before the receiver.
func elects(r election.Rank, places uint64) election.Message {
	return election.Message{Kind: 1, Rank: r, Value: places}
}

func elected(r election.Rank) election.Message { return election.Message{Kind: 2, Rank: r} }

func given(events ...election.Event) []election.Event { return events }

func from(p election.Port, m election.Message) election.Event { return nodetest.From(p, m) }

func sends(out ...election.Outgoing) []election.Outgoing { return out }

func TestRules(t *testing.T) {
	start := nodetest.Start()
	first := nodetest.To(0, elects(self, 1))
	before1 := from(1, elects(larger, 1)) // it has come one place, from two places on
	before2 := from(0, elects(larger, 2))
	nodetest.Rules(t, lmw.Algorithm(), self, []nodetest.Rule{
		{Name: "wake: challenge the next one", When: start, Sends: sends(first)},
		{Name: "wake: once", Given: given(start), When: start},
		{Name: "wake: not when beaten", Given: given(before1), When: start},
		{Name: "wake: by a larger challenger, and be beaten", When: before1, Sends: sends(first)},
		{Name: "wake: by a smaller challenger, and beat it", When: from(1, elects(smaller, 1)),
			Sends: sends(first, nodetest.To(1, elects(self, 2)))},
		{Name: "beat: straight back, the rest of the way around", Given: given(start),
			When: from(0, elects(smaller, 2)), Sends: sends(nodetest.To(0, elects(self, 1)))},
		{Name: "beat: to the challenger, not to the one that has passed it on", Given: given(start),
			When: from(0, elects(smaller, 1)), Sends: sends(nodetest.To(1, elects(self, 2)))},
		{Name: "beaten: nothing is sent", Given: given(start), When: before1},
		{Name: "pass on: to the one that has beaten it, two places on", Given: given(start, before1),
			When: from(0, elects(smaller, 2)), Sends: sends(nodetest.To(1, elects(smaller, 1)))},
		{Name: "pass on: one place on", Given: given(start, before2),
			When: from(1, elects(largest, 1)), Sends: sends(nodetest.To(0, elects(largest, 2)))},
		{Name: "pass on: to its sender", Given: given(start, before1), When: from(1, elects(larger, 1)),
			Sends: sends(nodetest.To(1, elects(larger, 0)))},
		{Name: "pass on: also its own", Given: given(start, before1), When: from(0, elects(self, 2)),
			Sends: sends(nodetest.To(1, elects(self, 1)))},
		{Name: "stray: too far", Given: given(start), When: from(0, elects(smaller, 3))},
		{Name: "stray: too far, larger", Given: given(start, from(0, elects(larger, 3))),
			When: from(0, elects(smaller, 2)), Sends: sends(nodetest.To(0, elects(self, 1)))},
		{Name: "stray: too far, beaten", Given: given(start, before1), When: from(0, elects(smaller, 3))},
		{Name: "stray: all the way around", Given: given(start), When: from(0, elects(smaller, 0))},
		{Name: "pass on: its own, all the way around", Given: given(start, before1),
			When: from(0, elects(self, 0)), Sends: sends(nodetest.To(1, elects(self, 2)))},
		{Name: "home: lead", Given: given(start), When: from(0, elects(self, 0)),
			Sends:   sends(nodetest.To(0, elected(self)), nodetest.To(1, elected(self))),
			Outcome: nodetest.Lead(self), Did: nodetest.Decided | nodetest.Ended},
		{Name: "elected: follow", Given: given(start, before1), When: from(1, elected(larger)),
			Outcome: nodetest.Follow(larger), Did: nodetest.Decided | nodetest.Ended},
		{Name: "priority: larger before ID", Given: given(start),
			When: from(1, elects(election.Rank{ID: 3, Priority: 1}, 1))},
		{Name: "unknown kind: ignored", Given: given(start),
			When: from(0, election.Message{Kind: 9, Rank: larger})},
	})
}

// TestStates: a saved state is one of three, and a fourth is refused.
func TestStates(t *testing.T) {
	nodetest.States(t, lmw.Algorithm().New(election.Setup{Self: self}), 3)
}
