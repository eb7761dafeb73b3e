package election

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/go-election/election/cost"
	"github.com/go-election/election/input"
	"github.com/go-election/election/params"
)

// OverComplete returns the same algorithm for complete graphs whose processes may crash and recover. It runs on
// an overlay: a subset of the links, chosen again whenever the set of unsuspected processes changes. The
// overlay arranges the unsuspected processes by ID:
//
//   - a ring goes clockwise from each process to the next larger ID, and from the largest to the smallest;
//   - a tree is a heap: the smallest ID is the root, the children of number i are 2i+1 and 2i+2;
//   - a graph is the complete graph, and so is the complete graph itself.
//
// An algorithm for complete graphs that is long-lived or elects the largest live process handles crashes itself
// and is returned unchanged. Hypercubes and meshes have a fixed number of processes, which a crash would
// change: OverComplete returns an error that wraps [ErrInput]. The same holds for Synchronous algorithms, which
// need a synchronizer below them.
//
// A Suspect removes a process from the overlay. A Trust and any message from the process add it again; a process that recovers (Rejoin) sends a message to all others for this purpose. Messages over links
// outside the overlay are dropped. Whenever the overlay of a process changes, the current or last election is
// void for that process: it starts another one with a Term larger than any it has heard of, and its Outcome is
// Undecided until then. Therefore, after the last report of the failure detectors, there is an election in
// which all processes agree on the participants. A Node that is [Algorithm.LongLived] receives a Trust for each
// port whose link has moved.
//
// On rings, an overlay reserves bit 7 of [Message.Flags] to distinguish the two links between two processes. A
// Node that sends a message with this bit panics; the drivers return the panic as observe.ErrPanic.
//
// The number of messages is the same as on the algorithm's own topology, arranged in this way. A process that
// is alone sends none.
//
// Model: links lose nothing. A suspected process is down and has no messages in flight. Every live process
// receives a Suspect for every process that stays down, and a process that recovers has the state that it saved
// last.
func (a *Algorithm) OverComplete() (*Algorithm, error) {
	if err := a.Check(); err != nil {
		return nil, err
	}
	switch {
	case a.Topology == Complete && (a.LongLived() || a.Faults.Unaided()):
		return a, nil
	case a.Topology == Hypercube || a.Topology == Mesh:
		return nil,
			input.Errorf("algorithm: %s runs on a %s, which a crash would leave with a hole: it has no "+
				"overlay", a.Title(), a.Topology)
	case a.Synchronous:
		return nil, input.Errorf("algorithm: %s needs starts at one instant, and processes hear of a crash "+
			"at different ones: put a synchronizer below it", a.Title())
	}
	// The kinds of the algorithm keep their numbers, followed by present and, for a rooted tree, begin.
	kinds := len(a.Kinds) + 1
	if a.Knows == RootPort {
		kinds++
	}
	if kinds > math.MaxUint8 {
		return nil, input.Errorf("algorithm: %s has %d Kinds, and an overlay needs %d", a.Title(),
			len(a.Kinds), kinds-len(a.Kinds))
	}
	nothing := func(cost.Widths) uint64 { return 0 }
	b := *a
	b.Topology, b.TwoWay = Complete, true
	if b.Elects == OneLeader {
		b.Elects = Successors
	}
	if b.Knows == RootPort || b.Knows == NetworkSize { // on a complete graph, the number of ports shows the size
		b.Knows = OwnPorts
	}
	own := []Kind{{Name: "present", Bits: nothing}, {Name: "begin", Bits: nothing}}
	b.Kinds = append(slices.Clone(a.Kinds), own[:kinds-len(a.Kinds)]...)
	b.Faults = Faults{Crash: MayRestart, Reported: true}
	if a.Elects == NoLeader && a.Faults.Crash == NoCrash {
		b.Faults = Faults{} // no election restores what is lost with a process, such as a token
	}
	b.Winner = a.Winner.ofLive()
	b.Best, b.Mean, b.Worst = cost.Bound{}, cost.Bound{}, cost.Bound{} // the bounds hold for other arrangements
	b.New = func(s Setup) Node { return newOverlay(a, s.Self) }
	if a.Configure != nil {
		// Wrap Configure, which would return the algorithm on its own topology.
		b.Configure = func(given *params.Given) (*Algorithm, error) {
			c, err := a.Configure(given)
			if err != nil {
				return nil, err
			}
			return c.OverComplete()
		}
	}
	return &b, nil
}

// flagBack marks a message that travels counterclockwise: on a ring of two processes, both links lead to the
// same process.
const flagBack uint8 = 1 << 7

// overlay runs a Node for another topology on some links of a complete graph. For the Node inside, it is the
// View.
type overlay struct {
	algorithm *Algorithm
	self      Rank
	host      TermKeeper
	made      Setup // Setup of the Node inside

	gone  []Port // sorted ports of suspected processes
	links []Port // by port of the Node inside; NoPort leads back to this process
	root  bool
	size  uint64 // number of unsuspected processes, including this one
	seen  uint64 // largest Term of a dropped message
	scratch
}

// scratch is the state of an overlay during one Step.
type scratch struct {
	outer View
	at    int
	event Event   // for the Node inside
	local []Event // messages of this process to itself
	was   []Port  // the links before the overlay changed
}

func newOverlay(a *Algorithm, self Rank) *overlay {
	o := &overlay{algorithm: a, self: self}
	o.made = o.setup()
	o.host = a.NewNode(o.made, false)
	return o
}

// setup returns the Setup of the Node inside.
func (o *overlay) setup() Setup {
	// linkTree links the parent first, so Parent is zero.
	s := Setup{Self: o.self, Ports: len(o.links), Root: o.root}
	if o.algorithm.Topology == Ring {
		s.Ports = 2
	}
	if o.algorithm.Knows == NetworkSize {
		s.Size = int(o.size)
	}
	return s
}

// remake replaces the Node inside if its Setup has changed, and reports whether it did.
func (o *overlay) remake() bool {
	s := o.setup()
	if s == o.made || o.algorithm.LongLived() {
		return false
	}
	o.made, o.host.node = s, o.algorithm.New(s)
	return true
}

// Step handles one event.
func (o *overlay) Step(e *Env, ev *Event) {
	switch ev.Op {
	case Init:
		o.gone = o.gone[:0]
		o.findLinks(e)
		o.remake()
		o.pass(e, ev)
	case Rejoin:
		o.pass(e, ev)
		for port := range Port(e.Ports()) {
			// Send it to suspected processes too: the suspicions are older than this process's crash.
			e.Send(port, Message{Kind: o.kindPresent(), Term: o.host.term})
		}
		// Every neighbour may have changed while this process was down, so treat all links as new.
		o.trustMoved(e, ev.At, nil)
		if e.Ports() == 0 { // no other process can notice the return and start an election
			o.reelect(e, ev.At)
		}
	case Suspect:
		// A second Suspect for the same process changes no link and must not start another election.
		if at, found := slices.BinarySearch(o.gone, ev.Port); !found && ev.Port < Port(e.Ports()) {
			o.gone = slices.Insert(o.gone, at, ev.Port)
			o.relink(e, ev.At)
		}
	case Trust:
		o.trust(e, ev)
	case Start:
		o.start(e, ev)
	case Recv:
		o.receive(e, ev)
	default:
		o.pass(e, ev)
	}
}

// kindPresent is the kind of the message by which a recovered process announces itself.
func (o *overlay) kindPresent() uint8 { return uint8(len(o.algorithm.Kinds) + 1) }

// kindBegin is the kind of the message that asks the root to start.
func (o *overlay) kindBegin() uint8 { return uint8(len(o.algorithm.Kinds) + 2) }

// trust adds a suspected process to the overlay again.
func (o *overlay) trust(e *Env, ev *Event) {
	if at, found := slices.BinarySearch(o.gone, ev.Port); found {
		o.gone = slices.Delete(o.gone, at, at+1)
		o.relink(e, ev.At)
	}
}

// start passes a Start to the election. If the algorithm has a single initiator and another process has already
// started, it does not start a second time.
func (o *overlay) start(e *Env, ev *Event) {
	h := &o.host
	underway := h.term != 0 && !h.ended && !h.opts.longLived
	if underway && (h.opts.single && h.origin != o.self.ID || o.algorithm.Knows == RootPort && !o.root) {
		return
	}
	o.pass(e, ev)
	o.askRoot(e)
}

// askRoot asks the root to start after the Node of this process has refused to.
func (o *overlay) askRoot(e *Env) {
	if o.algorithm.Knows == RootPort && !o.root && e.fx.set&didRefuse != 0 && e.fx.Err == ErrNotInitiator {
		e.fx.set, e.fx.Err = e.fx.set&^didRefuse, nil
		order, _ := o.order(e)
		e.Send(order[0], Message{Kind: o.kindBegin(), Term: o.host.term})
	}
}

// receive passes a message that arrived over a link of the overlay to the Node inside.
func (o *overlay) receive(e *Env, ev *Event) {
	m := &ev.Msg
	if m.Kind > o.kindPresent() && (m.Kind != o.kindBegin() || o.algorithm.Knows != RootPort) {
		return // unknown kind, which a TermKeeper would answer if its Term is old
	}
	// A message proves that its sender is up, even if no Trust has come.
	if !o.isHere(ev.Port) {
		o.seen = max(o.seen, m.Term)
		if o.trust(e, ev); !o.host.opts.longLived {
			return // its Term has ended
		}
	}
	switch {
	case m.Kind == o.kindPresent():
		o.seen = max(o.seen, m.Term)
		o.reelect(e, ev.At)
		return
	case m.Kind == o.kindBegin() && o.algorithm.Knows == RootPort:
		o.recvBegin(e, ev)
		return
	}
	port, ok := o.arrives(ev.Port, m)
	switch {
	case m.Kind == CatchUp && !o.host.opts.longLived: // over any link
	case !ok:
		o.seen = max(o.seen, m.Term)
		return
	}
	o.event = Event{At: ev.At, Op: Recv, Port: port, Msg: *m}
	if o.algorithm.Topology == Ring {
		o.event.Msg.Flags &^= flagBack
	}
	o.pass(e, &o.event)
}

// recvBegin starts the election that another process has asked the root for. If the other process is behind, it
// learns the current Term from its neighbours.
func (o *overlay) recvBegin(e *Env, ev *Event) {
	switch term := ev.Msg.Term; {
	case !o.root:
		o.seen = max(o.seen, term)
	case term > o.host.term || term == o.host.term && o.host.origin != o.self.ID: // no process has started it
		o.seen = max(o.seen, term)
		o.reelect(e, ev.At)
	}
}

// arrives returns the port of the Node inside over which a message arrives.
func (o *overlay) arrives(from Port, m *Message) (Port, bool) {
	switch o.algorithm.Topology {
	// Search linearly: there are at most three ports, in heap order with the parent first.
	case Tree:
		port := slices.Index(o.links, from)
		return Port(max(port, 0)), port >= 0
	case Ring:
		port := Counterclockwise
		if m.Flags&flagBack != 0 {
			port = Clockwise
		}
		return port, len(o.links) == 2 && o.links[port] == from
	}
	port, ok := slices.BinarySearch(o.links, from) // sorted
	return Port(port), ok
}

// pass steps the Node inside with ev, and then with the messages that it has sent to itself.
func (o *overlay) pass(e *Env, ev *Event) {
	term, origin, before := o.host.term, o.host.origin, e.fx.set
	e.fx.set = 0
	o.inside(e, ev)
	// Do not range over local: the Node may send to itself again while it handles one of these.
	for i := 0; i < len(o.local); i++ {
		if i == maxRaised {
			panic("a process sends messages to itself without end")
		}
		// Copy the event: an append may move local while the Node still reads it.
		o.event = o.local[i]
		o.inside(e, &o.event)
	}
	o.local = o.local[:0]
	if e.fx.set&didDecide == 0 && (o.host.term != term || o.host.origin != origin) {
		e.Withdraw(o.host.term) // the decision is void
	}
	e.fx.set |= before
}

// inside steps the Node inside and translates the messages that it sends.
func (o *overlay) inside(e *Env, ev *Event) {
	// The overlay is the View of the Node inside during this Step only.
	mark := len(e.fx.Sends)
	o.outer, o.at, e.view = e.view, e.self, o
	o.host.Step(e, ev)
	o.outer, e.view = nil, o.outer
	// Filter in place: the write position never passes i.
	sends := e.fx.Sends[:mark]
	for i := mark; i < len(e.fx.Sends); i++ {
		out := e.fx.Sends[i]
		if out.Port >= Port(len(o.links)) {
			out.Port = NoPort // makes the driver reject it
			sends = append(sends, out)
			continue
		}
		ring, port := o.algorithm.Topology == Ring, out.Port
		if ring && out.Msg.Flags&flagBack != 0 {
			panic(fmt.Sprintf("%s sends bit 7 of Flags, which an overlay of a ring has taken",
				o.algorithm.Title()))
		}
		if out.Port = o.links[port]; out.Port == NoPort {
			// The ports of a ring are 0 and 1: a message that leaves by one arrives by the other.
			o.local = append(o.local, Event{At: ev.At, Op: Recv, Port: port ^ 1, Msg: out.Msg})
			continue
		}
		if ring && port == Counterclockwise {
			out.Msg.Flags |= flagBack
		}
		sends = append(sends, out)
	}
	e.fx.Sends = sends
}

// relink chooses the links of the overlay again after a change, and starts another election.
func (o *overlay) relink(e *Env, at time.Duration) {
	o.was = o.was[:0]
	if o.algorithm.LongLived() {
		// Copy the links, because findLinks reuses the slice.
		o.was = append(o.was, o.links...)
	}
	o.findLinks(e)
	o.trustMoved(e, at, o.was)
	// A new Node needs an Init. If there has been an election, reelect below delivers it.
	if o.remake() && o.host.term == 0 && o.seen == 0 {
		o.event = Event{Op: Init, At: at}
		o.pass(e, &o.event)
	}
	o.reelect(e, at)
}

// trustMoved delivers a Trust to a long-lived Node for each port that leads to another process than before.
func (o *overlay) trustMoved(e *Env, at time.Duration, before []Port) {
	if !o.algorithm.LongLived() {
		return
	}
	for port, to := range o.links {
		if port >= len(before) || to != before[port] {
			o.event = Event{Op: Trust, At: at, Port: Port(port)}
			o.pass(e, &o.event)
		}
	}
}

// reelect starts an election with a Term larger than all known Terms, if there has been an election.
func (o *overlay) reelect(e *Env, at time.Duration) {
	// If there has been no election, a change of the links does not start one.
	if o.host.opts.longLived || o.host.term == 0 && o.seen == 0 {
		return
	}
	o.host.term = max(o.host.term, o.seen)
	o.event = Event{Op: Reelect, At: at}
	o.pass(e, &o.event)
	o.askRoot(e)
}

// findLinks chooses the links of the overlay.
func (o *overlay) findLinks(e *Env) {
	o.links = o.links[:0]
	o.size = uint64(e.Ports() + 1 - len(o.gone))
	switch o.algorithm.Topology {
	case Ring:
		o.linkRing(e)
	case Tree:
		o.linkTree(e)
	default:
		for port := range Port(e.Ports()) {
			if o.isHere(port) {
				o.links = append(o.links, port)
			}
		}
	}
}

// isHere reports whether the process behind a port is unsuspected.
func (o *overlay) isHere(port Port) bool {
	_, gone := slices.BinarySearch(o.gone, port)
	return !gone
}

// linkRing links this process to the next larger and the next smaller ID, wrapping around.
func (o *overlay) linkRing(e *Env) {
	next, previous := NoPort, NoPort
	if order, me := o.order(e); len(order) > 0 {
		next, previous = order[me%len(order)], order[(me+len(order)-1)%len(order)]
	}
	o.links = append(o.links, next, previous)
}

// linkTree links this process to its parent and children in the heap.
func (o *overlay) linkTree(e *Env) {
	order, me := o.order(e)
	// Only a rooted Node knows the root: do not remake other Nodes because the root has changed.
	o.root = o.algorithm.Knows == RootPort && me == 0
	if me > 0 {
		o.links = append(o.links, order[(me-1)/2])
	}
	// order does not contain this process, so a child's index is one lower than in the heap.
	for child := 2*me + 1; child <= min(2*me+2, len(order)); child++ {
		o.links = append(o.links, order[child-1])
	}
}

// order returns the ports of the other processes of the overlay by ID, and the number of IDs that are smaller
// than the ID of this process.
func (o *overlay) order(e *Env) ([]Port, int) {
	order := make([]Port, 0, e.Ports())
	for port := range Port(e.Ports()) {
		if o.isHere(port) {
			order = append(order, port)
		}
	}
	slices.SortFunc(order, func(p, q Port) int { return cmp.Compare(e.Peer(p).ID, e.Peer(q).ID) })
	me, _ := slices.BinarySearchFunc(order, o.self.ID, func(p Port, id ID) int {
		return cmp.Compare(e.Peer(p).ID, id)
	})
	return order, me
}

// Self returns this process's own Rank: the overlay is the View of the Node inside.
func (o *overlay) Self(int) Rank { return o.outer.Self(o.at) }

// Ports returns how many links the Node inside has.
func (o *overlay) Ports(int) int { return len(o.links) }

// Peer returns the Rank behind a port of the Node inside.
func (o *overlay) Peer(_ int, port Port) Rank {
	switch {
	case port >= Port(len(o.links)):
		return Rank{}
	case o.links[port] == NoPort:
		return o.outer.Self(o.at)
	}
	return o.outer.Peer(o.at, o.links[port])
}

// Weight returns the weight of the link behind a port of the Node inside.
func (o *overlay) Weight(_ int, port Port) uint64 {
	if port >= Port(len(o.links)) || o.links[port] == NoPort {
		return 0
	}
	return weightIn(o.outer, o.at, o.links[port])
}

// State visits the links, and then the Node inside, which it remakes first if the links require another Node.
func (o *overlay) State(s *State) {
	VisitSlice(s, &o.gone, (*State).Port)
	VisitSlice(s, &o.links, (*State).Port)
	s.Bool(&o.root)
	if o.algorithm.Knows == NetworkSize { // nothing depends on it otherwise
		s.Uint64(&o.size)
	}
	s.Uint64(&o.seen)
	// The links have been restored. Make the Node for them before restoring its state.
	if s.act != stateSave {
		o.remake()
	}
	o.host.State(s)
}
