// Package ghs builds the minimum spanning tree of a connected graph and elects a leader on it, by the algorithm
// of Gallager, Humblet and Spira.
//
// Each process begins as a fragment of its own. A fragment is a part of the tree with a level. It finds its
// lightest outgoing link, and joins the fragment at the other end over it. Two fragments of the same level that
// choose the same link merge into one of the next level, and this link is its core. A fragment of a lower level
// is absorbed by a fragment of a higher level immediately; a fragment that meets a lower level waits until the
// other has risen. To find the lightest outgoing link, the ends of the core send the level and the core, which
// identifies the fragment, over the tree. Each process tests its links in the order of their weights, and the
// lightest of all is reported back to the core. If there is none the tree is complete, and the larger end of
// the core leads.
//
// # The rules
//
// A link of a process is basic at first, and later either a branch of the tree or rejected. A deferred message
// is examined again after each step, the oldest first.
//
//  1. Wake up. A process that starts, or that a message finds asleep, makes its lightest link a branch and
//     sends CONNECT over it, of level 0. A process without links leads.
//  2. Absorb. A process that receives CONNECT of a lower level than its own makes the link a branch. It sends
//     INITIATE over it, with its level, its fragment and its state, and awaits a report if it searches.
//  3. Defer CONNECT. A CONNECT of the same level or a higher one waits as long as the link is basic.
//  4. Merge. If the link is a branch, the process has sent CONNECT over it too: the link is the core. The
//     process sends INITIATE over it, of the next level, with the core as the fragment, to search.
//  5. Initiate. A process that receives INITIATE adopts its level, fragment and state, and the sender is its
//     parent. It sends INITIATE to its other branches. If it is to search, it awaits a report of each.
//  6. Test. A process that is to search sends TEST, with its level and its fragment, over its lightest basic
//     link. If it has none, its own test is over.
//  7. Defer TEST. A TEST of a higher level than the process's own waits.
//  8. Accept. The process answers a TEST of another fragment by ACCEPT.
//  9. Reject. If a TEST of the same fragment arrives over a basic link, the process rejects the link. A
//     process that has sent TEST over the link itself tests the next link; another answers REJECT.
//  10. Found. A process that receives ACCEPT has found an outgoing link, and records it if it is the lightest
//     so far. Its own test is over.
//  11. Refused. A process that receives REJECT rejects the link, if it was basic, and tests the next.
//  12. Collect. A process that receives REPORT from a child records the link in it, if it is the lightest so
//     far.
//  13. Report. A process whose children have all reported, and whose own test is over, sends REPORT to its
//     parent, with the lightest link, or none. Its search is over.
//  14. Defer REPORT. A REPORT from the other end of the core waits while the process searches.
//  15. Turn. An end of the core whose side has the lighter link sends CHANGEROOT towards it; if the link is
//     its own, it makes it a branch and sends CONNECT over it. The other end waits.
//  16. Change root. A process that receives CHANGEROOT does the same.
//  17. Halt. If neither side has found a link, the tree is complete. The larger end of the core leads, and
//     sends ELECTED to its branches. The smaller end waits for it.
//  18. Elected. A process that receives ELECTED follows the leader, and sends ELECTED to its other branches.
//
// # Model
//
// A connected graph with two-way links that deliver in order, asynchronous, of unknown size and shape; unique
// IDs; no failures; any number of initiators. Both ends of a link know its weight, and the IDs of each other.
// Links of the same weight are ordered by the smaller IDs of their ends, then by the larger. A Start at a
// process that is awake is ignored.
//
// # Messages
//
// N processes, E links. At most
//
//	2E + 5N*log2 N, and N-1 elected
//
// A link is rejected once, by two messages: TEST and REJECT, or two TESTs that cross. At each of its levels, at
// most log2 N, a process receives at most one INITIATE and one ACCEPT, and sends at most one TEST that is
// accepted, one REPORT and one CHANGEROOT or CONNECT.
//
// TEST and INITIATE carry a link and a level, REPORT a link, CONNECT a level and a Rank, ELECTED a Rank. A
// process keeps two links, a Rank, a few numbers, and for each of its links a place in their order and two
// bits.
//
// # Guarantees
//
// The branches are the minimum spanning tree, which is unique. Exactly one process is elected, on every
// schedule: an end of the last core. Which link is the last core depends on the schedule. A process knows the
// end as soon as it knows the leader.
//
// # Limitations
//
// Links that do not deliver in order break the election, as do one crash, one lost message, or a link whose
// ends have different weights for it. Weights and Ranks must not change during an election. A fragment may wait
// for a long time: the longest chain of messages is of the order of N*log2 N if all start simultaneously, and
// of N*N otherwise.
//
// # Corrected here
//
// In the source, the algorithm ends at the core: its ends know that the tree is complete, and no other process
// does. Rules 17 and 18 add the announcement. CONNECT carries the Rank of its sender, so that each end of the
// core knows whether it is the larger. In the source a deferred message goes to the end of the process's queue
// and is examined again and again; here it is examined when the process has changed.
//
// Source: R. G. Gallager, P. A. Humblet and P. M. Spira, A distributed algorithm for minimum-weight spanning
// trees, ACM TOPLAS 5(1), 1983.
package ghs

import (
	"cmp"
	"math"
	"slices"

	"github.com/go-election/election"
	"github.com/go-election/election/cost"
	"github.com/go-election/election/internal/portset"
)

// Message kinds. Round is the level.
const (
	kindConnect    uint8 = iota + 1 // the Rank of the sender, and its level
	kindInitiate                    // the fragment, by its core, and its level; with flagSearch: to search
	kindTest                        // the fragment of the sender, and its level
	kindAccept                      // the link leads out of the sender's fragment
	kindReject                      // it does not
	kindReport                      // the lightest outgoing link; the zero Weight if there is none
	kindChangeRoot                  // the lightest outgoing link is on this side
	kindElected                     // the leader
)

// flagSearch in INITIATE means that the receiver is to search.
const flagSearch uint8 = 1

// Algorithms returns the only variant.
func Algorithms() []*election.Algorithm { return []*election.Algorithm{Algorithm()} }

// Algorithm returns the algorithm.
func Algorithm() *election.Algorithm {
	nothing := func(cost.Widths) uint64 { return 0 }
	weight := func(w cost.Widths) uint64 { return w.Weight + 2*w.ID }
	level := func(w cost.Widths) uint64 { return w.LogN }
	return &election.Algorithm{
		Name: "ghs",
		Summary: "fragments of the minimum spanning tree join over their lightest links; the larger end of " +
			"the last such link leads",
		Source:    "Gallager, Humblet, Spira 1983",
		Topology:  election.Graph,
		TwoWay:    true,
		Knows:     election.LinkWeights,
		NeedsFIFO: true,
		LateStart: election.LateIgnored,
		Kinds: []election.Kind{
			{Name: "connect", Joins: true, Round: "level",
				Bits: func(w cost.Widths) uint64 { return level(w) + w.Rank() }},
			{Name: "initiate", Weighs: true, Round: "level", Value: "end", Marks: []string{"search"},
				Bits: func(w cost.Widths) uint64 { return weight(w) + level(w) + 1 }},
			{Name: "test", Weighs: true, Round: "level", Value: "end",
				Bits: func(w cost.Widths) uint64 { return weight(w) + level(w) }},
			{Name: "accept", Bits: nothing},
			{Name: "reject", Bits: nothing},
			{Name: "report", Weighs: true, Value: "end", Bits: weight},
			{Name: "changeroot", Bits: nothing},
			{Name: "elected", Announces: true, Bits: cost.Widths.Rank},
		},
		Worst: cost.Bound{Formula: "M + 5n*log2 n + n-1, M ports in all", Loose: true,
			CountPorts: func(n, ports int) float64 {
				return float64(ports) + math.Floor(5*float64(n)*math.Log2(float64(n))) + float64(n-1)
			}},
		New: func(s election.Setup) election.Node { return &process{me: s.Self} },
	}
}

// state is the progress of a process in the current level.
type state uint8

const (
	sleeping  state = iota
	searching       // searches for the lightest outgoing link of its fragment
	found           // has reported the link
	ended           // knows the leader
)

// process is a participant.
type process struct {
	me       election.Rank
	state    state
	level    uint32
	fragment edge          // the core of the fragment
	other    election.Rank // the other end of the last core that has this process as an end
	parent   election.Port // towards the core
	best     election.Port // towards the lightest outgoing link
	lightest edge          // the lightest outgoing link; zero if there is none
	testing  election.Port // port of the TEST in flight, or NoPort
	awaited  uint32        // number of children that have not reported

	branches portset.Set     // links of the tree
	rejected portset.Set     // links with both ends in one fragment; all others are basic
	order    []election.Port // links sorted by weight
	tested   uint32          // links before this one in order are not basic
	waiting  []waiting
}

// isBasic reports whether the process does not know yet whether a link belongs to the tree.
func (n *process) isBasic(port election.Port) bool {
	return !n.branches.Has(port) && !n.rejected.Has(port)
}

// waiting is a deferred message.
type waiting struct {
	port election.Port
	msg  election.Message
}

func (n *process) Step(e *election.Env, ev *election.Event) {
	switch ev.Op {
	case election.Start: // rule 1
		if n.state == sleeping {
			n.wakeUp(e)
		}
	case election.Recv:
		if n.state == sleeping { // rule 1
			n.wakeUp(e)
		}
		if n.mustWait(ev.Port, &ev.Msg) {
			n.waiting = append(n.waiting, waiting{ev.Port, ev.Msg})
			return
		}
		n.take(e, ev.Port, &ev.Msg)
		n.takeWaiting(e)
	}
}

// mustWait reports whether a message comes too early.
func (n *process) mustWait(port election.Port, m *election.Message) bool {
	switch {
	case m.Kind == kindConnect && m.Round >= n.level && n.isBasic(port): // rule 3
		return true
	case m.Kind == kindTest && m.Round > n.level: // rule 7
		return true
	case m.Kind == kindReport && port == n.parent && n.state == searching: // rule 14
		return true
	}
	return false
}

// takeWaiting handles the deferred messages that can be handled now.
func (n *process) takeWaiting(e *election.Env) {
	for i := 0; i < len(n.waiting); {
		w := n.waiting[i]
		if n.mustWait(w.port, &w.msg) {
			i++
			continue
		}
		copy(n.waiting[i:], n.waiting[i+1:])
		n.waiting = n.waiting[:len(n.waiting)-1]
		n.take(e, w.port, &w.msg)
		// Any of the others may be possible now.
		i = 0
	}
}

func (n *process) take(e *election.Env, port election.Port, m *election.Message) {
	switch m.Kind {
	case kindConnect:
		n.connect(e, port, m)
	case kindInitiate:
		n.initiate(e, port, m)
	case kindTest:
		n.test(e, port, m)
	case kindAccept:
		n.accept(e, port)
	case kindReject:
		n.reject(e, port)
	case kindReport:
		n.report(e, port, edgeIn(m))
	case kindChangeRoot: // rule 16
		n.changeRoot(e)
	case kindElected:
		n.elected(e, port, m.Rank)
	}
}

func (n *process) wakeUp(e *election.Env) { // rule 1
	n.state, n.testing, n.best = found, election.NoPort, election.NoPort
	if e.Ports() == 0 {
		n.end(e, e.Self(), election.NoPort)
		return
	}
	n.sort(e)
	n.join(e, n.order[0])
}

// sort sorts the links by weight. A process then examines each of them once; otherwise it would search all of
// its links for each test.
func (n *process) sort(e *election.Env) {
	for port := range election.Port(e.Ports()) {
		n.order = append(n.order, port)
	}
	slices.SortFunc(n.order, func(p, q election.Port) int {
		return cmp.Or(edgeOf(e, p).compare(edgeOf(e, q)), cmp.Compare(p, q))
	})
}

// join makes a link a branch, and asks the fragment behind it to join.
func (n *process) join(e *election.Env, over election.Port) {
	n.branches.Add(over)
	e.Send(over, election.Message{Kind: kindConnect, Round: n.level, Rank: e.Self()})
}

func (n *process) connect(e *election.Env, port election.Port, m *election.Message) {
	if m.Round < n.level { // rule 2
		n.branches.Add(port)
		n.sendInitiate(e, port)
		return
	}
	// rule 4
	n.other = m.Rank
	core := election.Message{Kind: kindInitiate, Round: n.level + 1, Flags: flagSearch}
	edgeOf(e, port).put(&core)
	e.Send(port, core)
}

// sendInitiate sends the current level to a child, which reports if there is a search.
func (n *process) sendInitiate(e *election.Env, child election.Port) {
	m := election.Message{Kind: kindInitiate, Round: n.level}
	n.fragment.put(&m)
	if n.state == searching {
		m.Flags = flagSearch
		n.awaited++
	}
	e.Send(child, m)
}

func (n *process) initiate(e *election.Env, port election.Port, m *election.Message) { // rule 5
	n.level, n.fragment, n.parent = m.Round, edgeIn(m), port
	n.state = found
	if m.Flags&flagSearch != 0 {
		n.state = searching
	}
	n.best, n.lightest = election.NoPort, edge{}
	for child := n.branches.From(0); child != election.NoPort; child = n.branches.From(child + 1) {
		if child != port {
			n.sendInitiate(e, child)
		}
	}
	if n.state == searching {
		n.testNext(e)
	}
}

// testNext tests the lightest basic link.
func (n *process) testNext(e *election.Env) { // rule 6
	// No link becomes basic again, so continue where the last search ended.
	for int(n.tested) < len(n.order) && !n.isBasic(n.order[n.tested]) {
		n.tested++
	}
	if int(n.tested) >= len(n.order) {
		n.testing = election.NoPort
		n.allReported(e)
		return
	}
	n.testing = n.order[n.tested]
	m := election.Message{Kind: kindTest, Round: n.level}
	n.fragment.put(&m)
	e.Send(n.testing, m)
}

func (n *process) test(e *election.Env, port election.Port, m *election.Message) {
	if edgeIn(m) != n.fragment { // rule 8
		e.Send(port, election.Message{Kind: kindAccept})
		return
	}
	// rule 9
	if n.isBasic(port) {
		n.rejected.Add(port)
	}
	if n.testing == port {
		// The two TESTs have crossed: each answers the other.
		n.testNext(e)
	} else {
		e.Send(port, election.Message{Kind: kindReject})
	}
}

func (n *process) accept(e *election.Env, port election.Port) { // rule 10
	n.testing = election.NoPort
	n.note(port, edgeOf(e, port))
	n.allReported(e)
}

func (n *process) reject(e *election.Env, port election.Port) { // rule 11
	if n.isBasic(port) {
		n.rejected.Add(port)
	}
	n.testNext(e)
}

// note records the lightest outgoing link.
func (n *process) note(towards election.Port, w edge) {
	if w.lighter(n.lightest) {
		n.best, n.lightest = towards, w
	}
}

func (n *process) report(e *election.Env, port election.Port, w edge) {
	switch {
	case port != n.parent: // rule 12
		n.awaited--
		n.note(port, w)
		n.allReported(e)
	case n.lightest.lighter(w): // rule 15
		n.changeRoot(e)
	case w == n.lightest: // rule 17: both are none, as no link leads out of both sides
		if n.other.Less(e.Self()) {
			n.end(e, e.Self(), election.NoPort)
		}
	default: // rule 15: the other end has the lighter link
	}
}

// allReported reports to the parent when the search of this process and its children is over.
func (n *process) allReported(e *election.Env) { // rule 13
	if n.awaited > 0 || n.testing != election.NoPort {
		return
	}
	n.state = found
	m := election.Message{Kind: kindReport}
	n.lightest.put(&m)
	e.Send(n.parent, m)
}

func (n *process) changeRoot(e *election.Env) { // rules 15 and 16
	if n.best >= election.Port(e.Ports()) {
		return // a peer has forged the message: this process has found no link
	}
	if n.branches.Has(n.best) {
		e.Send(n.best, election.Message{Kind: kindChangeRoot})
		return
	}
	n.join(e, n.best)
}

func (n *process) elected(e *election.Env, port election.Port, leader election.Rank) { // rule 18
	if n.state != ended {
		n.end(e, leader, port)
	}
}

// end sends the leader to all branches except the one it has come from.
func (n *process) end(e *election.Env, leader election.Rank, from election.Port) {
	n.state = ended
	e.Decide(leader)
	for port := n.branches.From(0); port != election.NoPort; port = n.branches.From(port + 1) {
		if port != from {
			e.Send(port, election.Message{Kind: kindElected, Rank: leader})
		}
	}
	e.Done()
}

// Tree returns the port towards the leader in the spanning tree, election.NoPort at the leader, and the ports
// away from it. ok is false before the end.
func (n *process) Tree() (parent election.Port, children []election.Port, ok bool) {
	if n.state != ended {
		return election.NoPort, nil, false
	}
	parent = n.parent
	// The leader is the larger end of the last core, whose parent is the smaller one.
	core := edge{n.fragment.weight, min(n.me.ID, n.other.ID), max(n.me.ID, n.other.ID)}
	if n.branches.Len() == 0 || core == n.fragment && n.other.Less(n.me) {
		parent = election.NoPort
	}
	for port := n.branches.From(0); port != election.NoPort; port = n.branches.From(port + 1) {
		if port != parent {
			children = append(children, port)
		}
	}
	return parent, children, true
}

func (n *process) State(s *election.State) {
	s.Enum((*uint8)(&n.state), uint8(ended)+1)
	s.Uint32(&n.level)
	n.fragment.State(s)
	s.Rank(&n.other)
	s.Port(&n.parent)
	s.Port(&n.best)
	n.lightest.State(s)
	s.Port(&n.testing)
	s.Uint32(&n.awaited)
	n.branches.State(s)
	n.rejected.State(s)
	election.VisitSlice(s, &n.order, (*election.State).Port)
	s.Uint32(&n.tested)
	election.VisitSlice(s, &n.waiting, func(s *election.State, w *waiting) {
		s.Port(&w.port)
		s.Message(&w.msg)
	})
}
