package dkr_test

import (
	"testing"

	"github.com/go-election/election"
	"github.com/go-election/election/dkr"
	"github.com/go-election/election/nodetest"
)

const (
	cw  = election.Clockwise
	ccw = election.Counterclockwise
)

// The process under test is 5.
var (
	self    = election.Rank{ID: 5}
	smaller = election.Rank{ID: 3}
	larger  = election.Rank{ID: 8}
	largest = election.Rank{ID: 9}
)

func first(r election.Rank) election.Message        { return election.Message{Kind: 1, Rank: r} }
func second(r election.Rank) election.Message       { return election.Message{Kind: 2, Rank: r} }
func announcement(r election.Rank) election.Message { return election.Message{Kind: 3, Rank: r} }

func hear(m election.Message) election.Event { return nodetest.From(ccw, m) }

func given(events ...election.Event) []election.Event { return events }

func sends(m election.Message) []election.Outgoing { return []election.Outgoing{nodetest.To(cw, m)} }

func TestRules(t *testing.T) {
	start := nodetest.Start()
	passive := given(start, hear(first(smaller)), hear(second(largest)))
	alias := given(start, hear(first(larger)), hear(second(smaller))) // 5 now stands for 8
	nodetest.Rules(t, dkr.Algorithm(), self, []nodetest.Rule{
		{Name: "start: send my Rank as alias", When: start, Sends: sends(first(self))},
		{Name: "start: once", Given: given(start), When: start},
		{Name: "start: once, also when passive and relaying", Given: append(passive, hear(first(larger))), When: start},
		{Name: "start: refused after relaying", Given: given(hear(first(smaller))), When: start,
			Did: nodetest.Refused, Err: election.ErrLateStart},
		{Name: "not started: relay first", When: hear(first(smaller)), Sends: sends(first(smaller))},
		{Name: "not started: relay second", When: hear(second(smaller)), Sends: sends(second(smaller))},
		{Name: "first: pass on as second", Given: given(start), When: hear(first(smaller)),
			Sends: sends(second(smaller))},
		{Name: "second: the nearer is larger than both: take it over", Given: given(start, hear(first(larger))),
			When: hear(second(smaller)), Sends: sends(first(larger))},
		{Name: "second: the nearer is smaller than mine: passive", Given: given(start, hear(first(smaller))), When: hear(second(smaller))},
		{Name: "second: the nearer is smaller than the farther: passive", Given: given(start, hear(first(larger))), When: hear(second(largest))},
		{Name: "second: of two, the smaller alias", Given: given(start, hear(first(larger))),
			When: hear(second(self)), Sends: sends(first(larger))},
		{Name: "second: of two, the larger alias", Given: given(start, hear(first(smaller))),
			When: hear(second(self))},
		{Name: "passive: relay first", Given: passive, When: hear(first(larger)),
			Sends: sends(first(larger))},
		{Name: "passive: relay second", Given: passive, When: hear(second(larger)),
			Sends: sends(second(larger))},
		{Name: "passive: relay what has my own ID", Given: passive, When: hear(first(self)),
			Sends: sends(first(self))},
		{Name: "next round: compares with the alias", Given: append(alias, hear(first(election.Rank{ID: 7}))),
			When: hear(second(smaller))},
		{Name: "first: my own, I detect that I lead", Given: given(start), When: hear(first(self)),
			Sends: sends(announcement(self)), Outcome: nodetest.Lead(self), Did: nodetest.Decided},
		{Name: "first: my alias, I detect that another leads", Given: alias, When: hear(first(larger)),
			Sends: sends(announcement(larger)), Outcome: nodetest.Follow(larger), Did: nodetest.Decided},
		{Name: "first: my own Rank is nothing special once I have an alias", Given: alias, When: hear(first(self)), Sends: sends(second(self))},
		{Name: "detected: nothing is relayed", Given: append(alias, hear(first(larger))),
			When: hear(first(larger))},
		{Name: "elected: follow, forward, done", Given: passive, When: hear(announcement(larger)),
			Sends: sends(announcement(larger)), Outcome: nodetest.Follow(larger),
			Did: nodetest.Decided | nodetest.Ended},
		{Name: "elected: I lead and learn of it", Given: passive, When: hear(announcement(self)),
			Sends: sends(announcement(self)), Outcome: nodetest.Lead(self),
			Did: nodetest.Decided | nodetest.Ended},
		{Name: "elected: comes home to the detector, done", Given: append(alias, hear(first(larger))),
			When: hear(announcement(larger)), Did: nodetest.Ended},
		{Name: "priority: larger before ID", Given: given(start,
			hear(first(election.Rank{ID: 3, Priority: 1}))), When: hear(second(smaller)),
			Sends: sends(first(election.Rank{ID: 3, Priority: 1}))},
		{Name: "unknown kind: ignored", When: hear(election.Message{Kind: 9, Rank: larger})},
	})
}
