// Package peterson elects on a one-way ring by Peterson's improved algorithm: one comparison a phase,
// with the process before and with the process behind in turn.
//
// An active process holds an alias, at first its own Rank. In every phase it sends the alias on and gets
// that of the active process before it. In odd phases the larger of the two processes stays: one that gets a
// larger alias drops out. In even phases the larger alias moves on: a process that gets a larger one takes
// it over, and one that gets a smaller one drops out. So an alias stays in an odd phase if it is larger than
// the one before it, and in an even phase if it is larger than the one behind it. Processes that have
// dropped out relay, and so do those that do not start. An alias that comes home to the process that has
// sent it is the only one left. That process announces it by a tour of elected messages, which it swallows
// itself.
//
// Package dkr has the basic algorithm of the same paper, also found by Dolev, Klawe and Rodeh. It compares an
// alias with both neighbours in one round, for which each process sends twice. Half of the aliases are gone
// after such a round. Here a phase takes one message a process, and a(t), the number of aliases in phase
// t, falls like the Fibonacci numbers: a(t) is at least a(t+1) + a(t+2).
//
// Why: two aliases that follow each other after phase t have both passed the comparison of that
// phase, with the neighbour on one side. If the one on that side is larger than the other, the neighbour was
// a third alias, and is gone. Phase t+1 asks for just that, so each alias that passes it stands for one
// that phase t has removed.
//
// The process that finds out is not always the one that is elected: the owner of the Rank learns of it
// from the announcement, like all others.
//
// # The rules
//
//  1. Start. A process that starts is active, in phase 1, and its alias is its own Rank. It sends
//     CANDIDATE with the alias, once. A process that has relayed a Rank is refused.
//  2. Odd. An active process that gets CANDIDATE with a smaller alias in an odd phase enters the next
//     phase and sends its alias again.
//  3. Even. One that gets a larger alias in an even phase takes that over, enters the next phase and
//     sends it.
//  4. Drop out. Otherwise the process is passive.
//  5. Home. If it is its own alias, no other is left. The process follows the one of that Rank, and sends
//     ELECTED around.
//  6. Relay. A passive process, or one that has not started, passes CANDIDATE on. Once its alias has come
//     home it drops it.
//  7. Elected. A process that gets ELECTED follows the leader in it, and passes it on. The one that has
//     sent it takes it off the ring. For each of them that is the end.
//
// Rule 5 asks for the alias of this process, and not for its own Rank. A Rank may come back to its owner
// while others are left: of 5, 1, 4, 2, 3 that of 4 does so in phase 3, when the owner holds 5.
//
// # Model
//
// A ring on which messages travel clockwise and keep the order, asynchronous, of unknown size;
// unique IDs; no failures; any number of initiators, of which the largest wins. A process that has relayed
// must not start any more. A ring of one is a loop.
//
// # Messages
//
// Each phase takes n messages, the one in which an alias comes home included, and the announcement n more.
// With n processes that all start there are 2 phases at best, for n > 1 (Ranks fall, say). At worst there
// are k-1, where F(k) is the largest Fibonacci number up to n, with F(1) = F(2) = 1: so n*k messages in
// all. That is about 1.44n*log2 n + 1.7n, against 2n*log2 n + 2n of dkr. The mean number of phases, of all
// orders up to 8, of random ones beyond:
//
//	n        2      4      8      16     64     256    1024   4096
//	phases   2      2.83   3.68   4.54   6.26   7.98   9.74   11.48
//
// If each message takes a unit, an alias comes home after less than 3n in every order that was tried: all
// of up to 9, and those that hill-climbing finds among up to 89. The announcement takes n more.
//
// # Limitations
//
// Links that do not keep the order break the election, as do one crash, one lost message, or two
// processes with the same ID: it does not end, or ends with a leader that not all know. Ranks must not
// change while it runs.
//
// Source: G. L. Peterson, An O(n log n) unidirectional algorithm for the circular extrema problem,
// ACM TOPLAS 4(4), 1982.
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
	// From the last phase, with one alias, back to the first. Each phase has as few more as it takes that
	// just those of the next one pass, each smaller than all of these.
	smaller := uint64(n)
	order := []uint64{smaller}
	for t := cost.Fibonacci(n) - 2; t > 0; t-- {
		var before []uint64
		for i, v := range order {
			before = append(before, v)
			behind := order[(i+1)%len(order)]
			// Of these two, one has to pass phase t, and would not if they were neighbours.
			if t%2 == 1 && v >= behind || t%2 == 0 && v <= behind {
				smaller--
				before = append(before, smaller)
			}
		}
		order = before
	}
	// What n has beyond a Fibonacci number falls in one row, and drops out in the first phase.
	for at := 2; smaller > 1; at++ {
		smaller--
		order = slices.Insert(order, at, smaller)
	}
	return order
}

// phase is how far a process has come.
type phase uint8

const (
	idle     phase = iota // it has neither started nor relayed
	odd                   // it is active, in an odd phase
	even                  // it is active, in an even phase
	passive               // it has started, and relays
	helper                // it relays, and has not started: too late
	detected              // its alias has come home, and it announces that
)

// process is a participant.
type process struct {
	me    election.Rank
	phase phase
	alias election.Rank // what it stands for while active
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
	// Not its own Rank: that may come back while others are left, after another alias has taken its place.
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

// relay passes an alias on that this process does not compare.
func (n *process) relay(e *election.Env, m election.Message) { // rule 6
	switch n.phase {
	case detected: // the leader is known, so that no alias matters any more
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
