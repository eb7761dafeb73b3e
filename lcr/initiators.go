package lcr

import "github.com/go-election/election"

// initiator is a process of the variant in which only processes that start compete.
type initiator struct {
	me      election.Rank
	started bool
	relayed bool // it has relayed a Rank: too late to start
	won     bool
}

func (n *initiator) Step(e *election.Env, ev *election.Event) {
	switch ev.Op {
	case election.Start: // rule 1
		switch {
		case n.started:
		case n.relayed:
			e.Refuse(election.ErrLateStart)
		default:
			n.started = true
			e.Send(election.Clockwise, ballot(n.me))
		}
	case election.Recv:
		switch ev.Msg.Kind {
		case kindElection:
			n.election(e, &ev.Msg)
		case kindElected:
			n.elected(e, &ev.Msg)
		}
	}
}

func (n *initiator) election(e *election.Env, m *election.Message) {
	switch {
	case m.Rank.ID == n.me.ID: // rule 6
		// A duplicate of the token may return as well: announce only once.
		if !n.won {
			n.won = true
			e.Decide(n.me)
			e.Send(election.Clockwise, announcement(n.me))
		}
	// A process that has not started has no candidate of its own and relays all.
	case !n.started || n.me.Less(m.Rank): // rules 2, 4
		n.relayed = true
		e.Send(election.Clockwise, *m)
	default: // rule 4
	}
}

func (n *initiator) elected(e *election.Env, m *election.Message) { // rule 7
	if m.Rank.ID != n.me.ID {
		e.Decide(m.Rank)
		e.Send(election.Clockwise, *m)
	}
	e.Done()
}

func (n *initiator) State(s *election.State) {
	s.Bool(&n.started)
	s.Bool(&n.relayed)
	s.Bool(&n.won)
}
