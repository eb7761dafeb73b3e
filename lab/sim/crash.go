package sim

import (
	"fmt"
	"slices"

	"github.com/go-election/election"
	"github.com/go-election/election/input"
	"github.com/go-election/election/observe"
)

// Status is whether a process handles what comes for it.
type Status uint8

// A process that is down drops its events. A process that is paused keeps them until it resumes.
const (
	Up Status = iota
	Down
	Paused
)

// String returns the name, as "paused".
func (s Status) String() string { return [...]string{"up", "down", "paused"}[s] }

// Crash takes a process down, at the present moment. Its timers stop, and what comes for it is
// dropped, until it is restarted.
func (s *Sim) Crash(p int) { s.byHand(func() { s.crash(int32(p)) }) }

// crash crashes a process and drops all events that wait for it.
func (s *Sim) crash(p int32) {
	s.forget(p)
	s.procs[p].status = Down
	s.hashAct(p, actCrash)
	s.report(int(p), observe.Crash, 0, nil)
}

// forget drops the pause of a process, its timers and all events that wait for it.
func (s *Sim) forget(p int32) {
	s.timers.stopAll(int(p))
	s.reportDropped(p)
	delete(s.pauses, p)
	c := &s.control
	if slices.ContainsFunc(c.resumed, func(w waiting) bool { return w.p == p }) {
		// never in place, since snapshots share it
		c.resumed = slices.DeleteFunc(slices.Clone(c.resumed), func(w waiting) bool { return w.p == p })
		c.findNext()
	}
}

// Restart restarts a process now, whether it is up or down, without its state and without the state that it
// has saved. If the Node panics, the run ends with that error.
func (s *Sim) Restart(p int) { s.byHand(func() { s.restart(p) }) }

// restart restarts a process without state.
func (s *Sim) restart(p int) {
	s.reset(p)
	delete(s.saved, int32(p))
	s.report(p, observe.Recover, 0, nil)
	s.rejoin(p)
}

// RestartSaved restarts a process now, whether it is up or down, with the state that it saved last, or
// without state if it has saved none. The run must keep saved states; see [Config.KeepSaved]. If the Node
// panics, the run ends with that error, which RestartSaved returns.
func (s *Sim) RestartSaved(p int) error {
	if s.saved == nil {
		return input.Errorf("keep_saved: %v, so nothing is kept of process %d to restart with",
			s.config.KeepSaved, s.config.IDs[p])
	}
	s.byHand(func() { s.restartSaved(p) })
	return s.err
}

// restartSaved restarts a process with the state that it saved last.
func (s *Sim) restartSaved(p int) {
	s.reset(p)
	state := s.saved[int32(p)]
	if len(state) == 0 {
		s.report(p, observe.Recover, 0, nil)
	} else {
		s.report(p, observe.Restart, 0, state)
		s.hashAct(int32(p), actRestart) // Init and Rejoin are the same without a state
		if err := new(election.State).Restore(&s.procs[p].host, state); err != nil {
			s.fail(p, fmt.Errorf("saved: %w", err))
			return
		}
	}
	s.rejoin(p)
}

func (s *Sim) reset(p int) {
	s.forget(int32(p))
	s.procs[p].status, s.procs[p].outcome = Up, 0
	new(election.State).Reset(&s.procs[p].host)
}

func (s *Sim) rejoin(p int) {
	// One count for all processes: incarnations of one need only differ, and grow.
	s.returns++
	s.init(p)
	s.local(p, election.Event{Op: election.Rejoin})
}
