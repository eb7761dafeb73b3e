package floodmax

import (
	"time"

	"github.com/go-election/election"
)

// process is a participant.
type process struct {
	rounds  uint32
	length  time.Duration // duration of a round
	sparing bool          // variant: it sends only news

	best  election.Rank // largest Rank that it knows; ID zero before the first
	round uint32        // current round
	grew  bool          // best has changed in this round
	over  bool          // it knows the leader
}

// Step handles one event.
func (n *process) Step(e *election.Env, ev *election.Event) {
	switch ev.Op {
	case election.Start: // rule 1
		if n.best.ID == 0 {
			n.best, n.grew = e.Self(), true
			n.next(e)
		}
	case election.Recv:
		if ev.Msg.Kind == kindMax {
			n.hear(e, &ev.Msg)
		}
	case election.Timeout:
		if n.best.ID != 0 && !n.over {
			n.next(e)
		}
	}
}

// next enters the next round, or ends after the last.
func (n *process) next(e *election.Env) {
	if n.round == n.rounds { // rule 6
		n.over = true
		e.Decide(n.best)
		e.Done()
		return
	}
	n.round++                 // rule 5
	if n.grew || !n.sparing { // rule 2
		for port := range election.Port(e.Ports()) {
			e.Send(port, election.Message{Kind: kindMax, Rank: n.best, Round: n.round})
		}
	}
	n.grew = false
	e.SetTimer(timerRound, n.length, n.length)
}

func (n *process) hear(e *election.Env, m *election.Message) { // rule 3
	switch {
	// No correct process sends any of the others in this election.
	case n.over || m.Rank.ID == 0 || m.Round == 0 || m.Round > n.rounds: // rule 6
		return
	case n.best.ID == 0: // rule 4
		n.round = m.Round
		// Use a zero duration: the round ends at the instant at which its messages arrive, and they are
		// delivered first.
		e.SetTimer(timerRound, 0, 0)
	}
	// In round r, exactly the messages of round r arrive, so a process with a clock need not check the number.
	if n.best.Less(m.Rank) {
		n.best, n.grew = m.Rank, true
	}
}

// State visits what a Step may change.
func (n *process) State(s *election.State) {
	s.Rank(&n.best)
	s.Uint32(&n.round)
	s.Bool(&n.grew)
	s.Bool(&n.over)
}
