package hs

import "github.com/go-election/election"

// responder is a process of the variant in which every probe is answered.
type responder struct {
	me      election.Rank
	awake   bool   // a candidate, or passive because a larger probe has passed it first
	lost    bool   // it knows of a larger Rank, and begins no further phase
	won     bool   // its probe has returned
	replies uint8  // number of sides that have answered in this phase
	phase   uint32 // its probes go 2^phase hops in both directions
}

func (n *responder) Step(e *election.Env, ev *election.Event) {
	switch ev.Op {
	case election.Start: // rule 1
		n.wake(e)
	case election.Recv:
		switch ev.Msg.Kind {
		case kindProbe:
			n.probe(e, ev.Port, ev.Msg)
		case kindReply:
			n.reply(e, ev.Port, ev.Msg)
		case kindElected:
			elected(e, n.me, ev.Msg)
		}
	}
}

func (n *responder) wake(e *election.Env) {
	if !n.awake {
		n.awake = true
		canvass(e, n.me, n.phase)
	}
}

func (n *responder) probe(e *election.Env, from election.Port, m election.Message) {
	switch {
	case m.Rank.ID == n.me.ID: // rule 7
		if !n.won { // it returns from both sides
			n.won = true
			proclaim(e, n.me)
		}
	case m.Rank.Less(n.me): // rule 2
		n.respond(e, from, m.Rank.ID, n.me)
		n.wake(e)
	case inReach(m): // rule 3
		// A larger process competes, so this process need not become a candidate any more.
		n.awake, n.lost = true, true
		m.Value++
		e.Send(across(from), m)
	default: // rule 4
		n.awake, n.lost = true, true
		n.respond(e, from, m.Rank.ID, m.Rank)
	}
}

// respond returns to a candidate the largest Rank that its probe has met.
func (n *responder) respond(e *election.Env, from election.Port, candidate election.ID, best election.Rank) {
	e.Send(from, election.Message{Kind: kindReply, Rank: best, Value: uint64(candidate)})
}

func (n *responder) reply(e *election.Env, from election.Port, m election.Message) {
	if election.ID(m.Value) != n.me.ID { // rule 5
		e.Send(across(from), m)
		return
	}
	n.replies++ // rule 6
	if n.me.Less(m.Rank) {
		n.lost = true
	}
	// This process's own probe may return while replies of this phase are in flight.
	if n.replies == 2 && !n.lost && !n.won {
		n.replies = 0
		n.phase++
		canvass(e, n.me, n.phase)
	}
}

func (n *responder) State(s *election.State) {
	s.Bool(&n.awake)
	s.Bool(&n.lost)
	s.Bool(&n.won)
	s.Uint8(&n.replies)
	s.Uint32(&n.phase)
}
