package lcr

import "github.com/go-election/election"

// wave is a process of the variant in which every initiator sends a token of its own. Value is the token's
// originator.
type wave struct {
	me      election.Rank
	started bool
	home    bool // its token has returned, and it announces the result
}

func (n *wave) Step(e *election.Env, ev *election.Event) {
	switch ev.Op {
	case election.Start: // rule 8
		if !n.started {
			n.started = true
			m := ballot(n.me)
			m.Value = uint64(n.me.ID)
			e.Send(election.Clockwise, m)
		}
	case election.Recv:
		switch ev.Msg.Kind {
		case kindElection:
			n.election(e, ev.Msg)
		case kindElected:
			n.elected(e, ev.Msg)
		}
	}
}

func (n *wave) election(e *election.Env, m election.Message) {
	switch {
	case election.ID(m.Value) == n.me.ID: // rule 10
		// A duplicate of the token may return as well: announce only once.
		if !n.home {
			n.home = true
			n.decide(e, m.Rank)
			m.Kind = kindElected
			e.Send(election.Clockwise, m)
		}
	case m.Rank.Less(n.me): // rule 9
		m.Rank = n.me
		e.Send(election.Clockwise, m)
	default: // rule 9
		e.Send(election.Clockwise, m)
	}
}

func (n *wave) elected(e *election.Env, m election.Message) { // rule 11
	if election.ID(m.Value) == n.me.ID {
		e.Done()
		return
	}
	n.decide(e, m.Rank)
	e.Send(election.Clockwise, m)
	// A process that has started has finished when its own announcement has returned.
	if !n.started {
		e.Done()
	}
}

func (n *wave) decide(e *election.Env, leader election.Rank) {
	if leader.ID == n.me.ID {
		e.Decide(n.me)
	} else {
		e.Decide(leader)
	}
}

func (n *wave) State(s *election.State) {
	s.Bool(&n.started)
	s.Bool(&n.home)
}
