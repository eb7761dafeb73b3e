// Package echo elects a leader on any connected graph: a wave spreads over all links, and its echo returns
// along the tree that the wave has built on its way. The variants:
//
//	implicit    any single process starts; the largest of all is elected.
//	nok         the same, with an additional message on each link that is not part of the tree.
//	extinction  any number of processes start; the largest of them is elected.
//
// In implicit and nok the initiator sends a demand to all neighbours. A process takes the first neighbour that
// sends it a demand as its parent, and sends a demand to its other neighbours. When all of them have answered,
// it reports the largest of its own Rank and those reported to it to its parent, which thereby knows its child;
// finally the initiator knows the leader. Elected spreads the result over the tree. In nok, the answer to any
// demand but the first is a separate message. In implicit there is none: the process asked has sent, or is
// about to send, a demand over the same link in the other direction, which counts as the answer.
//
// In extinction every initiator sends a wave of its own. A process takes part in the largest wave that it has
// met and drops messages of smaller ones, so that they never return; a wave is its own echo. The sender of a
// wave marks it if its part of the tree is complete, so that the receiver knows its children when the winner is
// announced.
//
// # The rules
//
// Rules of implicit and nok:
//
//  1. Start. A process that starts, and that the election has not reached, sends DEMAND to all its neighbours.
//  2. Demand. A process takes the sender of its first DEMAND as its parent, and sends DEMAND to all others.
//  3. Crossing, implicit. Each further DEMAND is the answer to the process's own on that link.
//  4. Crossing, nok. The process answers each further DEMAND by NOK, which counts as an answer at its
//     receiver.
//  5. Report. A process that receives REPORT has a child, and keeps the largest Rank.
//  6. Echo. A process that all others have answered sends REPORT to its parent: with the largest of its own
//     Rank and those reported to it.
//  7. Decide. When all have answered the process that started, it knows the leader. It sends ELECTED to its
//     children.
//  8. Elected. A process that receives ELECTED follows the leader, and sends ELECTED to its children.
//
// # The rules of extinction
//
//  9. Start. A process that starts sends WAVE with its Rank to all its neighbours, once. If it has joined
//     another wave it is refused.
//  10. Extinguish. A process drops a WAVE that is smaller than its own.
//  11. Join. A process that receives a WAVE larger than its own abandons its own. It takes the sender as its
//     parent, and sends the WAVE to all others.
//  12. Hear. A WAVE equal to its own counts as an answer; with the flag, its sender is a child.
//  13. Echo. A process that has its WAVE from all others sends it to its parent, with the flag.
//  14. Decide. The initiator that has its own WAVE from all leads. It sends ELECTED to its children.
//  15. Elected. A process that receives ELECTED follows the leader, and sends ELECTED to its children, once.
//
// # Model
//
// A connected graph with two-way links, of unknown size and shape, asynchronous; unique IDs; no failures. Links
// need not deliver in order. In implicit and nok a Start at a process that the election has reached, and at
// which it has not ended, is ignored; if two processes start simultaneously, each begins an election, and the
// one of the larger ID continues. In extinction a Start is refused, with [election.ErrLateStart], at a process
// that has joined a wave.
//
// # Messages
//
// N processes, M links, each counted in both directions:
//
//	implicit    M + N - 1      M-(N-1) demand, N-1 report, N-1 elected
//	nok         2M - N + 1     M-(N-1) demand, M-2(N-1) nok, N-1 report, N-1 elected
//	extinction  M + N - 1      at least, if one process starts: M wave, N-1 elected
//	            k*M + N - 1    at most, if k processes start
//
// The first two counts are the same on every schedule, and so is the count of extinction with one initiator.
// Over a link of the tree a demand goes down and a report up, over any other link a demand in each direction:
// this makes M, and with the announcement M+N-1. A complete graph on which all start, the largest first and the
// others in falling order, takes (N-1)(2N-1) waves if all messages are equally fast.
//
// The time, if every message takes one unit and ecc is the distance from the initiator (in extinction the
// largest; all start simultaneously) to the farthest process, is at most 3*ecc + 1, and 3*ecc + 2 for nok.
//
// A process keeps a Rank, a few numbers and a bit for each link.
//
// # Guarantees
//
// Exactly one process is elected, on every schedule: the largest of all, in extinction the largest of the
// initiators. A process knows the end as soon as it knows the leader. The winner of extinction, and the
// initiator of the other variants, knows that all others take part, but not when they have heard.
//
// # Limitations
//
// One crash blocks the election forever, and so does one lost message; a duplicate message may end it too
// early. Two processes with the same ID may both lead. Ranks must not change during an election.
//
// Sources: lecture notes on election, in French, which describe nok and give the count of implicit; E. J. H.
// Chang, Echo algorithms: depth parallel operations on general graphs, IEEE TSE 8(4), 1982; for extinction G.
// Tel, Introduction to Distributed Algorithms, 2000. Corrected here: the count M+N-1 belongs to crossing
// demands, with nok it is 2M-N+1; a process that waits for answers does not wait for its parent; and it answers
// its parent once, when it knows its whole subtree.
package echo

import (
	"github.com/go-election/election"
	"github.com/go-election/election/cost"
	"github.com/go-election/election/internal/portset"
)

// Message kinds of implicit and nok. A report carries the largest Rank so far, elected the leader; the others
// carry nothing.
const (
	kindDemand uint8 = iota + 1
	kindReport
	kindElected
	kindNok
)

// Algorithms returns the variants, the default first.
func Algorithms() []*election.Algorithm {
	return []*election.Algorithm{Implicit(), Nok(), Extinction()}
}

// Implicit returns the variant in which a demand that crosses another counts as its answer.
func Implicit() *election.Algorithm {
	a := asking("implicit", "a demand goes out over all links and the largest comes back; two demands over "+
		"one link answer each other")
	setBounds(a, "M + n-1, M ports in all", func(n, ports int) float64 { return float64(ports + n - 1) })
	a.New = func(election.Setup) election.Node { return &process{} }
	return a
}

// Nok returns the variant in which every demand is answered.
func Nok() *election.Algorithm {
	a := asking("nok", "a demand goes out over all links and the largest comes back; a process that has a "+
		"parent already says so")
	a.Kinds = append(a.Kinds, election.Kind{Name: "nok", Bits: nothing})
	setBounds(a, "2M - n+1, M ports in all", func(n, ports int) float64 { return float64(2*ports - n + 1) })
	a.New = func(election.Setup) election.Node { return &process{answers: true} }
	return a
}

// asking returns the common part of implicit and nok.
func asking(variant, summary string) *election.Algorithm {
	a := describe(variant, summary)
	a.Source = "Chang 1982"
	a.SingleInitiator = true
	a.Winner = election.LargestOfAll
	a.LateStart = election.LateIgnored
	a.Kinds = []election.Kind{
		{Name: "demand", Bits: nothing},
		{Name: "report", Bits: cost.Widths.Rank},
		{Name: "elected", Announces: true, Bits: cost.Widths.Rank},
	}
	return a
}

// describe returns what all variants have in common.
func describe(variant, summary string) *election.Algorithm {
	return &election.Algorithm{
		Name: "echo", Variant: variant, Summary: summary,
		Topology: election.Graph,
		TwoWay:   true,
	}
}

func nothing(cost.Widths) uint64 { return 0 }

// setBounds sets the bounds of an election that always takes the same number of messages.
func setBounds(a *election.Algorithm, formula string, count func(n, ports int) float64) {
	always := cost.Bound{Formula: formula, CountPorts: count}
	a.Best, a.Mean, a.Worst = always, always, always
}

// process is a participant of implicit and nok.
type process struct {
	best     election.Rank // largest Rank of this process and those reported to it
	parent   election.Port // neighbour that has asked first
	heard    uint32        // number of neighbours that have answered
	state    state
	first    bool // no neighbour has asked: the election began here
	answers  bool // variant: every demand except the first is answered
	children portset.Set
}

// state is the progress of a process.
type state uint8

const (
	idle     state = iota
	asked          // it waits for answers
	reported       // it waits for the leader
	ended
)

func (n *process) Step(e *election.Env, ev *election.Event) {
	switch ev.Op {
	case election.Start: // rule 1
		if n.state == idle {
			n.first = true
			n.ask(e, election.NoPort)
		}
	case election.Recv:
		switch ev.Msg.Kind {
		case kindDemand:
			n.demand(e, ev.Port)
		case kindReport:
			n.report(e, ev.Port, ev.Msg.Rank)
		case kindNok: // rule 4
			// Only the variant nok has this message; in the other it must not count as an answer.
			if n.answers {
				n.answered(e)
			}
		case kindElected:
			n.elected(e, ev.Msg.Rank)
		}
	}
}

// ask sends a demand to all neighbours except the parent.
func (n *process) ask(e *election.Env, parent election.Port) {
	n.state, n.best, n.parent = asked, e.Self(), parent
	toOthers(e, parent, election.Message{Kind: kindDemand})
	n.allAnswered(e)
}

func (n *process) demand(e *election.Env, from election.Port) {
	switch {
	case n.state == idle: // rule 2
		n.ask(e, from)
	case n.answers: // rule 4
		e.Send(from, election.Message{Kind: kindNok})
	default: // rule 3
		n.answered(e)
	}
}

func (n *process) report(e *election.Env, from election.Port, largest election.Rank) { // rule 5
	if n.state != asked {
		return
	}
	n.children.Add(from)
	if n.best.Less(largest) {
		n.best = largest
	}
	n.answered(e)
}

// answered counts an answer, of whatever kind.
func (n *process) answered(e *election.Env) {
	if n.state == asked {
		n.heard++
		n.allAnswered(e)
	}
}

// allAnswered reports to the parent, or announces the leader, if all others have answered.
func (n *process) allAnswered(e *election.Env) {
	switch {
	case n.first && int(n.heard) == e.Ports(): // rule 7
		n.announce(e, n.best)
	// All except the parent, which receives the report.
	case !n.first && int(n.heard) == e.Ports()-1: // rule 6
		n.state = reported
		e.Send(n.parent, election.Message{Kind: kindReport, Rank: n.best})
	}
}

func (n *process) elected(e *election.Env, leader election.Rank) { // rule 8
	if n.state == reported {
		n.announce(e, leader)
	}
}

// announce sends the leader to the children.
func (n *process) announce(e *election.Env, leader election.Rank) {
	n.state = ended
	e.Decide(leader)
	toAll(e, &n.children, election.Message{Kind: kindElected, Rank: leader})
	e.Done()
}

// Tree returns the port of the parent in the tree of the echoes, election.NoPort at the initiator, and the
// ports of the children. ok is false before the end.
func (n *process) Tree() (parent election.Port, children []election.Port, ok bool) {
	if n.state != ended {
		return election.NoPort, nil, false
	}
	return n.parent, portsOf(&n.children), true
}

func portsOf(set *portset.Set) (list []election.Port) {
	for port := set.From(0); port != election.NoPort; port = set.From(port + 1) {
		list = append(list, port)
	}
	return list
}

func (n *process) State(s *election.State) {
	s.Rank(&n.best)
	s.Port(&n.parent)
	s.Uint32(&n.heard)
	s.Uint8((*uint8)(&n.state))
	s.Bool(&n.first)
	n.children.State(s)
}

// toOthers sends m to all neighbours except one.
func toOthers(e *election.Env, except election.Port, m election.Message) {
	for port := range election.Port(e.Ports()) {
		if port != except {
			e.Send(port, m)
		}
	}
}

// toAll sends m over all ports of a set.
func toAll(e *election.Env, over *portset.Set, m election.Message) {
	for port := over.From(0); port != election.NoPort; port = over.From(port + 1) {
		e.Send(port, m)
	}
}
