package sim

import (
	"math"
	"slices"
	"time"

	"github.com/go-election/election"
	"github.com/go-election/election/input"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/observe"
)

// hand is what acts and steps change in a run, besides what every event does. A plain copy copies it.
type hand struct {
	acted     int           // how many of the acts or steps of Config were done
	next      uint64        // how many occurrences there are when next has to look for an act
	last      time.Duration // when the last act was done, if nothing but acts happens
	due       time.Duration // when the first message or timer is due
	dueAt     uint64        // one more than the number of occurrences at which due is right
	drawn     int           // how many of the choices of the step at hand have been made
	badChoice int           // one more than the number of the first of them that cannot be
	choices   int           // the number of things that there were to choose from then
	outside   []Outside     // only ever appended to
	resumed   []resumption  // only ever appended to
}

// resumption records that an act ended the pause of a process.
type resumption struct {
	p  int
	at time.Duration
}

// noAct is later than every act.
const noAct = math.MaxUint64

// plan prepares the steps or acts of Config.
func (s *Sim) plan() {
	c := &s.config
	s.still = c.still()
	for i := range s.planned() {
		if s.given(i).Do == observe.Restart && s.saved == nil {
			s.saved = make(map[int32][]byte)
		}
	}
	if s.still {
		s.control = controls{next: never}
	}
	if s.still || s.planned() > 0 {
		s.control.where = c.Positions()
	}
	switch starters := c.Starters(); {
	case c.Steps != nil:
		s.hand.last = -Unit // the first step comes a unit after that
	case s.still: // starts wait for the acts that bring them
		if starters == nil {
			starters = c.IDs
		}
		for _, id := range starters {
			s.control.add(id, 0, actStart)
		}
	}
	s.aim()
}

// planned returns how many steps or acts Config has.
func (s *Sim) planned() int { return max(len(s.config.Steps), len(s.config.Acts)) }

// given returns one of them.
func (s *Sim) given(i int) *scenario.Step {
	if s.config.Steps != nil {
		return &s.config.Steps[i]
	}
	return &s.config.Acts[i].Step
}

// isDue reports whether it is the turn of the next step or act.
func (s *Sim) isDue() bool {
	i := s.hand.acted
	return i < s.planned() && (s.config.Steps != nil || s.config.Acts[i].After <= s.occurred)
}

// aim finds out when next has to look for an act.
func (s *Sim) aim() {
	switch {
	case s.still:
		s.hand.next = 0 // unconditionally: only acts make anything happen
	case s.hand.acted < s.planned():
		s.hand.next = s.config.Acts[s.hand.acted].After
	default:
		s.hand.next = noAct
	}
}

// Occurred returns how many occurrences there were so far, as [Config.Observe] would count them. An
// [scenario.Act] with this number of After happens now.
func (s *Sim) Occurred() uint64 { return s.occurred }

// Acted returns how many of [Config.Acts] the run has done, or of Steps.
func (s *Sim) Acted() int { return s.hand.acted }

// act carries out the next step or act. If nothing but acts happens, it also steps processes that have
// resumed.
func (s *Sim) act() (more bool) {
	due := s.isDue()
	switch waits := len(s.control.resumed) > 0; {
	// Every step comes after the events that have waited. An act states its own position, by its After.
	case s.still && waits && (!due || s.config.Steps != nil):
		s.handleResumed()
		return s.err == nil
	case !due:
		return false
	}
	step := s.given(s.hand.acted)
	p := s.place(step)
	at := s.handTime(step, p)
	switch {
	case s.still && s.config.Until > 0 && at > s.config.Until:
		return false
	case at > lastTime-Unit: // in which messages would have no time to arrive
		s.err = ErrTime
		return false
	}
	s.hand.acted++
	s.aim()
	s.hand.drawn, s.hand.badChoice = 0, 0
	before := s.occurred
	_, err := s.take(step, p, at)
	if err == nil && s.config.Steps != nil {
		err = s.checkChoices(step)
	} else if err != nil {
		err = s.named(err, before)
	}
	if err != nil && s.err == nil {
		s.err = err
	}
	return s.err == nil
}

// handTime returns the time of the next act. Under the schedule Hand it is one unit after the act before. If
// the algorithm measures time, the clock does not pass the time at which a message or timer is due. Otherwise
// the second of two messages sent simultaneously would be late, in whichever order they are delivered. A
// timeout happens when its timer is due, if nothing is due before.
func (s *Sim) handTime(step *scenario.Step, p int) time.Duration {
	a, last := s.config.Algorithm, s.hand.last
	switch {
	case !s.still:
		return s.now
	case s.config.Steps != nil, a.Delay == 0: // no time is modelled
		return step.When(last)
	case step.Do == observe.Start && a.Synchronous: // all start at one instant
		return last
	}
	at, due := step.When(last), s.nextDue()
	if step.Do == observe.Timeout {
		if own := s.timers.due(s.running(int32(p), step.Timer, step.Layer)); own <= due {
			at = own
		}
	}
	return max(last, min(at, due))
}

// nextDue returns when the first message or timer is due, by the model of the algorithm. What is sent to a
// process that is down is due too, though it is lost then: the process may come back before it arrives. Of a
// process that is paused nothing is due.
func (s *Sim) nextDue() time.Duration {
	if s.hand.dueAt == s.occurred+1 {
		return s.hand.due
	}
	due := never
	if bound := s.config.Algorithm.DelayBound(); bound > 0 {
		for m := range s.fifo.all() {
			if s.procs[m.to].status != Paused {
				due = min(due, m.ev.At-Unit+bound)
			}
		}
	}
	for _, t := range s.timers.all() {
		if s.procs[t.p].status == Up && s.timers.isRunning(t) {
			due = min(due, t.at)
		}
	}
	s.hand.due, s.hand.dueAt = due, s.occurred+1
	return due
}

// named adds the number of the step or act to an error.
func (s *Sim) named(err error, after uint64) error {
	if i := s.hand.acted - 1; s.config.Steps != nil {
		return input.Errorf("steps[%d]: %s", i, input.Reason(err))
	} else {
		return input.Errorf("acts[%d], after %d: %s", i, after, input.Reason(err))
	}
}

// unreached returns an error if the run has ended before all its acts were done.
func (s *Sim) unreached() error {
	i := s.hand.acted
	if s.config.Steps != nil || i >= len(s.config.Acts) {
		return nil
	}
	a := &s.config.Acts[i]
	if s.isDue() { // it would come after Until
		return nil
	}
	return input.Errorf("acts[%d], after %d: %s: the run has ended after %d", i, a.After, a.Do, s.occurred)
}

// choose serves [election.Env.Choose].
func (s *Sim) choose(n int) int {
	if s.config.Steps == nil {
		return s.byChance(n)
	}
	// Take the next choice of the current step.
	h := &s.hand
	h.drawn++
	if h.acted == 0 || h.drawn > len(s.config.Steps[h.acted-1].Choices) {
		return 0
	}
	choice := s.config.Steps[h.acted-1].Choices[h.drawn-1]
	if choice >= n {
		// The Node needs a number now, so continue with 0. checkChoices returns the error at the end of the
		// step.
		if h.badChoice == 0 {
			h.badChoice, h.choices = h.drawn, n
		}
		return 0
	}
	return choice
}

// byChance returns a random number for the process in whose step no choice is given.
func (s *Sim) byChance(n int) int {
	if s.config.Draws == nil {
		return int(s.random.uintN(uint64(n)))
	}
	drawn, err := s.config.Draw(s.current, int(s.drawn[s.current]), n)
	s.drawn[s.current]++
	if err != nil {
		// The Node needs a number now, so continue with 0. The run ends after this step.
		if s.err == nil {
			s.err = err
		}
		return 0
	}
	return drawn - 1
}

// checkChoices returns an error if a step names a choice that is not among those there were, or more choices
// than the Node has made.
func (s *Sim) checkChoices(step *scenario.Step) error {
	h := &s.hand
	switch {
	case h.badChoice > 0:
		return input.Errorf("steps[%d].choices[%d]: %d, where there are %d to choose from, from 0 on",
			h.acted-1, h.badChoice-1, step.Choices[h.badChoice-1], h.choices)
	case h.drawn < len(step.Choices):
		return input.Errorf("steps[%d].choices[%d]: nothing more is left to chance in this step", h.acted-1,
			h.drawn)
	}
	return nil
}

// take carries out a step or an act, to process p, unless it cannot be. It returns why that leaves the model
// of the algorithm, if it does.
func (s *Sim) take(step *scenario.Step, p int, at time.Duration) (outside string, err error) {
	place, m, err := s.find(step, p)
	if err == nil {
		err = s.possible(step, p, m)
	}
	if err != nil {
		return "", err
	}
	is := s.mishaps(step, p, m)
	if s.config.Steps != nil {
		is.Delay, is.Early, is.Uneven, is.Apart = 0, false, false, false // of steps the order alone is given
	}
	if outside = is.Outside(s.config.Algorithm, len(s.procs)); outside != "" {
		s.hand.outside = append(s.hand.outside, Outside{s.occurred, outside, is})
	}
	s.now = at
	if s.still {
		s.hand.last = at
	}
	if s.config.Steps == nil {
		s.hashHand(step, p)
	}
	switch step.Do {
	case observe.Deliver, observe.Lose, observe.Duplicate, observe.Delay:
		s.takeMessage(step, p, place)
	case observe.Start:
		s.started(p)
		s.post(p, election.Event{Op: election.Start})
	case observe.Suspect, observe.Trust:
		s.post(p, election.Event{Op: election.Op(step.Do), Port: step.Port})
	case observe.Timeout:
		s.expire(int32(p), step.Timer, step.Layer)
	case observe.Crash:
		s.crash(int32(p))
	case observe.Pause:
		// How long it lasts is not known here: a later step ends it, if any does.
		s.pause(int32(p), never)
	case observe.Resume:
		s.resume(int32(p))
		s.hand.resumed = append(s.hand.resumed, resumption{p, at})
	case observe.Recover:
		s.wish(p, step.Voters)
		s.restart(p)
	case observe.Restart:
		s.wish(p, step.Voters)
		s.restartSaved(p)
	case observe.Command:
		s.command(step, p)
	case observe.Cut:
		s.cut(step.Groups, step.OneWay)
	case observe.Heal:
		s.heal()
	}
	return outside, nil
}

// hashHand mixes an act into the hash, since some acts cause no event, or cause one only later.
func (s *Sim) hashHand(step *scenario.Step, p int) {
	s.hash.add(&election.Event{At: s.now, Timer: uint8(actByHand), Port: step.Port, Msg: election.Message{
		Value: uint64(step.By), Term: uint64(step.Nth), Kind: uint8(step.Do), Round: uint32(step.Timer),
		Layer: step.Layer, Flags: flag(step.OneWay)}}, uint32(p))
	if step.Do == observe.Command { // which may wait for a paused process
		for _, m := range s.config.Algorithm.CommandsOf(step.Command, step.Voters) {
			s.hash.add(&election.Event{At: s.now, Timer: uint8(actCommand), Msg: m}, uint32(p))
		}
	}
}

// started notes that a process starts which has waited for an act to start it.
func (s *Sim) started(p int) {
	if !s.still {
		return // what the schedule has next stays as it is
	}
	is := func(c control) bool { return int(c.p) == p && c.do == actStart }
	if i := slices.IndexFunc(s.control.list, is); i >= 0 {
		// never in place, since snapshots share it
		s.control.list = slices.Delete(slices.Clone(s.control.list), i, i+1)
	}
}

// possible returns an error unless a step can be now, to process p and message m, if it has one.
func (s *Sim) possible(step *scenario.Step, p int, m *entry) error {
	isDown := s.procs[p].status == Down
	switch step.Do {
	case observe.Deliver, observe.Lose, observe.Duplicate, observe.Cut, observe.Heal:
		return nil
	case observe.Delay:
		return s.canDelay(step, m)
	case observe.Recover, observe.Restart:
		if !isDown {
			return impossible(step, "%d is not down", step.Process)
		}
		return nil
	}
	switch {
	case step.Do == observe.Command && s.commanded(step) == noProcess:
		return impossible(step, "no process leads; name the process that is to take it")
	case isDown:
		return impossible(step, "%d is down", s.config.IDs[p])
	case step.Do == observe.Resume && s.procs[p].status != Paused:
		return impossible(step, "%d is not paused", step.Process)
	case step.Do == observe.Timeout && s.running(int32(p), step.Timer, step.Layer) == 0:
		return impossible(step, "timer %d of layer %d does not run at %d", step.Timer, step.Layer,
			step.Process)
	}
	return nil
}

// impossible returns an error for a step that cannot happen.
func impossible(step *scenario.Step, format string, args ...any) error {
	return input.Errorf("%s: "+format, append([]any{step.Do}, args...)...)
}

func (s *Sim) canDelay(step *scenario.Step, m *entry) error {
	at := m.ev.At + step.By
	switch {
	case s.still:
		return impossible(step, "under the schedule hand a message arrives when an act delivers it")
	case at < s.now:
		return impossible(step, "by %s: the message arrives in %s, at most that much sooner",
			scenario.InUnits(step.By), scenario.InUnits(m.ev.At-s.now))
	case at-s.now > LongestDelay:
		return impossible(step, "by %s: the message would arrive in %s, at most %s can be",
			scenario.InUnits(step.By), scenario.InUnits(at-s.now), scenario.InUnits(LongestDelay))
	}
	return nil
}

// expire fires a timer of a process.
func (s *Sim) expire(p int32, name, layer uint8) {
	seq := s.running(p, name, layer)
	ev := election.Event{Op: election.Timeout, Timer: name, Layer: layer}
	if s.procs[p].status == Paused {
		s.postpone(waiting{ev: ev, p: p, timer: seq})
	} else {
		s.timers.expire(p, seq)
		s.local(int(p), ev)
	}
}

// running returns the number of a timer that runs, or zero if it does not.
func (s *Sim) running(p int32, name, layer uint8) uint64 {
	for r := range s.timers.of(p) {
		if r.name == name && r.layer == layer {
			return r.seq
		}
	}
	return 0
}
