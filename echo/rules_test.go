package echo_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/echo"
	"github.com/go-election/election/nodetest"
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

const (
	kDemand = iota + 1
	kReport
	kElected
	kNok
)

func demand(p election.Port) election.Event { return nodetest.From(p, message(kDemand)) }

func nok(p election.Port) election.Event { return nodetest.From(p, message(kNok)) }

func report(p election.Port, r election.Rank) election.Event {
	return nodetest.From(p, message(kReport, r))
}

func elected(p election.Port, r election.Rank) election.Event {
	return nodetest.From(p, message(kElected, r))
}

// TestCommonRules: the rules that implicit and nok share.
func TestCommonRules(t *testing.T) {
	start := nodetest.Start()
	for _, a := range echo.Algorithms()[:2] {
		nodetest.Rules(t, a, self, []nodetest.Rule{
			{Name: "start: demand to all", When: start,
				Sends: sends(nodetest.To(0, message(kDemand)), nodetest.To(1, message(kDemand)))},
			{Name: "start: once", Given: given(start), When: start},
			{Name: "demand: pass it on", When: demand(1), Sends: sends(nodetest.To(0, message(kDemand)))},
			{Name: "start: too late", Given: given(demand(1)), When: start},
			{Name: "report: report the largest", Given: given(demand(1)), When: report(0, smaller),
				Sends: sends(nodetest.To(1, message(kReport, self)))},
			{Name: "report: report the larger", Given: given(demand(1)), When: report(0, larger),
				Sends: sends(nodetest.To(1, message(kReport, larger)))},
			{Name: "elected: follow, announce to the children", Given: given(demand(1), report(0, smaller)),
				When:  elected(1, larger),
				Sends: sends(nodetest.To(0, message(kElected, larger))), Outcome: nodetest.Follow(larger),
				Did: ended},
			{Name: "initiator: one answer is missing", Given: given(start), When: report(0, larger)},
			{Name: "initiator: announce", Given: given(start, report(0, larger)), When: report(1, smaller),
				Sends: sends(nodetest.To(0, message(kElected, larger)),
					nodetest.To(1, message(kElected, larger))),
				Outcome: nodetest.Follow(larger), Did: ended},
			{Name: "initiator: I lead", Given: given(start, report(1, smaller)), When: report(0, smaller),
				Sends: sends(nodetest.To(0, message(kElected, self)),
					nodetest.To(1, message(kElected, self))),
				Outcome: nodetest.Lead(self), Did: ended},
			{Name: "elected: once", Given: given(demand(1), report(0, smaller), elected(1, larger)),
				When: elected(1, larger)},
			{Name: "report out of place: ignored", When: report(0, larger)},
			{Name: "unknown kind: ignored", When: nodetest.From(0, message(9))},
		})
	}
}

func TestRulesOfImplicit(t *testing.T) {
	nodetest.Rules(t, echo.Implicit(), self, []nodetest.Rule{
		{Name: "a demand is an answer", Given: given(demand(1)), When: demand(0),
			Sends: sends(nodetest.To(1, message(kReport, self)))},
		{Name: "and the sender no child", Given: given(demand(1), demand(0)), When: elected(1, larger),
			Outcome: nodetest.Follow(larger), Did: ended},
		{Name: "and so at the initiator", Given: given(nodetest.Start(), report(0, larger)), When: demand(1),
			Sends: sends(nodetest.To(0, message(kElected, larger))), Outcome: nodetest.Follow(larger),
			Did: ended},
		{Name: "a nok is of another variant", Given: given(demand(1)), When: nok(0)},
	})
}

func TestRulesOfNok(t *testing.T) {
	nodetest.Rules(t, echo.Nok(), self, []nodetest.Rule{
		{Name: "a later demand: nok", Given: given(demand(1)), When: demand(0),
			Sends: sends(nodetest.To(0, message(kNok)))},
		{Name: "also after the report", Given: given(demand(1), nok(0)), When: demand(0),
			Sends: sends(nodetest.To(0, message(kNok)))},
		{Name: "also at the initiator", Given: given(nodetest.Start()), When: demand(0),
			Sends: sends(nodetest.To(0, message(kNok)))},
		{Name: "nok is an answer", Given: given(demand(1)), When: nok(0),
			Sends: sends(nodetest.To(1, message(kReport, self)))},
		{Name: "and the sender no child", Given: given(demand(1), nok(0)), When: elected(1, larger),
			Outcome: nodetest.Follow(larger), Did: ended},
	})
}

func TestRulesOfExtinction(t *testing.T) {
	const kWave, kElected = 1, 2
	start := nodetest.Start()
	wave := func(r election.Rank) election.Message { return message(kWave, r) }
	echoed := func(r election.Rank) election.Message {
		return election.Message{Kind: kWave, Rank: r, Flags: 1}
	}
	from := func(p election.Port, m election.Message) election.Event { return nodetest.From(p, m) }
	nodetest.Rules(t, echo.Extinction(), self, []nodetest.Rule{
		{Name: "start: my wave to all", When: start,
			Sends: sends(nodetest.To(0, wave(self)), nodetest.To(1, wave(self)))},
		{Name: "start: once", Given: given(start), When: start},
		{Name: "start: once, also when beaten", Given: given(start, from(0, wave(larger))), When: start},
		{Name: "start: refused after joining", Given: given(from(0, wave(smaller))), When: start,
			Did: nodetest.Refused, Err: election.ErrLateStart},
		{Name: "not started: join any wave", When: from(1, wave(smaller)),
			Sends: sends(nodetest.To(0, wave(smaller)))},
		{Name: "smaller: dropped", Given: given(start), When: from(0, wave(smaller))},
		{Name: "larger: join", Given: given(start), When: from(0, wave(larger)),
			Sends: sends(nodetest.To(1, wave(larger)))},
		{Name: "larger: what was counted is forgotten", Given: given(start, from(0, echoed(self)),
			from(0, wave(larger))),
			When: from(1, wave(larger)), Sends: sends(nodetest.To(0, echoed(larger)))},
		{Name: "from all: answer the parent", Given: given(from(1, wave(smaller))),
			When:  from(0, wave(smaller)),
			Sends: sends(nodetest.To(1, echoed(smaller)))},
		{Name: "my own from one", Given: given(start), When: from(0, echoed(self))},
		{Name: "my own from all: I lead", Given: given(start, from(0, echoed(self))),
			When:  from(1, wave(self)),
			Sends: sends(nodetest.To(0, message(kElected, self))), Outcome: nodetest.Lead(self), Did: ended},
		{Name: "elected: follow, announce to the children",
			Given: given(from(1, wave(larger)), from(0, echoed(larger))),
			When:  from(1, message(kElected, larger)),
			Sends: sends(nodetest.To(0, message(kElected, larger))), Outcome: nodetest.Follow(larger),
			Did: ended},
		{Name: "elected: no children of an extinct wave",
			Given: given(from(1, wave(smaller)), from(0, echoed(smaller)), from(1, wave(larger)),
				from(0, wave(larger))),
			When:    from(1, message(kElected, larger)),
			Outcome: nodetest.Follow(larger), Did: ended},
		{Name: "priority: larger before ID", Given: given(start),
			When:  from(0, wave(election.Rank{ID: 3, Priority: 1})),
			Sends: sends(nodetest.To(1, wave(election.Rank{ID: 3, Priority: 1})))},
		{Name: "over: a late wave", Given: given(start, from(0, echoed(self)), from(1, wave(self))),
			When: from(0, wave(smaller))},
		{Name: "elected: once", Given: given(from(1, wave(larger)), from(0, echoed(larger)),
			from(1, message(kElected, larger))),
			When: from(1, message(kElected, larger))},
		{Name: "unknown kind: ignored", When: from(0, message(9, larger))},
	})
}

// TestFormulas holds the counts against values that were worked out by hand from their formulas.
func TestFormulas(t *testing.T) {
	for variant, counts := range map[string][2]float64{"implicit": {6 + 2, 12 + 4}, "nok": {12 - 2, 24 - 4},
		"extinction": {18 + 2, 60 + 4}} {
		for _, a := range echo.Algorithms() {
			if a.Variant == variant {
				require.InDelta(t, counts[0], a.Worst.CountPorts(3, 6), 0, variant)
				require.InDelta(t, counts[1], a.Worst.CountPorts(5, 12), 0, variant)
			}
		}
	}
}
