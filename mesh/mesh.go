// Package mesh elects one of the four corners of a grid whose links are not labelled.
//
// No process knows its place. In a grid with at least 3 rows and 3 columns a process can derive its role from
// its number of links: a corner has 2, another process on the border 3, an interior one 4. To know which of its
// links run along the border it must also know the numbers of its neighbours. Then the four corners elect on
// the border, which is a ring, and the winner floods the grid.
//
// Four candidates on a ring are few: they play two stages by the rules of Franklin. The first leaves at most
// two candidates, and if there are two, they are each other's neighbours on both sides in the second. A
// candidate that survives the second stage is therefore the only one, and need not receive its own Rank.
//
// # Model
//
// A grid of a rows and b columns, a, b >= 3, with links between neighbours, numbered in any order;
// asynchronous; no process knows a or b; unique IDs; no failures; any number of initiators, including late
// ones; any message wakes the others. Links need not deliver in order. The largest corner wins: the largest of
// all processes wins only if it is a corner.
//
// # The rules
//
//  1. Wake. A process that starts, or receives its first message, sends HELLO with its number of links over
//     all of them. A corner, which is recognized by this number, enters stage 1.
//  2. Place. A process that has HELLO from all its neighbours knows which of its links run along the border.
//     If these are not exactly two, the grid is too small, and the process refuses.
//  3. Wait. A CORNER that arrives before all HELLOs waits for them.
//  4. Stage. A corner that enters a stage sends CORNER with its Rank in both directions, and waits for a
//     CORNER of the same stage from both sides.
//  5. Beaten. It is beaten if either is larger, and passes on the waiting messages.
//  6. Survive. Otherwise it enters stage 2.
//  7. Relay. A process of the border, or a beaten corner, passes each CORNER on along the border.
//  8. Lead. A corner that survives stage 2 is the leader. It sends ELECTED over all its links.
//  9. Elected. A process that receives ELECTED follows the leader, and sends ELECTED over its other links,
//     once.
//
// At most two messages wait at a process on the border, one from each side, because a corner enters stage 2
// when the messages of stage 1 have passed both of its sides in both directions. At most four wait at a corner,
// two from each side.
//
// # Messages
//
// With n = a*b processes and 2n-(a+b) links: a hello in each direction over every link, 4n-2(a+b); four times a
// message on every link of the border, 8(a+b-2); and an announcement of 3n-2(a+b)+1. The total, for any IDs,
// initiators and schedule, is
//
//	7n + 4(a+b) - 15.
//
// # Guarantees
//
// The largest of the corners is elected and no other, on every schedule. A process that hears of it knows that
// the election is decided. Messages of the second stage may still be in flight along the border: they have no
// effect.
//
// # Limitations
//
// A path or a ladder (a or b is 1 or 2) has no interior, and the number of links does not identify its corners.
// No election is possible there: every process that wakes detects it and refuses with [ErrTooSmall], as soon as
// it has heard from its neighbours, even if it has not been asked to start. Graphs other than grids are not
// detected. One crash or one lost message may block the election forever. A duplicate message, or two corners
// with the same ID, may break it. Ranks must not change during an election.
//
// If links are labelled with compass directions, no election is needed: the north-east corner can announce
// itself.
//
// Source: after N. Santoro, Design and Analysis of Distributed Algorithms, 2007, section 3.4, where corners
// elect on the border too. Added here: how the border is found, which messages wait for it, and why two stages
// are enough.
package mesh

import (
	"math/bits"
	"slices"

	"github.com/go-election/election"
	"github.com/go-election/election/cost"
	"github.com/go-election/election/input"
)

// ErrTooSmall is returned for a grid with fewer than 3 rows or 3 columns. It wraps [election.ErrInput].
var ErrTooSmall = input.Errorf("a mesh needs at least 3 rows and 3 columns to elect a corner")

// Message kinds. Hello carries the number of the sender's links (Value), corner a Rank and the stage (Round),
// elected a Rank.
const (
	kindHello uint8 = iota + 1
	kindCorner
	kindElected
)

// Algorithms returns the only variant.
func Algorithms() []*election.Algorithm { return []*election.Algorithm{Algorithm()} }

// Algorithm returns the algorithm.
func Algorithm() *election.Algorithm {
	// and 2(rows + columns) are 4n less than the ports
	always := cost.Bound{Formula: "7n + 4(rows + columns) - 15",
		CountPorts: func(n, ports int) float64 { return float64(15*n - 2*ports - 15) }}
	return &election.Algorithm{
		Name: "mesh", Summary: "the four corners elect in two stages along the border, for any grid of 3 " +
			"by 3 or more",
		Source:    "after Santoro 2007",
		Topology:  election.Mesh,
		TwoWay:    true,
		Winner:    largestOfCorners,
		LateStart: election.LateIgnored,
		Kinds: []election.Kind{
			{Name: "hello", Value: "links", Bits: func(cost.Widths) uint64 { return 2 }},
			{Name: "corner", Round: "stage", Bits: func(w cost.Widths) uint64 { return w.Rank() + 1 }},
			{Name: "elected", Announces: true, Bits: func(w cost.Widths) uint64 { return w.Rank() }},
		},
		Best: always, Mean: always, Worst: always,
		New: func(s election.Setup) election.Node { return &process{me: s.Self, links: uint8(s.Ports)} },
	}
}

// Number of links of processes, by place.
const (
	atCorner = 2
	atBorder = 3
	inside   = 4
)

// stage is the progress of a corner. All other processes stay in none.
type stage uint8

const (
	none stage = iota
	first
	second
	beaten
	won
)

// ports is a set of ports: bit p is port p.
type ports uint8

func (s ports) has(p election.Port) bool { return s>>p&1 == 1 }

// candidate is a waiting corner message.
type candidate struct {
	rank  election.Rank
	round uint32 // number of the stage
	from  election.Port
}

// process is a participant.
type process struct {
	me       election.Rank
	links    uint8
	awake    bool
	placed   bool // all hellos have arrived
	informed bool // it knows the leader
	stage    stage
	heard    ports // ports over which hello has arrived
	border   ports // those of them that run along the border
	waiting  []candidate
}

func (n *process) Step(e *election.Env, ev *election.Event) {
	switch ev.Op {
	case election.Start: // rule 1
		n.wake(e)
	case election.Recv:
		n.wake(e)
		switch ev.Msg.Kind {
		case kindHello:
			n.hello(e, ev.Port, ev.Msg.Value)
		case kindCorner:
			n.corner(e, candidate{rank: ev.Msg.Rank, round: ev.Msg.Round, from: ev.Port})
		case kindElected:
			n.elected(e, ev.Port, ev.Msg)
		}
	}
}

// wake sends the number of links to all neighbours.
func (n *process) wake(e *election.Env) {
	if n.awake {
		return
	}
	n.awake = true // rule 1
	for port := range election.Port(n.links) {
		e.Send(port, election.Message{Kind: kindHello, Value: uint64(n.links)})
	}
	switch n.links {
	case 0:
		n.proceed(e)
	case atCorner:
		n.enter(e, first)
	}
}

// hello records the number of links of a neighbour. A link runs along the border if it leads from border to
// border. Corners are not neighbours if the grid is large enough.
func (n *process) hello(e *election.Env, from election.Port, links uint64) { // rule 2
	if n.placed {
		return
	}
	link := ports(1) << from
	n.heard |= link
	// In a mesh with three rows no two corners are neighbours. In a smaller one they are, and the link between
	// them does not count.
	if links == atBorder || links == atCorner && n.links != atCorner {
		n.border |= link
	}
	if bits.OnesCount8(uint8(n.heard)) == int(n.links) {
		n.proceed(e)
	}
}

// proceed continues the election when the place is known. In a grid that is too small all processes are on the
// border, and none has the neighbours that it should have.
func (n *process) proceed(e *election.Env) { // rule 2
	n.placed = true
	fits := n.links == atCorner || n.links == atBorder
	switch {
	// Processes inside only relay the announcement. They take no part in the two stages.
	case n.links == inside:
	// In a mesh of at least 3 x 3, each process of the border has two neighbours on it.
	case !fits || bits.OnesCount8(uint8(n.border)) != 2:
		n.stage, n.border = none, 0 // drop everything that arrives
		n.passOn(e)
		e.Refuse(ErrTooSmall)
		e.Done()
	case n.links == atCorner:
		n.compare(e)
	default:
		n.passOn(e)
	}
}

// enter sends this process's Rank in both directions along the border.
func (n *process) enter(e *election.Env, s stage) { // rule 4
	n.stage = s
	for port := range election.Port(atCorner) {
		e.Send(port, election.Message{Kind: kindCorner, Rank: n.me, Round: uint32(s)})
	}
}

func (n *process) corner(e *election.Env, c candidate) {
	switch {
	// Without all hellos this process does not know how the border continues.
	case !n.placed: // rule 3
		n.waiting = append(n.waiting, c)
	case n.stage == first || n.stage == second: // rule 4
		n.waiting = append(n.waiting, c)
		n.compare(e)
	default: // rule 7
		n.relay(e, c)
	}
}

// relay passes a corner message on along the border.
func (n *process) relay(e *election.Env, c candidate) {
	for port := range election.Port(n.links) {
		if port != c.from && n.border.has(port) {
			e.Send(port, election.Message{Kind: kindCorner, Rank: c.rank, Round: c.round})
		}
	}
}

// compare ends every stage of this corner for which the candidates of both sides are known.
func (n *process) compare(e *election.Env) {
	for n.stage == first || n.stage == second {
		a, b := n.find(0), n.find(1)
		if a < 0 || b < 0 {
			return
		}
		larger := n.waiting[a].rank
		if other := n.waiting[b].rank; larger.Less(other) {
			larger = other
		}
		round := uint32(n.stage)
		// A neighbour may be a stage ahead, so remove only the candidates of this stage.
		n.waiting = slices.DeleteFunc(n.waiting, func(c candidate) bool { return c.round == round })
		switch {
		case n.me.Less(larger): // rule 5
			n.stage = beaten
			n.passOn(e)
		case n.stage == first: // rule 6
			n.enter(e, second)
		default:
			n.lead(e)
		}
	}
}

// find returns the index of the waiting candidate of the current stage from one side, or -1.
func (n *process) find(from election.Port) int {
	return slices.IndexFunc(n.waiting,
		func(c candidate) bool { return c.from == from && c.round == uint32(n.stage) })
}

// passOn relays all waiting messages.
func (n *process) passOn(e *election.Env) {
	for _, c := range n.waiting {
		n.relay(e, c)
	}
	n.waiting = n.waiting[:0]
}

func (n *process) lead(e *election.Env) { // rule 8
	n.stage, n.informed = won, true
	e.Decide(n.me)
	for port := range election.Port(n.links) {
		e.Send(port, election.Message{Kind: kindElected, Rank: n.me})
	}
	e.Done()
}

func (n *process) elected(e *election.Env, from election.Port, m election.Message) { // rule 9
	if n.informed {
		return
	}
	n.informed = true
	e.Decide(m.Rank)
	for port := range election.Port(n.links) {
		if port != from {
			e.Send(port, m)
		}
	}
	e.Done()
}

func (n *process) State(s *election.State) {
	s.Bool(&n.awake)
	s.Bool(&n.placed)
	s.Bool(&n.informed)
	s.Uint8((*uint8)(&n.stage))
	s.Uint8((*uint8)(&n.heard))
	s.Uint8((*uint8)(&n.border))
	election.VisitSlice(s, &n.waiting, visit)
}

func visit(s *election.State, c *candidate) {
	s.Rank(&c.rank)
	s.Uint32(&c.round)
	s.Port(&c.from)
}

// largestOfCorners is the rule of section 2: only the corners, which have two links, are candidates.
var largestOfCorners = &election.Winner{Name: "largest of the corners",
	Of: func(all []election.Candidate) election.ID {
		var best election.Rank
		for i := range all {
			if c := &all[i]; c.Ports == 2 && best.Less(c.Rank) {
				best = c.Rank
			}
		}
		return best.ID
	}}
