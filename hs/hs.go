// Package hs elects a leader on a two-way ring, by the algorithm of Hirschberg and Sinclair.
//
// A candidate explores its neighbourhood in phases: in phase k it sends its Rank 2^k hops in both directions,
// and enters phase k+1 when both sides have let it through. Two candidates that both reach phase k are more
// than 2^(k-1) hops apart, so that few candidates pay for the long distances. A candidate whose Rank returns
// after traveling around the whole ring is the largest, and announces itself with elected messages around the
// ring. The variants differ in what happens to a candidate that is beaten:
//
//	probe    a larger process drops the probe: the candidate receives no answer.
//	respond  a larger process answers with its own Rank, so that losing is observed; and a
//	         candidate that a larger one passes begins no further phase.
//
// A process that has not started and receives a smaller Rank competes too, beginning with phase 0, whatever the
// phase of the candidate that has woken it. The largest of all processes therefore wins.
//
// # The rules
//
//  1. Start. A process that starts, and does not know of another candidate yet, is a candidate. It sends PROBE
//     with its Rank in both directions: in phase k up to 2^k hops, starting with k = 0.
//  2. Smaller. A process that receives the PROBE of a smaller one stops it: in probe without a reply, in
//     respond with a REPLY that contains its own Rank. If it did not know of any other process yet, it becomes
//     a candidate too.
//  3. Larger, in reach. A process that receives the PROBE of a larger one passes it on with one more hop. In
//     respond it begins no further phase itself.
//  4. Larger, at the end of the reach. The process returns a REPLY.
//  5. Pass. A process passes on a REPLY for another candidate.
//  6. Next phase. A candidate that has a REPLY of this phase from both sides begins the next phase. In respond
//     it does so only if neither contains a larger Rank, and no larger PROBE has passed it.
//  7. Home. A candidate whose PROBE returns after traveling around the ring is the leader. It sends ELECTED
//     around the ring, once.
//  8. Elected. A process that receives ELECTED follows the leader in it, and passes it on. The leader removes
//     it from the ring. For each of them the election has then ended.
//
// # Model
//
// A ring with two-way links, asynchronous, of unknown size; unique IDs; no failures; any number of initiators.
// Links need not deliver in order. On a ring of one both probes return over the loop; on a ring of two both
// links lead to the same neighbour and are distinguished by port.
//
// # Messages
//
// With n > 1 processes that all start, including the announcement of n, and K = ceil(log2 n):
//
//	         best (Ranks rise)  worst, at most
//	probe    6n + 4*2^K - 8     6n + sum of 4*2^k*floor(n/(2^(k-1)+1)) for k = 1..K-1
//	respond  7n + 4*2^K - 8     7n + the same sum
//
// The true worst cases are known by exhaustive search up to n = 10; from n = 6 on they are below this bound.
// The means are known exactly, see [Probe] and [Respond]. A ring of one takes 3. The counts of probe hold on
// every schedule, the counts of respond on links with equal delays: on others its candidates may learn earlier
// that they have lost, and send less, though never less than in the best case.
//
// # Limitations
//
// One crash, one lost message, or two processes with the same ID break the election: it does not end, or ends
// with two leaders. Ranks must not change during an election.
//
// # Corrected here
//
// The lecture notes that describe probe differ from the paper:
//
//   - A probe counts its hops from 1 in every phase: counting from 0, it goes one hop too far.
//   - A candidate that both sides have let through sends its next probe in both directions: with one only, no
//     reply ever arrives from the other side, and no process is elected.
//   - The Ranks are compared before the distance: otherwise a beaten candidate continues.
//   - A larger process that has not started competes when it drops a probe: otherwise no candidate may be left.
//     It begins with phase 0, not with the phase of the other candidate: otherwise the number of messages grows
//     with the square of n.
//   - A probe of the winner returns from both sides: only the first one counts, so that there is one
//     announcement.
//   - The leader is announced: the notes have no message for it.
//
// Source: D. S. Hirschberg and J. B. Sinclair, Decentralized extrema-finding in circular configurations of
// processors, CACM 23(11), 1980.
package hs

import (
	"github.com/go-election/election"
	"github.com/go-election/election/cost"
)

// Message kinds. A probe carries the candidate (Rank), the phase (Round) and the number of hops so far (Value).
// A reply of the probe variant carries the candidate and the phase; a reply of the respond variant carries the
// largest Rank that the candidate has met and the candidate's ID (Value). An elected carries the leader.
const (
	kindProbe uint8 = iota + 1
	kindReply
	kindElected
)

// Algorithms returns the variants, the default first.
func Algorithms() []*election.Algorithm {
	return []*election.Algorithm{Probe(), Respond()}
}

// Probe returns the variant in which a larger process drops a probe. The mean count is
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

// describe returns the common part of the variants.
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

// across returns the port on the opposite side.
func across(p election.Port) election.Port { return p ^ 1 }

// canvass sends the probes of a phase in both directions. Value counts their first hop.
func canvass(e *election.Env, me election.Rank, phase uint32) {
	m := election.Message{Kind: kindProbe, Rank: me, Round: phase, Value: 1}
	e.Send(election.Counterclockwise, m)
	e.Send(election.Clockwise, m)
}

// inReach reports whether a probe may go further than where it has arrived. It returns false for a phase that
// no election can reach.
func inReach(m election.Message) bool { return m.Value < 1<<m.Round }

// proclaim makes this process the leader.
func proclaim(e *election.Env, me election.Rank) {
	e.Decide(me)
	e.Send(election.Clockwise, election.Message{Kind: kindElected, Rank: me})
}

// elected follows the leader. The leader drops its own announcement.
func elected(e *election.Env, me election.Rank, m election.Message) { // rule 8
	if m.Rank.ID != me.ID {
		e.Decide(m.Rank)
		e.Send(election.Clockwise, m)
	}
	e.Done()
}
