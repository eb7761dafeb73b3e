package modbully

import (
	"math"
	"time"

	"github.com/go-election/election"
	"github.com/go-election/election/params"
)

// suspectOfStart returns the process that a Start suspects: the configured coordinator, with whose crash the
// sources begin, until a process that is not smaller leads. After that it is none, because a Start does not
// contain a reason: the leader, if it is up, is asked to take over like any other process. A leader that starts
// announces itself.
func (n *process) suspectOfStart(e *election.Env) election.Rank {
	if n.isLeader() {
		return n.leader
	}
	if n.coordinatorAtFirst != 0 {
		if r := rankOf(e, n.coordinatorAtFirst); n.term == 0 || n.leader.Less(r) {
			return r
		}
	}
	return election.Rank{}
}

// start begins an election on a Start (rule 1).
func (n *process) start(e *election.Env) {
	suspect := n.suspectOfStart(e)
	wait := time.Duration(0)
	if !n.rules.startsAtOnce {
		wait = n.waitTime(e, suspect)
	}
	n.prepare(e, suspect, wait)
}

// doubt begins an election without the leader, which is suspected.
func (n *process) doubt(e *election.Env) { n.prepare(e, n.leader, n.waitTime(e, n.leader)) }

// prepare begins an election without the suspect, after a wait. If this process is already holding an election,
// as starter or as coordinator, or is searching for the leader after a recovery, it continues that instead
// (rule 1).
func (n *process) prepare(e *election.Env, suspect election.Rank, wait time.Duration) {
	if n.phase == waiting || n.phase == asking || n.electing() || n.isLeader() && n.serving {
		return
	}
	if wait > 0 {
		n.suspect = suspect
		n.enter(e, waiting, wait)
		return
	}
	n.elect(e, suspect, n.isLeader())
}

// waitTime returns how long to wait after a suspicion.
func (n *process) waitTime(e *election.Env, suspect election.Rank) time.Duration {
	switch n.rules.policy {
	case WaitPaper:
		return n.mpc
	case WaitOwn:
		return n.pending()
	case WaitRank:
		wait := time.Duration(0)
		for port := range election.Port(e.Ports()) {
			if n.mayTakeOver(e, port, suspect) {
				// Limit the sum like each time-out: with many processes above this one it could overflow.
				wait = min(wait+n.rules.slot, params.MaxTimeout)
			}
		}
		return wait
	}
	return n.wait // Config.Waits, or zero
}

// pending returns this process's own pending-convenience time.
func (n *process) pending() time.Duration {
	if n.measured {
		return n.away
	}
	return n.own
}

// mayTakeOver reports whether the process behind a port may take over: it is larger than this process, below
// the suspect, and up as far as this process knows.
func (n *process) mayTakeOver(e *election.Env, port election.Port, suspect election.Rank) bool {
	r := e.Peer(port)
	return n.me.Less(r) && (suspect.ID == 0 || r.Less(suspect)) && !n.down.Has(port)
}

// elect begins an election. The suspect and all larger processes are assumed to be down; without a suspect,
// none is. A process that is its own suspect therefore takes over immediately. uncertain means that the
// assumption is a guess, not a suspicion.
func (n *process) elect(e *election.Env, suspect election.Rank, uncertain bool) {
	if !n.nextTerm(e) {
		return
	}
	n.suspect, n.uncertain = suspect, uncertain
	e.Withdraw(n.term)
	n.try(e)
}

func (n *process) nextTerm(e *election.Env) bool {
	if n.term == math.MaxUint64 {
		e.Refuse(election.ErrTermExhausted)
		return false
	}
	n.term++
	e.Save()
	return true
}

// try asks the largest process below the suspect, or in the variant grant all between. If there is none, this
// process takes over (rule 2).
func (n *process) try(e *election.Env) {
	n.candidate = election.Rank{}
	m := n.message(sayElection)
	found := false
	for port := range election.Port(e.Ports()) {
		if !n.mayTakeOver(e, port, n.suspect) {
			continue
		}
		found = true
		if n.rules.variant == Grant {
			e.Send(port, m)
		} else if r := e.Peer(port); n.candidate.Less(r) {
			n.candidate, n.port = r, port
		}
	}
	if !found {
		n.takeOver(e)
		return
	}
	if n.rules.variant != Grant {
		e.Send(n.port, m)
	}
	n.enter(e, trying, n.rules.accept)
}

// endWait continues when the time for answers is over.
func (n *process) endWait(e *election.Env) {
	switch {
	case n.rules.variant != Grant: // rule 5
		// Treat silence as a crash, because otherwise a process that is down would block all elections: ask the
		// next lower one.
		n.suspect = n.candidate
		n.try(e)
	case n.candidate.ID == 0: // rule 7
		n.takeOver(e)
	case n.down.Has(n.port): // rule 7
		n.try(e) // the others that have said OK are still up, and will say so again
	default: // rule 7
		e.Send(n.port, n.message(sayGrant))
		n.enter(e, accepted, n.rules.coordinator)
	}
}

// redirect reports whether this process follows a coordinator of the Term of m, or of a later one. The sender
// of m will then hear of that coordinator too, and redirect tells it which process to wait for.
func (n *process) redirect(e *election.Env, ev *election.Event) bool {
	if n.phase != settled && n.phase != watching || n.ledLast() || ev.Msg.Term > n.led {
		return false
	}
	e.Send(ev.Port, election.Message{Kind: election.CatchUp, Term: n.led, Rank: n.leader}) // rule 16
	return true
}

// recvElection handles ELECTION: the sender assumes that every process above this one is down, and asks it to
// take over (rule 3).
func (n *process) recvElection(e *election.Env, ev *election.Event) {
	if n.rules.variant == Grant { // rule 6
		e.Send(ev.Port, n.message(sayOK))
		// The sender may crash before it sends GRANT to the largest process that has said OK. Therefore wait
		// for a coordinator, and elect if none announces itself.
		news := ev.Msg.Term > n.led && !n.isLeader()
		if news && (n.phase == settled || n.phase == watching || n.phase == idle) {
			n.enter(e, watching, n.rules.coordinator)
		}
		return
	}
	if n.redirect(e, ev) {
		return
	}
	served := n.serving && (n.rules.literal || ev.Msg.Term <= n.led)
	if served && n.rules.variant == Number {
		return
	}
	e.Send(ev.Port, n.message(sayAccept))
	// An announcement in flight reaches the sender as well. Base nevertheless makes another one for each
	// ELECTION, as the source counts it.
	if !served || n.rules.variant == Base {
		n.takeOver(e)
	}
}

// recvAccept waits for the process that takes over, which may be one that this process has already given up on
// (rule 4).
func (n *process) recvAccept(e *election.Env, ev *election.Event) {
	if n.phase == trying && ev.Msg.Term >= n.term && n.me.Less(ev.Msg.Rank) {
		n.candidate, n.port = ev.Msg.Rank, ev.Port
		n.enter(e, accepted, n.rules.coordinator)
	}
}

// recvOK keeps the largest process that has answered. Accept an earlier Term: the sender is up, even if this
// process has heard of a later election since it asked (rule 7).
func (n *process) recvOK(ev *election.Event) {
	if n.phase == trying && n.candidate.Less(ev.Msg.Rank) && n.me.Less(ev.Msg.Rank) {
		n.candidate, n.port = ev.Msg.Rank, ev.Port
	}
}

// handleSuspicion handles a suspicion of the process behind a port, or its departure. The process is neither
// asked nor waited for any longer (rule 18).
func (n *process) handleSuspicion(e *election.Env, port election.Port) {
	if int(port) >= e.Ports() {
		return
	}
	n.down.Add(port)
	n.dropAnswer(e, port)
	peer := e.Peer(port)
	switch {
	case n.knowsLeader():
		if peer.ID == n.leader.ID {
			n.doubt(e)
		}
	case n.phase == trying && n.rules.variant == Grant:
		if !n.anyMayTakeOver(e) { // no process is left to wait for
			n.try(e)
		}
	case n.phase == trying && peer.ID == n.candidate.ID:
		n.endWait(e)
	case n.phase == accepted && peer.ID == n.candidate.ID:
		n.elect(e, n.candidate, n.uncertain)
	}
}

// anyMayTakeOver reports whether there is a process that may take over instead of this one.
func (n *process) anyMayTakeOver(e *election.Env) bool {
	for port := range election.Port(e.Ports()) {
		if n.mayTakeOver(e, port, n.suspect) {
			return true
		}
	}
	return false
}

// handleTrust handles the report that a process is up after all, or has recovered (rule 18).
func (n *process) handleTrust(e *election.Env, port election.Port) {
	n.down.Remove(port)
	// Do this even if it was not in down: a process that is suspected because of a missed heartbeat or a
	// time-out may not be.
	peer := e.Peer(port)
	switch {
	case n.phase == waiting && peer.ID == n.leader.ID:
		n.enter(e, settled, n.watch())
	case n.phase == trying && n.candidate.Less(peer) && n.me.Less(peer):
		if n.rules.variant != Grant {
			n.candidate, n.port = peer, port
		}
		e.Send(port, n.message(sayElection))
		n.enter(e, trying, n.rules.accept)
	}
}
