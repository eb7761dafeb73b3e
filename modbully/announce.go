package modbully

import (
	"time"

	"github.com/go-election/election"
)

// takeOver takes over, in the present Term, unless a larger process led in that: then in the next (rule 8).
func (n *process) takeOver(e *election.Env) {
	if n.term == n.led && n.me.Less(n.leader) && !n.nextTerm(e) {
		return
	}
	n.led, n.leader = n.term, n.me
	n.enter(e, settled, n.watch())
	e.DecideIn(n.term, n.me)
	n.scheduleRefresh(e)
	// The announcement goes to smaller processes only: a larger one that is up would lead beside it.
	if n.uncertain {
		n.uncertain = false
		n.challenge(e)
	}
	switch n.rules.variant {
	case Base, Grant:
		n.announce(e, sayCoordinator)
		e.Done()
	default:
		n.serving = true
		n.announce(e, sayCoordinator)
		n.collect(e)
	}
}

// announce sends to all smaller processes, also to those that are suspected: they may be up again. The larger
// ones are down.
func (n *process) announce(e *election.Env, says uint8) {
	m := n.message(says)
	m.Term = n.led
	for port := range election.Port(e.Ports()) {
		if e.Peer(port).Less(n.me) {
			e.Send(port, m)
		}
	}
}

// challenge sends to all larger processes that this one leads, should one of them be up after all.
func (n *process) challenge(e *election.Env) {
	m := n.message(sayLeader)
	for port := range election.Port(e.Ports()) {
		if n.me.Less(e.Peer(port)) {
			e.Send(port, m)
		}
	}
}

// collect begins to wait for answers of the smaller processes that are up as far as this one knows.
func (n *process) collect(e *election.Env) {
	n.longest = n.pending()
	n.answered.Clear()
	n.missing.Clear()
	// LiteralReset waits for all, without a time-out: it is there to show what one crash does then.
	for port := range election.Port(e.Ports()) {
		if e.Peer(port).Less(n.me) && (!n.down.Has(port) || n.rules.literal) {
			n.missing.Add(port)
		}
	}
	if n.missing.Len() == 0 {
		n.endCollection(e)
	} else if !n.rules.literal {
		e.SetTimer(timerAnswers, n.rules.reply, n.rules.reply)
	}
}

// recvAnswer takes a REPLY or PCRP to the present announcement (rules 10 and 11).
func (n *process) recvAnswer(e *election.Env, ev *election.Event) {
	if n.missing.Len() == 0 || !n.ledLast() || ev.Msg.Term != n.led || n.answered.Has(ev.Port) {
		return
	}
	n.answered.Add(ev.Port)
	n.longest = max(n.longest, time.Duration(ev.Msg.Value))
	n.missing.Remove(ev.Port)
	n.endIfAll(e)
}

// dropAnswer waits no longer for the answer of a process that is down.
func (n *process) dropAnswer(e *election.Env, port election.Port) {
	if n.missing.Has(port) && !n.rules.literal {
		n.missing.Remove(port)
		n.endIfAll(e)
	}
}

// endIfAll ends the wait with the last answer.
func (n *process) endIfAll(e *election.Env) {
	if n.missing.Len() > 0 {
		return
	}
	if !n.rules.literal {
		e.StopTimer(timerAnswers)
	}
	n.endCollection(e)
}

// endCollection ends the wait for answers, and so the announcement. A process that has not answered
// is down (rules 10 and 11).
func (n *process) endCollection(e *election.Env) {
	n.serving = false
	n.missing.Clear()
	if n.rules.variant == Convenience {
		n.mpc = n.longest
		m := n.message(sayMPC)
		m.Term, m.Value = n.led, uint64(n.mpc)
		for port := n.answered.From(0); port != election.NoPort; port = n.answered.From(port + 1) {
			e.Send(port, m)
		}
	}
	e.Done()
}

// scheduleRefresh begins to wait for the next time to collect the pending-convenience times.
func (n *process) scheduleRefresh(e *election.Env) {
	if n.rules.refresh > 0 {
		e.SetTimer(timerRefresh, n.rules.refresh, n.rules.refresh)
	}
}

// refresh collects the pending-convenience times anew (rule 17).
func (n *process) refresh(e *election.Env) {
	if !n.isLeader() {
		return
	}
	n.scheduleRefresh(e)
	if n.missing.Len() == 0 {
		n.announce(e, sayRefresh)
		n.collect(e)
	}
}

func (n *process) pcrpMessage() election.Message {
	m := n.message(sayPCRP)
	m.Term, m.Value = n.led, uint64(n.pending())
	return m
}

// recvCoordinator replies to an announcement, if its sender is followed.
func (n *process) recvCoordinator(e *election.Env, ev *election.Event) {
	if !n.judgeClaim(e, ev, false) {
		return
	}
	switch n.rules.variant {
	case Convenience: // rule 10
		e.Send(ev.Port, n.pcrpMessage())
		if n.rules.echo && !n.measured {
			n.measure(e, ev.Port, ev.At)
		}
	case Number: // rule 11
		m := n.message(sayReply)
		m.Term = n.led
		e.Send(ev.Port, m)
	}
}

// judgeClaim judges a claim to lead, and reports whether its sender is followed. A claimant that is outranked
// gets a CatchUp if it claims repeatedly; an announcer only if it should lead, or should know better (rules 9
// and 16).
func (n *process) judgeClaim(e *election.Env, ev *election.Event, repeated bool) bool {
	m := &ev.Msg
	switch {
	case n.electing() && m.Term < n.term: // this election goes on; a larger announcer claims again later
		if n.me.Less(m.Rank) {
			e.Send(ev.Port, election.Message{Kind: election.CatchUp, Term: n.term})
		}
		return false
	case n.isOutranked(m):
		if n.knowsLeader() && (repeated || !m.Rank.Less(n.leader) || m.Rank.Less(n.me)) {
			e.Send(ev.Port, election.Message{Kind: election.CatchUp, Term: n.led, Rank: n.leader})
		}
		return false
	// A larger process claims a Term that has a leader: it has forgotten that Term, or was cut off. On a
	// CatchUp that names no leader it announces itself again, in the next Term.
	case m.Term == n.led && n.leader.Less(m.Rank) && m.Term > 0:
		e.Send(ev.Port, election.Message{Kind: election.CatchUp, Term: n.term})
	}
	return n.yield(e, m)
}

// isOutranked reports whether m speaks for another leader than the present one, and a lesser one.
func (n *process) isOutranked(m *election.Message) bool {
	return m.Term < n.led || m.Term == n.led && m.Rank.Less(n.leader)
}

// yield follows the leader that m speaks for, or elects if that is smaller than oneself (rule 9).
func (n *process) yield(e *election.Env, m *election.Message) bool {
	if m.Rank.ID == n.me.ID {
		return false // its own claim, or that of a process which still follows it
	}
	if m.Rank.Less(n.me) {
		if !n.electing() {
			suspect := election.Rank{}
			if n.isLeader() {
				suspect = n.me
			}
			n.elect(e, suspect, true)
		}
		return false
	}
	n.follow(e, m.Term, m.Rank)
	return true
}

// follow settles on a leader and cancels whatever is under way (rule 9).
func (n *process) follow(e *election.Env, term uint64, leader election.Rank) {
	if !n.knowsLeader() || n.leader != leader {
		n.uncertain = false
	}
	known := n.knowsLeader() && n.led == term && n.leader == leader
	if n.missing.Len() > 0 && !n.rules.literal {
		n.missing.Clear()
		e.StopTimer(timerAnswers)
	}
	if !n.rules.literal {
		n.serving = false
	}
	if n.ledLast() && n.rules.refresh > 0 {
		e.StopTimer(timerRefresh)
	}
	n.led, n.leader = term, leader
	n.enter(e, settled, n.watch())
	// Heartbeats name the same leader again and again: it is news once.
	if !known {
		e.DecideIn(term, leader)
		e.Done()
	}
}

// recvCatchUp: this process is behind. The sender is in a later Term, or follows a later leader (rule 16).
func (n *process) recvCatchUp(e *election.Env, ev *election.Event) {
	m := &ev.Msg
	late := m.Term < n.term
	if m.Term > n.term {
		n.term = m.Term
		e.Save()
	}
	switch {
	case n.electing(): // goes on, in the later Term, but waits for a leader of that
		if m.Rank.ID != 0 && !late && n.me.Less(m.Rank) {
			n.candidate = m.Rank
			n.enter(e, accepted, n.rules.coordinator)
		}
	// One that names no leader wants a later announcement. One that names this process follows it in a Term
	// that this process has forgotten.
	case n.isLeader() && m.Term >= n.led && m.Rank.ID == 0 || n.isLeader() && m.Term > n.led &&
		m.Rank.ID == n.me.ID:
		n.elect(e, n.me, true)
	case m.Rank.ID != 0 && !n.isOutranked(m):
		n.yield(e, m)
	}
}
