package sim

import (
	"iter"
	"time"

	"github.com/go-election/election"
)

// Outcome returns what a process believes now.
func (s *Sim) Outcome(p int) election.Outcome { return s.outcomes.list[s.procs[p].outcome].Outcome }

// Status returns whether a process is up.
func (s *Sim) Status(p int) Status { return s.procs[p].status }

// Node returns the state machine of a process, to be looked at. To step or change it would make a run that no
// hash, trace or seed describes.
func (s *Sim) Node(p int) election.Node { return s.procs[p].host.Node() }

// Machines returns the state machines of a process with their layers, see [election.TermKeeper.Machines].
func (s *Sim) Machines(p int) iter.Seq2[uint8, election.Node] { return s.procs[p].host.Machines() }

// Ended reports whether a process knows that its current election has ended.
func (s *Sim) Ended(p int) bool { return s.procs[p].host.Ended() }

// Now returns the virtual time. A run that ends before Config.Until, with nothing left to happen, has waited
// until then all the same; without Until it ends with the last event.
func (s *Sim) Now() time.Duration { return s.now }

// Extend changes Config.Until, so that a run that has ended can continue.
func (s *Sim) Extend(until time.Duration) { s.config.Until = until }

// Begin gives each process that is up its first event, and nothing else. It has no effect on a run that has
// begun. Without Begin, the first Step begins the run.
func (s *Sim) Begin() { s.byHand(func() {}) }

// Post gives a process an event from outside, at the present moment: a Start, the report of
// a failure detector, a Command. If the Node panics, that is the error that ends the run.
func (s *Sim) Post(p int, ev election.Event) { s.byHand(func() { s.post(p, ev) }) }

// post gives a process an event that no message carries, or keeps it until the process resumes.
func (s *Sim) post(p int, ev election.Event) {
	switch s.procs[p].status {
	case Up:
		s.local(p, ev)
	case Paused:
		s.postpone(waiting{ev: ev, p: int32(p)})
	}
}

// byHand does what the caller of an exported method wants done, outside the loop of [Sim.Run].
func (s *Sim) byHand(do func()) {
	defer s.catch() // Nodes step here too
	if !s.begun {
		// Init comes first, even if the caller has not called Begin.
		s.begin()
	}
	do()
}
