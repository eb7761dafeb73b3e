package modbully

import (
	"time"

	"github.com/go-election/election"
)

// ask asks all other processes which one leads, after a recovery (rule 12).
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

// recvEnquiry handles the question of a process that has recovered. Only the leader replies; but if the sender
// is the leader, all its followers reply (rule 13).
func (n *process) recvEnquiry(e *election.Env, ev *election.Event) {
	switch {
	case n.isLeader():
		if n.term > n.led { // the sender remembers a Term in which others may be
			n.elect(e, n.me, true)
		}
	case n.knowsLeader() && ev.Msg.Rank.ID == n.leader.ID:
		// A process that has detected the crash of the leader may still send this process GRANT: the leader has
		// to hear of it.
		n.uncertain = true
		if n.phase == waiting {
			n.enter(e, settled, n.watch())
		}
	default:
		return
	}
	e.Send(ev.Port, election.Message{Kind: n.rules.kind[sayLeader], Term: n.led, Rank: n.leader})
}

// recvLeader follows the leader that the sender names, unless this process knows better (rule 14).
func (n *process) recvLeader(e *election.Env, ev *election.Event) {
	m := &ev.Msg
	switch {
	case n.phase != asking:
		if !n.isOutranked(m) && (!n.electing() || m.Term == n.term) {
			n.yield(e, m)
		}
	case !n.me.Less(m.Rank): // every larger process is down, or it would lead
		n.elect(e, n.me, true)
	default:
		n.follow(e, m.Term, m.Rank)
		if n.rules.echo || n.rules.policy == WaitPaper && n.rules.variant == Convenience {
			n.measure(e, ev.Port, ev.At)
		}
	}
}

// measure asks the leader for the MPC, and measures the distance to the leader (rule 15).
func (n *process) measure(e *election.Env, leader election.Port, now time.Duration) {
	n.sent = now
	e.Send(leader, n.message(sayEcho))
}

// recvEchoReply adopts the MPC, so that this process waits as the others do. With [Config].Echo it also adopts
// the measured delay as its own pending-convenience time. The leader learns of it when it next collects these
// times (rule 15).
func (n *process) recvEchoReply(ev *election.Event) {
	if n.rules.echo {
		// Half of the round-trip time, which needs only this process's own clock.
		n.measured, n.away = true, max(ev.At-n.sent, 0)/2
	}
	if ev.Msg.Term == n.led && ev.Msg.Rank.ID == n.leader.ID {
		n.mpc = time.Duration(ev.Msg.Value)
	}
}
