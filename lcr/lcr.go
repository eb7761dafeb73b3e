// Package lcr elects a leader on a one-way ring, by the algorithm of LeLann, Chang and Roberts and three
// relatives of it.
//
// Every candidate sends its Rank around the ring. A Rank that returns to its owner is the largest, and the
// owner announces itself with elected messages around the ring. The variants differ in which processes are
// candidates and in what stops a smaller Rank:
//
//	participant  a process that receives a smaller Rank competes too; larger participants
//	             drop smaller Ranks. The largest of all processes wins.
//	initiators   only processes that start compete; the others relay. The largest initiator wins.
//	max          a token carries the maximum of the Ranks that it has passed and is never dropped.
//	wave         like max, but a token is identified by its originator and returns to it, whichever
//	             process has won: one full tour of each kind per initiator.
//
// # The rules
//
// Rules of participant, initiators and max:
//
//  1. Start. A process that starts sends ELECTION with its Rank to its neighbour, once. In participant it does
//     not if it already takes part; in initiators it is refused if it has relayed a Rank.
//  2. Larger. A process passes on an ELECTION with a larger Rank.
//  3. Smaller, participant. A process drops an ELECTION with a smaller Rank. If it does not take part yet, it
//     sends its own Rank instead.
//  4. Smaller, initiators. A process that has started drops it. A process that has not started relays every
//     ELECTION.
//  5. Smaller, max. The process passes on the ELECTION with its own Rank, which is the maximum so far.
//  6. Home. A process that receives its own Rank is the leader. It sends ELECTED around the ring, once, and
//     drops later messages.
//  7. Elected. A process that receives ELECTED follows the leader in it, and passes it on. The leader removes
//     it from the ring. For each of them the election has then ended.
//
// # The rules of wave
//
//  8. Start. A process that starts sends ELECTION with its Rank, and with its ID as the originator, once.
//  9. Pass. A process that receives another's ELECTION passes it on, with the larger of the Rank in it and its
//     own.
//  10. Home. An ELECTION that returns to its originator contains the largest Rank. The originator follows the
//     process with that Rank, and sends ELECTED around the ring, once.
//  11. Elected. A process that receives another's ELECTED follows the leader in it, and passes it on. A
//     process knows the end when its own ELECTED returns; a process that has not started knows it from any
//     ELECTED.
//
// # Model
//
// A ring on which messages travel clockwise, asynchronous, of unknown size; unique IDs; no failures; any number
// of initiators. A ring of one is a loop, over which both messages travel. Links need not deliver in order. The
// variant initiators nevertheless requires it: in its published form, a process that has heard of a winner
// relays messages that it would have dropped before, so that a late small Rank may return to its owner. Here a
// process competes until the Term is over, and forced runs without order have never gone wrong.
//
// # Messages
//
// With n processes that all start, including the announcement of n: participant and initiators take 2n-1+n at
// best (Ranks rise in the direction of travel), n(n+1)/2+n at worst (they fall) and n*H(n)+n on average, H(n)
// being the n-th harmonic number; max takes n(3n-1)/2+n and wave 2n*n, for any order.
//
// # Limitations
//
// One crash, one lost message, or two processes with the same ID break the election: it does not end, or ends
// with two leaders. Ranks must not change during an election. In wave a process knows the end before the tours
// of all others have passed it, and must continue to relay.
//
// # Corrected here
//
// The lecture notes that describe participant and max differ from the papers, and from each other:
//
//   - Who competes: a passive process both "is not in the race" and joins it when it is larger. These are two
//     algorithms, participant and initiators.
//   - A process that forwards a larger Rank takes part; otherwise it would compete later, with no chance to
//     win.
//   - Participation ends with the election. In the notes it was never reset, or only at the winner, so that
//     there could be no second election.
//   - A Start at a process that already takes part is ignored; otherwise it would send its Rank a second time.
//   - The winner knows the leader, itself, when its Rank returns, and not only after the second tour.
//   - The leader is taken from the message, not from the previous state of the process.
//   - A process checks the kind of message before the Ranks; otherwise it would treat the announcement as a
//     candidate.
//   - In max a token is compared with the process's own Rank before the maximum is passed on; otherwise it
//     never stops. Only the first token that returns is announced, and the winner drops later ones.
//   - Equal priorities are ordered by ID; otherwise different initiators elect different processes.
//   - A wave is identified by its originator, not by the value that it carries.
//
// Sources: G. Le Lann, Distributed systems: towards a formal approach, 1977; E. Chang and R. Roberts, An
// improved algorithm for decentralized extrema-finding in circular configurations of processes, CACM 22(5),
// 1979; W. Fokkink, Distributed Algorithms, 2013.
package lcr

import (
	"github.com/go-election/election"
	"github.com/go-election/election/cost"
)

// Message kinds. Both carry a Rank; in wave they also carry the originator (Value).
const (
	kindElection uint8 = iota + 1
	kindElected
)

// Algorithms returns the variants, the default first.
func Algorithms() []*election.Algorithm {
	return []*election.Algorithm{Participant(), Initiators(), Max(), Wave()}
}

// Participant returns the variant in which every process competes that a smaller Rank reaches in time.
func Participant() *election.Algorithm {
	a := describe("participant", "a process that is larger than a passing Rank competes; the largest of "+
		"all wins")
	a.New = func(s election.Setup) election.Node { return &participant{me: s.Self} }
	return a
}

// Initiators returns the variant in which only processes that start compete.
func Initiators() *election.Algorithm {
	a := describe("initiators", "only those that start compete; the others relay")
	a.NeedsFIFO = true
	a.Winner = election.LargestOfInitiators
	a.LateStart = election.LateRefused
	a.New = func(s election.Setup) election.Node { return &initiator{me: s.Self} }
	return a
}

// Max returns the variant in which a token carries the maximum of the Ranks that it has passed.
func Max() *election.Algorithm {
	a := describe("max", "a token carries the maximum of what it has passed, until the winner sees itself")
	a.LateStart = election.LateJoins
	always := cost.Bound{Formula: "n(3n-1)/2 + n",
		Count: func(n int) float64 { return half(n, 3*n-1) + float64(n) }, Arrange: cost.Rising}
	a.Best, a.Mean, a.Worst = always, always, always
	a.New = func(s election.Setup) election.Node { return &maximum{me: s.Self} }
	return a
}

// Wave returns the variant in which every initiator finds the maximum with a token of its own.
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

// describe returns the common part of the variants, with the bounds of extinction.
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
	// Add the smallest terms first to minimize rounding errors.
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
