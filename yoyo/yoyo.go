// Package yoyo elects a leader on any connected graph, by Santoro's Yo-Yo. Ranks go down and votes come up,
// until one source is left.
//
// Neighbours exchange their Ranks, and each link points from the smaller to the larger one. There are therefore
// sources, which have only outgoing links, and sinks, which have only incoming links, and no cycles. A source
// is a candidate. In each round the candidates send their Ranks down. A process waits for a value on all
// incoming links, and passes the smallest on. From the sinks, votes return upwards: a process votes yes to a
// smallest value and no to all others, or no to all if it has received a no from below. A source that receives
// a no is not a source any more, and each link that carries a no is reversed. The processes below are then
// reached from the smaller candidate.
//
// Useless links leave the graph with the vote. Of several links that have brought the same value, all but one
// are dropped. A sink with a single link is a leaf, and cannot learn anything that its neighbour does not know:
// it leaves, and its link joins the tree over which the leader is announced. A process whose outgoing links
// have all gone is a sink, in the same round. When one source is left, the whole graph therefore leaves, and
// this source leads: it has no links any more.
//
// # The rules
//
//  1. Wake. A process wakes up when it starts, or when the first message arrives. It sends HELLO with its Rank
//     over all links. A process without links leads.
//  2. Orient. A process that receives HELLO records whether the link comes in, from a smaller Rank, or goes
//     out. When HELLO has arrived over all links, round 1 begins.
//  3. Keep. A process keeps a VALUE until its round needs it. The neighbour may be a round ahead.
//  4. Yo-. When a VALUE has arrived over all incoming links, a process sends the smallest of them over all
//     outgoing links. A source sends its own Rank immediately.
//  5. Sink. If no link goes out, the process votes immediately.
//  6. Yes. A process that receives YES counts the vote.
//  7. No. A process that receives NO counts the vote. When the round ends, the link becomes an incoming one.
//  8. Drop. A process that receives DROP counts it as a yes. The link is gone.
//  9. Leaf. A process that receives LEAF counts it as a yes. The link is gone, and the sender is a child.
//  10. -Yo, same. When all votes have arrived, a process sends DROP over each link that has brought the same
//     value as an earlier one, and the link is gone.
//  11. -Yo, leaf. If no link goes out any more, and a single one comes in, the process sends LEAF over it and
//     has left.
//  12. -Yo, yes. If no vote is NO, the process sends YES over the link with the smallest value.
//  13. -Yo, no. The process sends NO over all others, which become outgoing links in the next round.
//  14. Lead. A source without links leads: it sends ELECTED to its children.
//  15. Elected. A process that receives ELECTED follows the leader in it, and passes it on to its children.
//
// # Why it ends
//
// Let each process belong to the source whose Rank it has passed on, and let s(1), s(2), ... be the numbers of
// sources. A source remains if all processes that its Rank reaches belong to it. After a round, links between
// processes of different sources point from the smaller Rank to the larger. The processes of a source that has
// been eliminated are therefore reached only from processes of smaller sources, and every value that enters
// there passes through the process that was the source, because the links to it have been reversed. There one
// value wins, so at most one of the sources of these values remains. In this way each source that remains in
// the next round corresponds to a different source that has been eliminated: s(t+2) is at most s(t) - s(t+1).
// The numbers fall like the Fibonacci numbers, from s(0) = n, because in round 0 each process is its own
// source.
//
// They need not halve in each round, as is sometimes stated: with sources 1, 2, 3 and sinks 4 between 1 and 3,
// 5 between 2 and 3, two sources are left after the first round.
//
// # Model
//
// Any connected graph with two-way links, asynchronous, unique IDs, no failures; any number of initiators, and
// the smallest of all processes wins. A Start at a process that is awake is ignored. Links need not deliver in
// order: a VALUE may arrive before the HELLO or the NO that was sent before it, and is kept apart from votes.
// No message of a later round can arrive earlier than that, because a process begins a round only when its
// neighbours have answered it.
//
// # Messages
//
// With n processes and M ports in all, two for each link:
//
//	hello     M
//	value     one for each remaining link, in each round
//	votes     as many; n-1 of them are leaf
//	elected   n-1
//
// The minimum is 2M + n-1, if one round is enough: on every complete graph, and on all graphs with only one
// process that is smaller than its neighbours. There are at most k-2 rounds, where F(k) is the largest
// Fibonacci number up to n, and at most M*(k-1) + n-1 messages. The number is the same on every schedule and
// for all initiators, but depends on the order of the ports: of links that bring the same value, the one with
// the lowest port is kept (rule 10). On one graph of ten processes an election takes 95, 97, 99 or 101
// messages, depending on this order. Time is at most 1 + 2(n-1)(k-2) + n-1 if each message takes a unit and all
// start, and at most n-1 more otherwise.
//
// # Limitations
//
// One crash or one lost message blocks the election forever. A duplicate message may break it, as may two
// processes with the same ID. Ranks must not change during an election.
//
// Made precise here: DROP is no vote. The link that is kept carries the vote for all links with the same value.
// Otherwise a process whose last outgoing link left with a no would reverse all its other links, and be a
// source again with a Rank of its own.
//
// Source: N. Santoro, Design and Analysis of Distributed Algorithms, Wiley 2007, section 3.8.3.
package yoyo

import (
	"cmp"
	"slices"

	"github.com/go-election/election"
	"github.com/go-election/election/cost"
	"github.com/go-election/election/internal/portset"
)

// Message kinds. Hello, value and elected carry a Rank, votes nothing.
const (
	kindHello uint8 = iota + 1
	kindValue
	kindYes
	kindNo
	kindDrop
	kindLeaf
	kindElected
)

// smallestOfAll is the rule for the winner.
var smallestOfAll = &election.Winner{Name: "smallest of all", Smallest: true, Of: smallest}

func smallest(all []election.Candidate) election.ID {
	least := all[0].Rank
	for _, c := range all[1:] {
		if c.Rank.Less(least) {
			least = c.Rank
		}
	}
	return least.ID
}

// Algorithms returns the only variant.
func Algorithms() []*election.Algorithm { return []*election.Algorithm{Algorithm()} }

// Algorithm returns the algorithm.
func Algorithm() *election.Algorithm {
	nothing := func(cost.Widths) uint64 { return 0 }
	return &election.Algorithm{
		Name: "yoyo", Summary: "Ranks of local minima go down, votes come up, and links of no use leave " +
			"the graph",
		Source:    "Santoro 2007",
		Topology:  election.Graph,
		TwoWay:    true,
		Winner:    smallestOfAll,
		LateStart: election.LateIgnored,
		Kinds: []election.Kind{
			{Name: "hello", Bits: cost.Widths.Rank},
			{Name: "value", Bits: cost.Widths.Rank},
			{Name: "yes", Bits: nothing},
			{Name: "no", Bits: nothing},
			{Name: "drop", Bits: nothing},
			{Name: "leaf", Bits: nothing},
			{Name: "elected", Announces: true, Bits: cost.Widths.Rank},
		},
		Best: cost.Bound{Formula: "2M + n-1, M ports in all",
			CountPorts: func(n, ports int) float64 { return float64(2*ports + n - 1) }},
		Worst: cost.Bound{Formula: "M*(k-1) + n-1, F(k) the largest Fibonacci number up to n", Loose: true,
			CountPorts: func(n, ports int) float64 { return float64(ports*(cost.Fibonacci(n)-1) + n - 1) }},
		New: func(election.Setup) election.Node { return &process{} },
	}
}

// stage is the progress of a process in the current round.
type stage uint8

const (
	asleep    stage = iota
	greeting        // waits for HELLO
	gathering       // waits for values
	voting          // waits for votes, or has left
)

// brought contains the values that have arrived, by port; ID zero if none has.
type brought []election.Rank

// at returns a value.
func (b brought) at(port election.Port) election.Rank {
	if int(port) < len(b) { // always true, unless a saved state is corrupt
		return b[port]
	}
	return election.Rank{}
}

// set changes a value.
func (b brought) set(port election.Port, v election.Rank) {
	if int(port) < len(b) { // as above
		b[port] = v
	}
}

// process is a participant.
type process struct {
	stage  stage
	missed uint32 // number of missing HELLOs, values or votes
	values brought

	in, out  portset.Set // remaining links, by direction
	refused  portset.Set // links over which NO has arrived
	children portset.Set // processes that have left over a link to this process

	scratch
}

// scratch is the memory that a process needs during one Step.
type scratch struct {
	order []election.Port // room for [process.sorted]
}

func (n *process) Step(e *election.Env, ev *election.Event) {
	switch ev.Op {
	case election.Start: // rule 1
		if n.stage == asleep {
			n.wake(e)
		}
	case election.Recv:
		if n.stage == asleep { // rule 1
			n.wake(e)
		}
		n.receive(e, ev.Port, &ev.Msg)
	}
}

func (n *process) wake(e *election.Env) { // rule 1
	n.stage, n.missed = greeting, uint32(e.Ports())
	if n.missed == 0 {
		n.elected(e, e.Self())
		return
	}
	for port := range election.Port(e.Ports()) {
		n.values = append(n.values, election.Rank{})
		e.Send(port, election.Message{Kind: kindHello, Rank: e.Self()})
	}
}

func (n *process) receive(e *election.Env, port election.Port, m *election.Message) {
	switch m.Kind {
	case kindHello:
		n.hello(e, port, m.Rank)
	case kindValue:
		n.value(e, port, m.Rank)
	case kindYes: // rule 6
		n.vote(e)
	case kindNo: // rule 7
		n.refused.Add(port)
		n.vote(e)
	case kindDrop: // rule 8
		n.out.Remove(port)
		n.vote(e)
	case kindLeaf: // rule 9
		n.out.Remove(port)
		n.children.Add(port)
		n.vote(e)
	case kindElected: // rule 15
		n.elected(e, m.Rank)
	}
}

func (n *process) hello(e *election.Env, port election.Port, neighbour election.Rank) { // rule 2
	if neighbour.Less(e.Self()) {
		n.in.Add(port)
	} else {
		n.out.Add(port)
	}
	if n.missed--; n.missed == 0 {
		n.begin(e)
	}
}

// begin begins a round.
func (n *process) begin(e *election.Env) {
	n.stage, n.missed = gathering, 0
	for port := n.in.From(0); port != election.NoPort; port = n.in.From(port + 1) {
		// Some have already arrived, from neighbours that began this round before this process did.
		if n.values.at(port).ID == 0 {
			n.missed++
		}
	}
	if n.missed == 0 {
		n.down(e)
	}
}

func (n *process) value(e *election.Env, port election.Port, v election.Rank) { // rule 3
	n.values.set(port, v)
	// A value that arrives while this process waits for something else belongs to its next round.
	if n.stage == gathering {
		if n.missed--; n.missed == 0 {
			n.down(e)
		}
	}
}

// down sends the smallest value over all outgoing links.
func (n *process) down(e *election.Env) { // rule 4
	least := election.Rank{}
	for port := n.in.From(0); port != election.NoPort; port = n.in.From(port + 1) {
		if v := n.values.at(port); least.ID == 0 || v.Less(least) {
			least = v
		}
	}
	if least.ID == 0 {
		least = e.Self()
	}
	n.stage, n.missed = voting, uint32(n.out.Len())
	for port := n.out.From(0); port != election.NoPort; port = n.out.From(port + 1) {
		e.Send(port, election.Message{Kind: kindValue, Rank: least})
	}
	if n.missed == 0 { // rule 5
		n.up(e)
	}
}

func (n *process) vote(e *election.Env) {
	if n.missed--; n.missed == 0 {
		n.up(e)
	}
}

// up votes, and ends the round.
func (n *process) up(e *election.Env) {
	kept := n.dropSame(e, n.sorted())
	if n.out.From(0) == election.NoPort && len(kept) < 2 {
		if len(kept) == 0 { // rule 14
			n.elected(e, e.Self())
		} else { // rule 11
			e.Send(kept[0], election.Message{Kind: kindLeaf})
		}
		return // this process has left, and takes no part in further rounds
	}
	for i, port := range kept {
		n.values.set(port, election.Rank{})
		// A no from below is for all values: the smallest of them has been passed on, and is not small enough.
		if i == 0 && n.refused.From(0) == election.NoPort { // rule 12
			e.Send(port, election.Message{Kind: kindYes})
			continue
		}
		// rule 13
		e.Send(port, election.Message{Kind: kindNo})
		n.in.Remove(port)
		n.out.Add(port)
	}
	for port := n.refused.From(0); port != election.NoPort; port = n.refused.From(port + 1) { // rule 7
		n.out.Remove(port)
		n.in.Add(port)
	}
	n.refused.Clear()
	n.begin(e)
}

// sorted returns the incoming links, sorted by value.
func (n *process) sorted() []election.Port {
	n.order = n.order[:0]
	for port := n.in.From(0); port != election.NoPort; port = n.in.From(port + 1) {
		n.order = append(n.order, port)
	}
	slices.SortFunc(n.order, func(p, q election.Port) int {
		return cmp.Or(n.values.at(p).Compare(n.values.at(q)), cmp.Compare(p, q))
	})
	return n.order
}

// dropSame drops all but the first of the links that have brought the same value, and returns the remaining
// links.
func (n *process) dropSame(e *election.Env, order []election.Port) []election.Port { // rule 10
	kept := order[:0]
	for _, port := range order {
		if last := len(kept) - 1; last < 0 || n.values.at(port) != n.values.at(kept[last]) {
			kept = append(kept, port)
			continue
		}
		e.Send(port, election.Message{Kind: kindDrop})
		n.in.Remove(port)
	}
	return kept
}

func (n *process) elected(e *election.Env, leader election.Rank) {
	e.Decide(leader)
	for port := n.children.From(0); port != election.NoPort; port = n.children.From(port + 1) {
		e.Send(port, election.Message{Kind: kindElected, Rank: leader})
	}
	e.Done()
}

func (n *process) State(s *election.State) {
	s.Enum((*uint8)(&n.stage), uint8(voting)+1)
	s.Uint32(&n.missed)
	election.VisitSlice(s, (*[]election.Rank)(&n.values), (*election.State).Rank)
	n.in.State(s)
	n.out.State(s)
	n.refused.State(s)
	n.children.State(s)
}
