package sim

import (
	"slices"
	"time"

	"github.com/go-election/election"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lab/topology"
	"github.com/go-election/election/observe"
)

// Outside says which act or step has left the model of the algorithm, and why.
type Outside struct {
	After uint64 // how many occurrences came before the act
	Why   string // in one line
	// Is what Why says in words, and what the model allows.
	Is scenario.Mishaps
}

// outside says why a step that is possible leaves the model of the algorithm; it is empty if it does not.
func (s *Sim) outside(step *scenario.Step, p int, m *entry) string {
	is := s.mishaps(step, p, m)
	return is.Outside(s.config.Algorithm, len(s.procs))
}

// mishaps returns what goes wrong by a step that is possible. Crashes and losses of the plan count for
// themselves, and an act only for what it adds.
func (s *Sim) mishaps(step *scenario.Step, p int, m *entry) (is scenario.Mishaps) {
	at := s.handTime(step, p)
	switch step.Do {
	case observe.Deliver:
		if is.Unordered = step.Nth > 0; s.procs[p].status != Up {
			break // it is lost, or waits: its time makes no difference
		}
		is.Uneven = m.ev.At != at
		if s.still { // else it comes no later than the schedule would bring it
			is.Delay = at - (m.ev.At - Unit) - s.paused(p, m.ev.At-Unit)
		}
	case observe.Delay:
		// At least that long: the queue has no room for when a message was sent, only for when it arrives.
		sent := min(s.now, m.ev.At-s.leastDelay())
		is.Unordered, is.Delay, is.Uneven = s.overtakes(step, p, m), m.ev.At+step.By-sent, true
	case observe.Lose:
		is.Lost = true
	case observe.Duplicate:
		is.Copied = true
	case observe.Timeout:
		// An act adds nothing to a plan with wrong clocks, which needs Force. Under the schedule hand
		// there is none, and acts are all that happens.
		is.Uneven = s.still && s.config.WrongClocks()
		is.Early = at < s.timers.due(s.running(int32(p), step.Timer, step.Layer))
	case observe.Start:
		is.Apart = at > 0
		is.Deposing = slices.ContainsFunc(s.procs, func(q proc) bool {
			return q.status != Down && s.outcomes.list[q.outcome].Role == election.Leader
		})
	case observe.Suspect, observe.Trust:
		if q, ok := topology.Behind(s.config.Topology, p, step.Port); ok {
			is.Misled = (s.procs[q].status == Down) != (step.Do == observe.Suspect)
		}
	case observe.Crash:
		is.Down = s.down() + 1
	case observe.Recover, observe.Restart:
		is.Down, is.Recovered, is.Restarted = s.down(), step.Do == observe.Recover, step.Do == observe.Restart
	case observe.Pause:
		is.Paused = true
	case observe.Cut:
		is.Cut = true
	}
	return is
}

// paused returns for how long what was sent to a process has waited for it to go on: had it arrived in its
// time, it would be handled no sooner.
func (s *Sim) paused(p int, sent time.Duration) time.Duration {
	due := sent + s.config.Algorithm.DelayBound()
	for _, r := range slices.Backward(s.hand.resumed) {
		if r.p == p {
			return max(0, r.at-due)
		}
	}
	return 0
}

// down returns how many processes are down.
func (s *Sim) down() (n int) {
	for i := range s.procs {
		if s.procs[i].status == Down {
			n++
		}
	}
	return n
}

// leastDelay returns how long a message takes at least.
func (s *Sim) leastDelay() time.Duration {
	if s.config.Schedule != RandomDelay {
		return Unit
	}
	return s.config.Delay.Min
}

// overtakes reports whether a message that is delayed changes places with another one of its link, or may do
// so with one that is sent next.
func (s *Sim) overtakes(step *scenario.Step, p int, m *entry) bool {
	at := m.ev.At + step.By
	for i, other := range s.onLink(p, step.Port) {
		if before := other.ev.At <= at; i != step.Nth && before != (i < step.Nth) {
			return true
		}
	}
	return at > s.now+s.leastDelay()
}
