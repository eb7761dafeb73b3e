// Package treeelect elects a leader on a tree: the largest Rank is found on the way to the process that asks
// for it, and is announced along the same links. The variants differ in the processes that may start:
//
//	root        the root of a rooted tree, which learns at the end that all know the leader.
//	any         any single process.
//	climb       any single process of a rooted tree: a message climbs to the root, which then
//	            proceeds as in root.
//	saturation  any number of processes.
//	graph       any single process of a connected graph: it builds a spanning tree of which it is
//	            the root, and then proceeds as in root. See [OverGraph].
//
// In root, any and climb a demand spreads from the initiator to the leaves. Reports return, in which every
// process sends the largest of its own Rank and those reported to it; elected spreads the result. In root and
// climb a process without other neighbours sends done back, and every other process does so when all of those
// have; the last done at the root means that all know the leader.
//
// In saturation a wakeup spreads from the initiators. Every process waits for the saturation of all its
// neighbours but one, and then sends the largest Rank so far to the remaining one. Over one link of the tree
// two of these messages cross: the two processes there are saturated, both know the largest of all, and
// announce it on their sides.
//
// # The rules
//
// Rules of root, any and climb:
//
//  1. Start. The process that may begin sends DEMAND to its neighbours: in root and climb the root, in any
//     each process. At other processes a Start is refused in root, and is ignored if the election has arrived.
//  2. Climb. In climb another process that starts sends CLIMB to its parent, which does the same. The root
//     begins.
//  3. Demand. A process that receives DEMAND sends it to its other neighbours. It answers only the first one.
//  4. Report. A process whose other neighbours have all sent REPORT, if there are any, sends REPORT to the
//     process that sent it DEMAND: with the largest of its own Rank and those reported to it.
//  5. Proclaim. The process that began knows the leader when all have reported, and sends ELECTED to its
//     neighbours. In any the election has then ended for it.
//  6. Elected. A process that receives ELECTED follows the leader, and sends ELECTED to its other neighbours.
//     In any, and at a leaf, the election has then ended for it.
//  7. Done. In root and climb a process whose other neighbours have all sent DONE, if there are any, sends
//     DONE. The last DONE at the root means that all know the leader.
//
// # The rules of saturation
//
//  8. Wake. A process that starts, or receives its first message, sends WAKEUP to its other neighbours.
//  9. Process. A process that has SATURATION of all its neighbours but one sends SATURATION to the remaining
//     one, with the largest Rank that it knows. A leaf does so as it wakes.
//  10. Saturated. A process that has SATURATION of all its neighbours knows the leader. It sends ELECTED to
//     all but the last. A process without neighbours is saturated as it wakes.
//  11. Elected. A process that receives ELECTED follows the leader, and passes it on to the others, once.
//
// # The rules of graph, and of all variants over a graph
//
//  12. Start. The process that starts is the root. It sends BUILD to its neighbours.
//  13. Build. A process takes the sender of its first BUILD as its parent, and sends BUILD to all others. Each
//     further BUILD is an answer.
//  14. Joined. A process that all others have answered sends JOINED to its parent, which then knows its child.
//  15. Elect. When all have answered the root, it starts the election on the tree. Rules 1 to 11 apply there.
//
// # Model
//
// A tree with two-way links, asynchronous; unique IDs; no failures. Links need not deliver in order. A process
// knows its links; in root and climb it also knows which of them leads to the root. In root a Start at another
// process than the root is refused with [election.ErrNotInitiator]. In all variants a Start at a process that
// the election has reached is ignored until the election has ended there. If two processes start simultaneously
// where only one may, each begins an election, and the one of the larger ID continues.
//
// # Messages
//
// N processes always take the same number of messages, on every schedule:
//
//	root        4(N-1)                   N-1 of each kind
//	any         3(N-1)                   N-1 of each kind
//	climb       4(N-1) + depth           depth climb, N-1 of each other kind
//	saturation  3N + k - 4               N+k-2 wakeup, N saturation, N-2 elected
//	graph       4(N-1) + M               M-(N-1) build, N-1 joined, N-1 of each other kind
//
// Here depth is the distance from the initiator to the root, k is the number of initiators, and M is the number
// of links, each counted in both directions. Saturation is for N > 1; a single process sends nothing. If every
// message takes one unit the time is
//
//	root        4*height
//	any         3*ecc
//	climb       4*height + depth
//	saturation  diam if all start, at most 3*diam
//	graph       6*ecc or 6*ecc + 1
//
// Here height is the distance from the root to the farthest leaf, ecc is the distance from the initiator to the
// farthest process, and diam is the largest distance of all. A process keeps a Rank and a few numbers, however
// many links it has; in saturation and over a graph also a bit for each link.
//
// # Guarantees
//
// The largest of all is elected and no other process. In any and saturation a process knows the end as soon as
// it knows the leader. In root, climb and graph it knows the end when all processes below it know the leader;
// at the root these are all processes.
//
// # Limitations
//
// One crash blocks the election forever, and so does one lost message. A duplicate message may end it too
// early, except in saturation on a tree. Two processes with the same ID may both lead. Ranks must not change
// during an election.
//
// Source: lecture notes on election, in French, which describe root, climb and any. Corrected here: a process
// that has counted the answers down resets the count before it proclaims, otherwise the root would never
// proclaim; the root also learns the leader itself; equal capacities are ordered by ID; and in any a process
// answers immediately if no neighbour is left to ask, whether it is a leaf or a root with one neighbour.
// Saturation follows N. Santoro, Design and Analysis of Distributed Algorithms, 2007.
package treeelect

import (
	"fmt"

	"github.com/go-election/election"
	"github.com/go-election/election/cost"
)

// Message kinds of root, any and climb. A report carries the largest Rank so far, elected the leader; the
// others carry nothing.
const (
	kindDemand uint8 = iota + 1
	kindReport
	kindElected
	kindDone
	kindClimb
)

// Algorithms returns the variants, the default first.
func Algorithms() []*election.Algorithm {
	return []*election.Algorithm{Root(), Any(), Climb(), Saturation(), Graph()}
}

// Root returns the variant that the root of a rooted tree starts.
func Root() *election.Algorithm {
	a := describe("root", "the root asks all for the largest, announces it, and learns that all know")
	a.Knows, a.SingleInitiator = election.RootPort, true
	a.Kinds = collecting(kindDone)
	setBounds(a, 4)
	a.New = func(s election.Setup) election.Node {
		return &process{parent: s.Parent, mayBegin: s.Root, confirms: true}
	}
	return a
}

// Any returns the variant that any single process starts.
func Any() *election.Algorithm {
	a := describe("any", "the initiator asks all for the largest and announces it")
	a.SingleInitiator = true
	a.Kinds = collecting(kindElected)
	setBounds(a, 3)
	a.New = func(election.Setup) election.Node { return &process{mayBegin: true} }
	return a
}

// Climb returns the variant in which any single process asks the root to begin.
func Climb() *election.Algorithm {
	a := describe("climb", "the initiator asks the root, which asks all for the largest, announces it, and "+
		"learns that all know")
	a.Knows, a.SingleInitiator = election.RootPort, true
	a.Kinds = collecting(kindClimb)
	a.Best = cost.Bound{Formula: "4(n-1)", When: "the root starts",
		Count: func(n int) float64 { return 4 * float64(n-1) }}
	a.Worst = cost.Bound{Formula: "5(n-1)", When: "the end of a path starts", Loose: true,
		Count: func(n int) float64 { return 5 * float64(n-1) }}
	a.New = func(s election.Setup) election.Node {
		return &process{parent: s.Parent, mayBegin: s.Root, climbs: true, confirms: true}
	}
	return a
}

// describe returns what the variants have in common.
func describe(variant, summary string) *election.Algorithm {
	return &election.Algorithm{
		Name: "treeelect", Variant: variant, Summary: summary,
		Source:    "lecture notes",
		Topology:  election.Tree,
		TwoWay:    true,
		Winner:    election.LargestOfAll,
		LateStart: election.LateIgnored,
	}
}

// setBounds sets the bounds of an election that always takes the given number of messages for every process but
// one.
func setBounds(a *election.Algorithm, each int) {
	always := cost.Bound{Formula: fmt.Sprintf("%d(n-1)", each),
		Count: func(n int) float64 { return float64(each) * float64(n-1) }}
	a.Best, a.Mean, a.Worst = always, always, always
}

// collecting describes the kinds of root, any and climb, up to the given one.
func collecting(last uint8) []election.Kind {
	return []election.Kind{
		{Name: "demand", Bits: nothing},
		{Name: "report", Bits: cost.Widths.Rank},
		{Name: "elected", Announces: true, Bits: cost.Widths.Rank},
		{Name: "done", Announces: true, Bits: nothing},
		{Name: "climb", Bits: nothing},
	}[:last:last]
}

func nothing(cost.Widths) uint64 { return 0 }

// process is a participant of root, any and climb.
type process struct {
	best    election.Rank // largest Rank of this process and those reported to it
	missing uint32        // number of missing answers: first reports, then dones
	asker   election.Port // neighbour that has sent the demand, and receives the answers
	state   state
	first   bool // no neighbour has asked: the election begins here

	mayBegin bool // the first demand may come from here
	climbs   bool // elsewhere a Start climbs to the root
	confirms bool // reports to the asker when all below know the leader
	parent   election.Port
	tree     *spanning // the links that belong to the tree; nil: all
}

// state is the progress of a process.
type state uint8

const (
	idle       state = iota
	climbing         // it has asked the root to begin
	asking           // it waits for reports
	reported         // it waits for the leader
	announcing       // it waits until all below know the leader
	ended
)

func (n *process) Step(e *election.Env, ev *election.Event) {
	switch ev.Op {
	case election.Start:
		n.start(e)
	case election.Recv:
		switch ev.Msg.Kind {
		case kindClimb:
			n.climb(e)
		case kindDemand:
			n.demand(e, ev.Port)
		case kindReport:
			n.report(e, ev.Msg.Rank)
		case kindElected:
			n.elected(e, ev.Msg.Rank)
		case kindDone:
			n.done(e)
		}
	}
}

// start begins the election, here or at the root.
func (n *process) start(e *election.Env) {
	switch {
	case !n.mayBegin && !n.climbs: // rule 1
		e.Refuse(election.ErrNotInitiator)
	case n.state != idle: // rule 1
	case n.mayBegin: // rule 1
		n.first = true
		n.ask(e)
	default: // rule 2
		n.state = climbing
		e.Send(n.parent, election.Message{Kind: kindClimb})
	}
}

func (n *process) climb(e *election.Env) { // rule 2
	if n.climbs {
		n.start(e)
	}
}

func (n *process) demand(e *election.Env, from election.Port) { // rule 3
	// A demand may also overtake the climb of this process, and makes it unnecessary.
	if n.state <= climbing {
		n.asker = from
		n.ask(e)
	}
}

// ask passes the demand on. A process without other neighbours already knows the answer.
func (n *process) ask(e *election.Env) {
	n.state, n.best = asking, e.Self()
	n.missing = n.others(e)
	n.spread(e, election.Message{Kind: kindDemand})
	n.allReported(e)
}

func (n *process) report(e *election.Env, largest election.Rank) { // rule 4
	if n.state != asking {
		return
	}
	if n.best.Less(largest) {
		n.best = largest
	}
	n.missing--
	n.allReported(e)
}

// allReported reports in turn, or proclaims the leader, if no report is missing.
func (n *process) allReported(e *election.Env) {
	switch {
	case n.missing > 0: // rule 4
	case n.first: // rule 5
		n.proclaim(e, n.best)
	default: // rule 4
		n.state = reported
		e.Send(n.asker, election.Message{Kind: kindReport, Rank: n.best})
	}
}

func (n *process) elected(e *election.Env, leader election.Rank) { // rule 6
	if n.state == reported {
		n.proclaim(e, leader)
	}
}

// proclaim announces the leader to the processes that have reported, and resets the count.
func (n *process) proclaim(e *election.Env, leader election.Rank) {
	e.Decide(leader)
	n.state = announcing
	n.spread(e, election.Message{Kind: kindElected, Rank: leader})
	if n.confirms {
		n.missing = n.others(e)
	}
	n.allDone(e)
}

func (n *process) done(e *election.Env) { // rule 7
	if n.state == announcing {
		n.missing--
		n.allDone(e)
	}
}

// allDone sends DONE in turn, if no DONE is missing.
func (n *process) allDone(e *election.Env) {
	if n.missing > 0 {
		return
	}
	if n.confirms && !n.first { // rule 7
		e.Send(n.asker, election.Message{Kind: kindDone})
	}
	n.state = ended
	e.Done()
}

// others returns the number of neighbours except the asker.
func (n *process) others(e *election.Env) uint32 {
	if n.first {
		return n.tree.degree(e)
	}
	return n.tree.degree(e) - 1
}

// spread sends m to all neighbours except the asker.
func (n *process) spread(e *election.Env, m election.Message) {
	if n.first {
		n.tree.send(e, election.NoPort, m)
	} else {
		n.tree.send(e, n.asker, m)
	}
}

func (n *process) State(s *election.State) {
	s.Rank(&n.best)
	s.Uint32(&n.missing)
	s.Port(&n.asker)
	s.Uint8((*uint8)(&n.state))
	s.Bool(&n.first)
}
