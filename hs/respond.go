package hs

import "github.com/go-election/election"

// responder is a process of the variant in which every probe is answered, win or lose.
type responder struct {
	me      election.Rank
	awake   bool   // a candidate, or passed by a larger one first and passive
	lost    bool   // I know of a larger Rank, and begin no further phase
	won     bool   // my probe has come home
	replies uint8  // how many sides have answered in this phase
	phase   uint32 // I have sent probes 2^phase hops both ways
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
		if !n.won { // it comes home from both sides
			n.won = true
			proclaim(e, n.me)
		}
	case m.Rank.Less(n.me): // rule 2
		n.respond(e, from, m.Rank.ID, n.me)
		n.wake(e)
	case inReach(m): // rule 3
		// A larger process competes, so this one need not begin a candidacy of its own any more.
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
	// The own probe may come home while replies of this phase are still under way.
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
