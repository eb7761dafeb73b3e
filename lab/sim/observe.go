package sim

import (
	"math"

	"github.com/go-election/election"
	"github.com/go-election/election/observe"
)

// watch reports to an observer what happens.
type watch struct {
	observer observe.Observer
	chains   []uint32 // of every message that was sent, how long a chain it ends; message n is chains[n-1]
	message  tag      // the number of the message being delivered
	choices  []observe.Choice
	what     observe.Occurrence
}

func (s *Sim) observe(observer observe.Observer) {
	if observer == nil {
		return
	}
	w := &watch{observer: observer}
	s.watch = w
	// In place of the Env that New has made: a run without an observer keeps no list of choices.
	s.env = election.NewEnv(&s.config.Input, func(n int) int {
		chosen := s.choose(n)
		w.choices = append(w.choices, observe.Choice{Of: n, Chosen: chosen})
		return chosen
	})
}

// number returns the number of a message that is sent now.
func (w *watch) number(chain uint32) tag {
	if uint64(len(w.chains)) == math.MaxUint32 {
		panic("sim: too many messages to be observed")
	}
	w.chains = append(w.chains, chain)
	return tag(len(w.chains))
}

// chain returns how long a chain the message ends that a process is about to be given.
func (s *Sim) chain(t tag) uint32 {
	w := s.watch
	if w == nil {
		return uint32(t)
	}
	w.message = t
	return w.chains[t-1]
}

// report reports something that happens to a process.
func (s *Sim) report(p int, what observe.What, message tag, state []byte) {
	s.occurred++
	if w := s.watch; w != nil {
		w.what = observe.Occurrence{What: what, Process: s.config.IDs[p], At: s.now, Message: uint64(message),
			State: state}
		w.observer(&w.what)
	}
}

// stepped reports that a process has taken an event. Its messages are sent next, so their numbers are known.
func (s *Sim) stepped(p int, ev *election.Event, fx *election.Effects) {
	w := s.watch
	w.what = observe.Occurrence{
		What: observe.Step, Process: s.config.IDs[p], At: s.now, Event: ev, Effects: fx, Choices: w.choices,
		First: uint64(len(w.chains)) + 1,
	}
	if ev.Op == election.Recv {
		w.what.Message = uint64(w.message)
	}
	w.observer(&w.what)
	w.choices = w.choices[:0]
}

// reportDropped reports the messages that waited for a process and are lost.
func (s *Sim) reportDropped(p int32) {
	drop := func(all []waiting) {
		for i := range all {
			if w := &all[i]; w.p == p && w.ev.Op == election.Recv {
				s.report(int(p), observe.Lose, w.tag, nil)
			}
		}
	}
	drop(s.control.resumed)
	if r := s.pauses[p]; r != nil {
		drop(r.events)
	}
}
