// Package lcr elects on a one-way ring: the algorithm of LeLann, Chang and Roberts and three
// relatives of it.
//
// Every candidate sends its Rank around the ring; a Rank that comes home is the largest, and its
// owner announces itself by a tour of elected messages. The variants differ in which processes are
// candidates and in what stops a smaller Rank on its way:
//
//	participant  a process that is reached by a smaller Rank competes too; smaller Ranks are
//	             dropped by larger participants. The largest of all wins.
//	initiators   only those that start compete; the others relay. The largest initiator wins.
//	max          a token carries the maximum of all that it has passed and is never dropped.
//	wave         like max, but a token is known by its originator and comes home to it, whichever
//	             process has won: one full tour of each kind per initiator.
//
// # The rules
//
// Of participant, initiators and max:
//
//  1. Start. A process that starts sends ELECTION with its Rank to its neighbour, once. In participant it
//     does not if it takes part already; in initiators it is refused if it has relayed a Rank.
//  2. Larger. An ELECTION of a larger Rank is passed on.
//  3. Smaller, participant. An ELECTION of a smaller Rank is dropped. A process that does not take part yet
//     sends its own Rank instead.
//  4. Smaller, initiators. A process that has started drops it. One that has not relays every ELECTION.
//  5. Smaller, max. The process passes the ELECTION on with its own Rank, which is the maximum so far.
//  6. Home. A process that gets its own Rank back is the leader. It sends ELECTED around, once, and drops
//     what comes later.
//  7. Elected. A process that gets ELECTED follows the leader in it, and passes it on. The leader takes it
//     off the ring. For each of them that is the end.
//
// # The rules of wave
//
//  8. Start. A process that starts sends ELECTION with its Rank, and with its ID as the originator, once.
//  9. Pass. A process that gets another's ELECTION passes it on, with the larger of the Rank in it and its
//     own.
//  10. Home. An ELECTION that comes home has the largest Rank. Its originator follows the process of that
//     Rank, and sends ELECTED around, once.
//  11. Elected. A process that gets another's ELECTED follows the leader in it, and passes it on. Its own is
//     the end for it; so is any for a process that has not started.
//
// # Model
//
// A ring on which messages travel clockwise, asynchronous, of unknown size; unique IDs; no
// failures; any number of initiators. A ring of one is a loop, over which both messages travel.
// Links need not keep the order; initiators asks for it all the same, since in its published form
// a process that has heard of a winner relays what it would have stopped, and a late small Rank
// may then come home. Here a process competes until the Term is over, and such runs, if forced,
// have never gone wrong.
//
// # Messages
//
// With n processes that all start, announcement of n included: participant and initiators take
// 2n-1+n at best (Ranks rise in the direction of travel), n(n+1)/2+n at worst (they fall) and
// n*H(n)+n on average, H(n) being the n-th harmonic number; max takes n(3n-1)/2+n and wave 2n*n,
// whatever the order.
//
// # Limitations
//
// One crash, one lost message, or two processes with the same ID break the election: it does not end,
// or ends with two leaders. Ranks must not change while it runs. In wave a process knows of the
// end before the tours of all others have passed it, and must go on relaying.
//
// # Corrected here
//
// The lecture notes that give participant and max depart from the papers, and from each other:
//
//   - Who competes: a passive process both "is not in the race" and joins it when it is larger. These are two
//     algorithms, participant and initiators.
//   - A process that forwards a larger Rank takes part: else it would compete later, without any hope.
//   - Participation ends with the election. It was never reset, or at the winner only, so that there could
//     be no
//     second election.
//   - A Start at a process that takes part already is ignored: it would send its Rank a second time.
//   - The winner knows the leader, itself, when its Rank comes home, and not only after the second tour.
//   - The leader is taken from the message, not from the state of the process before.
//   - What kind of message it is comes first, then the Ranks: else the announcement is taken for a candidate.
//   - In max a token is compared with the own Rank before the maximum is passed on: else it never stops. Only
//     the first token that comes home is announced, and the winner swallows those that come later.
//   - Equal priorities are distinguished by ID: else different initiators elect different processes.
//   - A wave is known by its originator, not by the value that it carries.
//
// Sources: G. Le Lann, Distributed systems: towards a formal approach, 1977; E. Chang and
// R. Roberts, An improved algorithm for decentralized extrema-finding in circular configurations
// of processes, CACM 22(5), 1979; W. Fokkink, Distributed Algorithms, 2013.
package lcr

import (
	"github.com/go-election/election"
	"github.com/go-election/election/cost"
)

// The kinds of message. Both carry a Rank; in wave also the originator, as Value.
const (
	kindElection uint8 = iota + 1
	kindElected
)

// Algorithms returns the variants, the default first.
func Algorithms() []*election.Algorithm {
	return []*election.Algorithm{Participant(), Initiators(), Max(), Wave()}
}

// Participant returns the variant in which every process competes that is reached in time.
func Participant() *election.Algorithm {
	a := describe("participant", "a process that is larger than a passing Rank competes; the largest of "+
		"all wins")
	a.New = func(s election.Setup) election.Node { return &participant{me: s.Self} }
	return a
}

// Initiators returns the variant in which only those compete that start.
func Initiators() *election.Algorithm {
	a := describe("initiators", "only those that start compete; the others relay")
	a.NeedsFIFO = true
	a.Winner = election.LargestOfInitiators
	a.LateStart = election.LateRefused
	a.New = func(s election.Setup) election.Node { return &initiator{me: s.Self} }
	return a
}

// Max returns the variant in which a token carries the maximum of all that it has passed.
func Max() *election.Algorithm {
	a := describe("max", "a token carries the maximum of what it has passed, until the winner sees itself")
	a.LateStart = election.LateJoins
	always := cost.Bound{Formula: "n(3n-1)/2 + n",
		Count: func(n int) float64 { return half(n, 3*n-1) + float64(n) }, Arrange: cost.Rising}
	a.Best, a.Mean, a.Worst = always, always, always
	a.New = func(s election.Setup) election.Node { return &maximum{me: s.Self} }
	return a
}

// Wave returns the variant in which every initiator collects the maximum by a tour of its own.
func Wave() *election.Algorithm {
	a := describe("wave", "every initiator collects the maximum by a tour of its own, then proclaims it")
	a.LateStart = election.LateJoins
	a.RelaysAfterEnd = true
	for i := range a.Kinds {
		a.Kinds[i].Bits = func(w cost.Widths) uint64 { return w.Rank() + w.ID }
		a.Kinds[i].Names, a.Kinds[i].Value = true, "originator"
	}
	always := cost.Bound{Formula: "2n^2", Count: func(n int) float64 { return 2 * float64(n) * float64(n) },
		Arrange: cost.Rising}
	a.Best, a.Mean, a.Worst = always, always, always
	a.New = func(s election.Setup) election.Node { return &wave{me: s.Self} }
	return a
}

// describe returns what the variants have in common; the bounds are those of extinction.
func describe(variant, summary string) *election.Algorithm {
	rank := func(w cost.Widths) uint64 { return w.Rank() }
	return &election.Algorithm{
		Name: "lcr", Variant: variant, Summary: summary,
		Source:    "LeLann 1977; Chang, Roberts 1979",
		Topology:  election.Ring,
		Winner:    election.LargestOfAll,
		LateStart: election.LateIgnored,
		Faults:    election.Faults{Copies: true},
		Kinds: []election.Kind{
			{Name: "election", Bits: rank},
			{Name: "elected", Announces: true, Bits: rank},
		},
		Best: cost.Bound{Formula: "2n-1 + n", Count: func(n int) float64 { return float64(3*n - 1) },
			Arrange: cost.Rising},
		Mean: cost.Bound{Formula: "n*H(n) + n",
			Count: func(n int) float64 { return float64(n)*harmonic(n) + float64(n) }},
		Worst: cost.Bound{Formula: "n(n+1)/2 + n",
			Count:   func(n int) float64 { return half(n, n+1) + float64(n) },
			Arrange: cost.Falling},
	}
}

func half(a, b int) float64 { return float64(a) * float64(b) / 2 }

// harmonic returns 1 + 1/2 + ... + 1/n.
func harmonic(n int) float64 {
	sum := 0.0
	// The smallest first: so the rounding errors are smallest too.
	for i := n; i > 0; i-- {
		sum += 1 / float64(i)
	}
	return sum
}

func ballot(r election.Rank) election.Message {
	return election.Message{Kind: kindElection, Rank: r}
}

func announcement(r election.Rank) election.Message {
	return election.Message{Kind: kindElected, Rank: r}
}
