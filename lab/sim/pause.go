package sim

import (
	"maps"
	"slices"
	"time"

	"github.com/go-election/election"
	"github.com/go-election/election/observe"
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

// pause pauses a process until a time, or longer if it is paused already.
func (s *Sim) pause(p int32, until time.Duration) {
	if s.procs[p].status == Down {
		return
	}
	s.procs[p].status = Paused
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

// resume resumes a process. The events that have waited for it come next.
func (s *Sim) resume(p int32) {
	if s.procs[p].status != Paused {
		return
	}
	s.procs[p].status = Up
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

// handleResumed steps a process that has resumed with the next event that waited for it.
func (s *Sim) handleResumed() {
	c := &s.control
	w := c.resumed[0]
	c.resumed = c.resumed[1:]
	c.findNext()
	p := &s.procs[w.p]
	switch {
	case p.status == Paused: // again, before it came to this
		s.postpone(w)
		return
	case w.timer != 0 && !s.timers.expire(w.p, w.timer):
		return // stopped or set again after it had fired
	case w.ev.Op == election.Recv:
		// Only now has it reached the Node: deliver has noted when it reached the process that paused.
		p.depth = max(p.depth, s.chain(w.tag))
		s.arrived = s.now
	}
	s.local(int(w.p), w.ev)
}

// hashAct mixes into the hash what happens to a process from outside.
func (s *Sim) hashAct(p int32, do act) {
	s.hash.add(&election.Event{At: s.now, Timer: uint8(do)}, uint32(p))
}

// Pause pauses a process. Its events wait, in order, until it resumes. A process that is down does not pause.
func (s *Sim) Pause(p int) { s.byHand(func() { s.pause(int32(p), never) }) }

// Resume ends the pause of a process, even if the plan is a longer one. The events that have waited for it
// come next.
func (s *Sim) Resume(p int) { s.byHand(func() { s.resume(int32(p)) }) }
