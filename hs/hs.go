// Package hs elects on a two-way ring: the algorithm of Hirschberg and Sinclair.
//
// A candidate explores its neighbourhood in phases: in phase k it sends its Rank 2^k hops both
// ways, and goes on to phase k+1 when both sides have let it through. Two candidates that both
// live to see phase k are more than 2^(k-1) hops apart, so that few are left to pay for the long
// ways. A candidate whose Rank comes home around the whole ring is the largest, and announces
// itself by a tour of elected messages. The variants differ in what becomes of a candidate that
// is beaten:
//
//	probe    a larger process swallows the probe: the candidate hears no more of it.
//	respond  a larger process answers with its own Rank, so that losing is observed; and a
//	         candidate that a larger one passes begins no further phase.
//
// A process that has not started and is reached by a smaller Rank competes too, from phase 0 on,
// whatever the phase of the candidate that has woken it. So the largest of all wins.
//
// # The rules
//
//  1. Start. A process that starts, and knows of no other yet, is a candidate. It sends PROBE with its Rank
//     both ways: in phase k as far as 2^k hops, in the beginning k = 0.
//  2. Smaller. A process that gets the PROBE of a smaller one stops it: in probe without a reply, in respond
//     with a REPLY that has its own Rank. If it knew of no other process yet, it is a candidate too.
//  3. Larger, in reach. A process that gets the PROBE of a larger one passes it on with one hop more. In
//     respond it begins no further phase itself.
//  4. Larger, at the end of the reach. The process returns a REPLY.
//  5. Pass. A REPLY for another candidate goes on to that.
//  6. Next phase. A candidate that has a REPLY of this phase from both sides begins the next phase. In
//     respond only if neither has a larger Rank, and no larger PROBE has passed it.
//  7. Home. A candidate whose PROBE comes home around the ring is the leader. It sends ELECTED around, once.
//  8. Elected. A process that gets ELECTED follows the leader in it, and passes it on. The leader takes it
//     off the ring. For each of them that is the end.
//
// # Model
//
// A ring with links both ways, asynchronous, of unknown size; unique IDs; no failures; any number
// of initiators. Links need not keep the order. On a ring of one both probes come home over the
// loop; on a ring of two both links lead to the same neighbour, and differ by port.
//
// # Messages
//
// With n > 1 processes that all start, announcement of n included, and K = ceil(log2 n):
//
//	         best (Ranks rise)  worst, at most
//	probe    6n + 4*2^K - 8     6n + sum of 4*2^k*floor(n/(2^(k-1)+1)) for k = 1..K-1
//	respond  7n + 4*2^K - 8     7n + the same sum
//
// The true worst cases are known by exhaustive search up to n = 10; from n = 6 on they lie below
// that bound. The means are known exactly, see [Probe] and [Respond]. A ring of one takes 3. The
// counts of probe are those of every schedule, those of respond those of links of equal delay: on
// others its candidates may hear earlier that they have lost, and send less, though never less
// than the best case.
//
// # Limitations
//
// One crash, one lost message, or two processes with the same ID break the election: it does not end,
// or ends with two leaders. Ranks must not change while it runs.
//
// # Corrected here
//
// The lecture notes that give probe depart from the paper:
//
//   - A probe counts its hops from 1 in every phase: from 0 it goes one hop too far.
//   - A candidate that both sides have let through sends its next probe both ways: with one only, no reply of
//     the other side ever comes, and no process is elected.
//   - The Ranks are compared before the distance is looked at: else a beaten candidate goes on.
//   - A larger process that has not started competes when it swallows a probe: else no process may be
//     left. It
//     begins with phase 0, not with the phase of the other: else the messages grow with the square of n.
//   - A probe of the winner comes home from both sides: the first one counts, so that there is one
//     announcement.
//   - The leader is announced: the notes have no message for that.
//
// Source: D. S. Hirschberg and J. B. Sinclair, Decentralized extrema-finding in circular
// configurations of processors, CACM 23(11), 1980.
package hs

import (
	"github.com/go-election/election"
	"github.com/go-election/election/cost"
)

// The kinds of message. A probe carries the candidate as Rank, the phase as Round and as Value
// how many hops it has come. A reply of the probe variant carries the candidate and the phase; a
// reply of the respond variant the largest Rank that the candidate has met and as Value the
// candidate's ID. An elected carries the leader.
const (
	kindProbe uint8 = iota + 1
	kindReply
	kindElected
)

// Algorithms returns the variants, the default first.
func Algorithms() []*election.Algorithm {
	return []*election.Algorithm{Probe(), Respond()}
}

// Probe returns the variant in which a larger process swallows a probe. The mean count is
//
//	6n + sum over k = 1..K-1, with h = 2^(k-1), of
//	2n * (sum over j = 1..2h of 1/min(n, h+1+max(h, j-1)) + 2h/min(n, 3h+1))
func Probe() *election.Algorithm {
	a := describe("probe", "a probe doubles its reach every phase; a larger process swallows it")
	a.Kinds[kindReply-1].Bits = func(w cost.Widths) uint64 { return w.Rank() + w.LogN }
	a.Kinds[kindReply-1].Round = "phase"
	a.Best = cost.Bound{Formula: "6n + 4*2^K - 8", Count: bestOfProbe, Arrange: cost.Rising}
	a.Mean = cost.Bound{Formula: "a sum, see package hs", Count: meanOfProbe}
	a.Worst = cost.Bound{Formula: "6n + sum(0<k<K) 4*2^k*floor(n/(2^(k-1)+1))",
		Count: worstOfProbe, Loose: true, Arrange: worstForProbe}
	a.New = func(s election.Setup) election.Node { return &prober{me: s.Self} }
	return a
}

// Respond returns the variant in which a larger process answers a probe. The mean count is
//
//	7n + sum over k = 1..K-1, with h = 2^(k-1), of
//	4n * (sum over j = 1..2h of 1/min(n, h+1+max(h, j-1)))
func Respond() *election.Algorithm {
	a := describe("respond", "a probe doubles its reach every phase; a larger process answers that it is "+
		"lost")
	a.Kinds[kindReply-1].Bits = func(w cost.Widths) uint64 { return w.Rank() + w.ID }
	a.Kinds[kindReply-1].Names, a.Kinds[kindReply-1].Value = true, "candidate"
	a.Best = cost.Bound{Formula: "7n + 4*2^K - 8", Count: bestOfRespond, Arrange: cost.Rising}
	a.Mean = cost.Bound{Formula: "a sum, see package hs", Count: meanOfRespond}
	a.Worst = cost.Bound{Formula: "7n + sum(0<k<K) 4*2^k*floor(n/(2^(k-1)+1))",
		Count: worstOfRespond, Loose: true, Arrange: worstForRespond}
	a.New = func(s election.Setup) election.Node { return &responder{me: s.Self} }
	return a
}

// describe returns what the variants have in common.
func describe(variant, summary string) *election.Algorithm {
	return &election.Algorithm{
		Name: "hs", Variant: variant, Summary: summary,
		Source:    "Hirschberg, Sinclair 1980",
		Topology:  election.Ring,
		TwoWay:    true,
		Winner:    election.LargestOfAll,
		LateStart: election.LateIgnored,
		Faults:    election.Faults{Copies: true},
		Kinds: []election.Kind{
			{Name: "probe", Round: "phase", Value: "hops",
				Bits: func(w cost.Widths) uint64 { return w.Rank() + w.LogN + w.N }},
			{Name: "reply"},
			{Name: "elected", Announces: true, Bits: func(w cost.Widths) uint64 { return w.Rank() }},
		},
	}
}

// across returns the port on the other side.
func across(p election.Port) election.Port { return p ^ 1 }

// canvass sends the probes of a phase both ways. They arrive after their first hop.
func canvass(e *election.Env, me election.Rank, phase uint32) {
	m := election.Message{Kind: kindProbe, Rank: me, Round: phase, Value: 1}
	e.Send(election.Counterclockwise, m)
	e.Send(election.Clockwise, m)
}

// inReach reports whether a probe may go further than where it has arrived. A phase that no
// election can come to reaches nowhere.
func inReach(m election.Message) bool { return m.Value < 1<<m.Round }

// proclaim makes this process the leader.
func proclaim(e *election.Env, me election.Rank) {
	e.Decide(me)
	e.Send(election.Clockwise, election.Message{Kind: kindElected, Rank: me})
}

// elected follows the leader, which swallows its own announcement.
func elected(e *election.Env, me election.Rank, m election.Message) { // rule 8
	if m.Rank.ID != me.ID {
		e.Decide(m.Rank)
		e.Send(election.Clockwise, m)
	}
	e.Done()
}
