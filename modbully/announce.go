package modbully

import (
	"time"

	"github.com/go-election/election"
)

// takeOver takes over, in the current Term, or in the next one if a larger process led in the current Term
// (rule 8).
func (n *process) takeOver(e *election.Env) {
	if n.term == n.led && n.me.Less(n.leader) && !n.nextTerm(e) {
		return
	}
	n.led, n.leader = n.term, n.me
	n.enter(e, settled, n.watch())
	e.DecideIn(n.term, n.me)
	n.scheduleRefresh(e)
	// The announcement goes to smaller processes only, so a larger live process would lead as well.
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

// announce sends to all smaller processes, including suspected ones, which may be up again. The larger ones are
// down.
func (n *process) announce(e *election.Env, says uint8) {
	m := n.message(says)
	m.Term = n.led
	for port := range election.Port(e.Ports()) {
		if e.Peer(port).Less(n.me) {
			e.Send(port, m)
		}
	}
}

// challenge tells all larger processes that this one leads, in case one of them is up after all.
func (n *process) challenge(e *election.Env) {
	m := n.message(sayLeader)
	for port := range election.Port(e.Ports()) {
		if n.me.Less(e.Peer(port)) {
			e.Send(port, m)
		}
	}
}

// collect starts to wait for answers of the smaller processes that are up as far as this one knows.
func (n *process) collect(e *election.Env) {
	n.longest = n.pending()
	n.answered.Clear()
	n.missing.Clear()
	// LiteralReset waits for all, without a time-out, to show the effect of one crash.
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

// recvAnswer handles a REPLY or PCRP to the current announcement (rules 10 and 11).
func (n *process) recvAnswer(e *election.Env, ev *election.Event) {
	if n.missing.Len() == 0 || !n.ledLast() || ev.Msg.Term != n.led || n.answered.Has(ev.Port) {
		return
	}
	n.answered.Add(ev.Port)
	n.longest = max(n.longest, time.Duration(ev.Msg.Value))
	n.missing.Remove(ev.Port)
	n.endIfAll(e)
}

// dropAnswer stops waiting for the answer of a process that is down.
func (n *process) dropAnswer(e *election.Env, port election.Port) {
	if n.missing.Has(port) && !n.rules.literal {
		n.missing.Remove(port)
		n.endIfAll(e)
	}
}

// endIfAll ends the wait when the last answer has arrived.
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

// scheduleRefresh starts the timer for the next collection of the pending-convenience times.
func (n *process) scheduleRefresh(e *election.Env) {
	if n.rules.refresh > 0 {
		e.SetTimer(timerRefresh, n.rules.refresh, n.rules.refresh)
	}
}

// refresh collects the pending-convenience times again (rule 17).
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

// recvCoordinator replies to an announcement, if this process follows its sender.
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

// judgeClaim handles a claim to lead, and reports whether this process follows the sender. A lesser claimant
// receives a CatchUp if it claims repeatedly; a lesser announcer receives one only if it should lead, or should
// know better (rules 9 and 16).
func (n *process) judgeClaim(e *election.Env, ev *election.Event, repeated bool) bool {
	m := &ev.Msg
	switch {
	case n.electing() && m.Term < n.term: // this election continues; a larger announcer will claim again later
		if n.me.Less(m.Rank) {
			e.Send(ev.Port, election.Message{Kind: election.CatchUp, Term: n.term})
		}
		return false
	case n.isOutranked(m):
		if n.knowsLeader() && (repeated || !m.Rank.Less(n.leader) || m.Rank.Less(n.me)) {
			e.Send(ev.Port, election.Message{Kind: election.CatchUp, Term: n.led, Rank: n.leader})
		}
		return false
	// A larger process claims a Term that has a leader: it has forgotten the Term, or was cut off. On a CatchUp
	// that names no leader it announces itself again, in the next Term.
	case m.Term == n.led && n.leader.Less(m.Rank) && m.Term > 0:
		e.Send(ev.Port, election.Message{Kind: election.CatchUp, Term: n.term})
	}
	return n.yield(e, m)
}

// isOutranked reports whether the leader in m is another and lesser one than the current leader.
func (n *process) isOutranked(m *election.Message) bool {
	return m.Term < n.led || m.Term == n.led && m.Rank.Less(n.leader)
}

// yield follows the leader in m, or elects if that leader is smaller than this process (rule 9).
func (n *process) yield(e *election.Env, m *election.Message) bool {
	if m.Rank.ID == n.me.ID {
		return false // its own claim, or a message of a process that still follows it
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

// follow settles on a leader and cancels everything in progress (rule 9).
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
	// Heartbeats name the same leader repeatedly; decide only once.
	if !known {
		e.DecideIn(term, leader)
		e.Done()
	}
}

// recvCatchUp handles the report that this process is behind. The sender is in a later Term, or follows a later
// leader (rule 16).
func (n *process) recvCatchUp(e *election.Env, ev *election.Event) {
	m := &ev.Msg
	late := m.Term < n.term
	if m.Term > n.term {
		n.term = m.Term
		e.Save()
	}
	switch {
	case n.electing(): // continues, in the later Term, but waits for a leader of that Term
		if m.Rank.ID != 0 && !late && n.me.Less(m.Rank) {
			n.candidate = m.Rank
			n.enter(e, accepted, n.rules.coordinator)
		}
	// A CatchUp that names no leader asks for a later announcement. A CatchUp that names this process comes
	// from a follower in a Term that this process has forgotten.
	case n.isLeader() && m.Term >= n.led && m.Rank.ID == 0 || n.isLeader() && m.Term > n.led &&
		m.Rank.ID == n.me.ID:
		n.elect(e, n.me, true)
	case m.Rank.ID != 0 && !n.isOutranked(m):
		n.yield(e, m)
	}
}
