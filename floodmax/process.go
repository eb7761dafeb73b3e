package floodmax

import (
	"time"

	"github.com/go-election/election"
)

// process is a participant.
type process struct {
	rounds  uint32
	length  time.Duration // of a round
	sparing bool          // of the variant: it sends only what is new

	best  election.Rank // the largest that it knows; of ID zero before the first
	round uint32        // the present one
	grew  bool          // the best has changed in this round
	over  bool          // it knows the leader
}

// Step takes one event.
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
	// No process sends the others of these in this election.
	case n.over || m.Rank.ID == 0 || m.Round == 0 || m.Round > n.rounds: // rule 6
		return
	case n.best.ID == 0: // rule 4
		n.round = m.Round
		// Of no length: the round ends at the instant at which its messages arrive, and they come first.
		e.SetTimer(timerRound, 0, 0)
	}
	// In round r all of round r arrives, and nothing else, so the number is of no use to a process that has a
	// clock.
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
