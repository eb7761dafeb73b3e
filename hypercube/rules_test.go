package hypercube_test

import (
	"testing"

	"github.com/go-election/election"
	"github.com/go-election/election/hypercube"
	"github.com/go-election/election/nodetest"
)

// The process under test is 5, on a cube of two dimensions.
var (
	self    = election.Rank{ID: 5}
	smaller = election.Rank{ID: 3}
	larger  = election.Rank{ID: 8}
)

// Sets of links.
const (
	nowhere = 0
	one     = 1
	two     = 2
	both    = 3
)

func duel(r election.Rank, stage uint32, way, route uint64) election.Message {
	return election.Message{Kind: 1, Rank: r, Round: stage, Value: way<<32 | route}
}

func announcement(r election.Rank) election.Message { return election.Message{Kind: 2, Rank: r} }

func given(events ...election.Event) []election.Event { return events }

func sends(out ...election.Outgoing) []election.Outgoing { return out }

func TestRules(t *testing.T) {
	start := nodetest.Start()
	over := func(link int, m election.Message) election.Outgoing {
		return nodetest.To(election.Port(link-1), m)
	}
	from := func(link int, m election.Message) election.Event {
		return nodetest.From(election.Port(link-1), m)
	}
	enter1, enter2 := over(1, duel(self, 1, one, nowhere)), over(2, duel(self, 2, two, nowhere))
	late := from(2, duel(larger, 2, two, nowhere))
	won, lost := from(1, duel(smaller, 1, one, nowhere)), from(1, duel(larger, 1, one, nowhere))
	lead := sends(over(1, announcement(self)), over(2, announcement(self)))
	nodetest.Rules(t, hypercube.Algorithm(), self, []nodetest.Rule{
		{Name: "start: stage 1", When: start, Sends: sends(enter1)},
		{Name: "start: once", Given: given(start), When: start},
		{Name: "a duel wakes: stage 1, and it is delayed", When: late, Sends: sends(enter1)},
		{Name: "a duel wakes: stage 1, won, stage 2", When: won, Sends: sends(enter1, enter2)},
		{Name: "a duel wakes: stage 1, lost", When: lost, Sends: sends(enter1)},
		{Name: "a duel wakes, also on its route", When: from(1, duel(larger, 2, one, two)),
			Sends: sends(enter1, over(2, duel(larger, 2, both, nowhere)))},
		{Name: "route: the lowest link first", Given: given(start),
			When:  from(2, duel(smaller, 2, two, both)),
			Sends: sends(over(1, duel(smaller, 2, both, two)))},
		{Name: "way: a link that is crossed again is not crossed", Given: given(start),
			When:  from(2, duel(smaller, 2, both, two)),
			Sends: sends(over(2, duel(smaller, 2, one, nowhere)))},
		{Name: "smaller: stage 2", Given: given(start), When: won, Sends: sends(enter2)},
		{Name: "larger: defeated", Given: given(start), When: lost},
		{Name: "priority: larger before ID", Given: given(start),
			When: from(1, duel(election.Rank{ID: 3, Priority: 1}, 1, one, nowhere))},
		{Name: "of a later stage: delayed", Given: given(start), When: late},
		{Name: "won: the delayed one is fought in its stage", Given: given(start, late), When: won,
			Sends: sends(enter2)},
		{Name: "defeated: the delayed ones follow", Given: given(start, late), When: lost,
			Sends: sends(over(1, duel(larger, 2, both, nowhere)))},
		{Name: "defeated: on to my conqueror", Given: given(start, lost), When: late,
			Sends: sends(over(1, duel(larger, 2, both, nowhere)))},
		{Name: "defeated in stage 2: on by the shortest path",
			Given: given(start, won, from(2, duel(larger, 2, both, nowhere))),
			When:  from(2, duel(larger, 2, two, nowhere)), Sends: sends(over(1, duel(larger, 2, both, two)))},
		{Name: "of an earlier stage: nothing", Given: given(start, won), When: won},
		{Name: "the last stage won: lead, announce, done", Given: given(start, won),
			When:  from(2, duel(smaller, 2, two, nowhere)),
			Sends: lead, Outcome: nodetest.Lead(self), Did: nodetest.Decided | nodetest.Ended},
		{Name: "the last stage won, by one that was delayed",
			Given: given(start, from(2, duel(smaller, 2, two, nowhere))), When: won,
			Sends: append(sends(enter2), lead...), Outcome: nodetest.Lead(self),
			Did: nodetest.Decided | nodetest.Ended},
		{Name: "the last stage won: once", Given: given(start, won, from(2, duel(smaller, 2, two, nowhere))),
			When: from(2, duel(smaller, 2, two, nowhere))},
		{Name: "elected over link 2: on over link 1", Given: given(start, lost),
			When:  from(2, announcement(larger)),
			Sends: sends(over(1, announcement(larger))), Outcome: nodetest.Follow(larger),
			Did: nodetest.Decided | nodetest.Ended},
		{Name: "elected over link 1: no further", Given: given(start, lost),
			When:    from(1, announcement(larger)),
			Outcome: nodetest.Follow(larger), Did: nodetest.Decided | nodetest.Ended},
		{Name: "elected: once", Given: given(start, lost, from(1, announcement(larger))),
			When: from(2, announcement(larger))},
		{Name: "elected: duels go on", Given: given(start, from(1, announcement(larger)), late), When: lost,
			Sends: sends(over(1, duel(larger, 2, both, nowhere)))},
		{Name: "a duel that has come no way: dropped", Given: given(start,
			from(1, duel(larger, 1, nowhere, nowhere))), When: won, Sends: sends(enter2)},
		{Name: "unknown kind: ignored", When: from(1, election.Message{Kind: 9, Rank: larger})},
	})
}
