package lcr

import "github.com/go-election/election"

// participant is a process of the variant in which each process that is reached competes.
type participant struct {
	me           election.Rank
	participates bool // its Rank, or a larger one, is in flight
	won          bool // its Rank has returned
}

func (n *participant) Step(e *election.Env, ev *election.Event) {
	switch ev.Op {
	case election.Start: // rule 1
		if !n.participates && !n.won {
			n.participates = true
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

func (n *participant) election(e *election.Env, m *election.Message) {
	switch {
	case m.Rank.ID == n.me.ID: // rule 6
		// A duplicate of the token may return as well: announce only once.
		if !n.won {
			n.won, n.participates = true, false
			e.Decide(n.me)
			e.Send(election.Clockwise, announcement(n.me))
		}
	case n.me.Less(m.Rank): // rule 2
		n.participates = true
		e.Send(election.Clockwise, *m)
	case !n.participates && !n.won: // rule 3; the winner ignores late ones
		n.participates = true
		e.Send(election.Clockwise, ballot(n.me))
	default: // rule 3
	}
}

func (n *participant) elected(e *election.Env, m *election.Message) { // rule 7
	n.participates = false
	if m.Rank.ID != n.me.ID {
		e.Decide(m.Rank)
		e.Send(election.Clockwise, *m)
	}
	e.Done()
}

func (n *participant) State(s *election.State) {
	s.Bool(&n.participates)
	s.Bool(&n.won)
}
