package treeelect_test

import (
	"testing"

	"github.com/go-election/election"
	"github.com/go-election/election/nodetest"
	"github.com/go-election/election/treeelect"
)

// The process under test is 5, and has two links.
var (
	self    = election.Rank{ID: 5}
	smaller = election.Rank{ID: 3}
	larger  = election.Rank{ID: 8}
)

func message(kind uint8, rank ...election.Rank) election.Message {
	m := election.Message{Kind: kind}
	if rank != nil {
		m.Rank = rank[0]
	}
	return m
}

func given(events ...election.Event) []election.Event { return events }

func sends(out ...election.Outgoing) []election.Outgoing { return out }

const ended = nodetest.Decided | nodetest.Ended

// as returns an algorithm whose process is the root, or has this parent.
func as(a *election.Algorithm, root bool, parent election.Port) *election.Algorithm {
	fresh := a.New
	a.New = func(s election.Setup) election.Node {
		s.Root, s.Parent = root, parent
		return fresh(s)
	}
	return a
}

const (
	kDemand = iota + 1
	kReport
	kElected
	kDone
	kClimb
	kBuild  = kDone + 1 // over a graph
	kJoined = kDone + 2
)

func TestRulesOfTheRoot(t *testing.T) {
	start := nodetest.Start()
	report := func(p election.Port, r election.Rank) election.Event {
		return nodetest.From(p, message(kReport, r))
	}
	done := func(p election.Port) election.Event { return nodetest.From(p, message(kDone)) }
	elected := sends(nodetest.To(0, message(kElected, larger)), nodetest.To(1, message(kElected, larger)))
	for _, a := range []*election.Algorithm{treeelect.Root(), treeelect.Climb()} {
		nodetest.Rules(t, as(a, true, 0), self, []nodetest.Rule{
			{Name: "start: demand to all", When: start,
				Sends: sends(nodetest.To(0, message(kDemand)), nodetest.To(1, message(kDemand)))},
			{Name: "start: once", Given: given(start), When: start},
			{Name: "report: one is missing", Given: given(start), When: report(0, larger)},
			{Name: "reports: proclaim the largest", Given: given(start, report(0, larger)),
				When:  report(1, smaller),
				Sends: elected, Outcome: nodetest.Follow(larger), Did: nodetest.Decided},
			{Name: "reports: I am the largest", Given: given(start, report(0, smaller)),
				When: report(1, smaller),
				Sends: sends(nodetest.To(0, message(kElected, self)),
					nodetest.To(1, message(kElected, self))),
				Outcome: nodetest.Lead(self), Did: nodetest.Decided},
			{Name: "done: one is missing", Given: given(start, report(0, larger), report(1, smaller)),
				When: done(0)},
			{Name: "done: all know", Given: given(start, report(0, larger), report(1, smaller), done(0)),
				When: done(1),
				Did:  nodetest.Ended},
			{Name: "unknown kind: ignored", When: nodetest.From(0, message(9))},
			{Name: "report out of place: ignored", When: report(0, larger)},
		})
	}
}

// inner are the rules of any process but the initiator, in root, climb and over graphs: it has the
// demand from port 0.
func inner(given func(...election.Event) []election.Event) []nodetest.Rule {
	demand := nodetest.From(0, message(kDemand))
	report := nodetest.From(1, message(kReport, smaller))
	elected := nodetest.From(0, message(kElected, larger))
	return []nodetest.Rule{
		{Name: "demand: pass it on", Given: given(), When: demand,
			Sends: sends(nodetest.To(1, message(kDemand)))},
		{Name: "report: report the largest", Given: given(demand), When: report,
			Sends: sends(nodetest.To(0, message(kReport, self)))},
		{Name: "report: report the larger", Given: given(demand),
			When:  nodetest.From(1, message(kReport, larger)),
			Sends: sends(nodetest.To(0, message(kReport, larger)))},
		{Name: "elected: follow, pass it on", Given: given(demand, report), When: elected,
			Sends: sends(nodetest.To(1, message(kElected, larger))), Outcome: nodetest.Follow(larger),
			Did: nodetest.Decided},
		{Name: "done: pass it on", Given: given(demand, report, elected),
			When:  nodetest.From(1, message(kDone)),
			Sends: sends(nodetest.To(0, message(kDone))), Did: nodetest.Ended},
	}
}

func TestRulesBelow(t *testing.T) {
	start := nodetest.Start()
	root := as(treeelect.Root(), false, 0)
	nodetest.Rules(t, root, self, inner(given))
	nodetest.Rules(t, root, self, []nodetest.Rule{
		{Name: "start: refused", When: start, Did: nodetest.Refused, Err: election.ErrNotInitiator},
		{Name: "climb: of another variant", When: nodetest.From(1, message(kClimb))},
	})
	climb := as(treeelect.Climb(), false, 0)
	nodetest.Rules(t, climb, self, inner(given))
	nodetest.Rules(t, climb, self, inner(func(events ...election.Event) []election.Event {
		return append(given(nodetest.From(1, message(kClimb))), events...)
	}))
	up := sends(nodetest.To(0, message(kClimb)))
	nodetest.Rules(t, climb, self, []nodetest.Rule{
		{Name: "start: climb", When: start, Sends: up},
		{Name: "climb: pass it on", When: nodetest.From(1, message(kClimb)), Sends: up},
		{Name: "start: once", Given: given(start), When: start},
		{Name: "start: too late", Given: given(nodetest.From(0, message(kDemand))), When: start},
	})
	nodetest.Rules(t, as(treeelect.Climb(), true, 0), self, []nodetest.Rule{
		{Name: "climb at the root: demand", When: nodetest.From(1, message(kClimb)),
			Sends: sends(nodetest.To(0, message(kDemand)), nodetest.To(1, message(kDemand)))},
	})
}

func TestRulesOfAny(t *testing.T) {
	start, demand := nodetest.Start(), nodetest.From(1, message(kDemand))
	report := nodetest.From(0, message(kReport, larger))
	nodetest.Rules(t, treeelect.Any(), self, []nodetest.Rule{
		{Name: "start: demand to all", When: start,
			Sends: sends(nodetest.To(0, message(kDemand)), nodetest.To(1, message(kDemand)))},
		{Name: "demand: pass it on", When: demand, Sends: sends(nodetest.To(0, message(kDemand)))},
		{Name: "start: too late", Given: given(demand), When: start},
		{Name: "demand: once", Given: given(demand), When: demand},
		{Name: "report: report the largest", Given: given(demand), When: report,
			Sends: sends(nodetest.To(1, message(kReport, larger)))},
		{Name: "elected: follow, pass it on, done", Given: given(demand, report),
			When:  nodetest.From(1, message(kElected, larger)),
			Sends: sends(nodetest.To(0, message(kElected, larger))), Outcome: nodetest.Follow(larger),
			Did: ended},
		{Name: "reports: proclaim, done", Given: given(start, report),
			When: nodetest.From(1, message(kReport, smaller)),
			Sends: sends(nodetest.To(0, message(kElected, larger)),
				nodetest.To(1, message(kElected, larger))),
			Outcome: nodetest.Follow(larger), Did: ended},
	})
}

func TestRulesOfSaturation(t *testing.T) {
	const kWakeup, kSaturation = kDemand, kReport
	start, wakeup := nodetest.Start(), nodetest.From(0, message(kWakeup))
	saturation := func(p election.Port, r election.Rank) election.Event {
		return nodetest.From(p, message(kSaturation, r))
	}
	nodetest.Rules(t, treeelect.Saturation(), self, []nodetest.Rule{
		{Name: "start: wake all", When: start,
			Sends: sends(nodetest.To(0, message(kWakeup)), nodetest.To(1, message(kWakeup)))},
		{Name: "wakeup: wake the others", When: wakeup, Sends: sends(nodetest.To(1, message(kWakeup)))},
		{Name: "start: too late", Given: given(wakeup), When: start},
		{Name: "wakeup: once", Given: given(start), When: wakeup},
		{Name: "all but one: saturate that one", Given: given(start), When: saturation(0, smaller),
			Sends: sends(nodetest.To(1, message(kSaturation, self)))},
		{Name: "all but the other one", Given: given(start), When: saturation(1, larger),
			Sends: sends(nodetest.To(0, message(kSaturation, larger)))},
		{Name: "a saturation wakes too", When: saturation(0, larger),
			Sends: sends(nodetest.To(1, message(kWakeup)), nodetest.To(1, message(kSaturation, larger)))},
		{Name: "saturated: announce to all but the other saturated one",
			Given: given(start, saturation(0, larger)),
			When:  saturation(1, smaller),
			Sends: sends(nodetest.To(0, message(kElected, larger))), Outcome: nodetest.Follow(larger),
			Did: ended},
		{Name: "saturated: I lead", Given: given(start, saturation(0, smaller)), When: saturation(1, smaller),
			Sends: sends(nodetest.To(0, message(kElected, self))), Outcome: nodetest.Lead(self), Did: ended},
		{Name: "elected: follow, announce to the others", Given: given(start, saturation(0, smaller)),
			When:  nodetest.From(1, message(kElected, larger)),
			Sends: sends(nodetest.To(0, message(kElected, larger))), Outcome: nodetest.Follow(larger),
			Did: ended},
		{Name: "saturation: once a neighbour", Given: given(start, saturation(0, smaller)),
			When: saturation(0, larger)},
		{Name: "a wakeup that comes after all",
			Given: given(start, saturation(0, smaller), nodetest.From(1, message(kElected, larger))),
			When:  wakeup},
		{Name: "elected: once", Given: given(start, saturation(0, smaller),
			nodetest.From(1, message(kElected, larger))),
			When: nodetest.From(1, message(kElected, larger))},
	})
}

func TestRulesOverGraphs(t *testing.T) {
	build := func(p election.Port) election.Event { return nodetest.From(p, message(kBuild)) }
	joined := func(p election.Port) election.Event { return nodetest.From(p, message(kJoined)) }
	start := nodetest.Start()
	nodetest.Rules(t, treeelect.Graph(), self, inner(func(events ...election.Event) []election.Event {
		return append(given(build(0), joined(1)), events...)
	}))
	nodetest.Rules(t, treeelect.Graph(), self, []nodetest.Rule{
		{Name: "start: ask all to join", When: start,
			Sends: sends(nodetest.To(0, message(kBuild)), nodetest.To(1, message(kBuild)))},
		{Name: "start: once", Given: given(start), When: start},
		{Name: "start: too late", Given: given(build(0)), When: start},
		{Name: "asked: ask the others", When: build(1), Sends: sends(nodetest.To(0, message(kBuild)))},
		{Name: "asked again: an answer", Given: given(build(1)), When: build(0),
			Sends: sends(nodetest.To(1, message(kJoined)))},
		{Name: "a child: join", Given: given(build(1)), When: joined(0),
			Sends: sends(nodetest.To(1, message(kJoined)))},
		{Name: "the tree is complete: demand along it", Given: given(start, joined(1)), When: build(0),
			Sends: sends(nodetest.To(1, message(kDemand)))},
		{Name: "no child: elected along the tree",
			Given: given(build(1), build(0), nodetest.From(1, message(kDemand))),
			When:  nodetest.From(1, message(kElected, larger)),
			Sends: sends(nodetest.To(1, message(kDone))), Outcome: nodetest.Follow(larger), Did: ended},
		{Name: "no election before the tree", Given: given(build(1)),
			When: nodetest.From(1, message(kDemand))},
	})
}
