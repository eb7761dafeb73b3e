package inquiry_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/inquiry"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/nodetest"
)

// The process under test is 5, of three.
var (
	self    = election.Rank{ID: 5}
	smaller = election.Rank{ID: 3}
	larger  = election.Rank{ID: 8}
)

const first = 1 // the flag of the first broadcast in naive

func ask(r election.Rank) election.Message { return election.Message{Kind: 1, Rank: r} }
func ack(id election.ID) election.Message {
	return election.Message{Kind: 2, Rank: election.Rank{ID: id}}
}
func elected(r election.Rank) election.Message { return election.Message{Kind: 3, Rank: r} }

func flagged(m election.Message) election.Message {
	m.Flags = first
	return m
}

func hear(m election.Message) election.Event { return nodetest.From(1, m) }

func answers(m election.Message) []election.Outgoing {
	return []election.Outgoing{nodetest.To(1, m)}
}

func toAll(m election.Message) []election.Outgoing {
	return []election.Outgoing{nodetest.To(0, m), nodetest.To(1, m)}
}

func given(events ...election.Event) []election.Event { return events }

func TestRulesOfStates(t *testing.T) {
	start, acked := nodetest.Start(), nodetest.From(0, ack(3))
	const won = nodetest.Decided | nodetest.Ended
	nodetest.Rules(t, inquiry.States(), self, []nodetest.Rule{
		{Name: "start: inquire", When: start, Sends: toAll(ask(self))},
		{Name: "start: once", Given: given(start), When: start},
		{Name: "start: too late, lost", Given: given(hear(ask(larger))), When: start},
		{Name: "start: too late, won", Given: given(start, acked, hear(ack(4))), When: start},
		{Name: "maybe, smaller: inquire", When: hear(ask(smaller)), Sends: toAll(ask(self))},
		{Name: "maybe, larger: ack", When: hear(ask(larger)), Sends: answers(ack(5))},
		{Name: "inquiring, smaller: ignore", Given: given(start), When: hear(ask(smaller))},
		{Name: "inquiring, larger: ack", Given: given(start), When: hear(ask(larger)),
			Sends: answers(ack(5))},
		{Name: "inquiring, one ack: wait", Given: given(start), When: acked},
		{Name: "inquiring, the same ack twice: wait", Given: given(start, acked), When: acked},
		{Name: "inquiring, all acks: announce", Given: given(start, acked), When: hear(ack(4)),
			Sends: toAll(elected(self)), Outcome: nodetest.Lead(self), Did: won},
		{Name: "won: once", Given: given(start, acked, hear(ack(4))), When: hear(ack(4))},
		{Name: "won, smaller: ignore", Given: given(start, acked, hear(ack(4))), When: hear(ask(smaller))},
		{Name: "lost, smaller: ignore", Given: given(hear(ask(larger))), When: hear(ask(smaller))},
		{Name: "lost, larger: ack", Given: given(hear(ask(larger))), When: hear(ask(election.Rank{ID: 9})),
			Sends: answers(ack(5))},
		{Name: "lost, last ack: too late", Given: given(start, acked, hear(ask(larger))), When: hear(ack(4))},
		{Name: "elected: follow, done", Given: given(hear(ask(larger))), When: hear(elected(larger)),
			Outcome: nodetest.Follow(larger), Did: won},
		{Name: "priority before ID", When: hear(ask(election.Rank{ID: 3, Priority: 1})),
			Sends: answers(ack(5))},
	})
	nodetest.Rules(t, inquiry.States(), election.Rank{ID: 5, Priority: 4}, []nodetest.Rule{
		{Name: "equal, smaller ID: inquire", When: hear(ask(election.Rank{ID: 3, Priority: 4})),
			Sends: toAll(ask(election.Rank{ID: 5, Priority: 4}))},
		{Name: "equal, larger ID: ack", When: hear(ask(election.Rank{ID: 8, Priority: 4})),
			Sends: answers(ack(5))},
	})
}

func TestRulesOfNaive(t *testing.T) {
	start, acked := nodetest.Start(), nodetest.From(0, flagged(ack(3)))
	const won = nodetest.Decided | nodetest.Ended
	nodetest.Rules(t, inquiry.Naive(), self, []nodetest.Rule{
		{Name: "start: inquire", When: start, Sends: toAll(flagged(ask(self)))},
		{Name: "start: once", Given: given(start), When: start},
		{Name: "start: once more", Given: given(hear(ask(smaller))), When: start, Sends: toAll(ask(self))},
		{Name: "smaller: inquire", When: hear(ask(smaller)), Sends: toAll(flagged(ask(self)))},
		{Name: "smaller: inquire again", Given: given(start), When: hear(ask(smaller)),
			Sends: toAll(ask(self))},
		{Name: "smaller: without hope", Given: given(hear(ask(larger))), When: hear(ask(smaller)),
			Sends: toAll(flagged(ask(self)))},
		{Name: "larger: ack", When: hear(ask(larger)), Sends: answers(ack(5))},
		{Name: "larger: ack of the first", Given: given(start), When: hear(flagged(ask(larger))),
			Sends: answers(flagged(ack(5)))},
		{Name: "one ack: wait", Given: given(start), When: acked},
		{Name: "ack of another broadcast: ignore", Given: given(start, hear(ask(smaller)), acked),
			When: hear(ack(4))},
		{Name: "all acks: announce", Given: given(start, acked), When: hear(flagged(ack(4))),
			Sends: toAll(elected(self)), Outcome: nodetest.Lead(self), Did: won},
		{Name: "won: once", Given: given(start, acked, hear(flagged(ack(4)))), When: hear(flagged(ack(4)))},
		{Name: "won, smaller: inquire still", Given: given(start, acked, hear(flagged(ack(4)))),
			When:  hear(ask(smaller)),
			Sends: toAll(ask(self))},
		{Name: "elected: follow, done", When: hear(elected(larger)), Outcome: nodetest.Follow(larger),
			Did: won},
	})
}

// link is a pair of processes.
type link struct{ from, to election.ID }

// deliver lets processes 1, 2 and 3 elect, of which 1 and 3 start. Messages arrive in the order in
// which they were sent, but those over a slow link only when there is nothing else. It returns how
// many were sent.
func deliver(t *testing.T, a *election.Algorithm, slow link) int {
	t.Helper()
	in := scenario.Input{Algorithm: a, IDs: []election.ID{1, 2, 3}}
	require.NoError(t, in.Check())
	type message struct {
		to int
		ev election.Event
	}
	var nodes []election.Node
	var quick, late []message
	sent, leaders := 0, 0
	env := election.NewEnv(&in, nil)
	step := func(p int, ev election.Event) {
		fx := env.Begin(p)
		nodes[p].Step(env, &ev)
		if fx.Outcome.Role == election.Leader {
			leaders++
		}
		for _, out := range fx.Sends {
			sent++
			q, back, _ := in.Topology.Link(p, out.Port)
			m := message{q, election.Event{Op: election.Recv, Port: back, Msg: out.Msg}}
			if (link{in.IDs[p], in.IDs[q]}) == slow {
				late = append(late, m)
			} else {
				quick = append(quick, m)
			}
		}
	}
	for p := range in.IDs {
		nodes = append(nodes, a.New(election.Setup{Self: in.Self(p), Ports: 2}))
	}
	step(0, nodetest.Start())
	step(2, nodetest.Start())
	for len(quick)+len(late) > 0 {
		if len(quick) == 0 {
			quick, late = late[:1], late[1:]
		}
		m := quick[0]
		quick = quick[1:]
		step(m.to, m.ev)
	}
	require.Equal(t, 1, leaders)
	return sent
}

// hopeful is a process that does not take it as a loss when it acknowledges a larger one without
// having inquired.
type hopeful struct{ election.Node }

func (n hopeful) Step(e *election.Env, ev *election.Event) {
	before := new(election.State).Append(nil, n.Node)
	n.Node.Step(e, ev)
	const maybe, lost = 0, 2 // the first byte
	if before[0] == maybe && new(election.State).Append(nil, n.Node)[0] == lost {
		new(election.State).Reset(n.Node)
	}
}

// TestLostAfterAck: 2 has acknowledged 3 when it hears of 1 over a slow link. It has lost, and so
// ignores 1: 8 messages. If it still had hopes it would broadcast in vain: 11 messages.
func TestLostAfterAck(t *testing.T) {
	a := inquiry.States()
	require.Equal(t, 8, deliver(t, a, link{1, 2}))
	require.Equal(t, 11, deliver(t, a, link{}), "2 hears of 1 first, and inquires")

	strict := a.New
	a.New = func(s election.Setup) election.Node { return hopeful{strict(s)} }
	require.Equal(t, 11, deliver(t, a, link{1, 2}))
}
