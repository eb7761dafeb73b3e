// Package franklin elects on a two-way ring: the algorithm of Franklin.
//
// It goes in rounds. Every active process sends its Rank both ways to the next active ones and
// waits for theirs. One that is larger than both neighbours stays active, the others relay from then
// on: at least half of the active processes drop out every round. One that gets its own Rank back is
// alone, and announces itself by a tour of elected messages. Processes that do not start relay
// from the beginning, so that the largest initiator wins.
//
// A neighbour may be one round ahead. What it sends waits in a queue of its side, of at most two
// Ranks; a process that drops out passes on what waits there.
//
// # The rules
//
//  1. Start. A process that starts is active: it sends CANDIDATE with its Rank both ways, once. A process
//     that has relayed a Rank is refused.
//  2. Wait. An active process waits until it has a CANDIDATE from each side. One that comes too early waits
//     for its round.
//  3. Survive. If both are smaller than its own Rank, it begins the next round: it sends its Rank both ways.
//  4. Drop out. If either is larger, it is passive, and passes on what waits from each side.
//  5. Relay. A passive process, or one that has not started, passes each CANDIDATE on.
//  6. Home. An active process that gets its own Rank is alone, and the leader. It sends ELECTED around, and
//     drops what comes later.
//  7. Elected. A process that gets ELECTED follows the leader in it, and passes it on. The leader takes it
//     off the ring. For each of them that is the end.
//
// # Model
//
// A ring with links both ways, asynchronous, of unknown size; unique IDs; no failures; any number
// of initiators. Links need not keep the order: a Rank can only come home when all others
// relay. A process that has relayed must not start any more. On a ring of one both Ranks come
// home over the loop; on a ring of two both links lead to the same neighbour, and differ
// by port.
//
// # Messages
//
// With R rounds, the one in which the winner's Rank comes home included, 2n*R, and n for the
// announcement. With n processes that all start, R is 2 at best, for n > 1 (Ranks rise, say), and
// floor(log2 n) + 1 at worst (every other process survives a round); the mean has no closed form
// and is about log3 n + 1.1. A ring of one takes 3 messages.
//
// # Limitations
//
// One crash, one lost message, or two processes with the same ID break the election: it does not end,
// or ends with two leaders. Ranks must not change while it runs.
//
// Source: W. R. Franklin, On an improved algorithm for decentralized extrema finding in circular
// configurations of processors, CACM 25(5), 1982.
package franklin

import (
	"math/bits"

	"github.com/go-election/election"
	"github.com/go-election/election/cost"
)

// The kinds of message. Both carry a Rank.
const (
	kindCandidate uint8 = iota + 1
	kindElected
)

// Algorithms returns the only variant.
func Algorithms() []*election.Algorithm { return []*election.Algorithm{Algorithm()} }

// Algorithm returns the algorithm.
func Algorithm() *election.Algorithm {
	rank := func(w cost.Widths) uint64 { return w.Rank() }
	return &election.Algorithm{
		Name: "franklin", Summary: "a candidate that is larger than the nearest candidates on both sides " +
			"stays one for the next round",
		Source:    "Franklin 1982",
		Topology:  election.Ring,
		TwoWay:    true,
		Winner:    election.LargestOfInitiators,
		LateStart: election.LateRefused,
		Faults:    election.Faults{Copies: true},
		Kinds: []election.Kind{
			{Name: "candidate", Bits: rank},
			{Name: "elected", Announces: true, Bits: rank},
		},
		Best: cost.Bound{Formula: "4n + n", Count: func(n int) float64 { return messages(n, min(n, 2)) },
			Arrange: cost.Rising},
		Worst: cost.Bound{Formula: "2n(floor(log2 n)+1) + n",
			Count:   func(n int) float64 { return messages(n, bits.Len(uint(n))) },
			Arrange: cost.Halving},
		New: func(s election.Setup) election.Node { return &process{me: s.Self} },
	}
}

// messages returns the messages of this number of rounds and of the announcement.
func messages(n, rounds int) float64 { return 2*float64(n)*float64(rounds) + float64(n) }

// process is a participant.
type process struct {
	me      election.Rank
	started bool
	relayed bool // a Rank has passed: too late to start
	active  bool // a candidate in the present round
	won     bool
	waiting [2][]election.Rank // by port: received, not yet compared
}

func (n *process) Step(e *election.Env, ev *election.Event) {
	switch ev.Op {
	case election.Start: // rule 1
		switch {
		case n.started:
		case n.relayed:
			e.Refuse(election.ErrLateStart)
		default:
			n.started, n.active = true, true
			n.round(e)
		}
	case election.Recv:
		switch ev.Msg.Kind {
		case kindCandidate:
			n.candidate(e, ev.Port, ev.Msg)
		case kindElected:
			n.elected(e, ev.Msg)
		}
	}
}

// round sends my Rank to both neighbours.
func (n *process) round(e *election.Env) {
	m := election.Message{Kind: kindCandidate, Rank: n.me}
	e.Send(election.Counterclockwise, m)
	e.Send(election.Clockwise, m)
}

func (n *process) candidate(e *election.Env, from election.Port, m election.Message) {
	switch {
	case n.active: // rule 2
		n.waiting[from] = append(n.waiting[from], m.Rank)
		// A neighbour may be a round ahead. Its candidate waits until the other side has sent as many.
		for n.active && len(n.waiting[0]) > 0 && len(n.waiting[1]) > 0 {
			n.compare(e, larger(n.take(0), n.take(1)))
		}
	case !n.won: // rule 5
		n.relayed = true
		e.Send(from^1, m)
	default: // rule 6
	}
}

// compare ends a round, of which the larger of both neighbours is known.
func (n *process) compare(e *election.Env, neighbour election.Rank) {
	switch {
	// The own candidate has gone round: no other process is active.
	case neighbour.ID == n.me.ID: // rule 6
		n.active, n.won = false, true
		e.Decide(n.me)
		e.Send(election.Clockwise, election.Message{Kind: kindElected, Rank: n.me})
	case neighbour.Less(n.me): // rule 3
		n.round(e)
	default: // rule 4
		n.active = false
		// What waits belongs to later rounds, in which this process only relays.
		n.passOn(e, election.Counterclockwise)
		n.passOn(e, election.Clockwise)
	}
}

// passOn relays over a port what has come in on the other side and waits there.
func (n *process) passOn(e *election.Env, port election.Port) {
	for len(n.waiting[port^1]) > 0 {
		n.relayed = true
		e.Send(port, election.Message{Kind: kindCandidate, Rank: n.take(port ^ 1)})
	}
}

// take removes what has waited longest on a port.
func (n *process) take(port election.Port) election.Rank {
	queue := n.waiting[port]
	first := queue[0]
	// Move the rest up, so that the slice keeps its room and a Step does not allocate.
	n.waiting[port] = queue[:copy(queue, queue[1:])]
	return first
}

func larger(a, b election.Rank) election.Rank {
	if a.Less(b) {
		return b
	}
	return a
}

func (n *process) elected(e *election.Env, m election.Message) { // rule 7
	if m.Rank.ID != n.me.ID {
		e.Decide(m.Rank)
		e.Send(election.Clockwise, m)
	}
	e.Done()
}

func (n *process) State(s *election.State) {
	s.Bool(&n.started)
	s.Bool(&n.relayed)
	s.Bool(&n.active)
	s.Bool(&n.won)
	for port := range n.waiting {
		election.VisitSlice(s, &n.waiting[port], (*election.State).Rank)
	}
}
