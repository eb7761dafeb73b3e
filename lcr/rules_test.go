package lcr_test

import (
	"testing"

	"github.com/go-election/election"
	"github.com/go-election/election/lcr"
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
)

func ballot(r election.Rank) election.Message       { return election.Message{Kind: 1, Rank: r} }
func announcement(r election.Rank) election.Message { return election.Message{Kind: 2, Rank: r} }

// token is a message of wave.
func token(kind uint8, r election.Rank, originator uint64) election.Message {
	return election.Message{Kind: kind, Rank: r, Value: originator}
}

func hear(m election.Message) election.Event { return nodetest.From(ccw, m) }

func sends(m election.Message) []election.Outgoing { return []election.Outgoing{nodetest.To(cw, m)} }

func given(events ...election.Event) []election.Event { return events }

// common are the rules of participant, initiators and max about starts and the announcement.
var common = []nodetest.Rule{
	{Name: "start: send my Rank", When: nodetest.Start(), Sends: sends(ballot(self))},
	{Name: "start: once", Given: given(nodetest.Start()), When: nodetest.Start()},
	{Name: "larger: forward", Given: given(nodetest.Start()), When: hear(ballot(larger)),
		Sends: sends(ballot(larger))},
	{Name: "larger: forward, not started", When: hear(ballot(larger)), Sends: sends(ballot(larger))},
	{Name: "my own: I lead, announce", Given: given(nodetest.Start()), When: hear(ballot(self)),
		Sends: sends(announcement(self)), Outcome: nodetest.Lead(self), Did: nodetest.Decided},
	{Name: "my own: by ID, whatever its priority", Given: given(nodetest.Start()),
		When:  hear(ballot(election.Rank{ID: 5, Priority: 9})),
		Sends: sends(announcement(self)), Outcome: nodetest.Lead(self), Did: nodetest.Decided},
	{Name: "my own: once", Given: given(nodetest.Start(), hear(ballot(self))), When: hear(ballot(self))},
	{Name: "elected: follow, forward, done", When: hear(announcement(larger)),
		Sends: sends(announcement(larger)), Outcome: nodetest.Follow(larger),
		Did: nodetest.Decided | nodetest.Ended},
	{Name: "elected: my own comes home, done", Given: given(nodetest.Start(), hear(ballot(self))),
		When: hear(announcement(self)), Did: nodetest.Ended},
	{Name: "priority: larger before ID", Given: given(nodetest.Start()),
		When:  hear(ballot(election.Rank{ID: 3, Priority: 1})),
		Sends: sends(ballot(election.Rank{ID: 3, Priority: 1}))},
}

func TestRulesOfParticipant(t *testing.T) {
	nodetest.Rules(t, lcr.Participant(), self, append([]nodetest.Rule{
		{Name: "smaller: drop", Given: given(nodetest.Start()), When: hear(ballot(smaller))},
		{Name: "smaller: compete", When: hear(ballot(smaller)), Sends: sends(ballot(self))},
		{Name: "smaller: drop behind a larger one", Given: given(hear(ballot(larger))),
			When: hear(ballot(smaller))},
		{Name: "start: ignored behind a larger one", Given: given(hear(ballot(larger))),
			When: nodetest.Start()},
		{Name: "start: ignored when competing", Given: given(hear(ballot(smaller))), When: nodetest.Start()},
		{Name: "won: a smaller one is dropped", Given: given(nodetest.Start(), hear(ballot(self))),
			When: hear(ballot(smaller))},
		{Name: "start: ignored by the winner", Given: given(nodetest.Start(), hear(ballot(self))),
			When: nodetest.Start()},
	}, common...))
}

func TestRulesOfInitiators(t *testing.T) {
	nodetest.Rules(t, lcr.Initiators(), self, append([]nodetest.Rule{
		{Name: "smaller: drop", Given: given(nodetest.Start()), When: hear(ballot(smaller))},
		{Name: "smaller: forward, not started", When: hear(ballot(smaller)), Sends: sends(ballot(smaller))},
		{Name: "start: refused after relaying", Given: given(hear(ballot(smaller))), When: nodetest.Start(),
			Did: nodetest.Refused, Err: election.ErrLateStart},
		{Name: "won: a smaller one is dropped", Given: given(nodetest.Start(), hear(ballot(self))),
			When: hear(ballot(smaller))},
		{Name: "start: once, also after relaying", Given: given(nodetest.Start(), hear(ballot(larger))),
			When: nodetest.Start()},
	}, common...))
}

func TestRulesOfMax(t *testing.T) {
	nodetest.Rules(t, lcr.Max(), self, append([]nodetest.Rule{
		{Name: "smaller: forward the maximum", Given: given(nodetest.Start()), When: hear(ballot(smaller)),
			Sends: sends(ballot(self))},
		{Name: "smaller: forward the maximum, not started", When: hear(ballot(smaller)), Sends: sends(ballot(self))},
		{Name: "start: joins after relaying", Given: given(hear(ballot(larger))), When: nodetest.Start(),
			Sends: sends(ballot(self))},
		{Name: "won: drop", Given: given(nodetest.Start(), hear(ballot(self))), When: hear(ballot(smaller))},
		{Name: "won: start ignored", Given: given(hear(ballot(smaller)), hear(ballot(self))),
			When: nodetest.Start()},
	}, common...))
}

func TestRulesOfWave(t *testing.T) {
	nodetest.Rules(t, lcr.Wave(), self, []nodetest.Rule{
		{Name: "start: send my Rank", When: nodetest.Start(), Sends: sends(token(1, self, 5))},
		{Name: "start: once", Given: given(nodetest.Start()), When: nodetest.Start()},
		{Name: "start: joins after relaying", Given: given(hear(token(1, larger, 8))), When: nodetest.Start(),
			Sends: sends(token(1, self, 5))},
		{Name: "another's: forward the larger, theirs", When: hear(token(1, larger, 3)), Sends: sends(token(1, larger, 3))},
		{Name: "another's: forward the larger, mine", When: hear(token(1, smaller, 3)),
			Sends: sends(token(1, self, 3))},
		{Name: "mine: proclaim the winner", Given: given(nodetest.Start()), When: hear(token(1, larger, 5)),
			Sends: sends(token(2, larger, 5)), Outcome: nodetest.Follow(larger), Did: nodetest.Decided},
		{Name: "mine: I have won", Given: given(nodetest.Start()), When: hear(token(1, self, 5)),
			Sends: sends(token(2, self, 5)), Outcome: nodetest.Lead(self), Did: nodetest.Decided},
		{Name: "mine: once", Given: given(nodetest.Start(), hear(token(1, self, 5))),
			When: hear(token(1, self, 5))},
		{Name: "elected: follow, forward; mine is still on its way", Given: given(nodetest.Start()), When: hear(token(2, larger, 3)),
			Sends: sends(token(2, larger, 3)), Outcome: nodetest.Follow(larger), Did: nodetest.Decided},
		{Name: "elected: follow, forward, done where I have not started", When: hear(token(2, larger, 3)),
			Sends: sends(token(2, larger, 3)), Outcome: nodetest.Follow(larger),
			Did: nodetest.Decided | nodetest.Ended},
		{Name: "elected: I lead", When: hear(token(2, self, 3)),
			Sends: sends(token(2, self, 3)), Outcome: nodetest.Lead(self),
			Did: nodetest.Decided | nodetest.Ended},
		{Name: "elected: mine comes home, done", Given: given(nodetest.Start(), hear(token(1, larger, 5))),
			When: hear(token(2, larger, 5)), Did: nodetest.Ended},
	})
}
