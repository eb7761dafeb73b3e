package hs

import "github.com/go-election/election"

// prober is a process of the variant in which a larger process drops a probe.
type prober struct {
	me      election.Rank
	awake   bool   // a candidate, or passive because a larger probe has passed it first
	won     bool   // its probe has returned
	replies uint8  // number of sides that have let its probe through in this phase
	phase   uint32 // its probes go 2^phase hops in both directions
}

func (n *prober) Step(e *election.Env, ev *election.Event) {
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

func (n *prober) wake(e *election.Env) {
	if !n.awake {
		n.awake = true
		canvass(e, n.me, n.phase)
	}
}

func (n *prober) probe(e *election.Env, from election.Port, m election.Message) {
	switch {
	case m.Rank.ID == n.me.ID: // rule 7
		if !n.won { // it returns from both sides
			n.won = true
			proclaim(e, n.me)
		}
	// The probe of a smaller process ends here, without a reply: that process waits in this phase forever and
	// cannot win.
	case m.Rank.Less(n.me): // rule 2
		n.wake(e)
	case inReach(m): // rule 3
		n.awake = true
		m.Value++
		e.Send(across(from), m)
	default: // rule 4
		n.awake = true
		e.Send(from, election.Message{Kind: kindReply, Rank: m.Rank, Round: m.Round})
	}
}

func (n *prober) reply(e *election.Env, from election.Port, m election.Message) {
	switch {
	case m.Rank.ID != n.me.ID: // rule 5
		e.Send(across(from), m)
	// A reply that arrives twice may belong to an earlier phase.
	case m.Round == n.phase: // rule 6
		if n.replies++; n.replies == 2 {
			n.replies = 0
			n.phase++
			canvass(e, n.me, n.phase)
		}
	default: // rule 6
	}
}

func (n *prober) State(s *election.State) {
	s.Bool(&n.awake)
	s.Bool(&n.won)
	s.Uint8(&n.replies)
	s.Uint32(&n.phase)
}
