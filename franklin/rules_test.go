package franklin_test

import (
	"testing"

	"github.com/go-election/election"
	"github.com/go-election/election/franklin"
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

func candidate(r election.Rank) election.Message    { return election.Message{Kind: 1, Rank: r} }
func announcement(r election.Rank) election.Message { return election.Message{Kind: 2, Rank: r} }

func left(r election.Rank) election.Event  { return nodetest.From(ccw, candidate(r)) }
func right(r election.Rank) election.Event { return nodetest.From(cw, candidate(r)) }

func given(events ...election.Event) []election.Event { return events }

func sends(out ...election.Outgoing) []election.Outgoing { return out }

func TestRules(t *testing.T) {
	round := sends(nodetest.To(ccw, candidate(self)), nodetest.To(cw, candidate(self)))
	start := nodetest.Start()
	nodetest.Rules(t, franklin.Algorithm(), self, []nodetest.Rule{
		{Name: "start: my Rank both ways", When: start, Sends: round},
		{Name: "start: once", Given: given(start), When: start},
		{Name: "start: once, also when beaten and relaying", Given: given(start, left(larger), right(smaller), right(smaller)), When: start},
		{Name: "start: refused after relaying", Given: given(left(smaller)), When: start,
			Did: nodetest.Refused, Err: election.ErrLateStart},
		{Name: "not started: relay clockwise", When: left(smaller),
			Sends: sends(nodetest.To(cw, candidate(smaller)))},
		{Name: "not started: relay counterclockwise", When: right(smaller),
			Sends: sends(nodetest.To(ccw, candidate(smaller)))},
		{Name: "active: wait for the other side", Given: given(start), When: left(larger)},
		{Name: "active: wait for the other side, however many come", Given: given(start, left(smaller)), When: left(larger)},
		{Name: "larger than both: next round", Given: given(start, left(smaller)), When: right(smaller),
			Sends: round},
		{Name: "smaller than the left: passive", Given: given(start, left(larger)), When: right(smaller)},
		{Name: "smaller than the right: passive", Given: given(start, left(smaller)), When: right(larger)},
		{Name: "passive: relay", Given: given(start, left(smaller), right(larger)), When: right(smaller),
			Sends: sends(nodetest.To(ccw, candidate(smaller)))},
		{Name: "becoming passive: pass on what waits", Given: given(start, left(larger), left(smaller)),
			When:  right(smaller),
			Sends: sends(nodetest.To(cw, candidate(smaller)))},
		{Name: "next round: what waits belongs to it",
			Given: given(start, left(smaller), left(larger), right(smaller)), When: right(smaller)},
		{Name: "my own from both sides: I lead, announce", Given: given(start, left(self)), When: right(self),
			Sends: sends(nodetest.To(cw, announcement(self))), Outcome: nodetest.Lead(self),
			Did: nodetest.Decided},
		{Name: "my own: by ID", Given: given(start, left(election.Rank{ID: 5, Priority: 1})),
			When:  right(election.Rank{ID: 5, Priority: 1}),
			Sends: sends(nodetest.To(cw, announcement(self))), Outcome: nodetest.Lead(self),
			Did: nodetest.Decided},
		{Name: "won: nothing is relayed", Given: given(start, left(self), right(self)), When: right(self)},
		{Name: "won: once", Given: given(start, left(self), right(self), left(self)), When: right(self)},
		{Name: "priority: larger before ID", Given: given(start, left(smaller)),
			When: right(election.Rank{ID: 3, Priority: 1})},
		{Name: "elected: follow, forward, done", When: nodetest.From(ccw, announcement(larger)),
			Sends:   sends(nodetest.To(cw, announcement(larger))),
			Outcome: nodetest.Follow(larger), Did: nodetest.Decided | nodetest.Ended},
		{Name: "elected: my own comes home, done", Given: given(start, left(self), right(self)),
			When: nodetest.From(ccw, announcement(self)), Did: nodetest.Ended},
		{Name: "unknown kind: ignored", When: nodetest.From(ccw, election.Message{Kind: 9, Rank: larger})},
	})
}
