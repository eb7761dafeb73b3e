package bully

import (
	"math"

	"github.com/go-election/election"
)

// What the six rules leave open: elections are numbered by Terms, so that of two claims to lead every process
// follows the same one, and processes that come back hear which Term it is.

// adopt takes over a larger Term.
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

// correct sends a claimant the Term and the leader that count more than its claim. That may be the claimant
// itself: a leader that has come back without its state before a follower missed it.
func (n *process) correct(e *election.Env, from election.Port) {
	e.Send(from, election.Message{Kind: election.CatchUp, Term: n.term, Rank: n.leader})
}

// yieldsTo reports whether a claim counts more than the leader that is followed.
func (n *process) yieldsTo(m *election.Message) bool {
	return m.Term > n.term || m.Term == n.term && !m.Rank.Less(n.leader)
}

// recvHeartbeat waits for the next heartbeat of the leader. That of another process is a claim to lead,
// unless it counts less than the leader: then its sender will hear of that leader (rule 7).
func (n *process) recvHeartbeat(e *election.Env, from election.Port, m *election.Message) {
	switch {
	case m.Rank == n.leader && m.Term <= n.term:
		n.watch(e)
		if m.Term < n.term {
			n.correct(e, from)
		}
	case n.leader.ID != 0 && m.Rank.Less(n.me) && !n.yieldsTo(m):
		// Not by rule 6, which would begin an election at each heartbeat that such a sender still sends.
	default:
		n.recvCoordinator(e, from, m)
	}
}

func (n *process) watch(e *election.Env) {
	if n.config.Heartbeat > 0 {
		e.SetTimer(timerWatch, n.config.watchTimeout(), n.config.watchTimeout())
	}
}

// recvCatchUp: a process follows another leader than this one, of a later Term or larger. A smaller leader is
// outbid by that Term; whether a larger one is up, an election has to find out (rule 8).
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

// announce claims to lead, to one process or to all of them: those that followed from an early Term on may
// follow another leader of a later one by now.
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

// suspect: a failure detector believes that the process behind a port is down, or that one has said good-bye.
// Before the first election, at Term 0, there is no leader to miss: a Start begins that election (rules 1 and
// 9).
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
	// Without a leader any suspicion will do: the leader may be the one that has crashed.
	case n.term > 0 && (n.leader.ID == 0 || e.Peer(port) == n.leader):
		n.elect(e)
	}
}

// trust: the process behind a port is up after all (rule 9).
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
