// Package lmw elects on a complete graph with a sense of direction, by O(n) messages: the algorithm of
// Loui, Matsushita and West.
//
// The processes stand around a circle, and each link says how far around it leads: port k to the process
// k+1 places on. So a process that knows how far another one is can send to it at once, and knows how far
// the sender of a message is. Each process challenges the next one around. The larger of two wins: a
// process that meets a larger challenger is beaten and keeps who has beaten it, and one that meets a
// smaller challenger sends its own challenge straight back. A process that is beaten passes a challenge
// on to the one that has beaten it. Each challenge carries how far its sender is, so that the answer can
// go there directly.
//
// At every moment the processes that one candidate has beaten, directly or through others, stand in one
// row with it around the circle. There is one challenge for the border between two neighbouring rows.
// Each defeat joins two rows and takes one challenge out of the game, so that after n-1 defeats one is
// left: it comes home to the candidate that has sent it, and this one leads.
//
// # The rules
//
//  1. Wake. A process wakes up when it starts, or when the first message arrives. It is a candidate, and
//     sends ELECT with its Rank and the distance 1 to the next process. A process without links leads.
//  2. Beat. A candidate that gets ELECT of a smaller Rank sends ELECT with its own straight back to where
//     that is from.
//  3. Beaten. A candidate that gets ELECT of a larger Rank is one no more, and keeps where that is from.
//  4. Pass on. A process that is beaten passes ELECT on to the one that has beaten it, and adds the way to
//     the distance.
//  5. Home. A candidate that gets its own Rank leads. It sends ELECTED to all.
//  6. Elected. A process that gets ELECTED follows the leader in it.
//
// # Model
//
// A complete graph with links both ways, whose ports lead around: port k to the process k+1 places on, in
// an order of all processes that need not be that of their Ranks. Other ports are refused. Each process
// knows how many there are by its links. Asynchronous, unique IDs, no failures; any number of initiators,
// and the largest of all processes wins. Links need not keep the order. A Start at a process that is
// awake is ignored.
//
// # Messages
//
// With n processes, more than one, whichever start and on every schedule:
//
//	sent at waking     n
//	passed on          at most n-1: each way to the one that has beaten a process is taken once
//	sent back          at most 2(n-1): what follows is a defeat, or the challenge is passed on
//	elected            n-1
//
// So less than 5n in all, against n log n without a sense of direction (package afekgafni), and 3n-1 at
// least: Ranks that fall around the circle take as many. If all start at once, and each message takes a
// unit, the most are 5, 10, 14, 19, 23 and 27 for n from 2 to 7, in 4, 6, 7, 8, 9 and 10 units. Of random
// orders the mean is about 2.88n + n-1.
//
// # Why the ways are taken once
//
// A row has a border on either side, and a process lies on the way from one border to the candidate of
// the row, or on none, but not on both ways. For the candidate that has beaten it stands beside its row,
// on one side. And a challenge never goes back on its side of the border: it comes back to the process
// that it has left, and goes on from there.
//
// # Limitations
//
// One crash or one lost message blocks the election for ever. A message that comes twice may spoil it, as
// may two processes with the same ID. Ranks must not change while it runs.
//
// Source: M. C. Loui, T. A. Matsushita and D. B. West, Election in a complete network with a sense of
// direction, Information Processing Letters 22(4), 1986.
package lmw

import (
	"github.com/go-election/election"
	"github.com/go-election/election/cost"
)

// The kinds of message. Both carry a Rank; elect carries in Value how far its sender is, around the circle
// from there to the receiver.
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
		Oriented:  true,
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

// linear returns times*n - less, and zero for a process alone, which has no links.
func linear(times, less int) func(n int) float64 {
	return func(n int) float64 {
		if n == 1 {
			return 0
		}
		return float64(times*n - less)
	}
}

// state is how far a process has come.
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
	beater uint32 // how far on the process is that has beaten it
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

// send sends ELECT to the process that is this number of places on.
func (n *process) send(e *election.Env, places uint32, m election.Message) {
	m.Value = (m.Value + uint64(places)) % uint64(e.Ports()+1)
	e.Send(election.Port(places-1), m)
}

func (n *process) elect(e *election.Env, m election.Message) {
	back := uint32(uint64(e.Ports()+1) - m.Value) // the rest of the way around, from here to the sender
	own := m.Rank.ID == n.me.ID
	switch {
	// No process sends such a distance, unless it counts other processes than this one, as an overlay may for
	// a while after a crash. It leads nowhere. The own challenge alone comes all the way around.
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
