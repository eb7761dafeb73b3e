package sim

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/go-election/election"
	"github.com/go-election/election/input"
	"github.com/go-election/election/observe"
)

// status is whether a process handles what comes for it.
type status uint8

const (
	up status = iota
	down
	paused
)

// waiting is an event that has come for a process while it was paused.
type waiting struct {
	ev    election.Event
	p     int32
	tag   tag    // of a message
	timer uint64 // the number of a timer, which may still be stopped; zero if it is none
}

// pauses are the processes that are paused now.
type pauses map[int32]*rest

// rest is the pause of one process.
type rest struct {
	until  time.Duration
	events []waiting // in the order in which they came
}

func (p pauses) clone() pauses {
	c := maps.Clone(p)
	for i, r := range c {
		c[i] = &rest{until: r.until, events: slices.Clone(r.events)}
	}
	return c
}

// pause lets a process rest until a time, or longer if it is paused already.
func (s *Sim) pause(p int32, until time.Duration) {
	if s.procs[p].status == down {
		return
	}
	s.procs[p].status = paused
	if s.pauses == nil {
		s.pauses = make(pauses)
	}
	if s.pauses[p] == nil {
		s.pauses[p] = &rest{}
	}
	s.pauses[p].until = max(s.pauses[p].until, until)
	s.hashAct(p, actPause)
	s.report(int(p), observe.Pause, 0, nil)
}

// resume lets a process go on. What has come for it in the meantime is what happens next.
func (s *Sim) resume(p int32) {
	if s.procs[p].status != paused {
		return
	}
	s.procs[p].status = up
	s.hashAct(p, actResume)
	s.report(int(p), observe.Resume, 0, nil)
	c := &s.control
	c.resumed = slices.Concat(c.resumed, s.pauses[p].events) // never in place, since snapshots share it
	c.findNext()
	delete(s.pauses, p)
}

// postpone keeps an event for a process that is paused.
func (s *Sim) postpone(w waiting) {
	r := s.pauses[w.p]
	r.events = append(r.events, w)
}

// handleResumed lets a process that was paused handle the next event that waited for it.
func (s *Sim) handleResumed() {
	c := &s.control
	w := c.resumed[0]
	c.resumed = c.resumed[1:]
	c.findNext()
	p := &s.procs[w.p]
	switch {
	case p.status == paused: // again, before it came to this
		s.postpone(w)
		return
	case w.timer != 0 && !s.timers.expire(w.p, w.timer):
		return // stopped, or set anew, since it ran out
	case w.ev.Op == election.Recv:
		p.depth = max(p.depth, s.chain(w.tag))
		s.arrived = s.now
	}
	s.local(int(w.p), w.ev)
}

// crash takes a process down, and all that waits for it.
func (s *Sim) crash(p int32) {
	s.forget(p)
	s.procs[p].status = down
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
		c.resumed = slices.DeleteFunc(slices.Clone(c.resumed), func(w waiting) bool { return w.p == p })
		c.findNext()
	}
}

// hashAct mixes into the hash what happens to a process from outside.
func (s *Sim) hashAct(p int32, do act) {
	s.hash.add(&election.Event{At: s.now, Timer: uint8(do)}, uint32(p))
}

// Crash takes a process down, at the present moment. Its timers stop, and what comes for it is
// dropped, until it is restarted.
func (s *Sim) Crash(p int) {
	s.prepare()
	s.crash(int32(p))
}

// Pause lets a process handle nothing from now on. What comes for it waits until it is resumed,
// in order. A process that is down does not pause.
func (s *Sim) Pause(p int) {
	s.prepare()
	s.pause(int32(p), never)
}

// Resume lets a process go on that is paused, also one that was to pause longer. What has come
// for it is what happens next.
func (s *Sim) Resume(p int) {
	s.prepare()
	s.resume(int32(p))
}

// Restart lets a process begin anew, at the present moment, without the state that it had and
// without what it had saved: whether it was down or not.
func (s *Sim) Restart(p int) {
	s.prepare()
	s.restart(p)
}

// RestartSaved lets a process begin anew, at the present moment, with the state that it saved
// last, or without if it never did: whether it was down or not. The run must keep what is saved,
// see [Config.KeepSaved].
func (s *Sim) RestartSaved(p int) error {
	if s.saved == nil {
		return input.Errorf("keep_saved: %v, so nothing is kept of process %d to restart with",
			s.config.KeepSaved, s.config.IDs[p])
	}
	s.prepare()
	s.restartSaved(p)
	return s.err
}

// restart begins a process anew.
func (s *Sim) restart(p int) {
	s.reset(p)
	delete(s.saved, int32(p))
	s.report(p, observe.Recover, 0, nil)
	s.rejoin(p)
}

// restartSaved begins a process anew with what it saved last.
func (s *Sim) restartSaved(p int) {
	s.reset(p)
	state := s.saved[int32(p)]
	if len(state) == 0 {
		s.report(p, observe.Recover, 0, nil)
	} else {
		s.report(p, observe.Restart, 0, state)
		s.hashAct(int32(p), actRestart)
		if err := new(election.State).Restore(&s.procs[p].host, state); err != nil {
			s.fail(p, fmt.Errorf("saved: %w", err))
			return
		}
	}
	s.rejoin(p)
}

func (s *Sim) reset(p int) {
	s.forget(int32(p))
	s.procs[p].status, s.procs[p].outcome = up, 0
	new(election.State).Reset(&s.procs[p].host)
}

func (s *Sim) rejoin(p int) {
	s.local(p, election.Event{Op: election.Init})
	s.local(p, election.Event{Op: election.Rejoin})
}

// prepare gives every process its first event, unless that has happened.
func (s *Sim) prepare() {
	if !s.begun {
		s.begin()
	}
}
