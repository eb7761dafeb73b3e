package lcr

import "github.com/go-election/election"

// maximum is a process of the variant whose tokens carry the maximum of the Ranks that they have passed.
type maximum struct {
	me      election.Rank
	started bool
	won     bool
}

func (n *maximum) Step(e *election.Env, ev *election.Event) {
	switch ev.Op {
	case election.Start: // rule 1
		if !n.started && !n.won {
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

func (n *maximum) election(e *election.Env, m *election.Message) {
	switch {
	case n.won: // rule 6: a late token would only find me again
	case m.Rank.ID == n.me.ID: // rule 6
		n.won = true
		e.Decide(n.me)
		e.Send(election.Clockwise, announcement(n.me))
	case m.Rank.Less(n.me): // rule 5
		e.Send(election.Clockwise, ballot(n.me))
	default: // rule 2
		e.Send(election.Clockwise, *m)
	}
}

func (n *maximum) elected(e *election.Env, m *election.Message) { // rule 7
	if m.Rank.ID != n.me.ID {
		e.Decide(m.Rank)
		e.Send(election.Clockwise, *m)
	}
	e.Done()
}

func (n *maximum) State(s *election.State) {
	s.Bool(&n.started)
	s.Bool(&n.won)
}
