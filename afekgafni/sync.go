package afekgafni

import "github.com/go-election/election"

// Message kinds of sync. Capture carries the level and the Rank of a candidate, elected the leader, ack
// nothing.
const (
	kindSyncCapture uint8 = iota + 1
	kindAck
	kindSyncElected
)

// timerRound closes a round.
const timerRound uint8 = 0

// contender is a participant of sync.
type contender struct {
	me        election.Rank
	own       claim         // its claim as a candidate; otherwise the largest that it has answered
	best      claim         // largest claim of this round
	from      election.Port // port of that claim
	missing   uint32        // number of missing ACKs of this level
	competes  bool          // it is a candidate
	gathering bool          // the round is not closed
}

func (n *contender) Step(e *election.Env, ev *election.Event) {
	switch ev.Op {
	case election.Start: // rule 11
		if n.own.rank.ID == 0 {
			n.competes, n.own = true, claim{0, n.me}
			n.try(e)
		}
	case election.Recv:
		switch ev.Msg.Kind {
		case kindSyncCapture:
			n.gather(e, ev.Port, claimOf(&ev.Msg))
		case kindAck:
			n.acknowledged(e)
		case kindSyncElected: // rule 16
			follow(e, ev.Msg.Rank)
		}
	case election.Timeout:
		n.answer(e)
	}
}

// try tries the links of a level, or leads if none are left.
func (n *contender) try(e *election.Env) { // rule 12
	ports := uint64(e.Ports())
	first := uint64(1)<<n.own.level - 1 // the links below it have been tried on earlier levels
	if first >= ports {                 // rule 15
		lead(e, n.me, kindSyncElected)
		return
	}
	next := min(2*first+1, ports)
	for port := first; port < next; port++ {
		e.Send(election.Port(port), n.own.message(kindSyncCapture))
	}
	n.missing = uint32(next - first)
}

func (n *contender) gather(e *election.Env, from election.Port, c claim) { // rule 13
	if !n.own.less(c) || !n.best.less(c) {
		return
	}
	n.best, n.from = c, from
	if !n.gathering {
		n.gathering = true
		// Use a zero duration: all messages of a round arrive at one instant, before a timer that fires then. A
		// timer of one unit would need a clock of rounds, which a process that has not started does not have.
		e.SetTimer(timerRound, 0, 0)
	}
}

func (n *contender) answer(e *election.Env) { // rule 14
	// It may have risen since, by an ACK of the same instant.
	if n.own.less(n.best) {
		n.own, n.competes = n.best, false
		e.Send(n.from, election.Message{Kind: kindAck})
	}
	n.best, n.gathering = claim{}, false
}

func (n *contender) acknowledged(e *election.Env) { // rule 15
	if !n.competes || n.missing == 0 {
		return
	}
	if n.missing--; n.missing == 0 {
		n.own.level++
		n.try(e)
	}
}

func (n *contender) State(s *election.State) {
	n.own.visit(s)
	n.best.visit(s)
	s.Port(&n.from)
	s.Uint32(&n.missing)
	s.Bool(&n.competes)
	s.Bool(&n.gathering)
}
