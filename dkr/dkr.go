// Package dkr elects a leader on a one-way ring, by algorithm A of Dolev, Klawe and Rodeh, which Peterson found
// independently.
//
// It is Franklin's algorithm for links in one direction. An active process has an alias, initially its own
// Rank. In every round it sends its alias on (first), passes on the alias of its predecessor (second) and so
// learns the aliases of two predecessors. If the nearer alias is larger than both its own and the farther one,
// the process stays active and takes the nearer alias as its own; otherwise it becomes passive and relays. At
// least half of the aliases are eliminated in every round. A process that receives its own alias has the only
// one left: it announces the alias as the leader with elected messages around the ring, and removes them when
// they return. Processes that do not start relay from the beginning, so that the largest initiator wins.
//
// The process that finds the leader is not the leader itself: the owner of the Rank learns of its election from
// the announcement, like all others.
//
// # The rules
//
//  1. Start. A process that starts is active, and its alias is its own Rank. It sends FIRST with the alias,
//     once. A process that has relayed a Rank is refused.
//  2. First. An active process that receives FIRST notes the alias in it, and sends the alias on as SECOND.
//  3. Home. If the alias is its own, no other is left. The process follows the process with that Rank, and
//     sends ELECTED around the ring.
//  4. Second, survive. An active process that receives SECOND compares three aliases: if the noted alias is
//     larger than its own and the alias in SECOND, the process adopts it and sends it as FIRST.
//  5. Second, drop out. Otherwise the process is passive.
//  6. Relay. A process that is passive, or has not started, passes FIRST and SECOND on. After its alias has
//     returned, it drops them.
//  7. Elected. A process that receives ELECTED follows the leader in it, and passes it on. The sender removes
//     it from the ring. For each of them the election has then ended.
//
// # Model
//
// A ring on which messages travel clockwise and in order, asynchronous, of unknown size; unique IDs; no
// failures; any number of initiators. A process that has relayed must not start any more. A ring of one is a
// loop, over which both messages travel.
//
// # Messages
//
// With R rounds, including the one in which an alias returns, 2n*(R-1) + n, and n for the announcement. With n
// processes that all start, R is 2 at best, for n > 1 (for example if Ranks rise), and floor(log2 n) + 1 at
// worst (every other alias survives a round); the mean has no closed form. A ring of one takes 2 messages.
//
// # Limitations
//
// Links that do not deliver in order break the election, as do one crash, one lost message, or two processes
// with the same ID: it does not end, or ends with a leader that not all processes know. Ranks must not change
// during an election.
//
// Sources: D. Dolev, M. Klawe and M. Rodeh, An O(n log n) unidirectional distributed algorithm for extrema
// finding in a circle, J. Algorithms 3, 1982; G. L. Peterson, An O(n log n) unidirectional algorithm for the
// circular extrema problem, ACM TOPLAS 4(4), 1982.
package dkr

import (
	"math/bits"

	"github.com/go-election/election"
	"github.com/go-election/election/cost"
)

// The kinds of message. All carry a Rank.
const (
	kindFirst uint8 = iota + 1
	kindSecond
	kindElected
)

// Algorithms returns the only variant.
func Algorithms() []*election.Algorithm { return []*election.Algorithm{Algorithm()} }

// Algorithm returns the algorithm.
func Algorithm() *election.Algorithm {
	rank := func(w cost.Widths) uint64 { return w.Rank() }
	return &election.Algorithm{
		Name: "dkr", Summary: "a candidate that hears of a local maximum from the two candidates before it " +
			"takes that over as its alias",
		Source:    "Dolev, Klawe, Rodeh 1982; Peterson 1982",
		Topology:  election.Ring,
		NeedsFIFO: true,
		Winner:    election.LargestOfInitiators,
		LateStart: election.LateRefused,
		Kinds: []election.Kind{
			{Name: "first", Bits: rank},
			{Name: "second", Bits: rank},
			{Name: "elected", Announces: true, Bits: rank},
		},
		Best: cost.Bound{Formula: "3n + n", Count: func(n int) float64 { return messages(n, min(n, 2)) },
			Arrange: cost.Rising},
		Worst: cost.Bound{Formula: "2n*floor(log2 n) + 2n",
			Count:   func(n int) float64 { return messages(n, bits.Len(uint(n))) },
			Arrange: cost.Halving},
		New: func(s election.Setup) election.Node { return &process{me: s.Self} },
	}
}

// messages returns the number of messages of the given number of rounds and the announcement.
func messages(n, rounds int) float64 { return 2*float64(n)*float64(rounds-1) + 2*float64(n) }

// process is a participant.
type process struct {
	me       election.Rank
	started  bool
	relayed  bool          // it has relayed a Rank: too late to start
	active   bool          // a candidate in the current round
	detected bool          // its alias has returned, and it announces the alias
	alias    election.Rank // the Rank that it represents while active
	nearer   election.Rank // alias of the preceding active process
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
			n.round(e, n.me)
		}
	case election.Recv:
		switch ev.Msg.Kind {
		case kindFirst:
			n.first(e, ev.Msg)
		case kindSecond:
			n.second(e, ev.Msg)
		case kindElected:
			n.elected(e, ev.Msg)
		}
	}
}

// round adopts an alias and sends it in the next round.
func (n *process) round(e *election.Env, alias election.Rank) {
	n.alias = alias
	e.Send(election.Clockwise, election.Message{Kind: kindFirst, Rank: alias})
}

func (n *process) first(e *election.Env, m election.Message) {
	switch {
	case !n.active:
		n.relay(e, m)
	// Its own alias has returned, so this process is the only active one.
	case m.Rank.ID == n.alias.ID: // rule 3
		n.active, n.detected = false, true
		e.Decide(m.Rank)
		e.Send(election.Clockwise, election.Message{Kind: kindElected, Rank: m.Rank})
	default: // rule 2
		n.nearer = m.Rank
		e.Send(election.Clockwise, election.Message{Kind: kindSecond, Rank: m.Rank})
	}
}

func (n *process) second(e *election.Env, m election.Message) {
	switch {
	case !n.active:
		n.relay(e, m)
	// The preceding process holds a local maximum. This process adopts it, because messages travel in one
	// direction only.
	case n.alias.Less(n.nearer) && m.Rank.Less(n.nearer): // rule 4
		n.round(e, n.nearer)
	default: // rule 5
		n.active = false
	}
}

// relay passes on a message that does not concern this process. After an alias has returned, none is left to
// pass on.
func (n *process) relay(e *election.Env, m election.Message) { // rule 6
	// After the leader is known, messages still in circulation have no effect and end here.
	if !n.detected {
		n.relayed = true
		e.Send(election.Clockwise, m)
	}
}

func (n *process) elected(e *election.Env, m election.Message) { // rule 7
	if !n.detected {
		e.Decide(m.Rank)
		e.Send(election.Clockwise, m)
	}
	e.Done()
}

func (n *process) State(s *election.State) {
	s.Bool(&n.started)
	s.Bool(&n.relayed)
	s.Bool(&n.active)
	s.Bool(&n.detected)
	s.Rank(&n.alias)
	s.Rank(&n.nearer)
}
