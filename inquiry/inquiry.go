// Package inquiry elects a leader on a complete graph by broadcasts: a process larger than a candidate inquires
// for itself, and a smaller one acknowledges.
//
// A process is in one of three states. Initially it may be elected (maybe; peut-être in the source). If it
// starts, or receives a smaller candidate in that state, it sends its Rank to all and is inquiring (enquête).
// If it receives a larger candidate, it acknowledges it and has lost (perdu); it continues to acknowledge
// larger candidates and ignores smaller ones, as an inquiring process does. An inquiring process that all N-1
// others have acknowledged is the largest of all, and announces itself to all. This is the variant states.
//
// The source asks what the states are good for. The variant naive answers the question: it has no states, so
// that every message of a smaller candidate makes a process broadcast again. A flag distinguishes the first
// broadcast of a process, and its acknowledgements, from the others: a process is elected by N-1
// acknowledgements of its first broadcast, and acknowledgements of other broadcasts do not count. Only the
// largest of all can have that many, and only once. It continues to broadcast after that, but no outcome
// changes any more.
//
// # The rules
//
//  1. Start. A process that starts, and has neither broadcast nor lost, sends ELECTION with its Rank to all.
//     In naive it does so whenever it starts, once.
//  2. Larger. A process that receives ELECTION of a larger one sends it ACK, and has lost.
//  3. Smaller. A process that receives ELECTION of a smaller one, and may be elected, sends ELECTION to all
//     itself, as in rule 1. A process that has already broadcast, or has lost, ignores it.
//  4. Smaller, naive. A process sends ELECTION to all at each ELECTION of a smaller one.
//  5. Count. A process that has received an ACK from all others leads. It sends ELECTED to all. In naive only
//     ACKs of its first broadcast count. A process that has lost counts none.
//  6. Elected. A process that receives ELECTED follows its sender. The election has then ended for it, as for
//     the winner.
//
// # Model
//
// A complete graph, asynchronous; every process knows how many links it has, but not where they lead; unique
// IDs; no failures; any number of initiators, including late ones. Links need not deliver in order. In states,
// a Start at a process that has already broadcast or lost is ignored until the election has ended there; in
// naive it causes one more broadcast. In naive at most 20 processes can elect; larger groups are refused.
//
// # Messages
//
// N processes, of ranks 1 (the smallest) to N. A process of rank i that broadcasts in states sends N-1 election
// messages and receives i-1 acks, whatever the schedule; the largest always broadcasts, the others at most
// once. The election therefore takes at least 2(N-1) and at most 3N(N-1)/2 messages, and N-1 more for the
// announcement. It takes the maximum if all start before they receive. A single initiator of rank r takes, at
// most and if all messages are equally fast,
//
//	(N-r+1)(N-1) + (N(N-1) - (r-1)(r-2))/2, and N-1 for the announcement,
//
// so that the smallest initiator also takes the maximum. Time is 4, including the announcement, or 3 if the
// largest starts.
//
// In naive the count depends only on the initiators. A single one of rank r causes 2^(N-r) broadcasts, so that
// the smallest takes 2^(N-1)*(N-1) election messages and (N-2)*2^(N-1) + 1 acks; all together take (2^N-1)(N-1)
// and (N-2)*2^N + 2. Election messages, if the smallest starts alone:
//
//	N        2    3    4    5     6     8     10
//	states   2    6   12   20    30    56     90
//	naive    2    8   24   64   160   896   4608
//
// # Guarantees
//
// The largest of all is elected and no other process, on every schedule. A process knows the end as soon as it
// knows the leader. The winner knows that all agree with it, but not when they have heard.
//
// # Limitations
//
// There are no time-outs: one crash blocks the election forever, and so may one lost message. If processes
// crash, use [election.Algorithm.OverComplete], which leaves out processes that a failure detector reports, or
// that have left on purpose. Two processes with the same ID may both be elected. Ranks must not change during
// an election. In states a duplicate message does no harm; in naive it causes broadcasts, except that a
// duplicate ack of the first broadcast does no harm.
//
// Source: lecture notes on election, in French, which present it as the bully algorithm of Garcia-Molina. It is
// a different algorithm: the bully asks larger processes only, trusts time-outs and tolerates crashes.
// Corrected here: capacities are compared together with IDs, because equals would acknowledge each other; a
// process that has acknowledged has lost, even if it was not inquiring, because it would broadcast later with
// no chance to win; and the victory and its announcement, which the notes omit.
package inquiry

import (
	"github.com/go-election/election"
	"github.com/go-election/election/cost"
	"github.com/go-election/election/internal/portset"
)

// Message kinds. Election and elected carry a Rank, ack the ID of the sender; in naive election and ack also
// carry [flagFirst].
const (
	kindElection uint8 = iota + 1
	kindAck
	kindElected
)

// Algorithms returns the variants, the default first.
func Algorithms() []*election.Algorithm { return []*election.Algorithm{States(), Naive()} }

// States returns the variant in which a process broadcasts at most once.
func States() *election.Algorithm {
	a := describe("states", "a process that hears of a smaller candidate first inquires of all; one that "+
		"all acknowledge is elected")
	a.LateStart = election.LateIgnored
	a.Faults.Copies = true
	always := cost.Bound{Formula: "3n(n-1)/2 + n-1", Arrange: cost.Rising,
		Count: func(n int) float64 { return 3*float64(n)*float64(n-1)/2 + float64(n-1) }}
	a.Best, a.Mean, a.Worst = always, always, always
	a.New = func(s election.Setup) election.Node { return &process{me: s.Self} }
	return a
}

// describe returns what the variants have in common.
func describe(variant, summary string) *election.Algorithm {
	rank := func(w cost.Widths) uint64 { return w.Rank() }
	return &election.Algorithm{
		Name: "inquiry", Variant: variant, Summary: summary,
		Source:   "lecture notes, as the bully algorithm",
		Topology: election.Complete,
		TwoWay:   true,
		Winner:   election.LargestOfAll,
		Kinds: []election.Kind{
			{Name: "election", Bits: rank},
			{Name: "ack", Bits: func(w cost.Widths) uint64 { return w.ID }},
			{Name: "elected", Announces: true, Bits: rank},
		},
	}
}

// state is the progress of a process.
type state uint8

const (
	maybe     state = iota // it may be elected
	inquiring              // it has sent its Rank to all
	lost                   // it has acknowledged a larger process
)

// process is a participant.
type process struct {
	me    election.Rank
	state state
	acks  portset.Set // ports over which its inquiry has been acknowledged; a duplicate ack counts once
}

func (n *process) Step(e *election.Env, ev *election.Event) {
	switch ev.Op {
	case election.Start: // rule 1
		if n.state == maybe {
			n.inquire(e)
		}
	case election.Recv:
		switch ev.Msg.Kind {
		case kindElection:
			n.recvElection(e, ev.Port, ev.Msg.Rank)
		case kindAck:
			n.recvAck(e, ev.Port)
		case kindElected:
			follow(e, ev.Msg.Rank)
		}
	}
}

// inquire asks all others to acknowledge this process.
func (n *process) inquire(e *election.Env) {
	n.state = inquiring
	broadcast(e, election.Message{Kind: kindElection, Rank: n.me})
	// If there are no others, no acknowledgement will arrive to end the inquiry.
	if e.Ports() == 0 {
		lead(e, n.me)
	}
}

func (n *process) recvElection(e *election.Env, from election.Port, candidate election.Rank) {
	switch {
	case n.me.Less(candidate): // rule 2
		e.Send(from, acknowledgement(n.me))
		n.state = lost
	case n.state == maybe: // rule 3
		n.inquire(e)
	default: // rule 3
	}
}

func (n *process) recvAck(e *election.Env, from election.Port) { // rule 5
	if n.state == inquiring {
		gather(e, &n.acks, from, n.me)
	}
}

// gather makes the process leader when the last ack arrives.
func gather(e *election.Env, acks *portset.Set, from election.Port, me election.Rank) { // rule 5
	if acks.Has(from) {
		return
	}
	acks.Add(from)
	if acks.Len() == e.Ports() {
		lead(e, me)
	}
}

func (n *process) State(s *election.State) {
	s.Uint8((*uint8)(&n.state))
	n.acks.State(s)
}

func acknowledgement(me election.Rank) election.Message {
	return election.Message{Kind: kindAck, Rank: election.Rank{ID: me.ID}}
}

// broadcast sends m to all others.
func broadcast(e *election.Env, m election.Message) {
	for port := range e.Ports() {
		e.Send(election.Port(port), m)
	}
}

// lead announces that this process is elected. All others have lost by now, so no other process can be elected.
func lead(e *election.Env, me election.Rank) { // rule 5
	e.Decide(me)
	broadcast(e, election.Message{Kind: kindElected, Rank: me})
	e.Done()
}

func follow(e *election.Env, leader election.Rank) { // rule 6
	e.Decide(leader)
	e.Done()
}
