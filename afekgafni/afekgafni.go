// Package afekgafni elects on a complete graph whose processes do not know where their links lead: candidates
// capture one process after another. The variants:
//
//	async  one link at a time, on any schedule; a captured process is taken over only when its owner has lost.
//	sync   twice as many links in each round as in the one before, where all messages take the same time.
//
// In async a candidate tries its links in order. Its level is the number of processes that it has captured.
// A larger level wins, and of equal levels the larger Rank. A process that is captured a second time asks its
// owner first: the owner, if it is the smaller one, is killed, and the captured process changes hands. So the
// processes of two candidates that are alive are never the same ones, and at most n/(k+1) candidates ever
// reach level k. A candidate also owns itself from the beginning. Without that two processes may
// capture each other and both lead.
//
// In sync a candidate of level k tries 2^k further links at once. A process answers the largest of what
// arrives in one round, and a candidate goes on if all have answered it and it has answered no other. It
// needs no owners: a process answers one candidate of each level, so that again few reach a high
// level.
//
// A capture that is too small is never answered. Its sender waits for ever, or until it hears of the
// leader; the candidate that has stopped it, or one that has stopped that one, goes on.
//
// # The rules
//
// Of async:
//
//  1. Start. A process that starts, and is not captured, is a candidate of level 0, and owns itself. It sends
//     CAPTURE with its level and Rank over its first link. Without links it leads.
//  2. Refuse. A process drops a CAPTURE that is not larger than the largest that it has had. A candidate has
//     had its own of level 0.
//  3. Accept. A process that has no owner yields to a CAPTURE: the sender owns it, which it says by ACCEPT.
//  4. Yield. A candidate, also one that is killed, yields in the same way if the CAPTURE is larger than its
//     own level and Rank. Otherwise it drops it.
//  5. Appeal. A captured process keeps where the CAPTURE has come from, and sends KILL with what was in it to
//     its owner.
//  6. Kill. A candidate that gets KILL is killed if that is larger than its own level and Rank. If it is
//     killed or captured, now or before, it replies KILLED. Otherwise it drops it.
//  7. Change hands. A process that gets KILLED for the largest CAPTURE that it has had yields to that one.
//  8. Advance. A candidate that gets ACCEPT over the link that it has tried last rises by a level, and sends
//     CAPTURE over the next link. One that is killed or captured does not.
//  9. Lead. A candidate without a further link leads. It sends ELECTED to all.
//  10. Elected. A process that gets ELECTED follows the leader in it.
//
// # The rules of sync
//
//  11. Start. A process that starts, and is not captured, is a candidate of level 0.
//  12. Try. A candidate that enters level k sends CAPTURE with k and its Rank over the next 2^k links, or all
//     that are left.
//  13. Gather. A process keeps the largest CAPTURE of a round, if it is larger than any that it has answered
//     and, of a candidate, than its own level and Rank. It drops the others.
//  14. Answer. At the end of the round the process sends ACK to that one, if it is still larger. If it was a
//     candidate, it is one no more.
//  15. Advance. A candidate that all have sent ACK enters the next level. If no links are left it leads: it
//     sends ELECTED to all. One that is a candidate no more counts no ACK.
//  16. Elected. A process that gets ELECTED follows the leader in it.
//
// # Model
//
// A complete graph with links both ways; each process knows how many it has, not where they lead; unique IDs;
// no failures; any number of initiators, also late ones. A Start at a process that is captured is
// ignored. Links need not keep the order. Async is asynchronous.
//
// Sync is for the synchronous model, in which a message takes one unit, and so all messages of a round
// arrive at the same instant. A timer of no length closes the round: it runs out after the messages that
// arrive at its own instant. Elsewhere sync still elects exactly one leader, on every schedule, and
// takes more messages.
//
// Ports are tried in order. Where nothing else is given, the first port leads to the process of the next
// larger ID, and so on around to the smallest: candidates that all began at the same process would
// hinder each other.
//
// # Messages
//
// With n processes, K the binary logarithm of n, rounded up, and H(k) = 1 + 1/2 + ... + 1/k:
//
//	one starts         3(n-1)             n-1 each of capture, accept (ack) and elected
//	all start          4(n-1)             at least
//	async, at most     4n*H(n-1) + n-1    n*H(n-1) captures, each with at most one kill, killed and accept
//	sync, at most      3n*K + n-1         in the synchronous model, if those that start do so at once
//	sync, elsewhere    (2n+1)(n-1)        at most: a capture and an ack a link, and the announcement
//
// If all start before they receive, ports are as above and priorities are equal, the largest captures all
// others and no other candidate any: 4(n-1) messages in both variants, on every schedule. If each message
// takes a unit, async takes 2n-1 units then, for n > 1, and at most 4n-3 whichever start at once. Sync takes
// 2K+1 whichever start at once, for n > 1.
//
// A process keeps a few numbers, however many links it has.
//
// # Guarantees
//
// Exactly one is elected, on every schedule: one of the initiators, and not always the largest. In sync it is
// the largest initiator if all of them start at once in the synchronous model. The winner knows that all
// others have yielded, not when they have heard of it. A process knows of the end as soon as it knows
// the leader.
//
// Why one, in async: a leader has been accepted by all others. If there were two, each would have
// yielded to the other, and a candidate that yields is killed. Some candidate gets through: that of the
// largest level and Rank is refused by none.
//
// # Limitations
//
// One crash blocks the election for ever, and so may one lost message. A message that comes twice does
// no harm in async. In sync it may: ACKs are counted. Two processes with the same ID may spoil the
// election. Ranks must not change while it runs.
//
// Source: Y. Afek and E. Gafni, Time and message bounds for election in synchronous and asynchronous complete
// networks, SIAM Journal on Computing 20(2), 1991; async in the form of P. Humblet, Selecting a leader in a
// clique in O(N log N) messages, 1984. Left out there, and needed: a candidate owns itself.
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
		Chordal:   true,
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
		Also:  "3n*K + n-1 at most if all that start do so at once and every message takes one unit",
		Count: func(n int) float64 { return float64(2*n+1) * float64(n-1) }}
	a.New = func(s election.Setup) election.Node { return &contender{me: s.Self} }
	return a
}

// claimBits returns the bits of a level and a Rank, in async.
func claimBits(w cost.Widths) uint64 { return w.Rank() + w.N }

// nothing is what an answer carries: the link says whose it is.
func nothing(cost.Widths) uint64 { return 0 }

// captures returns n*H(n-1), rounded down: at most n/(k+1) candidates reach level k, and send a capture
// there.
func captures(n int) float64 {
	sum := 0.0
	for k := 1; k < n; k++ {
		sum += 1 / float64(k)
	}
	return math.Floor(float64(n)*sum + 1e-9)
}

// claim is how far a candidate has come.
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
