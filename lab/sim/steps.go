package sim

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/go-election/election"
	"github.com/go-election/election/input"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/observe"
)

// script is a run of which every step is given.
type script struct {
	steps      []scenario.Step
	at         int            // the step at hand; -1 before the first
	last       time.Duration  // when that happens
	drawn      int            // how many of its choices have been made
	badChoice  int            // one more than the number of the first of them that cannot be
	choices    int            // the number of things that there were to choose from then
	links      map[int][]sent // what is on each link in the order of sending, by its receiving port
	delivering entry          // the message that is being delivered
}

// sent is a message that waits on its link, and where it came from.
type sent struct {
	entry
	from int
	port election.Port
}

// runSteps lets the run consist of given steps. A first step without a time comes a unit after last: at zero.
func (s *Sim) runSteps(steps []scenario.Step) {
	s.script = &script{steps: steps, at: -1, last: -Unit, links: make(map[int][]sent)}
	s.control = controls{where: s.config.Positions(), next: never}
	s.faulty = true // messages go to the script
	if s.saved == nil && slices.ContainsFunc(steps,
		func(t scenario.Step) bool { return t.Do == observe.Restart }) {
		s.saved = make(map[int32][]byte)
	}
}

func (sc *script) clone() *script {
	if sc == nil {
		return nil
	}
	c := *sc
	c.links = maps.Clone(sc.links)
	for i, queue := range c.links {
		c.links[i] = slices.Clone(queue)
	}
	return &c
}

// push returns the place of a new last message of a link.
func (sc *script) push(from int, port election.Port, link int) *entry {
	queue := append(sc.links[link], sent{from: from, port: port})
	sc.links[link] = queue
	return &queue[len(queue)-1].entry
}

// choose serves [election.Env.Choose].
func (s *Sim) choose(n int) int {
	if s.script != nil {
		return s.script.choose(n)
	}
	return int(s.random.uintN(uint64(n)))
}

// choose returns what the step at hand says that chance brings.
func (sc *script) choose(n int) int {
	sc.drawn++
	if sc.at < 0 || sc.drawn > len(sc.steps[sc.at].Choices) {
		return 0
	}
	choice := sc.steps[sc.at].Choices[sc.drawn-1]
	if choice >= n {
		// The Node waits for a number: the step goes on with 0, and checkChoices refuses it at its end.
		if sc.badChoice == 0 {
			sc.badChoice, sc.choices = sc.drawn, n
		}
		return 0
	}
	return choice
}

// nextStep lets the next step happen, unless processes that were paused have something to do first.
func (s *Sim) nextStep() (more bool) {
	sc := s.script
	if len(s.control.resumed) > 0 {
		s.handleResumed()
		return s.err == nil
	}
	if sc.at+1 >= len(sc.steps) {
		return false
	}
	step := &sc.steps[sc.at+1]
	at := step.When(sc.last)
	switch {
	case s.config.Until > 0 && at > s.config.Until:
		return false
	case at > lastTime-Unit: // in which messages would have no time to arrive
		s.err = ErrTime
		return false
	}
	sc.at, sc.last, sc.drawn, sc.badChoice = sc.at+1, at, 0, 0
	s.now = at
	if err := s.take(step, s.control.where[step.Process]); err != nil {
		s.err = err
	} else if err := sc.checkChoices(step); err != nil && s.err == nil {
		s.err = err
	}
	return s.err == nil
}

// checkChoices returns an error if a step names a choice that is not among those there were, or more choices
// than the Node has made.
func (sc *script) checkChoices(step *scenario.Step) error {
	switch {
	case sc.badChoice > 0:
		return input.Errorf("steps[%d].choices[%d]: %d, where there are %d to choose from, from 0 on", sc.at,
			sc.badChoice-1, step.Choices[sc.badChoice-1], sc.choices)
	case sc.drawn < len(step.Choices):
		return input.Errorf("steps[%d].choices[%d]: nothing more is left to chance in this step", sc.at,
			sc.drawn)
	}
	return nil
}

// take carries out a step, to process p.
func (s *Sim) take(step *scenario.Step, p int) error {
	isDown := s.procs[p].status == Down
	switch step.Do {
	case observe.Deliver, observe.Lose, observe.Duplicate:
		return s.takeMessage(step, p)
	case observe.Recover, observe.Restart:
		if !isDown {
			return s.impossible(step, "%d is not down", step.Process)
		}
	default:
		if isDown {
			return s.impossible(step, "%d is down", step.Process)
		}
	}
	switch step.Do {
	case observe.Start:
		s.post(p, election.Event{Op: election.Start})
	case observe.Suspect, observe.Trust:
		s.post(p, election.Event{Op: election.Op(step.Do), Port: step.Port})
	case observe.Timeout:
		if !s.expire(int32(p), step.Timer, step.Layer) {
			return s.impossible(step, "timer %d of layer %d does not run at %d", step.Timer, step.Layer,
				step.Process)
		}
	case observe.Crash:
		s.crash(int32(p))
	case observe.Pause:
		// How long it lasts is not known here: a later step ends it, if any does.
		s.pause(int32(p), never)
	case observe.Resume:
		if s.procs[p].status != Paused {
			return s.impossible(step, "%d is not paused", step.Process)
		}
		s.resume(int32(p))
	case observe.Recover:
		s.restart(p)
	case observe.Restart:
		s.restartSaved(p)
	}
	return nil
}

// impossible says why a step cannot be.
func (s *Sim) impossible(step *scenario.Step, format string, args ...any) error {
	where := ""
	if s.script != nil {
		where = fmt.Sprintf("steps[%d]: ", s.script.at)
	}
	return input.Errorf("%s%s: "+format, append([]any{where, step.Do}, args...)...)
}

// onLink returns an error if a step names none of n messages that are on its link.
func (s *Sim) onLink(step *scenario.Step, n int) error {
	switch {
	case n == 0:
		return s.impossible(step, "no message is on the link to port %d of %d", step.Port, step.Process)
	case step.Nth >= n:
		return s.impossible(step, "nth is %d, and on the link to port %d of %d there are %d, from 0 on",
			step.Nth, step.Port, step.Process, n)
	}
	return nil
}

// takeMessage carries out a step with a message on its way to process p.
func (s *Sim) takeMessage(step *scenario.Step, p int) error {
	sc := s.script
	if sc == nil {
		return s.doMessage(step, p)
	}
	link := s.config.Topology.Index(p, step.Port)
	queue := sc.links[link]
	if err := s.onLink(step, len(queue)); err != nil {
		return err
	}
	m := &queue[step.Nth]
	if step.Do == observe.Duplicate {
		s.duplicated++
		s.report(m.from, observe.Duplicate, m.tag, nil)
		sc.links[link] = append(queue, *m)
		return nil
	}
	taken := *m // a copy: Delete moves the later ones into its place
	sc.links[link] = slices.Delete(queue, step.Nth, step.Nth+1)
	if step.Do == observe.Lose {
		s.lost++
		s.hash.add(&election.Event{At: s.now, Port: taken.port, Msg: taken.ev.Msg}, uint32(taken.from))
		s.report(taken.from, observe.Lose, taken.tag, nil)
		return nil
	}
	sc.delivering = taken.entry
	sc.delivering.ev.At = s.now
	s.deliver(&sc.delivering)
	return nil
}

// expire lets a timer of a process run out, and reports whether there is one.
func (s *Sim) expire(p int32, name, layer uint8) bool {
	i := slices.IndexFunc(s.timers.running[p], func(r running) bool {
		return r.name == name &&
			r.layer == layer
	})
	if i < 0 {
		return false
	}
	seq := s.timers.running[p][i].seq
	ev := election.Event{Op: election.Timeout, Timer: name, Layer: layer}
	if s.procs[p].status == Paused {
		s.postpone(waiting{ev: ev, p: p, timer: seq})
	} else {
		s.timers.expire(p, seq)
		s.local(int(p), ev)
	}
	return true
}
