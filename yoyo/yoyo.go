// Package yoyo elects on any connected graph: Santoro's Yo-Yo. Ranks go down and votes come up, until one
// source is left.
//
// Neighbours exchange their Ranks, and each link points from the smaller to the larger one. So there are
// sources, over whose links nothing comes in, sinks, over whose links nothing goes out, and no cycles. A
// source is a candidate. In each round the candidates send their Ranks down. A process waits for a value
// on all links that come in, and passes the smallest on. From the sinks votes come back up: a process
// votes yes to a smallest value, and no to all others, or no to all if a no has come from below. A source
// that gets a no is none any more, and each link that carries a no is turned round. What it pointed away
// from is then reached from the smaller candidate.
//
// Links that are of no use leave the graph with the vote. Of links that have brought the same value all
// but one are dropped. A sink with a single link is a leaf, and can learn nothing that its neighbour does
// not know: it leaves, and its link joins the tree over which the leader is announced. A process below
// which all links have gone is a sink, in the same round. So all of the graph leaves while one source is
// left, and that one leads: it has no links any more.
//
// # The rules
//
//  1. Wake. A process wakes up when it starts, or when the first message arrives. It sends HELLO with its
//     Rank over all links. A process without links leads.
//  2. Orient. A process that gets HELLO notes whether the link comes in, from a smaller Rank, or goes out.
//     When HELLO has come over all links, round 1 begins.
//  3. Keep. A process keeps a VALUE until its round needs it. The neighbour may be a round ahead.
//  4. Yo-. When a VALUE has come over all links that come in, a process sends the smallest of them over
//     all that go out. A source sends its own Rank at once.
//  5. Sink. If no link goes out, it votes at once.
//  6. Yes. A process that gets YES counts the vote.
//  7. No. A process that gets NO counts the vote. When the round ends the link comes in.
//  8. Drop. A process that gets DROP counts it as a yes. The link is gone.
//  9. Leaf. A process that gets LEAF counts it as a yes. The link is gone, and the sender is a child.
//  10. -Yo, same. When all votes have come, a process sends DROP over each link that has brought the same
//     value as one before it, and the link is gone.
//  11. -Yo, leaf. If no link goes out any more, and a single one comes in, it sends LEAF over that and has
//     left.
//  12. -Yo, yes. If no vote is NO, it sends YES over the link with the smallest value.
//  13. -Yo, no. It sends NO over all others, and those go out in the next round.
//  14. Lead. A source without links leads: it sends ELECTED to its children.
//  15. Elected. A process that gets ELECTED follows the leader in it, and passes it on to its children.
//
// # Why it ends
//
// Say that each process belongs to the source whose Rank it has passed on, and let s(1), s(2), ... be the
// numbers of sources. A source stays if all that its Rank reaches belongs to it. After a round links
// between processes of different sources point from the smaller Rank to the larger. So the processes of a
// source that is gone are reached from those of smaller ones only, and all that comes in there goes
// through the process that was the source, as the links to it have been turned round. There one value
// wins, and one source at most stays of those that the values are of. In this way each source that stays
// in the next round has a source of its own that is gone: s(t+2) is at most s(t) - s(t+1). The numbers
// fall like the Fibonacci numbers, from s(0) = n, as in round 0 each process is its own.
//
// They need not halve in each round, as one reads: of sources 1, 2, 3 and sinks 4 between 1 and 3, 5
// between 2 and 3, two are left after the first round.
//
// # Model
//
// Any connected graph with links both ways, asynchronous, unique IDs, no failures; any number of
// initiators, and the smallest of all processes wins. A Start at a process that is awake is ignored.
// Links need not keep the order: a VALUE may arrive before the HELLO or the NO that was sent before it,
// and is kept apart from votes. No message of a later round can come earlier than that, since a process
// begins a round only when its neighbours have answered it.
//
// # Messages
//
// With n processes and M ports in all, two for each link:
//
//	hello     M
//	value     one for each link that is left, in each round
//	votes     as many; n-1 of them are leaf
//	elected   n-1
//
// So 2M + n-1 at best, where one round is enough: on every complete graph, and on all graphs with one
// process that is smaller than its neighbours. There are at most k-2 rounds, where F(k) is the largest
// Fibonacci number up to n, and at most M*(k-1) + n-1 messages. They are the same on every schedule and
// for all initiators, but not for every order of the ports: of links that bring the same value the one of the
// lowest port is kept (rule 10). On one graph of ten processes an election takes 95, 97, 99 or 101 messages,
// depending on that order. Time is at most 1 + 2(n-1)(k-2) + n-1 if each message takes a unit and all start,
// and at most n-1 more if not.
//
// # Limitations
//
// One crash or one lost message blocks the election for ever. A message that comes twice may spoil it, as
// may two processes with the same ID. Ranks must not change while it runs.
//
// Made precise here: DROP is no vote. The link that is kept carries that of all with the same value. A
// process whose last link out went with a no would turn all others round, and be a source again with a
// Rank of its own.
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

// The kinds of message. Hello, value and elected carry a Rank, votes nothing.
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

// stage is how far a process has come in the present round.
type stage uint8

const (
	asleep    stage = iota
	greeting        // it waits for HELLO
	gathering       // it waits for values
	voting          // it waits for votes, or has left
)

// brought has the values that have come, by port; of ID zero where none has.
type brought []election.Rank

// at returns a value.
func (b brought) at(port election.Port) election.Rank {
	if int(port) < len(b) { // it is, unless a saved state is spoilt
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
	missed uint32 // how many HELLOs, values or votes have not come
	values brought

	in, out  portset.Set // the links that are left, by their direction
	refused  portset.Set // those over which NO has come
	children portset.Set // processes that have left by this one

	scratch
}

// scratch is what a process needs during one Step.
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
		// Some have come already, from neighbours that began this round before this process did.
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
	// A value that comes while this process waits for something else is one of its next round.
	if n.stage == gathering {
		if n.missed--; n.missed == 0 {
			n.down(e)
		}
	}
}

// down sends the smallest value over all links that go out.
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
		// A no from below is for all values: the smallest of them has been passed on, and is not good enough.
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

// sorted returns the links that come in, by their values.
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

// dropSame drops of links that have brought the same value all but the first, and returns those.
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
