package peterson_test

import (
	"testing"

	"github.com/go-election/election"
	"github.com/go-election/election/nodetest"
	"github.com/go-election/election/peterson"
)

const (
	cw  = election.Clockwise
	ccw = election.Counterclockwise
)

// The process under test is 5.
var (
	self    = election.Rank{ID: 5}
	small   = election.Rank{ID: 3}
	smaller = election.Rank{ID: 2}
	larger  = election.Rank{ID: 8}
	largest = election.Rank{ID: 9}
)

func candidate(r election.Rank) election.Message    { return election.Message{Kind: 1, Rank: r} }
func announcement(r election.Rank) election.Message { return election.Message{Kind: 2, Rank: r} }

func hear(m election.Message) election.Event { return nodetest.From(ccw, m) }

func given(events ...election.Event) []election.Event { return events }

func sends(m election.Message) []election.Outgoing { return []election.Outgoing{nodetest.To(cw, m)} }

func TestRules(t *testing.T) {
	start := nodetest.Start()
	passive := given(start, hear(candidate(larger)))
	even := given(start, hear(candidate(small)))                           // phase 2
	alias := given(start, hear(candidate(small)), hear(candidate(larger))) // phase 3: 5 now stands for 8
	later := append(alias, hear(candidate(small)))                         // phase 4
	priority := election.Rank{ID: 3, Priority: 1}
	nodetest.Rules(t, peterson.Algorithm(), self, []nodetest.Rule{
		{Name: "start: send my Rank as alias", When: start, Sends: sends(candidate(self))},
		{Name: "start: once", Given: given(start), When: start},
		{Name: "start: once, also in an even phase", Given: even, When: start},
		{Name: "start: once, also when passive and relaying", When: start,
			Given: append(passive, hear(candidate(larger)))},
		{Name: "start: refused after relaying", Given: given(hear(candidate(small))), When: start,
			Did: nodetest.Refused, Err: election.ErrLateStart},
		{Name: "not started: relay", When: hear(candidate(small)), Sends: sends(candidate(small))},
		{Name: "not started: relay again", Given: given(hear(candidate(small))),
			When:  hear(candidate(larger)),
			Sends: sends(candidate(larger))},
		{Name: "not started: relay what has my own ID", When: hear(candidate(self)),
			Sends: sends(candidate(self))},
		{Name: "odd: a smaller one, send my alias again", Given: given(start), When: hear(candidate(small)),
			Sends: sends(candidate(self))},
		{Name: "odd: a larger one, drop out", Given: given(start), When: hear(candidate(larger))},
		{Name: "even: a larger one, take it over", Given: even, When: hear(candidate(larger)),
			Sends: sends(candidate(larger))},
		{Name: "even: a smaller one, drop out", Given: even, When: hear(candidate(smaller))},
		{Name: "odd again: compare with the alias", Given: alias, When: hear(candidate(election.Rank{ID: 7})),
			Sends: sends(candidate(larger))},
		{Name: "odd again: a larger one than the alias", Given: alias, When: hear(candidate(largest))},
		{Name: "even again: compare with the alias", Given: later,
			When: hear(candidate(election.Rank{ID: 7}))},
		{Name: "even again: take over", Given: later, When: hear(candidate(largest)),
			Sends: sends(candidate(largest))},
		{Name: "passive: relay", Given: passive, When: hear(candidate(small)),
			Sends: sends(candidate(small))},
		{Name: "passive: relay what has my own ID", Given: passive, When: hear(candidate(self)),
			Sends: sends(candidate(self))},
		{Name: "passive since an even phase: relay", Given: append(even, hear(candidate(smaller))),
			When: hear(candidate(larger)), Sends: sends(candidate(larger))},
		{Name: "home in phase 1", Given: given(start), When: hear(candidate(self)),
			Sends: sends(announcement(self)), Outcome: nodetest.Lead(self), Did: nodetest.Decided},
		{Name: "home in phase 2", Given: even, When: hear(candidate(self)),
			Sends: sends(announcement(self)), Outcome: nodetest.Lead(self), Did: nodetest.Decided},
		{Name: "home: my alias, another leads", Given: alias, When: hear(candidate(larger)),
			Sends: sends(announcement(larger)), Outcome: nodetest.Follow(larger), Did: nodetest.Decided},
		{Name: "home: not my own Rank, once I have an alias", Given: alias, When: hear(candidate(self)),
			Sends: sends(candidate(larger))},
		{Name: "home: not my own Rank in an even phase", Given: later, When: hear(candidate(self))},
		{Name: "detected: nothing is relayed", Given: append(alias, hear(candidate(larger))),
			When: hear(candidate(larger))},
		{Name: "detected: no start", Given: given(start, hear(candidate(self))), When: start},
		{Name: "elected: follow, forward, done", Given: passive, When: hear(announcement(larger)),
			Sends: sends(announcement(larger)), Outcome: nodetest.Follow(larger),
			Did: nodetest.Decided | nodetest.Ended},
		{Name: "elected: I lead and learn of it", Given: passive, When: hear(announcement(self)),
			Sends: sends(announcement(self)), Outcome: nodetest.Lead(self),
			Did: nodetest.Decided | nodetest.Ended},
		{Name: "elected: comes home to the detector, done", Given: append(alias, hear(candidate(larger))),
			When: hear(announcement(larger)), Did: nodetest.Ended},
		{Name: "priority: larger before ID", Given: given(start), When: hear(candidate(priority))},
		{Name: "priority: larger before ID, even", Given: even, When: hear(candidate(priority)),
			Sends: sends(candidate(priority))},
		{Name: "unknown kind: ignored", When: hear(election.Message{Kind: 9, Rank: larger})},
	})
}

// TestStates: a saved state is one of six, and a seventh is refused.
func TestStates(t *testing.T) {
	nodetest.States(t, peterson.Algorithm().New(election.Setup{Self: self}), 6)
}
