package hs_test

import (
	"math"
	"testing"

	"github.com/go-election/election"
	"github.com/go-election/election/hs"
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

func probe(r election.Rank, phase uint32, hops uint64) election.Message {
	return election.Message{Kind: 1, Rank: r, Round: phase, Value: hops}
}

// granted is a reply of the probe variant, answer one of the respond variant.
func granted(r election.Rank, phase uint32) election.Message {
	return election.Message{Kind: 2, Rank: r, Round: phase}
}

func answer(candidate election.ID, best election.Rank) election.Message {
	return election.Message{Kind: 2, Rank: best, Value: uint64(candidate)}
}

func announcement(r election.Rank) election.Message { return election.Message{Kind: 3, Rank: r} }

func given(events ...election.Event) []election.Event { return events }

func sends(out ...election.Outgoing) []election.Outgoing { return out }

func bothWays(m election.Message) []election.Outgoing {
	return sends(nodetest.To(ccw, m), nodetest.To(cw, m))
}

// common are the rules of both variants.
var common = []nodetest.Rule{
	{Name: "start: probes of phase 0 both ways", When: nodetest.Start(), Sends: bothWays(probe(self, 0, 1))},
	{Name: "start: once", Given: given(nodetest.Start()), When: nodetest.Start()},
	{Name: "start: ignored when passive", Given: given(nodetest.From(cw, probe(larger, 0, 1))),
		When: nodetest.Start()},
	{Name: "start: ignored when passed in reach", Given: given(nodetest.From(cw, probe(larger, 2, 3))),
		When: nodetest.Start()},
	{Name: "start: ignored when woken", Given: given(nodetest.From(cw, probe(smaller, 0, 1))),
		When: nodetest.Start()},
	{Name: "larger in reach: pass", When: nodetest.From(ccw, probe(larger, 1, 1)),
		Sends: sends(nodetest.To(cw, probe(larger, 1, 2)))},
	{Name: "larger in reach: pass the other way", Given: given(nodetest.Start()),
		When:  nodetest.From(cw, probe(larger, 3, 7)),
		Sends: sends(nodetest.To(ccw, probe(larger, 3, 8)))},
	{Name: "larger in reach: phase 63 still has one", When: nodetest.From(cw, probe(larger, 63, 1<<62)),
		Sends: sends(nodetest.To(ccw, probe(larger, 63, 1<<62+1)))},
	{Name: "mine: I lead, announce", Given: given(nodetest.Start()),
		When:  nodetest.From(ccw, probe(self, 2, 3)),
		Sends: sends(nodetest.To(cw, announcement(self))), Outcome: nodetest.Lead(self),
		Did: nodetest.Decided},
	{Name: "mine: from the other side, by ID", Given: given(nodetest.Start()),
		When:  nodetest.From(cw, probe(election.Rank{ID: 5, Priority: 2}, 0, 1)),
		Sends: sends(nodetest.To(cw, announcement(self))), Outcome: nodetest.Lead(self),
		Did: nodetest.Decided},
	{Name: "mine: once", Given: given(nodetest.Start(), nodetest.From(ccw, probe(self, 2, 3))),
		When: nodetest.From(cw, probe(self, 2, 3))},
	{Name: "elected: follow, forward, done", When: nodetest.From(ccw, announcement(larger)),
		Sends:   sends(nodetest.To(cw, announcement(larger))),
		Outcome: nodetest.Follow(larger), Did: nodetest.Decided | nodetest.Ended},
	{Name: "elected: my own comes home, done",
		Given: given(nodetest.Start(), nodetest.From(ccw, probe(self, 2, 3))),
		When:  nodetest.From(ccw, announcement(self)), Did: nodetest.Ended},
	{Name: "unknown kind: ignored", When: nodetest.From(ccw, election.Message{Kind: 9, Rank: larger})},
}

func TestRulesOfProbe(t *testing.T) {
	atEnd := sends(nodetest.To(ccw, granted(larger, 1)))
	nodetest.Rules(t, hs.Probe(), self, append([]nodetest.Rule{
		{Name: "larger at the end of its reach: reply", When: nodetest.From(ccw, probe(larger, 1, 2)),
			Sends: atEnd},
		{Name: "larger beyond its reach: reply", When: nodetest.From(ccw, probe(larger, 1, math.MaxUint64)),
			Sends: atEnd},
		{Name: "a phase that cannot be: reply", When: nodetest.From(ccw, probe(larger, math.MaxUint32, 1)),
			Sends: sends(nodetest.To(ccw, granted(larger, math.MaxUint32)))},
		{Name: "smaller: swallow", Given: given(nodetest.Start()),
			When: nodetest.From(ccw, probe(smaller, 0, 1))},
		{Name: "smaller: compete from phase 0 on", When: nodetest.From(ccw, probe(smaller, 3, 5)),
			Sends: bothWays(probe(self, 0, 1))},
		{Name: "smaller: swallow when passive", Given: given(nodetest.From(cw, probe(larger, 0, 1))),
			When: nodetest.From(ccw, probe(smaller, 0, 1))},
		{Name: "reply to another: pass", When: nodetest.From(cw, granted(larger, 1)),
			Sends: sends(nodetest.To(ccw, granted(larger, 1)))},
		{Name: "reply to me: wait for the other side", Given: given(nodetest.Start()),
			When: nodetest.From(ccw, granted(self, 0))},
		{Name: "reply to me from both sides: next phase, both ways",
			Given: given(nodetest.Start(), nodetest.From(ccw, granted(self, 0))),
			When:  nodetest.From(cw, granted(self, 0)),
			Sends: bothWays(probe(self, 1, 1))},
		{Name: "reply to me: of this phase only",
			Given: given(nodetest.Start(), nodetest.From(ccw, granted(self, 0))),
			When:  nodetest.From(cw, granted(self, 7))},
		{Name: "a larger one has passed: I may go on",
			Given: given(nodetest.Start(), nodetest.From(cw, probe(larger, 1, 1)),
				nodetest.From(ccw, granted(self, 0))),
			When: nodetest.From(cw, granted(self, 0)), Sends: bothWays(probe(self, 1, 1))},
	}, common...))
}

func TestRulesOfRespond(t *testing.T) {
	won := sends(nodetest.To(ccw, answer(8, larger)))
	nodetest.Rules(t, hs.Respond(), self, append([]nodetest.Rule{
		{Name: "larger at the end of its reach: respond", When: nodetest.From(ccw, probe(larger, 1, 2)),
			Sends: won},
		{Name: "larger beyond its reach: respond", When: nodetest.From(ccw, probe(larger, 1, math.MaxUint64)),
			Sends: won},
		{Name: "a phase that cannot be: respond", When: nodetest.From(ccw, probe(larger, math.MaxUint32, 1)),
			Sends: won},
		{Name: "smaller: respond that it is lost", Given: given(nodetest.Start()),
			When:  nodetest.From(ccw, probe(smaller, 0, 1)),
			Sends: sends(nodetest.To(ccw, answer(3, self)))},
		{Name: "smaller: respond, compete from phase 0 on", When: nodetest.From(cw, probe(smaller, 3, 5)),
			Sends: append(sends(nodetest.To(cw, answer(3, self))), bothWays(probe(self, 0, 1))...)},
		{Name: "response to another: pass", When: nodetest.From(cw, answer(8, larger)),
			Sends: sends(nodetest.To(ccw, answer(8, larger)))},
		{Name: "response to another: pass, though it names me", Given: given(nodetest.Start()),
			When:  nodetest.From(cw, answer(3, self)),
			Sends: sends(nodetest.To(ccw, answer(3, self)))},
		{Name: "response to me: wait for the other side", Given: given(nodetest.Start()),
			When: nodetest.From(ccw, answer(5, self))},
		{Name: "response to me from both sides: next phase, both ways",
			Given: given(nodetest.Start(), nodetest.From(ccw, answer(5, self))),
			When:  nodetest.From(cw, answer(5, self)),
			Sends: bothWays(probe(self, 1, 1))},
		{Name: "response to me: no further phase for the winner",
			Given: given(nodetest.Start(), nodetest.From(ccw, probe(self, 0, 1)),
				nodetest.From(ccw, answer(5, self))),
			When: nodetest.From(cw, answer(5, self))},
		{Name: "response to me: lost", Given: given(nodetest.Start(), nodetest.From(ccw, answer(5, larger))),
			When: nodetest.From(cw, answer(5, self))},
		{Name: "a larger one has passed: lost",
			Given: given(nodetest.Start(), nodetest.From(cw, probe(larger, 1, 1)),
				nodetest.From(ccw, answer(5, self))),
			When: nodetest.From(cw, answer(5, self))},
	}, common...))
}
