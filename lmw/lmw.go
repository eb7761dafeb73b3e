// Package lmw elects a leader on a complete graph with a sense of direction, with O(n) messages, by the
// algorithm of Loui, Matsushita and West.
//
// The processes are arranged on a circle, and each link is labelled with its distance around the circle: port k
// leads k+1 places on. A process that knows the distance to another one can therefore send to it directly, and
// it knows the distance to the sender of a message. Each process challenges the next one around the circle. The
// larger of two wins: a process that receives a larger challenger is beaten and remembers its conqueror, and a
// process that receives a smaller challenger sends its own challenge straight back. A beaten process passes a
// challenge on to its conqueror. Each challenge carries the distance to its sender, so that the answer can go
// there directly.
//
// At every moment the processes that one candidate has beaten, directly or through others, form a contiguous
// row with it on the circle. There is one challenge for the border between two neighbouring rows. Each defeat
// joins two rows and removes one challenge, so that after n-1 defeats one is left: it returns to the candidate
// that has sent it, which leads.
//
// # The rules
//
//  1. Wake. A process wakes up when it starts, or when the first message arrives. It is a candidate, and sends
//     ELECT with its Rank and the distance 1 to the next process. A process without links leads.
//  2. Beat. A candidate that receives ELECT of a smaller Rank sends ELECT with its own Rank straight back to
//     the sender.
//  3. Beaten. A candidate that receives ELECT of a larger Rank is not a candidate any more, and remembers the
//     sender.
//  4. Pass on. A beaten process passes ELECT on to the process that has beaten it, and adds the distance.
//  5. Home. A candidate that receives its own Rank leads. It sends ELECTED to all.
//  6. Elected. A process that receives ELECTED follows the leader in it.
//
// # Model
//
// A complete graph with two-way links, whose ports are ordered around a circle: port k leads to the process k+1
// places on, in an order of all processes that need not be the order of their Ranks. Other ports are rejected.
// Each process knows the number of processes from its links. Asynchronous, unique IDs, no failures; any number
// of initiators, and the largest of all processes wins. Links need not deliver in order. A Start at a process
// that is awake is ignored.
//
// # Messages
//
// With n processes, more than one, for any initiators and on every schedule:
//
//	sent at waking     n
//	passed on          at most n-1: each way to a conqueror is taken once
//	sent back          at most 2(n-1): each is followed by a defeat, or is passed on
//	elected            n-1
//
// This is less than 5n in all, compared with n log n without a sense of direction (package afekgafni), and at
// least 3n-1, for Ranks that fall around the circle. If all start simultaneously, and each message takes a
// unit, the maximum is 5, 10, 14, 19, 23 and 27 for n from 2 to 7, in 4, 6, 7, 8, 9 and 10 units. The mean over
// random orders is about 2.88n + n-1.
//
// # Why each way is taken once
//
// A row has a border on either side. A process lies on the way from one border to the candidate of the row, or
// on neither way, but not on both, because the candidate that has beaten it is next to its row on one side. And
// a challenge never goes back on its side of the border: it returns to the process that it has left, and
// continues from there.
//
// # Limitations
//
// One crash or one lost message blocks the election forever. A duplicate message may break it, as may two
// processes with the same ID. Ranks must not change during an election.
//
// Source: M. C. Loui, T. A. Matsushita and D. B. West, Election in a complete network with a sense of
// direction, Information Processing Letters 22(4), 1986.
package lmw

import (
	"github.com/go-election/election"
	"github.com/go-election/election/cost"
)

// Message kinds. Both carry a Rank; elect carries the distance around the circle from its sender to the
// receiver (Value).
const (
	kindElect uint8 = iota + 1
	kindElected
)

// Algorithms returns the only variant.
func Algorithms() []*election.Algorithm { return []*election.Algorithm{Algorithm()} }

// Algorithm returns the algorithm.
func Algorithm() *election.Algorithm {
	return &election.Algorithm{
		Name: "lmw", Summary: "a beaten process passes challenges on to the one that has beaten it; each " +
			"link says how far around it leads",
		Source:    "Loui, Matsushita, West 1986",
		Topology:  election.Complete,
		TwoWay:    true,
		Knows:     election.PortsAround,
		Winner:    election.LargestOfAll,
		LateStart: election.LateIgnored,
		Kinds: []election.Kind{
			{Name: "elect", Value: "steps", Bits: func(w cost.Widths) uint64 { return w.Rank() + w.N }},
			{Name: "elected", Announces: true, Bits: cost.Widths.Rank},
		},
		Best:  cost.Bound{Formula: "2n + n-1", Count: linear(3, 1), Arrange: cost.Falling},
		Worst: cost.Bound{Formula: "5n-4", Count: linear(5, 4), Loose: true},
		New:   func(s election.Setup) election.Node { return &process{me: s.Self} },
	}
}

// linear returns times*n - less, or zero for a single process, which has no links.
func linear(times, less int) func(n int) float64 {
	return func(n int) float64 {
		if n == 1 {
			return 0
		}
		return float64(times*n - less)
	}
}

// state is the progress of a process.
type state uint8

const (
	asleep state = iota
	candidate
	beaten
)

// process is a participant.
type process struct {
	me     election.Rank
	state  state
	beater uint32 // distance to the process that has beaten it
}

func (n *process) Step(e *election.Env, ev *election.Event) {
	switch ev.Op {
	case election.Start: // rule 1
		if n.state == asleep {
			n.wake(e)
		}
	case election.Recv:
		if n.state == asleep { // rule 1
			n.wake(e)
		}
		switch ev.Msg.Kind {
		case kindElect:
			n.elect(e, ev.Msg)
		case kindElected: // rule 6
			e.Decide(ev.Msg.Rank)
			e.Done()
		}
	}
}

func (n *process) wake(e *election.Env) { // rule 1
	n.state = candidate
	if e.Ports() == 0 {
		n.lead(e)
		return
	}
	n.send(e, 1, election.Message{Kind: kindElect, Rank: n.me})
}

// send sends ELECT to the process the given number of places on.
func (n *process) send(e *election.Env, places uint32, m election.Message) {
	m.Value = (m.Value + uint64(places)) % uint64(e.Ports()+1)
	e.Send(election.Port(places-1), m)
}

func (n *process) elect(e *election.Env, m election.Message) {
	back := uint32(uint64(e.Ports()+1) - m.Value) // the rest of the way around the circle, from here to the sender
	own := m.Rank.ID == n.me.ID
	switch {
	// No correct process sends such a distance, except on an overlay, where the sender may count other
	// processes than this one for a while after a crash. The distance leads nowhere: drop the message. Only the
	// process's own challenge comes all the way around.
	case m.Value > uint64(e.Ports()) || m.Value == 0 && !own:
	case n.state == beaten: // rule 4
		n.send(e, n.beater, m)
	case own: // rule 5
		n.lead(e)
	case m.Rank.Less(n.me): // rule 2
		n.send(e, back, election.Message{Kind: kindElect, Rank: n.me})
	default: // rule 3
		n.state, n.beater = beaten, back
	}
}

// lead announces that this process is elected.
func (n *process) lead(e *election.Env) { // rule 5
	e.Decide(n.me)
	for port := range e.Ports() {
		e.Send(election.Port(port), election.Message{Kind: kindElected, Rank: n.me})
	}
	e.Done()
}

func (n *process) State(s *election.State) {
	s.Enum((*uint8)(&n.state), uint8(beaten)+1)
	s.Uint32(&n.beater)
}
