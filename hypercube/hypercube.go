// Package hypercube elects a leader on an oriented hypercube, by the algorithm HyperElect.
//
// A hypercube of dimension d has 2^d processes. Two processes are linked if their labels differ in one bit; the
// hypercube is oriented if both know which bit it is. Links are numbered from 1 to d by it: link k, which is
// port k-1, flips bit k-1. No process needs to know its label.
//
// An election is a knock-out tournament of d stages. In stage i the winners of two neighbouring cubes of
// dimension i-1 meet. Neither knows where the other is: a duelist sends its duel over link i, and if the
// process at the other end has been defeated, it sends the duel on to its conqueror, and so on, until it
// reaches the duelist of that cube. A duel carries the set of links that it has crossed an odd number of times.
// This set is a shortest way back, because a set of links leads to the same place in any order, and crossing a
// link twice has no effect. The loser therefore keeps it as its path to its conqueror.
//
// The winner of stage d leads. It sends elected over all its links, and a process that receives it over link k
// passes it on over the links below k: each process receives it once.
//
// # Model
//
// An oriented hypercube, asynchronous; each process knows the dimension, which is the number of its links;
// unique IDs; no failures; any number of initiators, including late ones. A duel wakes a process that has not
// started: it becomes a duelist. Links need not deliver in order. The largest of all wins, for any initiators.
// The dimension is at most 32.
//
// # The rules
//
//  1. Start. A process that starts, or receives its first DUEL, is a duelist of stage 1.
//  2. Stage. A duelist that enters stage i sends DUEL over link i: with its Rank, i, and an empty way.
//  3. Route. A process sends a DUEL whose route is not empty on over the lowest link of the route.
//  4. Forward. A defeated process sends a DUEL that ends at it to its conqueror, by the path that it keeps.
//  5. Delay. A duelist keeps a DUEL of a later stage until it is in that stage.
//  6. Match. In a DUEL of the duelist's own stage the larger Rank wins. A duelist that wins enters the next
//     stage.
//  7. Defeat. A duelist that loses keeps the way of the DUEL as the path to its conqueror, and sends all
//     delayed DUELs there, whatever their stages.
//  8. Lead. A duelist that wins stage d is the leader. It sends ELECTED over all its links.
//  9. Elected. A process that receives ELECTED over link k follows the leader, and sends ELECTED over the
//     links below k, once.
//  10. Drop. A duplicate DUEL has no effect.
//
// At most one duel of each stage ends at a duelist, so that never more than d-1 are delayed: a cube of
// dimension i-1 has one duelist of stage i, which sends one duel. None is delayed in stage 1, because a process
// that is woken is in stage 1.
//
// # Messages
//
// A duel contains the Rank, the stage and two sets of links: the way so far and the remaining route. The number
// of messages depends on the places of the large Ranks, not on the schedule or the initiators. With n = 2^d the
// announcement takes n-1. Each of the 2(n-1) duels takes at least one message, and needs no more if the largest
// of every subcube are neighbours: 3(n-1) in all. The duel of stage i takes at most 1 + (1 + ... + (i-1))
// messages, which makes
//
//	7n - d^2 - 3d - 7
//
// at most. This is attained for d <= 3 and never above. For larger d, the longest ways of all duels of stage 3
// require duelists that differ in bits 2 and 3, whereas a longest way in stage 4 leads past a defeat in stage 3
// by a process that differs in all three bits. The true maximum is:
//
//	d         0   1    2    3    4     5     6
//	bound     0   3   11   31   77   177   387
//	maximum   0   3   11   31   75   167   359
//
// Time is at most 2d + (d-1)d(d+1)/6 if all start simultaneously and a message takes one unit, including the
// announcement. It is attained for d <= 3. A single initiator wakes the other half of a cube when its own half
// has a winner, so that time is at least n-1: about 2.2n, in random runs.
//
// # Guarantees
//
// The largest of all is elected and no other, on every schedule. When it knows that it leads, every process
// that has won a stage has received the duel of the smaller process. Duels of larger processes may still be in
// flight, even after elected: they continue normally, and have no effect. The leader does not know when all
// have heard of it.
//
// # Limitations
//
// One crash or one lost message blocks the election forever, and two processes with the same ID may break it.
// Ranks must not change during an election. If the bits of links are not known, or differ between their ends,
// the algorithm does not work.
//
// Source: N. Santoro, Design and Analysis of Distributed Algorithms, 2007, section 3.5; P. Flocchini and B.
// Mans, Optimal elections in labeled hypercubes, JPDC 33(1), 1996.
package hypercube

import (
	"math/bits"
	"slices"

	"github.com/go-election/election"
	"github.com/go-election/election/cost"
)

// Message kinds. Both carry a Rank; duel also carries the stage (Round), and the links that it has crossed and
// still has to cross (Value).
const (
	kindDuel uint8 = iota + 1
	kindElected
)

// Algorithms returns the only variant.
func Algorithms() []*election.Algorithm { return []*election.Algorithm{Algorithm()} }

// Algorithm returns the algorithm.
func Algorithm() *election.Algorithm {
	return &election.Algorithm{
		Name:      "hypercube",
		Summary:   "the winners of two halves meet: a duel is sent on from the defeated to their conquerors",
		Source:    "Santoro 2007, after Flocchini and Mans 1996",
		Topology:  election.Hypercube,
		TwoWay:    true,
		Winner:    election.LargestOfAll,
		LateStart: election.LateIgnored,
		Faults:    election.Faults{Copies: true},
		Kinds: []election.Kind{
			{Name: "duel", Round: "stage", Value: "way/route", Bits: func(w cost.Widths) uint64 {
				d := w.N - 1 // 2^d has d+1 bits
				return w.Rank() + uint64(bits.Len64(d)) + 2*d
			}},
			{Name: "elected", Announces: true, Bits: func(w cost.Widths) uint64 { return w.Rank() }},
		},
		Best: cost.Bound{Formula: "3(n-1)", Count: func(n int) float64 { return 3 * (float64(n) - 1) },
			Arrange: cost.Rising},
		Worst: cost.Bound{Formula: "7n - K^2 - 3K - 7", Count: most, Loose: true},
		New: func(s election.Setup) election.Node {
			return &process{me: s.Self, links: uint8(s.Ports)}
		},
	}
}

// most returns a bound on the number of messages. It is meant for powers of two; in between it is the bound of
// the next lower power plus the remaining processes.
func most(n int) float64 {
	d := float64(bits.Len(uint(n)) - 1)
	return 7*float64(n) - d*d - 3*d - 7
}

// state is the progress of a process.
type state uint8

const (
	asleep state = iota
	duelist
	defeated
	leader
)

// set is a set of links: bit k-1 is link k.
type set uint32

// challenge is a duel that has arrived.
type challenge struct {
	rank  election.Rank
	way   set // links between the challenger and this process
	stage uint8
}

// process is a participant.
type process struct {
	me       election.Rank
	path     set   // of a defeated process: the path to its conqueror
	links    uint8 // dimension
	stage    uint8
	state    state
	informed bool        // it knows the leader
	delayed  []challenge // duels of later stages
}

func (n *process) Step(e *election.Env, ev *election.Event) {
	switch ev.Op {
	case election.Start: // rule 1
		n.wake(e)
	case election.Recv:
		switch ev.Msg.Kind {
		case kindDuel:
			n.wake(e)
			n.duel(e, &ev.Msg)
		case kindElected:
			n.elected(e, ev.Port, ev.Msg)
		}
	}
}

func (n *process) wake(e *election.Env) {
	if n.state == asleep { // rule 1
		n.state = duelist
		n.enterNextStage(e)
	}
}

// enterNextStage challenges the winner of the cube behind the next link. A process without another link leads.
func (n *process) enterNextStage(e *election.Env) {
	if n.stage == n.links {
		n.lead(e)
		return
	}
	n.stage++ // rule 2
	send(e, challenge{rank: n.me, stage: n.stage}, 1<<(n.stage-1))
}

// send sends a duel over the lowest link of a route.
func send(e *election.Env, c challenge, route set) {
	// Take the lowest bit: the order of the links on a route does not matter.
	link := route & -route
	way, rest := c.way^link, route^link
	e.Send(election.Port(bits.TrailingZeros32(uint32(link))), election.Message{
		Kind: kindDuel, Rank: c.rank, Round: uint32(c.stage), Value: uint64(way)<<32 | uint64(rest),
	})
}

func (n *process) duel(e *election.Env, m *election.Message) {
	c := challenge{rank: m.Rank, way: set(m.Value >> 32), stage: uint8(m.Round)}
	route := set(m.Value)
	switch {
	case (c.way|route)>>n.links != 0: // not of this cube
	case c.way|route == 0: // rule 10
		// A duplicate of the process's own duel has returned from a process that it has defeated. Its way is
		// empty: stored as the path to a conqueror, it would send all later duels over no link.
	case route != 0: // rule 3
		send(e, c, route)
	case n.state == defeated: // rule 4
		send(e, c, n.path)
	// This duel is for the winner of an earlier stage, which may still be this process.
	case n.state == duelist && c.stage > n.stage: // rule 5
		n.delayed = append(n.delayed, c)
	case n.state == duelist && c.stage == n.stage: // rule 6
		n.match(e, c)
	default: // rule 10
	}
}

// match fights the duel of the current stage, and then delayed duels of later stages.
func (n *process) match(e *election.Env, c challenge) {
	for {
		if n.me.Less(c.rank) {
			n.lose(e, c.way)
			return
		}
		n.enterNextStage(e)
		i := slices.IndexFunc(n.delayed, func(c challenge) bool { return c.stage == n.stage })
		if i < 0 {
			return
		}
		c = n.delayed[i]
		n.delayed = slices.Delete(n.delayed, i, i+1)
	}
}

// lose stores the path to the conqueror, and forwards all delayed duels.
func (n *process) lose(e *election.Env, path set) { // rule 7
	n.state, n.path = defeated, path
	// They belong to later stages, so they are for the conqueror, or for a process that defeats it.
	for _, c := range n.delayed {
		send(e, c, path)
	}
	n.delayed = n.delayed[:0]
}

func (n *process) lead(e *election.Env) { // rule 8
	n.state, n.informed = leader, true
	e.Decide(n.me)
	n.announce(e, n.me, election.Port(n.links))
	e.Done()
}

// announce sends the leader to the cubes behind the links below a port.
func (n *process) announce(e *election.Env, winner election.Rank, below election.Port) {
	// Use lower links only, so that each process hears of the leader exactly once.
	for port := range below {
		e.Send(port, election.Message{Kind: kindElected, Rank: winner})
	}
}

func (n *process) elected(e *election.Env, from election.Port, m election.Message) { // rule 9
	if n.informed {
		return
	}
	n.informed = true // the state does not change: duels may be in flight
	e.Decide(m.Rank)
	n.announce(e, m.Rank, from)
	e.Done()
}

func (n *process) State(s *election.State) {
	s.Uint8((*uint8)(&n.state))
	s.Uint8(&n.stage)
	s.Bool(&n.informed)
	s.Uint32((*uint32)(&n.path))
	election.VisitSlice(s, &n.delayed, visit)
}

func visit(s *election.State, c *challenge) {
	s.Rank(&c.rank)
	s.Uint32((*uint32)(&c.way))
	s.Uint8(&c.stage)
}
