package mutex

import (
	"cmp"
	"slices"
	"time"

	"github.com/go-election/election"
)

// Message kinds of arbiter, numbered after those of the election. REQUEST, GRANT and RELEASE carry the section
// (Flags) and the stamp of a request (Term, Round); GRANT also carries a token (Value). CLAIM carries the
// number of a reign (Value). LATER carries the number (Value) and the arbiter (Rank) of a reign.
const (
	kindRequest uint8 = iota + 1
	kindGrant
	kindRelease
	kindClaim
	kindLater

	ownKinds = int(kindLater)
)

// stamp identifies a request of one client.
type stamp struct {
	term  uint64
	round uint32
}

func (s stamp) less(o stamp) bool {
	return cmp.Or(cmp.Compare(s.term, o.term), cmp.Compare(s.round, o.round)) < 0
}

func (s *stamp) visit(st *election.State) {
	st.Uint64(&s.term)
	st.Uint32(&s.round)
}

// location is the location of the arbiter.
type location uint8

const (
	unknownArbiter location = iota
	localArbiter
	remoteArbiter // behind arbiter.port
)

// arbiter is one participant: always a client, and the arbiter after it has been elected.
type arbiter struct {
	config *Config
	base   uint8 // number of message kinds of the election

	location location
	port     election.Port
	term     uint64        // Term in which the arbiter was elected
	chief    election.Rank // the arbiter
	latest   reign         // latest reign that this process has heard of, including its own
	amnesic  bool          // recovered without its state, and has not heard of any reign since
	last     stamp         // stamp of the latest request
	seats    []client      // by section
	ledger
}

// client is the state of a process as a client of one section.
type client struct {
	seat
	stamp               // stamp of the request and of the grant
	releasePending bool // has left while no arbiter was known
}

func (c *client) visit(s *election.State) {
	c.seat.visit(s)
	c.stamp.visit(s)
	s.Bool(&c.releasePending)
}

// Step handles one event.
func (n *arbiter) Step(e *election.Env, ev *election.Event) {
	switch ev.Op {
	case election.Init:
		n.begin(e)
	case election.Rejoin: // rule 8: there may be another arbiter
		n.location, n.chief, n.ready = unknownArbiter, election.Rank{}, false
		// A process without saved state knows no elected reign. It may have granted tokens in any reign, so it
		// must ask first. Reign 0 is no knowledge: Init sets it for a configured arbiter, and asking saves it.
		n.amnesic = n.latest.number == 0
		n.electIfNone(e, ev.At)
	case election.Start: // rule 1
		n.want(e, ev.At, 0, 0)
	case election.Reelect: // rule 7
		e.Lower(*ev)
	case election.Command:
		n.command(e, ev)
	case election.Decided:
		n.recvDecided(e, ev)
	case election.Suspect:
		n.suspect(e, ev, true)
	case election.Trust:
		n.suspect(e, ev, false)
	case election.Timeout:
		n.timeout(e, ev)
	case election.Recv:
		n.receive(e, ev)
	}
}

// begin discards everything that a crash has ended.
func (n *arbiter) begin(e *election.Env) {
	if len(n.seats) != n.config.Sections {
		n.seats = make([]client, n.config.Sections)
	}
	for i := range n.seats {
		n.seats[i].phase, n.seats[i].releasePending = outside, false
	}
	n.reset(e, n.config.Sections)
	n.location, n.chief = unknownArbiter, election.Rank{}
	// The configured arbiter holds only until the first election. A saved Term shows that there was an
	// election.
	if n.config.Arbiter == 0 || n.term > 0 {
		return
	}
	if e.Self().ID == n.config.Arbiter {
		n.ready = true
	}
	for port := range election.Port(e.Ports()) {
		if e.Peer(port).ID == n.config.Arbiter {
			n.chief = e.Peer(port)
		}
	}
	if n.ready {
		n.chief, n.latest.arbiter = e.Self(), e.Self()
	}
	n.locate(e)
	n.publish(e)
}

// locate determines the location of the arbiter.
func (n *arbiter) locate(e *election.Env) {
	n.location = unknownArbiter
	if n.chief.ID == 0 {
		return
	}
	if n.chief == e.Self() {
		n.location = localArbiter
		return
	}
	for port := range election.Port(e.Ports()) {
		if e.Peer(port) == n.chief {
			n.location, n.port = remoteArbiter, port
			return
		}
	}
}

func (n *arbiter) publish(e *election.Env) {
	if n.location == unknownArbiter { // the arbiter may be known but unreachable
		e.Withdraw(n.term)
		return
	}
	e.DecideIn(n.term, n.chief)
	e.Done()
}

// recvDecided switches to an arbiter that has been elected (rule 8).
func (n *arbiter) recvDecided(e *election.Env, ev *election.Event) {
	was, grown := n.location, ev.Msg.Term > n.term
	// Publish the arbiter, but do not claim a new reign, which would stop all grants for the duration of Grace.
	if !grown && n.chief == ev.Msg.Rank && n.location != unknownArbiter {
		n.publish(e) // nothing has changed
		return
	}
	n.term, n.chief = max(n.term, ev.Msg.Term), ev.Msg.Rank
	n.locate(e)
	switch {
	case n.location == localArbiter && (grown || was != localArbiter):
		n.claimReign(e)
	// Clear the tables: clients report to the new arbiter, and an old queue would grant sections to clients
	// that have left.
	case was == localArbiter && n.location != localArbiter:
		n.clearTables()
		e.StopTimer(timerGrace)
	}
	n.warn(e)
	n.publish(e)
	for section := range n.seats {
		n.renew(e, ev.At, uint8(section))
	}
	if n.location == unknownArbiter && slices.ContainsFunc(n.seats,
		func(c client) bool { return c.phase == waiting }) {
		n.electIfNone(e, ev.At)
	}
}

// electIfNone starts an election if there is no arbiter and no other process will start one. On an overlay, an
// election may have ended before this process reached its Term, or the arbiter may have recovered before any
// detector reported its crash.
func (n *arbiter) electIfNone(e *election.Env, at time.Duration) {
	if n.config.overlay && n.location == unknownArbiter && len(n.seats) > 0 { // not before Init
		e.Lower(election.Event{Op: election.Start, At: at})
	}
}

// renew sends a new arbiter the requests and grants of this process (rule 8).
func (n *arbiter) renew(e *election.Env, at time.Duration, section uint8) {
	c := &n.seats[section]
	switch {
	case c.phase == waiting:
		n.ask(e, at, section)
	case c.phase == inside && n.location == localArbiter:
		n.declare(e, ownClient, section, c.stamp)
	case c.phase == inside && n.location == remoteArbiter:
		n.sendInside(e, n.port, section)
	case c.releasePending:
		n.giveBack(e, at, section)
	}
}

// sendInside declares to an arbiter that this process is inside (rules 8 and 10).
func (n *arbiter) sendInside(e *election.Env, to election.Port, section uint8) {
	m := n.message(kindRequest, section, n.seats[section].stamp)
	m.Flags |= flagInside
	e.Send(to, m)
}

func (n *arbiter) command(e *election.Env, ev *election.Event) {
	section, number := ev.Msg.Flags, ev.Msg.Round
	if int(section) >= len(n.seats) {
		return
	}
	switch {
	case ev.Msg.Kind == commandRequest: // rule 1
		n.want(e, ev.At, section, number)
	case ev.Msg.Kind != commandRelease || n.seats[section].number != number: // rule 5
	case n.seats[section].phase == inside: // rule 5
		n.leave(e, ev.At, section)
	case n.seats[section].phase == waiting: // rule 5: if the grant arrives nevertheless, it is returned
		n.seats[section].phase = outside
		if n.location == localArbiter {
			n.forget(ownClient, section)
		}
	default: // rule 5
	}
}

// want records that the user of this process wants to enter (rule 1).
func (n *arbiter) want(e *election.Env, at time.Duration, section uint8, number uint32) {
	c := &n.seats[section]
	if c.phase == inside {
		return
	}
	// The new request has a larger stamp, which also releases the old grant at the arbiter.
	c.phase, c.number, c.releasePending = waiting, number, false
	if n.location == unknownArbiter {
		e.Lower(election.Event{Op: election.Start, At: at})
	}
	n.ask(e, at, section)
}

// ask sends a request to the arbiter, if an arbiter is known (rule 1).
func (n *arbiter) ask(e *election.Env, at time.Duration, section uint8) {
	if n.location == unknownArbiter {
		return
	}
	c := &n.seats[section]
	// Stamps begin with the Term, so that requests of a later Term have larger stamps than requests forgotten
	// in a crash.
	if n.last.term < n.term {
		n.last = stamp{term: n.term}
	}
	n.last.round++
	c.stamp = n.last
	if n.location == localArbiter {
		n.enqueue(e, at, ownClient, section, c.stamp)
		return
	}
	e.Send(n.port, n.message(kindRequest, section, c.stamp))
}

func (n *arbiter) message(kind, section uint8, s stamp) election.Message {
	return election.Message{Kind: n.base + kind, Flags: section, Term: s.term, Round: s.round}
}

// leave leaves a section (rule 5).
func (n *arbiter) leave(e *election.Env, at time.Duration, section uint8) {
	n.seats[section].leave(e, at, section)
	n.giveBack(e, at, section)
}

// giveBack returns a grant to the arbiter.
func (n *arbiter) giveBack(e *election.Env, at time.Duration, section uint8) {
	c := &n.seats[section]
	c.releasePending = n.location == unknownArbiter
	switch n.location {
	case localArbiter:
		n.release(e, at, ownClient, section, c.stamp)
	case remoteArbiter:
		e.Send(n.port, n.message(kindRelease, section, c.stamp))
	}
}

// recvGrant enters the section if this process is waiting for the grant. Otherwise it returns the grant. A
// grant with a larger stamp than this process knows answers a request that it made before a crash and has
// forgotten (rule 4).
func (n *arbiter) recvGrant(e *election.Env, ev *election.Event, section uint8, s stamp) {
	c := &n.seats[section]
	of := reign{ev.Msg.Value >> 32, e.Peer(ev.Port)}
	switch {
	case c.phase == inside && s == c.stamp: // duplicate GRANT
	// The arbiter does not know yet that its reign has ended. A later arbiter may have granted the section.
	case of.less(n.latest):
		e.Send(ev.Port, n.message(kindRelease, section, s))
		n.sendLater(e, ev.Port)
	case c.phase != waiting || s.less(c.stamp):
		e.Send(ev.Port, n.message(kindRelease, section, s))
	default:
		c.stamp = s
		// The process has forgotten its requests in a crash. Later stamps must be larger than this one.
		if n.last.less(s) {
			n.last = s
		}
		c.enter(e, ev.At, section, ev.Msg.Value, n.config.stay())
	}
}

// stay returns the longest time that a process stays inside a section granted by an arbiter.
func (c *Config) stay() time.Duration {
	if c.CriticalSection > 0 {
		return c.CriticalSection
	}
	return c.Lease
}

func (n *arbiter) timeout(e *election.Env, ev *election.Event) {
	switch {
	case ev.Timer < timerLease: // rule 5
		if section := ev.Timer - timerStay; int(section) < len(n.seats) && n.seats[section].phase == inside {
			n.leave(e, ev.At, section)
		}
	case ev.Timer == timerGrace: // rule 12
		if n.location == localArbiter {
			n.endGrace(e, ev.At)
		}
	default: // rule 6
		n.expire(e, ev.At, ev.Timer-timerLease)
	}
}

// receive handles messages of clients, as the arbiter, and of the arbiter, as a client. Clients may learn about
// an arbiter before the arbiter learns of its own election.
func (n *arbiter) receive(e *election.Env, ev *election.Event) {
	m := &ev.Msg
	section, s := m.Flags&sectionBits, stamp{term: m.Term, round: m.Round}
	if int(section) >= len(n.seats) {
		return
	}
	from := peerClient(ev.Port)
	switch m.Kind - n.base {
	case kindRequest: // rule 2
		n.suspects[ev.Port] = false
		switch {
		case n.location == remoteArbiter && m.Term <= n.term: // the client will learn which process is the arbiter
		case m.Flags&flagInside != 0:
			n.declare(e, from, section, s)
		default:
			n.enqueue(e, ev.At, from, section, s)
		}
		n.electIfNone(e, ev.At)
	case kindGrant:
		n.recvGrant(e, ev, section, s)
	case kindRelease: // rule 6
		n.suspects[ev.Port] = false
		n.release(e, ev.At, from, section, s)
	case kindClaim:
		n.suspects[ev.Port] = false
		n.recvClaim(e, ev)
	case kindLater:
		n.recvLater(e, reign{m.Value, m.Rank})
	}
}

// suspect records that a failure detector suspects a process, or that the process has left. The record holds
// until the opposite is reported or a message of the process arrives. If the arbiter has crashed and the
// election does not detect crashes itself, suspect starts the election (rule 7).
func (n *arbiter) suspect(e *election.Env, ev *election.Event, down bool) {
	if ev.Port >= election.Port(len(n.suspects)) {
		return
	}
	n.suspects[ev.Port] = down
	if down {
		n.reclaim(e, ev.At, peerClient(ev.Port))
	}
	switch {
	case !down:
		n.serveAll(e, ev.At)
	case n.location != remoteArbiter || ev.Port != n.port:
	// The configured arbiter was never elected, so there is no election to repeat.
	case n.term == 0:
		e.Lower(election.Event{Op: election.Start, At: ev.At})
	case !n.config.Election.LongLived():
		e.Lower(election.Event{Op: election.Reelect, At: ev.At})
	}
}

// State visits what changes.
func (n *arbiter) State(s *election.State) {
	s.Uint8((*uint8)(&n.location))
	s.Port(&n.port)
	s.Uint64(&n.term)
	s.Rank(&n.chief)
	n.latest.visit(s)
	s.Bool(&n.amnesic)
	n.last.visit(s)
	election.VisitSlice(s, &n.seats, func(s *election.State, c *client) { c.visit(s) })
	n.ledger.visit(s)
}
