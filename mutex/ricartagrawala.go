package mutex

import (
	"slices"

	"github.com/go-election/election"
)

// The kinds of message of ricartagrawala. Both carry the time of the request as Value.
const (
	kindAsk uint8 = iota + 1
	kindOK
)

// asker is one participant.
type asker struct {
	config *Config
	clock  uint64 // Lamport's
	seats  []claim
}

// claim is the place of a process in one section.
type claim struct {
	seat
	time     uint64 // of the request
	missing  uint32 // so many have not answered it
	deferred []demand
}

// demand is a request that is answered when this process has left.
type demand struct {
	port election.Port
	time uint64
}

// Step takes one event.
func (n *asker) Step(e *election.Env, ev *election.Event) {
	switch ev.Op {
	case election.Init:
		if len(n.seats) != n.config.Sections {
			n.seats = make([]claim, n.config.Sections)
		}
	case election.Start:
		n.want(e, ev, 0, 0)
	case election.Command:
		n.command(e, ev)
	case election.Timeout:
		if int(ev.Timer) < len(n.seats) && n.seats[ev.Timer].phase == inside {
			n.leave(e, ev, ev.Timer)
		}
	case election.Recv:
		n.receive(e, ev)
	}
}

func (n *asker) command(e *election.Env, ev *election.Event) {
	section, number := ev.Msg.Flags, ev.Msg.Round
	if int(section) >= len(n.seats) {
		return
	}
	switch {
	case ev.Msg.Kind == commandRequest:
		n.want(e, ev, section, number)
	case ev.Msg.Kind != commandRelease || n.seats[section].number != number:
	case n.seats[section].phase == inside:
		n.leave(e, ev, section)
	case n.seats[section].phase == waiting:
		n.seats[section].phase = outside
		n.answer(e, section)
	}
}

// want sends a request to all others. Who waits already goes on waiting.
func (n *asker) want(e *election.Env, ev *election.Event, section uint8, number uint32) {
	p := &n.seats[section]
	if p.phase == inside {
		return
	}
	p.number = number
	if p.phase == waiting {
		return
	}
	n.clock++
	p.phase, p.time, p.missing = waiting, n.clock, uint32(e.Ports())
	for port := range election.Port(e.Ports()) {
		e.Send(port, election.Message{Kind: kindAsk, Flags: section, Value: p.time})
	}
	n.tryEnter(e, ev, section)
}

func (n *asker) receive(e *election.Env, ev *election.Event) {
	m := &ev.Msg
	if int(m.Flags) >= len(n.seats) || m.Kind != kindAsk && m.Kind != kindOK {
		return
	}
	n.clock = max(n.clock, m.Value)
	p := &n.seats[m.Flags]
	switch m.Kind {
	case kindAsk:
		if p.phase == inside || p.phase == waiting && p.precedes(e, m.Value, e.Peer(ev.Port).ID) {
			p.deferLater(ev.Port, m.Value)
			return
		}
		n.sendOK(e, ev.Port, m.Flags, m.Value)
	case kindOK:
		if p.phase == waiting && m.Value == p.time && p.missing > 0 {
			p.missing--
			n.tryEnter(e, ev, m.Flags)
		}
	}
}

// deferLater notes a request to be answered later, instead of an earlier one of the same process: it has
// taken that back.
func (p *claim) deferLater(port election.Port, time uint64) {
	i := slices.IndexFunc(p.deferred, func(d demand) bool { return d.port == port })
	if i < 0 {
		p.deferred = append(p.deferred, demand{port: port, time: time})
		return
	}
	p.deferred[i].time = max(p.deferred[i].time, time)
}

// precedes reports whether the own request is earlier than another.
func (p *claim) precedes(e *election.Env, time uint64, id election.ID) bool {
	return p.time < time || p.time == time && e.Self().ID < id
}

func (n *asker) sendOK(e *election.Env, to election.Port, section uint8, time uint64) {
	e.Send(to, election.Message{Kind: kindOK, Flags: section, Value: time})
}

// tryEnter enters if all have answered.
func (n *asker) tryEnter(e *election.Env, ev *election.Event, section uint8) {
	p := &n.seats[section]
	if p.missing > 0 {
		return
	}
	before, width := position(e, func(peer, me election.Rank) bool { return peer.ID < me.ID })
	p.enter(e, ev.At, section, p.time<<width|before, n.config.CriticalSection)
}

// leave leaves a section and answers all that wait.
func (n *asker) leave(e *election.Env, ev *election.Event, section uint8) {
	n.seats[section].leave(e, ev.At, section)
	n.answer(e, section)
}

func (n *asker) answer(e *election.Env, section uint8) {
	p := &n.seats[section]
	for _, d := range p.deferred {
		n.sendOK(e, d.port, section, d.time)
	}
	p.deferred = p.deferred[:0]
}

// State visits what changes.
func (n *asker) State(s *election.State) {
	s.Uint64(&n.clock)
	election.VisitSlice(s, &n.seats, func(s *election.State, p *claim) {
		p.seat.visit(s)
		s.Uint64(&p.time)
		s.Uint32(&p.missing)
		election.VisitSlice(s, &p.deferred, func(s *election.State, d *demand) {
			s.Port(&d.port)
			s.Uint64(&d.time)
		})
	})
}
