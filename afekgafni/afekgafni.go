// Package afekgafni elects a leader on a complete graph whose processes do not know where their links lead:
// candidates capture one process after another. The variants:
//
//	async  one link at a time, on any schedule; a captured process changes hands only when its owner has lost.
//	sync   twice as many links in each round as in the previous one, if all messages take the same time.
//
// In async a candidate tries its links in order. Its level is the number of processes that it has captured. A
// larger level wins, and of equal levels the larger Rank. A process that is captured a second time asks its
// owner first: the owner, if it is the smaller one, is killed, and the captured process changes hands. Two live
// candidates therefore never own the same process, and at most n/(k+1) candidates ever reach level k. A
// candidate also owns itself from the beginning. Otherwise two processes could capture each other and both
// lead.
//
// In sync a candidate of level k tries 2^k further links simultaneously. A process answers the largest CAPTURE
// that arrives in one round, and a candidate continues if all have answered it and it has answered no other. It
// needs no owners: a process answers one candidate of each level, so again few candidates reach a high level.
//
// A capture that is too small is never answered. Its sender waits forever, or until it hears of the leader; the
// candidate that has stopped it, or one that has stopped that one, continues.
//
// # The rules
//
// Rules of async:
//
//  1. Start. A process that starts, and is not captured, is a candidate of level 0, and owns itself. It sends
//     CAPTURE with its level and Rank over its first link. If it has no links it leads.
//  2. Refuse. A process drops a CAPTURE that is not larger than the largest one it has had. A candidate has
//     had its own of level 0.
//  3. Accept. A process that has no owner yields to a CAPTURE: the sender owns it, which it confirms by
//     ACCEPT.
//  4. Yield. A candidate, even a killed one, yields in the same way if the CAPTURE is larger than its own
//     level and Rank. Otherwise it drops the CAPTURE.
//  5. Appeal. A captured process remembers the port of the CAPTURE, and sends KILL with its level and Rank to
//     its owner.
//  6. Kill. A candidate that receives KILL is killed if the level and Rank in it are larger than its own. If
//     it is killed or captured, now or before, it replies KILLED. Otherwise it drops the KILL.
//  7. Change hands. A process that receives KILLED for the largest CAPTURE that it has had yields to that
//     CAPTURE.
//  8. Advance. A candidate that receives ACCEPT over the link that it has tried last rises by a level, and
//     sends CAPTURE over the next link. A killed or captured process does not.
//  9. Lead. A candidate without a further link leads. It sends ELECTED to all.
//  10. Elected. A process that receives ELECTED follows the leader in it.
//
// # The rules of sync
//
//  11. Start. A process that starts, and is not captured, is a candidate of level 0.
//  12. Try. A candidate that enters level k sends CAPTURE with k and its Rank over the next 2^k links, or all
//     that are left.
//  13. Gather. A process keeps the largest CAPTURE of a round, if it is larger than any that it has answered
//     and, at a candidate, than its own level and Rank. It drops the others.
//  14. Answer. At the end of the round the process sends ACK to that CAPTURE, if it is still larger. If the
//     process was a candidate, it is not a candidate any more.
//  15. Advance. A candidate that has received ACK from all enters the next level. If no links are left it
//     leads: it sends ELECTED to all. A process that is not a candidate any more counts no ACK.
//  16. Elected. A process that receives ELECTED follows the leader in it.
//
// # Model
//
// A complete graph with two-way links; each process knows how many it has, but not where they lead; unique IDs;
// no failures; any number of initiators, including late ones. A Start at a captured process is ignored. Links
// need not deliver in order. Async is asynchronous.
//
// Sync is for the synchronous model, in which a message takes one unit, so that all messages of a round arrive
// at the same instant. A timer of zero duration closes the round: it fires after the messages that arrive at
// the same instant. In other models sync still elects exactly one leader, on every schedule, and takes more
// messages.
//
// Ports are tried in order. By default, the first port leads to the process with the next larger ID, and so on
// around to the smallest: if all candidates began with the same process, they would obstruct each other.
//
// # Messages
//
// With n processes, K the binary logarithm of n, rounded up, and H(k) = 1 + 1/2 + ... + 1/k:
//
//	one starts         3(n-1)             n-1 each of capture, accept (ack) and elected
//	all start          4(n-1)             at least
//	async, at most     4n*H(n-1) + n-1    n*H(n-1) captures, each with at most one kill, killed and accept
//	sync, at most      3n*K + n-1         in the synchronous model, if the initiators start simultaneously
//	sync, elsewhere    (2n+1)(n-1)        at most: a capture and an ack per link, and the announcement
//
// If all start before they receive, ports are as above and priorities are equal, the largest captures all
// others and no other candidate captures any: 4(n-1) messages in both variants, on every schedule. If each
// message takes a unit, async then takes 2n-1 units, for n > 1, and at most 4n-3 for any set of simultaneous
// initiators. Sync takes 2K+1 for any set of simultaneous initiators, for n > 1.
//
// A process keeps a few numbers, however many links it has.
//
// # Guarantees
//
// Exactly one process is elected, on every schedule: one of the initiators, and not always the largest. In sync
// it is the largest initiator if all of them start simultaneously in the synchronous model. The winner knows
// that all others have yielded, but not when they have heard of it. A process knows the end as soon as it knows
// the leader.
//
// Proof for async: a leader has been accepted by all others. If there were two, each would have yielded to the
// other, and a candidate that yields is killed. Some candidate succeeds: no process refuses the candidate with
// the largest level and Rank.
//
// # Limitations
//
// One crash blocks the election forever, and so may one lost message. A duplicate message does no harm in
// async. In sync it may: ACKs are counted. Two processes with the same ID may break the election. Ranks must
// not change during an election.
//
// Source: Y. Afek and E. Gafni, Time and message bounds for election in synchronous and asynchronous complete
// networks, SIAM Journal on Computing 20(2), 1991; async in the form of P. Humblet, Selecting a leader in a
// clique in O(N log N) messages, 1984. Added here, because it is necessary: a candidate owns itself.
package afekgafni

import (
	"math"

	"github.com/go-election/election"
	"github.com/go-election/election/cost"
)

// Algorithms returns the variants, the default first.
func Algorithms() []*election.Algorithm { return []*election.Algorithm{Async(), Sync()} }

// describe returns what the variants have in common.
func describe(variant, summary string) *election.Algorithm {
	return &election.Algorithm{
		Name: "afekgafni", Variant: variant, Summary: summary,
		Source:    "Afek and Gafni 1991",
		Topology:  election.Complete,
		TwoWay:    true,
		Knows:     election.PortsByID,
		LateStart: election.LateIgnored,
		Best: cost.Bound{Formula: "4(n-1)", Count: func(n int) float64 { return 4 * float64(n-1) },
			Arrange: cost.Rising},
	}
}

// Async returns the variant for any schedule.
func Async() *election.Algorithm {
	a := describe("async", "a candidate captures one process after another; a captured one asks its owner "+
		"before it changes hands")
	a.Faults.Copies = true
	a.Kinds = []election.Kind{
		{Name: "capture", Round: "level", Bits: claimBits},
		{Name: "accept", Bits: nothing},
		{Name: "kill", Round: "level", Bits: claimBits},
		{Name: "killed", Round: "level", Bits: claimBits},
		{Name: "elected", Announces: true, Bits: cost.Widths.Rank},
	}
	a.Worst = cost.Bound{Formula: "4n*H(n-1) + n-1", Loose: true,
		Count: func(n int) float64 { return 4*captures(n) + float64(n-1) }}
	a.New = func(s election.Setup) election.Node { return &process{me: s.Self} }
	return a
}

// Sync returns the variant for the synchronous model.
func Sync() *election.Algorithm {
	a := describe("sync", "a candidate captures twice as many processes in each round as in the one before")
	a.Kinds = []election.Kind{
		{Name: "capture", Round: "level",
			Bits: func(w cost.Widths) uint64 { return w.Rank() + w.LogN }},
		{Name: "ack", Bits: nothing},
		{Name: "elected", Announces: true, Bits: cost.Widths.Rank},
	}
	a.Timers = [][]string{{"the messages of one instant"}}
	a.Worst = cost.Bound{Formula: "(2n+1)(n-1)", Loose: true,
		Also:  "at most 3n*K + n-1 if all starts are simultaneous and every message takes one unit",
		Count: func(n int) float64 { return float64(2*n+1) * float64(n-1) }}
	a.New = func(s election.Setup) election.Node { return &contender{me: s.Self} }
	return a
}

// claimBits returns the bits of a level and a Rank, in async.
func claimBits(w cost.Widths) uint64 { return w.Rank() + w.N }

// nothing is the size of an answer: the link identifies the sender.
func nothing(cost.Widths) uint64 { return 0 }

// captures returns n*H(n-1), rounded down: at most n/(k+1) candidates reach level k and send a capture there.
func captures(n int) float64 {
	sum := 0.0
	for k := 1; k < n; k++ {
		sum += 1 / float64(k)
	}
	return math.Floor(float64(n)*sum + 1e-9)
}

// claim is the progress of a candidate.
type claim struct {
	level uint32
	rank  election.Rank
}

// claimOf returns the claim in a message.
func claimOf(m *election.Message) claim { return claim{m.Round, m.Rank} }

// less reports whether c loses against o. The zero claim loses against all others.
func (c claim) less(o claim) bool {
	return c.level < o.level || c.level == o.level && c.rank.Less(o.rank)
}

// message returns a message that carries the claim.
func (c claim) message(kind uint8) election.Message {
	return election.Message{Kind: kind, Round: c.level, Rank: c.rank}
}

func (c *claim) visit(s *election.State) {
	s.Uint32(&c.level)
	s.Rank(&c.rank)
}

// lead announces that this process is elected.
func lead(e *election.Env, me election.Rank, kind uint8) {
	e.Decide(me)
	for port := range e.Ports() {
		e.Send(election.Port(port), election.Message{Kind: kind, Rank: me})
	}
	e.Done()
}

func follow(e *election.Env, leader election.Rank) {
	e.Decide(leader)
	e.Done()
}
