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

// A process that is down drops what comes for it; one that is paused keeps it until it goes on.
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

// crash takes a process down, and all that waits for it.
func (s *Sim) crash(p int32) {
	s.forget(p)
	s.procs[p].status = Down
	s.hashAct(p, actCrash)
	s.report(int(p), observe.Crash, 0, nil)
}

// forget drops the pause of a process, its timers and all that waits for it.
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

// Restart lets a process begin anew, at the present moment, without the state that it had and
// without what it had saved: whether it was down or not. If the Node panics, that is the error that ends
// the run.
func (s *Sim) Restart(p int) { s.byHand(func() { s.restart(p) }) }

// restart begins a process anew.
func (s *Sim) restart(p int) {
	s.reset(p)
	delete(s.saved, int32(p))
	s.report(p, observe.Recover, 0, nil)
	s.rejoin(p)
}

// RestartSaved lets a process begin anew, at the present moment, with the state that it saved
// last, or without if it never did: whether it was down or not. The run must keep what is saved,
// see [Config.KeepSaved]. If the Node panics, that is the error that ends the run, and is returned.
func (s *Sim) RestartSaved(p int) error {
	if s.saved == nil {
		return input.Errorf("keep_saved: %v, so nothing is kept of process %d to restart with",
			s.config.KeepSaved, s.config.IDs[p])
	}
	s.byHand(func() { s.restartSaved(p) })
	return s.err
}

// restartSaved begins a process anew with what it saved last.
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
