package modbully

import "github.com/go-election/election"

// ask asks all other processes which one leads, after a return.
func (n *process) ask(e *election.Env) {
	if e.Ports() == 0 {
		n.elect(e, election.Rank{}, true)
		return
	}
	e.Withdraw(n.term)
	m := n.message(sayEnquiry)
	for port := range election.Port(e.Ports()) {
		e.Send(port, m)
	}
	n.enter(e, asking, n.rules.accept)
}

// recvEnquiry: the sender has come back. Only the leader replies; but if the sender is the leader, all that
// follow it do.
func (n *process) recvEnquiry(e *election.Env, ev *election.Event) {
	switch {
	case n.isLeader():
		if n.term > n.led { // the other remembers a Term that others may be in
			n.elect(e, n.me, true)
		}
	case n.knowsLeader() && ev.Msg.Rank.ID == n.leader.ID:
		// A process that has missed the leader may still grant this one the office: the leader has to hear of
		// it.
		n.uncertain = true
		if n.phase == waiting {
			n.enter(e, settled, n.watch())
		}
	default:
		return
	}
	e.Send(ev.Port, election.Message{Kind: n.rules.kind[sayLeader], Term: n.led, Rank: n.leader})
}

// recvLeader follows the leader that the sender names, unless this process knows better.
func (n *process) recvLeader(e *election.Env, ev *election.Event) {
	m := &ev.Msg
	switch {
	case n.phase != asking:
		if !n.isOutranked(m) && (!n.electing() || m.Term == n.term) {
			n.yield(e, m)
		}
	case !n.me.Less(m.Rank): // whoever is larger than this process is down, or would lead
		n.elect(e, n.me, true)
	default:
		n.follow(e, m.Term, m.Rank)
		if n.rules.echo {
			n.sent = ev.At
			e.Send(ev.Port, n.message(sayEcho))
		}
	}
}
