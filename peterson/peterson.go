// Package peterson elects a leader on a one-way ring by Peterson's improved algorithm. Each phase takes one
// comparison, alternately with the preceding and the following process.
//
// An active process has an alias, initially its own Rank. In every phase it sends its alias on and receives the
// alias of the preceding active process. In odd phases, a process that receives a larger alias drops out. In
// even phases, a process that receives a larger alias adopts it, and a process that receives a smaller one
// drops out. An alias therefore survives an odd phase if it is larger than the preceding one, and an even phase
// if it is larger than the following one. Processes that have dropped out relay, and so do processes that do
// not start. An alias that returns to the process that has sent it is the only one left. The process announces
// it with elected messages around the ring, and removes them when they return.
//
// Package dkr implements the basic algorithm of the same paper, which Dolev, Klawe and Rodeh found as well. It
// compares an alias with both neighbours in one round, for which each process sends twice. Half of the aliases
// are eliminated in such a round. Here a phase takes one message per process, and a(t), the number of aliases
// in phase t, decreases like the Fibonacci numbers: a(t) is at least a(t+1) + a(t+2).
//
// Proof: two aliases that follow each other after phase t have both passed the comparison of that phase, with
// the neighbour on one side. If the alias on that side is larger than the other, then the neighbour of the
// other was a third alias, which has been eliminated. An alias passes phase t+1 exactly in this case, so each
// alias that passes it corresponds to one that phase t has eliminated.
//
// The process that finds the leader is not always the leader itself: the owner of the Rank learns of its
// election from the announcement, like all others.
//
// # The rules
//
//  1. Start. A process that starts is active, in phase 1, and its alias is its own Rank. It sends CANDIDATE
//     with the alias, once. A process that has relayed a Rank is refused.
//  2. Odd. An active process that receives CANDIDATE with a smaller alias in an odd phase enters the next
//     phase and sends its alias again.
//  3. Even. An active process that receives a larger alias in an even phase adopts it, enters the next phase
//     and sends it.
//  4. Drop out. Otherwise the process is passive.
//  5. Home. If the alias is its own, no other is left. The process follows the process with that Rank, and
//     sends ELECTED around the ring.
//  6. Relay. A process that is passive, or has not started, passes CANDIDATE on. After its alias has returned,
//     it drops it.
//  7. Elected. A process that receives ELECTED follows the leader in it, and passes it on. The sender removes
//     it from the ring. For each of them the election has then ended.
//
// Rule 5 compares with the alias of this process, not with its own Rank. A Rank may return to its owner while
// others are left: with 5, 1, 4, 2, 3, Rank 4 does so in phase 3, when its owner has the alias 5.
//
// # Model
//
// A ring on which messages travel clockwise and in order, asynchronous, of unknown size; unique IDs; no
// failures; any number of initiators, of which the largest wins. A process that has relayed must not start any
// more. A ring of one is a loop.
//
// # Messages
//
// Each phase takes n messages, including the phase in which an alias returns, and the announcement n more. With
// n processes that all start there are 2 phases at best, for n > 1 (for example if Ranks fall). At worst there
// are k-1, where F(k) is the largest Fibonacci number up to n, with F(1) = F(2) = 1: n*k messages in all. This
// is about 1.44n*log2 n + 1.7n, compared with 2n*log2 n + 2n of dkr. The mean number of phases, for all orders
// up to 8 and for random orders beyond:
//
//	n        2      4      8      16     64     256    1024   4096
//	phases   2      2.83   3.68   4.54   6.26   7.98   9.74   11.48
//
// If each message takes one unit, an alias returns after less than 3n in every order that was tried: all orders
// of up to 9, and those found by hill climbing up to 89. The announcement takes n more.
//
// # Limitations
//
// Links that do not deliver in order break the election, as do one crash, one lost message, or two processes
// with the same ID: it does not end, or ends with a leader that not all processes know. Ranks must not change
// during an election.
//
// Source: G. L. Peterson, An O(n log n) unidirectional algorithm for the circular extrema problem, ACM TOPLAS
// 4(4), 1982.
package peterson

import (
	"slices"

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
		Name: "peterson",
		Summary: "an alias is compared with the one before it and with the one behind it, " +
			"phase by phase in turn",
		Source:    "Peterson 1982",
		Topology:  election.Ring,
		NeedsFIFO: true,
		Winner:    election.LargestOfInitiators,
		LateStart: election.LateRefused,
		Kinds: []election.Kind{
			{Name: "candidate", Bits: rank},
			{Name: "elected", Announces: true, Bits: rank},
		},
		Best: cost.Bound{Formula: "2n + n", Count: func(n int) float64 { return float64(n * min(n+1, 3)) },
			Arrange: cost.Falling},
		Worst: cost.Bound{Formula: "n*k, F(k) the largest Fibonacci number up to n",
			Count:   func(n int) float64 { return float64(n * cost.Fibonacci(n)) },
			Arrange: longest},
		New: func(s election.Setup) election.Node { return &process{me: s.Self} },
	}
}

// longest returns an order of 1..n that takes the most phases.
func longest(n int) []uint64 {
	// Build it backwards, from the last phase, with one alias, to the first. Each phase adds as few aliases as
	// necessary so that exactly the aliases of the next phase pass, each of the added ones smaller than all of
	// these.
	smaller := uint64(n)
	order := []uint64{smaller}
	for t := cost.Fibonacci(n) - 2; t > 0; t-- {
		var before []uint64
		for i, v := range order {
			before = append(before, v)
			behind := order[(i+1)%len(order)]
			// One of these two has to pass phase t, and would not if they were neighbours.
			if t%2 == 1 && v >= behind || t%2 == 0 && v <= behind {
				smaller--
				before = append(before, smaller)
			}
		}
		order = before
	}
	// The remaining Ranks, if n is not a Fibonacci number, fall in one sequence and drop out in the first
	// phase.
	for at := 2; smaller > 1; at++ {
		smaller--
		order = slices.Insert(order, at, smaller)
	}
	return order
}

// phase is the progress of a process.
type phase uint8

const (
	idle     phase = iota // it has neither started nor relayed
	odd                   // it is active, in an odd phase
	even                  // it is active, in an even phase
	passive               // it has started, and relays
	helper                // it relays, and has not started: too late
	detected              // its alias has returned, and it announces the alias
)

// process is a participant.
type process struct {
	me    election.Rank
	phase phase
	alias election.Rank // the Rank that it represents while active
}

func (n *process) Step(e *election.Env, ev *election.Event) {
	switch ev.Op {
	case election.Start: // rule 1
		switch n.phase {
		case idle:
			n.enter(e, odd, n.me)
		case helper:
			e.Refuse(election.ErrLateStart)
		}
	case election.Recv:
		switch ev.Msg.Kind {
		case kindCandidate:
			n.candidate(e, ev.Msg)
		case kindElected:
			n.elected(e, ev.Msg)
		}
	}
}

// enter begins a phase.
func (n *process) enter(e *election.Env, next phase, alias election.Rank) {
	n.phase, n.alias = next, alias
	e.Send(election.Clockwise, election.Message{Kind: kindCandidate, Rank: alias})
}

func (n *process) candidate(e *election.Env, m election.Message) {
	switch active := n.phase == odd || n.phase == even; {
	case !active:
		n.relay(e, m)
	// Do not compare with its own Rank, which may return while others are left, after the process has adopted
	// another alias.
	case m.Rank.ID == n.alias.ID: // rule 5
		n.phase = detected
		e.Decide(m.Rank)
		e.Send(election.Clockwise, election.Message{Kind: kindElected, Rank: m.Rank})
	case n.phase == odd && m.Rank.Less(n.alias): // rule 2
		n.enter(e, even, n.alias)
	case n.phase == even && n.alias.Less(m.Rank): // rule 3
		n.enter(e, odd, m.Rank)
	default: // rule 4
		n.phase = passive
	}
}

// relay passes on an alias that this process does not compare.
func (n *process) relay(e *election.Env, m election.Message) { // rule 6
	switch n.phase {
	case detected: // the leader is known, so aliases do not matter any more
		return
	case idle:
		n.phase = helper
	}
	e.Send(election.Clockwise, m)
}

func (n *process) elected(e *election.Env, m election.Message) { // rule 7
	if n.phase != detected {
		e.Decide(m.Rank)
		e.Send(election.Clockwise, m)
	}
	e.Done()
}

func (n *process) State(s *election.State) {
	s.Enum((*uint8)(&n.phase), uint8(detected)+1)
	s.Rank(&n.alias)
}
