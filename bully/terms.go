package bully

import (
	"math"

	"github.com/go-election/election"
)

// Elections are numbered by Terms, which the six rules leave open, so that all processes follow the same one of
// two claimants, and a process that recovers learns the current Term.

// adopt adopts a larger Term.
func (n *process) adopt(e *election.Env, term uint64) {
	if term <= n.term {
		return
	}
	n.term = term
	e.Save()
	if n.leader == n.me {
		e.DecideIn(n.term, n.leader)
	}
}

// correct sends a claimant the Term and the leader that count more than its claim. The leader may be the
// claimant itself, if it has recovered without its state before a follower noticed its crash.
func (n *process) correct(e *election.Env, from election.Port) {
	e.Send(from, election.Message{Kind: election.CatchUp, Term: n.term, Rank: n.leader})
}

// yieldsTo reports whether a claim counts at least as much as the current leader.
func (n *process) yieldsTo(m *election.Message) bool {
	return m.Term > n.term || m.Term == n.term && !m.Rank.Less(n.leader)
}

// recvHeartbeat restarts the wait for the leader's heartbeat. A heartbeat of another process is a claim to
// lead, unless it counts less than the leader: its sender will then hear of the leader (rule 7).
func (n *process) recvHeartbeat(e *election.Env, from election.Port, m *election.Message) {
	switch {
	case m.Rank == n.leader && m.Term <= n.term:
		n.watch(e)
		if m.Term < n.term {
			n.correct(e, from)
		}
	case n.leader.ID != 0 && m.Rank.Less(n.me) && !n.yieldsTo(m):
		// Do not apply rule 6, which would start an election at each further heartbeat of such a sender.
	default:
		n.recvCoordinator(e, from, m)
	}
}

func (n *process) watch(e *election.Env) {
	if n.config.Heartbeat > 0 {
		e.SetTimer(timerWatch, n.config.watchTimeout(), n.config.watchTimeout())
	}
}

// recvCatchUp handles the report that a process follows another leader, with a later Term or a larger Rank.
// This process outbids a smaller leader with a later Term; an election has to find out whether a larger one is
// up (rule 8).
func (n *process) recvCatchUp(e *election.Env, from election.Port, m *election.Message) {
	switch {
	case n.leader != n.me:
	case m.Term == math.MaxUint64:
		e.Refuse(election.ErrTermExhausted)
	case n.me.Less(m.Rank):
		n.electIn(e, m.Term+1)
	default:
		n.adopt(e, m.Term)
		n.announce(e, from, m.Term > n.announced || m.Flags&flagAlone != 0)
	}
}

// announce claims to lead, to one process or to all: followers since an earlier Term may by now follow another
// leader with a later one.
func (n *process) announce(e *election.Env, to election.Port, all bool) {
	if !all {
		m := n.message(kindCoordinator)
		m.Flags = flagAlone
		e.Send(to, m)
		return
	}
	n.announced = n.term
	n.broadcast(e, kindCoordinator)
}

// suspect handles a suspicion of the process behind a port, or its departure. Before the first election, at
// Term 0, there is no leader to miss: a Start begins that election (rules 1 and 9).
func (n *process) suspect(e *election.Env, port election.Port) {
	if int(port) >= e.Ports() {
		return
	}
	n.down.Add(port)
	switch {
	case n.electing:
		if n.isLargest(e) { // no process is left to wait for
			n.win(e)
		}
	// If this process knows no leader, any suspicion is enough: the suspect may be the leader.
	case n.term > 0 && (n.leader.ID == 0 || e.Peer(port) == n.leader):
		n.elect(e)
	}
}

// trust handles the report that the process behind a port is up (rule 9).
func (n *process) trust(e *election.Env, port election.Port) {
	if !n.down.Has(port) {
		return
	}
	n.down.Remove(port)
	if n.electing && n.me.Less(e.Peer(port)) {
		e.Send(port, n.message(kindElection)) // it was left out
		if !n.answered {
			e.SetTimer(timerAlive, n.config.AliveTimeout, n.config.AliveTimeout)
		}
	}
}

// State visits what changes.
func (n *process) State(s *election.State) {
	s.Uint64(&n.term)
	s.Uint64(&n.began)
	s.Uint64(&n.announced)
	s.Rank(&n.leader)
	s.Bool(&n.electing)
	s.Bool(&n.answered)
	s.Bool(&n.hadFollowers)
	n.down.State(s)
}
