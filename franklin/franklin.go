// Package franklin elects a leader on a two-way ring, by the algorithm of Franklin.
//
// The algorithm proceeds in rounds. Every active process sends its Rank in both directions to the next active
// processes and waits for theirs. If it is larger than both, it stays active; otherwise it becomes passive and
// only relays. At least half of the active processes drop out in every round. A process that receives its own
// Rank is the only active one, and announces itself with elected messages around the ring. Processes that do
// not start relay from the beginning, so that the largest initiator wins.
//
// A neighbour may be one round ahead. Its messages wait in a queue for each side, of at most two Ranks; a
// process that drops out passes on the waiting messages.
//
// # The rules
//
//  1. Start. A process that starts is active: it sends CANDIDATE with its Rank in both directions, once. A
//     process that has relayed a Rank is refused.
//  2. Wait. An active process waits until it has a CANDIDATE from each side. A CANDIDATE that arrives too
//     early waits for its round.
//  3. Survive. If both are smaller than its own Rank, the process begins the next round: it sends its Rank in
//     both directions.
//  4. Drop out. If either is larger, the process is passive, and passes on the messages that wait from each
//     side.
//  5. Relay. A process that is passive, or has not started, passes each CANDIDATE on.
//  6. Home. An active process that receives its own Rank is the only one left, and the leader. It sends
//     ELECTED around the ring, and drops later messages.
//  7. Elected. A process that receives ELECTED follows the leader in it, and passes it on. The leader removes
//     it from the ring. For each of them the election has then ended.
//
// # Model
//
// A ring with two-way links, asynchronous, of unknown size; unique IDs; no failures; any number of initiators.
// Links need not deliver in order: a Rank can only return to its owner when all others relay. A process that
// has relayed must not start any more. On a ring of one both Ranks return over the loop; on a ring of two both
// links lead to the same neighbour and are distinguished by port.
//
// # Messages
//
// With R rounds, including the one in which the winner's Rank returns, 2n*R, and n for the announcement. With n
// processes that all start, R is 2 at best, for n > 1 (for example if Ranks rise), and floor(log2 n) + 1 at
// worst (every other process survives a round); the mean has no closed form and is about log3 n + 1.1. A ring
// of one takes 3 messages.
//
// # Limitations
//
// One crash, one lost message, or two processes with the same ID break the election: it does not end, or ends
// with two leaders. Ranks must not change during an election.
//
// Source: W. R. Franklin, On an improved algorithm for decentralized extrema finding in circular configurations
// of processors, CACM 25(5), 1982.
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

// messages returns the number of messages of the given number of rounds and the announcement.
func messages(n, rounds int) float64 { return 2*float64(n)*float64(rounds) + float64(n) }

// process is a participant.
type process struct {
	me      election.Rank
	started bool
	relayed bool // it has relayed a Rank: too late to start
	active  bool // a candidate in the current round
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

// round sends this process's Rank to both neighbours.
func (n *process) round(e *election.Env) {
	m := election.Message{Kind: kindCandidate, Rank: n.me}
	e.Send(election.Counterclockwise, m)
	e.Send(election.Clockwise, m)
}

func (n *process) candidate(e *election.Env, from election.Port, m election.Message) {
	switch {
	case n.active: // rule 2
		n.waiting[from] = append(n.waiting[from], m.Rank)
		// A neighbour may be one round ahead. Its candidate waits until the other side has sent as many.
		for n.active && len(n.waiting[0]) > 0 && len(n.waiting[1]) > 0 {
			n.compare(e, larger(n.take(0), n.take(1)))
		}
	case !n.won: // rule 5
		n.relayed = true
		e.Send(from^1, m)
	default: // rule 6
	}
}

// compare ends a round. neighbour is the larger of both neighbours.
func (n *process) compare(e *election.Env, neighbour election.Rank) {
	switch {
	// Its own candidate has traveled around the ring: no other process is active.
	case neighbour.ID == n.me.ID: // rule 6
		n.active, n.won = false, true
		e.Decide(n.me)
		e.Send(election.Clockwise, election.Message{Kind: kindElected, Rank: n.me})
	case neighbour.Less(n.me): // rule 3
		n.round(e)
	default: // rule 4
		n.active = false
		// The waiting messages belong to later rounds, in which this process only relays.
		n.passOn(e, election.Counterclockwise)
		n.passOn(e, election.Clockwise)
	}
}

// passOn relays over a port the messages that wait from the opposite side.
func (n *process) passOn(e *election.Env, port election.Port) {
	for len(n.waiting[port^1]) > 0 {
		n.relayed = true
		e.Send(port, election.Message{Kind: kindCandidate, Rank: n.take(port ^ 1)})
	}
}

// take removes the oldest waiting message of a port.
func (n *process) take(port election.Port) election.Rank {
	queue := n.waiting[port]
	first := queue[0]
	// Move the rest up, so that the slice keeps its capacity and a Step does not allocate.
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
