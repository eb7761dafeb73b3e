package mutex

import (
	"math"
	"slices"

	"github.com/go-election/election"
	"github.com/go-election/election/internal/portset"
)

// Message kinds of ricartagrawala. Both carry the number of the request (Value). OK also carries the number of
// the latest entry that its sender knows of (Term).
const (
	kindAsk uint8 = iota + 1
	kindOK
)

// asker is one participant.
type asker struct {
	config   *Config
	highest  uint64 // largest number of a request that this process has sent or received
	reserved uint64 // no request or token of this process has had a larger number, including before a crash
	gone     portset.Set
	seats    []claim
}

// claim is the state of a process in one section.
type claim struct {
	seat
	request  uint64      // number of the request
	entry    uint64      // number of the latest entry of any process that this process knows of
	answered portset.Set // processes that have answered the request
	deferred []demand
}

// demand is a request that is answered when this process leaves.
type demand struct {
	port    election.Port
	request uint64
}

// Step handles one event.
func (n *asker) Step(e *election.Env, ev *election.Event) {
	switch ev.Op {
	case election.Init:
		n.begin()
	case election.Start: // rule 13
		n.want(e, ev, 0, 0)
	case election.Command:
		n.command(e, ev)
	case election.Suspect:
		n.dismiss(e, ev)
	case election.Trust: // rule 17
		if ev.Port < election.Port(e.Ports()) {
			n.readmit(e, ev.Port)
		}
	case election.Timeout: // rule 16
		if int(ev.Timer) < len(n.seats) && n.seats[ev.Timer].phase == inside {
			n.leave(e, ev, ev.Timer)
		}
	case election.Recv:
		n.receive(e, ev)
	}
}

// begin discards what a crash has ended. The next token of this process, or of a process that it answers, is
// larger than all tokens of this process before the crash.
func (n *asker) begin() {
	n.highest = max(n.highest, n.reserved)
	n.gone.Clear()
	n.seats = make([]claim, n.config.Sections)
	for i := range n.seats {
		n.seats[i].entry = n.reserved
	}
}

// reserveSize is the number of numbers that a process reserves at a time, so that it need not save every
// request.
const reserveSize = 1024

// reserve saves that this process uses a number, and reserves the following numbers.
func (n *asker) reserve(e *election.Env, number uint64) {
	if number > n.reserved {
		// Do not use number+reserveSize: the end of a block must not depend on which number is used first, or a
		// checker would visit many states that differ in nothing else.
		n.reserved = (number/reserveSize + 1) * reserveSize
		e.Save()
	}
}

func (n *asker) command(e *election.Env, ev *election.Event) {
	section, number := ev.Msg.Flags, ev.Msg.Round
	if int(section) >= len(n.seats) {
		return
	}
	switch {
	case ev.Msg.Kind == commandRequest: // rule 13
		n.want(e, ev, section, number)
	case ev.Msg.Kind != commandRelease || n.seats[section].number != number: // rule 16
	case n.seats[section].phase == inside: // rule 16
		n.leave(e, ev, section)
	// This process has deferred the requests of others in favour of its own: answer them now.
	case n.seats[section].phase == waiting: // rule 16
		n.seats[section].phase = outside
		n.answer(e, section)
	default: // rule 16
	}
}

// want sends a request to all others. A process that is already waiting continues to wait (rule 13).
func (n *asker) want(e *election.Env, ev *election.Event, section uint8, number uint32) {
	p := &n.seats[section]
	if p.phase == inside {
		return
	}
	p.number = number
	// The first request keeps its place in the order; only its number for the user changes.
	if p.phase == waiting {
		return
	}
	if n.highest >= mostRequests(e) {
		e.Refuse(election.ErrTermExhausted)
		return
	}
	n.highest++
	n.reserve(e, n.highest)
	p.phase, p.request = waiting, n.highest
	p.answered.Clear()
	for port := range election.Port(e.Ports()) {
		if !n.gone.Has(port) {
			n.ask(e, port, section)
		}
	}
	// If this process is alone, or all others are gone, no answer will arrive that would let it enter.
	n.tryEnter(e, ev, section)
}

// mostRequests is the largest number of a request. It keeps tokens below 2^63; see tryEnter.
func mostRequests(e *election.Env) uint64 { return math.MaxInt64 >> placeBits(e) }

func (n *asker) ask(e *election.Env, to election.Port, section uint8) {
	e.Send(to, election.Message{Kind: kindAsk, Flags: section, Value: n.seats[section].request})
}

func (n *asker) receive(e *election.Env, ev *election.Event) {
	m := &ev.Msg
	if int(m.Flags) >= len(n.seats) || m.Kind != kindAsk && m.Kind != kindOK || m.Value > mostRequests(e) {
		return
	}
	if n.gone.Has(ev.Port) {
		n.readmit(e, ev.Port)
	}
	// Learn from OKs too: a process that has lost its state learns of its own old requests in this way.
	n.highest = max(n.highest, m.Value)
	p := &n.seats[m.Flags]
	switch m.Kind {
	case kindAsk: // rule 14
		if p.phase == inside || p.phase == waiting && p.precedes(e, m.Value, e.Peer(ev.Port).ID) {
			p.deferLater(ev.Port, m.Value)
			return
		}
		n.sendOK(e, ev.Port, m.Flags, m.Value)
	case kindOK: // rule 15
		if p.phase == waiting && m.Value == p.request {
			// Use a set rather than a count: a message may be duplicated.
			p.answered.Add(ev.Port)
			// Term carries the latest entry that the other process knows of. The bound protects the token
			// against a forged message.
			p.entry = max(p.entry, min(m.Term, mostRequests(e)))
			n.tryEnter(e, ev, m.Flags)
		}
	}
}

// dismiss stops asking a process and waiting for its answers, because it has left or is suspected (rule 17).
func (n *asker) dismiss(e *election.Env, ev *election.Event) {
	if ev.Port >= election.Port(e.Ports()) || n.gone.Has(ev.Port) {
		return
	}
	n.gone.Add(ev.Port)
	for i := range n.seats {
		if n.seats[i].phase == waiting {
			n.tryEnter(e, ev, uint8(i))
		}
	}
}

// readmit includes a process that is up, and asks it for every answer that is missing. Earlier answers of a
// process that was gone are void: it may have recovered since, with an earlier request, and would not know of
// the current one. A process that was not gone is asked again, because a request that arrived before it was up
// is lost (rule 17).
func (n *asker) readmit(e *election.Env, port election.Port) {
	gone := n.gone.Has(port)
	n.gone.Remove(port)
	for i := range n.seats {
		if p := &n.seats[i]; p.phase == waiting && (gone || !p.answered.Has(port)) {
			p.answered.Remove(port)
			n.ask(e, port, uint8(i))
		}
	}
}

// deferLater records a request to be answered later. It replaces an earlier request of the same process, which
// the process has withdrawn.
func (p *claim) deferLater(port election.Port, request uint64) {
	i := slices.IndexFunc(p.deferred, func(d demand) bool { return d.port == port })
	if i < 0 {
		p.deferred = append(p.deferred, demand{port: port, request: request})
		return
	}
	// Links may reorder messages, so the request that arrived last need not be the latest.
	p.deferred[i].request = max(p.deferred[i].request, request)
}

// precedes reports whether this process's own request is earlier than another.
func (p *claim) precedes(e *election.Env, request uint64, id election.ID) bool {
	return p.request < request || p.request == request && e.Self().ID < id
}

func (n *asker) sendOK(e *election.Env, to election.Port, section uint8, request uint64) {
	e.Send(to, election.Message{Kind: kindOK, Flags: section, Value: request, Term: n.seats[section].entry})
}

// tryEnter enters if all processes that are not gone have answered (rule 15).
func (n *asker) tryEnter(e *election.Env, ev *election.Event, section uint8) {
	p := &n.seats[section]
	for port := range election.Port(e.Ports()) {
		if !p.answered.Has(port) && !n.gone.Has(port) {
			return
		}
	}
	// A process that recovered without its state numbers its requests from the beginning. Use another number if
	// a later entry is already known.
	number := max(p.request, p.entry+1)
	if number > mostRequests(e) {
		p.phase = outside
		n.answer(e, section)
		e.Refuse(election.ErrTermExhausted)
		return
	}
	n.reserve(e, number)
	p.entry = number
	// The token combines this number with the place of the process among all by ID. Numbers may be equal,
	// places are not: the low bits distinguish tokens of different processes.
	before := place(e, func(peer, me election.Rank) bool { return peer.ID < me.ID })
	p.enter(e, ev.At, section, number<<placeBits(e)|before, n.config.CriticalSection)
}

// leave leaves a section and answers all deferred requests (rule 16).
func (n *asker) leave(e *election.Env, ev *election.Event, section uint8) {
	n.seats[section].leave(e, ev.At, section)
	n.answer(e, section)
}

func (n *asker) answer(e *election.Env, section uint8) {
	p := &n.seats[section]
	for _, d := range p.deferred {
		n.sendOK(e, d.port, section, d.request)
	}
	p.deferred = p.deferred[:0]
}

// State visits what changes.
func (n *asker) State(s *election.State) {
	s.Uint64(&n.highest)
	s.Uint64(&n.reserved)
	n.gone.State(s)
	election.VisitSlice(s, &n.seats, func(s *election.State, p *claim) {
		p.seat.visit(s)
		s.Uint64(&p.request)
		s.Uint64(&p.entry)
		p.answered.State(s)
		election.VisitSlice(s, &p.deferred, func(s *election.State, d *demand) {
			s.Port(&d.port)
			s.Uint64(&d.request)
		})
	})
}
