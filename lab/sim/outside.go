package sim

import (
	"slices"
	"time"

	"github.com/go-election/election"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lab/topology"
	"github.com/go-election/election/observe"
)

// Outside describes an act or step that has left the model of the algorithm, and why.
type Outside struct {
	After uint64 // how many occurrences came before the act
	Why   string // in one line
	// Is contains the same as Why, in the terms of the model.
	Is scenario.Mishaps
}

// outside returns why a possible step leaves the model of the algorithm, or "" if it does not.
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
		// A plan with wrong clocks needs Force in any case, so an act makes no difference. Under the schedule
		// Hand there is no plan: only acts happen.
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

// paused returns how long a message to a process has waited for it to resume. A message that had arrived in
// time would be handled no sooner.
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
