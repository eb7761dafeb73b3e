package ghs_test

import (
	"slices"
	"testing"

	"github.com/go-election/election"
	"github.com/go-election/election/ghs"
	"github.com/go-election/election/nodetest"
)

// The process under test is 5, and has two links, of the weights 2 and 1. It does not know its neighbours.
var (
	self    = election.Rank{ID: 5}
	smaller = election.Rank{ID: 3}
	larger  = election.Rank{ID: 8}
)

const (
	heavy election.Port = 0
	light election.Port = 1
)

const (
	kConnect uint8 = iota + 1
	kInitiate
	kTest
	kAccept
	kReject
	kReport
	kChangeRoot
	kElected
)

// fragments and links, as messages carry them.
var (
	lightLink = about(1, 5)
	heavyLink = about(2, 5)
	elsewhere = about(7, 9)
	nowhere   election.Message
)

func about(weight, high uint64) election.Message {
	return election.Message{Rank: election.Rank{Priority: weight}, Value: high}
}

func connect(level uint32, from election.Rank) election.Message {
	return election.Message{Kind: kConnect, Round: level, Rank: from}
}

func initiate(level uint32, fragment election.Message, search bool) election.Message {
	fragment.Kind, fragment.Round = kInitiate, level
	if search {
		fragment.Flags = 1
	}
	return fragment
}

func test(level uint32, fragment election.Message) election.Message {
	fragment.Kind, fragment.Round = kTest, level
	return fragment
}

func report(link election.Message) election.Message {
	link.Kind = kReport
	return link
}

func plain(kind uint8) election.Message { return election.Message{Kind: kind} }

func elected(leader election.Rank) election.Message {
	return election.Message{Kind: kElected, Rank: leader}
}

func given(events ...election.Event) []election.Event { return events }

// then returns what was given before, and more.
func then(before []election.Event, more ...election.Event) []election.Event {
	return slices.Concat(before, more)
}

func sends(out ...election.Outgoing) []election.Outgoing { return out }

const ended = nodetest.Decided | nodetest.Ended

// What has happened to the process before.
var (
	from, to, start = nodetest.From, nodetest.To, nodetest.Start()

	// It is an end of the core, and tests its other link.
	core = given(start, from(light, connect(0, smaller)), from(light, initiate(1, lightLink, true)))
	// It has joined a fragment of level 3, and tests its other link.
	below  = given(start, from(light, initiate(3, elsewhere, true)))
	found  = then(below, from(heavy, plain(kAccept)))
	tested = then(core, from(heavy, plain(kReject)))
	tree   = then(core, from(heavy, plain(kAccept)), from(light, report(nowhere)))
)

// TestFragments: how they join.
func TestFragments(t *testing.T) {
	nodetest.Rules(t, ghs.Algorithm(), self, []nodetest.Rule{
		{Name: "start: connect over the lightest link", When: start,
			Sends: sends(to(light, connect(0, self)))},
		{Name: "start: once", Given: given(start), When: start},
		{Name: "asleep: a test wakes, and waits", When: from(heavy, test(1, elsewhere)),
			Sends: sends(to(light, connect(0, self)))},
		{Name: "asleep: a connect over the other link wakes, and waits",
			When:  from(heavy, connect(0, larger)),
			Sends: sends(to(light, connect(0, self)))},
		{Name: "asleep: two choose the same link", When: from(light, connect(0, larger)),
			Sends: sends(to(light, connect(0, self)), to(light, initiate(1, lightLink, true)))},
		{Name: "absorb: while it searches", Given: below, When: from(heavy, connect(2, larger)),
			Sends: sends(to(heavy, initiate(3, elsewhere, true)))},
		{Name: "absorb: after the search", Given: found, When: from(heavy, connect(2, larger)),
			Sends: sends(to(heavy, initiate(3, elsewhere, false)))},
		{Name: "absorb: a report of it is awaited", Given: then(below, from(heavy, connect(2, larger))),
			When: from(heavy, plain(kReject))},
		{Name: "absorb: once it has reported, so does this one", Given: then(below,
			from(heavy, connect(2, larger)), from(heavy, plain(kReject))),
			When:  from(heavy, report(elsewhere)),
			Sends: sends(to(light, report(elsewhere)))},
		{Name: "defer connect: the same level", Given: below, When: from(heavy, connect(3, larger))},
		{Name: "defer connect: until the level rises", Given: then(found, from(heavy, connect(3, larger))),
			When:  from(light, initiate(4, lightLink, false)),
			Sends: sends(to(heavy, initiate(4, lightLink, false)))},
		{Name: "defer connect: until it is a branch", Given: then(found, from(heavy, connect(3, larger))),
			When:  from(light, plain(kChangeRoot)),
			Sends: sends(to(heavy, connect(3, self)), to(heavy, initiate(4, heavyLink, true)))},
		{Name: "initiate: pass it on and test", Given: then(given(start,
			from(light, initiate(1, elsewhere, true))),
			from(heavy, connect(0, larger)), from(heavy, report(nowhere))),
			When:  from(light, initiate(2, lightLink, true)),
			Sends: sends(to(heavy, initiate(2, lightLink, true)))},
		{Name: "initiate: with nothing left to test, report", Given: tested,
			When:  from(light, initiate(2, elsewhere, true)),
			Sends: sends(to(light, report(nowhere)))},
		{Name: "initiate: not to search", Given: given(start),
			When: from(light, initiate(3, elsewhere, false))},
		{Name: "initiate: test", Given: given(start), When: from(light, initiate(3, elsewhere, true)),
			Sends: sends(to(heavy, test(3, elsewhere)))},
	})
}

// TestSearch: the lightest link out.
func TestSearch(t *testing.T) {
	nodetest.Rules(t, ghs.Algorithm(), self, []nodetest.Rule{
		{Name: "defer test: a higher level", Given: below, When: from(heavy, test(4, lightLink))},
		{Name: "defer test: until the level is as high", Given: then(found, from(heavy, test(4, lightLink))),
			When: from(light, initiate(4, elsewhere, false)), Sends: sends(to(heavy, plain(kAccept)))},
		{Name: "accept: another fragment", Given: below, When: from(heavy, test(3, lightLink)),
			Sends: sends(to(heavy, plain(kAccept)))},
		{Name: "accept: the same weight, other ends", Given: below, When: from(heavy, test(3, about(7, 8))),
			Sends: sends(to(heavy, plain(kAccept)))},
		{Name: "reject: the two tests answer each other", Given: below, When: from(heavy, test(3, elsewhere)),
			Sends: sends(to(light, report(nowhere)))},
		{Name: "reject: it has not tested the link", Given: found, When: from(heavy, test(3, elsewhere)),
			Sends: sends(to(heavy, plain(kReject)))},
		{Name: "reject: a link that is rejected is not tested again",
			Given: then(found, from(heavy, test(3, elsewhere))),
			When:  from(light, initiate(4, elsewhere, true)), Sends: sends(to(light, report(nowhere)))},
		{Name: "found: report the link", Given: below, When: from(heavy, plain(kAccept)),
			Sends: sends(to(light, report(heavyLink)))},
		{Name: "found: an accepted link is tested again", Given: found,
			When:  from(light, initiate(4, elsewhere, true)),
			Sends: sends(to(heavy, test(4, elsewhere)))},
		{Name: "refused: report none", Given: below, When: from(heavy, plain(kReject)),
			Sends: sends(to(light, report(nowhere)))},
		{Name: "refused: a branch stays one", Given: then(below, from(heavy, connect(2, larger)),
			from(heavy, plain(kReject)),
			from(heavy, report(nowhere))), When: from(light, initiate(4, elsewhere, false)),
			Sends: sends(to(heavy, initiate(4, elsewhere, false)))},
		{Name: "collect: the lighter of two", Given: then(given(start,
			from(light, initiate(3, elsewhere, false)),
			from(heavy, connect(0, larger))), from(light, initiate(4, elsewhere, true))),
			When:  from(heavy, report(lightLink)),
			Sends: sends(to(light, report(lightLink)))},
		{Name: "defer report: while it searches", Given: core, When: from(light, report(elsewhere))},
	})
}

// TestCore: what its ends decide, and what follows.
func TestCore(t *testing.T) {
	nodetest.Rules(t, ghs.Algorithm(), self, []nodetest.Rule{
		{Name: "turn: this side has the lighter link", Given: then(core, from(light, report(elsewhere))),
			When:  from(heavy, plain(kAccept)),
			Sends: sends(to(light, report(heavyLink)), to(heavy, connect(1, self)))},
		{Name: "turn: the other side has it", Given: then(core, from(heavy, plain(kAccept))),
			When: from(light, report(about(1, 4)))},
		{Name: "turn: the other side has none", Given: then(core, from(heavy, plain(kAccept))),
			When: from(light, report(nowhere)), Sends: sends(to(heavy, connect(1, self)))},
		{Name: "turn: only the other side has one", Given: tested, When: from(light, report(elsewhere))},
		{Name: "change root: connect", Given: found, When: from(light, plain(kChangeRoot)),
			Sends: sends(to(heavy, connect(3, self)))},
		{Name: "change root: pass it on", Given: then(below, from(heavy, connect(2, larger)),
			from(heavy, plain(kReject)),
			from(heavy, report(elsewhere))), When: from(light, plain(kChangeRoot)),
			Sends: sends(to(heavy, plain(kChangeRoot)))},
		{Name: "change root: forged", Given: tested, When: from(light, plain(kChangeRoot))},
		{Name: "halt: the larger end leads", Given: tested, When: from(light, report(nowhere)),
			Sends: sends(to(light, elected(self))), Outcome: nodetest.Lead(self), Did: ended},
		{Name: "halt: the smaller end waits", Given: given(start, from(light, connect(0, larger)),
			from(light, initiate(1, lightLink, true)), from(heavy, plain(kReject))),
			When: from(light, report(nowhere))},
		{Name: "halt: of two, the priority is larger", Given: given(start,
			from(light, connect(0, election.Rank{ID: 3, Priority: 1})),
			from(light, initiate(1, lightLink, true)), from(heavy, plain(kReject))),
			When: from(light, report(nowhere))},
		{Name: "elected: follow, pass it on", Given: tree, When: from(light, elected(larger)),
			Sends: sends(to(heavy, elected(larger))), Outcome: nodetest.Follow(larger), Did: ended},
		{Name: "elected: once", Given: then(tree, from(light, elected(larger))),
			When: from(light, elected(larger))},
		{Name: "unknown kind: ignored", Given: given(start), When: from(light, plain(9))},
	})
}

// TestStates: a saved state is one of four, and a fifth is refused.
func TestStates(t *testing.T) {
	nodetest.States(t, ghs.Algorithm().New(election.Setup{Self: self}), 4)
}
