package check

import (
	"slices"
	"time"

	"github.com/go-election/election"
	"github.com/go-election/election/input"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/observe"
)

// addFaults adds to the budgets what goes wrong in steps.
func (c *Config) addFaults(steps []scenario.Step) {
	for i := range steps {
		switch steps[i].Do {
		case observe.Crash:
			c.Crashes++
		case observe.Recover:
			c.Recoveries++
		case observe.Restart:
			c.Restarts++
		case observe.Lose:
			if c.Losses != Unlimited {
				c.Losses++
			}
		case observe.Duplicate:
			c.Duplicates++
		case observe.Pause:
			c.Pauses++
		case observe.Cut:
			c.Cuts++
		}
	}
}

// whole returns the check of whole runs: what may go wrong in them is what goes wrong in After too.
func (c *Config) whole() *Config {
	if len(c.After) == 0 {
		return c
	}
	all := *c
	all.addFaults(c.After)
	return &all
}

// overtakes reports whether a message is delivered before one that was sent earlier over its link.
func overtakes(steps []scenario.Step) bool {
	return slices.ContainsFunc(steps,
		func(s scenario.Step) bool { return s.Do == observe.Deliver && s.Nth > 0 })
}

// budgets returns what may still go wrong.
func (c *Config) budgets() budgets {
	return budgets{int16(c.Crashes), int16(c.Recoveries), int16(c.Restarts),
		int16(c.Losses), int16(c.Duplicates), int16(c.Pauses), int16(c.Cuts)}
}

// checkAfter checks the steps before the first state.
func (c *Config) checkAfter() error {
	if len(c.After) == 0 {
		return nil
	}
	if c.Started || c.NoAnnouncement {
		return input.Errorf("started, no_announcement: not allowed with after, whose steps begin each run")
	}
	if err := c.CheckSteps(c.After); err != nil {
		return input.Errorf("after: %s", input.Reason(err))
	}
	all := c.whole()
	if all.Cuts > 0 && len(c.IDs) > maxDivided {
		return input.Errorf("after: a cut of %d processes, at most %d can be divided", len(c.IDs), maxDivided)
	}
	for _, n := range []int{all.Crashes, all.Recoveries, all.Restarts, all.Losses, all.Duplicates,
		all.Pauses, all.Cuts} {
		if n > maxBudget {
			return input.Errorf("after: the steps and the budgets have %d faults of a kind, at most %d "+
				"can be "+
				"checked", n, maxBudget)
		}
	}
	return nil
}

// past is what the steps before the first state leave behind, beside that state.
type past struct {
	last     time.Duration  // when the last one happens
	messages int            // the number of messages that were sent
	ofTerm   map[uint64]int // by Term
	goal     bool           // a process has led, or has been in a critical section
	paused   map[int]bool
}

func newPast() past {
	return past{last: -scenario.Unit, ofTerm: make(map[uint64]int), paused: make(map[int]bool)}
}

// followAll takes the steps before the first state.
func (p *pen) followAll(steps []scenario.Step) error {
	if len(steps) == 0 {
		return nil
	}
	w := p.w
	p.past = newPast()
	for i := range steps {
		s := &steps[i]
		p.past.last = s.When(p.past.last)
		if err := p.follow(s, w.config.Positions()[s.Process]); err != nil {
			return input.Errorf("after: steps[%d].%s", i, input.Reason(err))
		}
		p.past.goal = p.past.goal || w.isLed(p.state)
	}
	p.steps = append(p.steps, steps...)
	// The steps have spent what they were given, as far as a step of the search would: set the rest again.
	f := w.frames.at(p.state[w.slots-1]).clone()
	f.left = w.left
	p.state[w.slots-1] = w.frame(f)
	w.forget()
	return nil
}

// follow takes a step that is given, whether or not the search would.
func (p *pen) follow(s *scenario.Step, process int) error {
	w := p.w
	if err := p.waitUntil(p.past.last); err != nil {
		return err
	}
	w.begin()
	w.given, w.unfit, w.drawn = append([]int{}, s.Choices...), false, 0
	err := p.take(s, process)
	w.given = nil
	switch {
	case err != nil:
		return err
	case w.unfit || w.drawn < len(s.Choices):
		return input.Errorf("choices: %v is not a possible random outcome", s.Choices)
	case w.broken == ruleSound+1:
		return input.Errorf("do: %v", w.fault)
	}
	for _, sent := range w.sent {
		p.past.messages++
		if msg := w.messages.at(sent.msg); msg.Kind != election.CatchUp {
			p.past.ofTerm[msg.Term]++
		}
	}
	switch s.Do {
	case observe.Deliver, observe.Lose, observe.Duplicate:
		p.takeOff(s, w.linkInto(process, s.Port))
	}
	p.note()
	for _, c := range w.changed {
		p.state[c.slot] = c.to
	}
	return nil
}

// waitUntil lets time go on.
func (p *pen) waitUntil(at time.Duration) error {
	w := p.w
	if !w.timed() {
		// No time is modelled, but the Nodes have seen the time of the run, and keep it.
		w.offset = at
		return nil
	}
	tick := w.config.Tick
	switch {
	case at%tick != 0:
		return input.Errorf("at: %s is between two ticks of %s", scenario.InUnits(at), scenario.InUnits(tick))
	case at/tick > maxTicks:
		return input.Errorf("at: %s units are more than %d ticks of %s", scenario.InUnits(at), maxTicks,
			scenario.InUnits(tick))
	case w.config.Until > 0 && at > w.config.Until:
		return input.Errorf("at: %s is after the end, %s", scenario.InUnits(at),
			scenario.InUnits(w.config.Until))
	}
	for time.Duration(w.frames.at(p.state[w.slots-1]).now) < at/tick {
		w.take(p.state, newAction(doTick, 0, 0)) // also past what could wait no longer
		for _, c := range w.changed {
			p.state[c.slot] = c.to
		}
	}
	return nil
}

// take works out what a step that is given changes.
func (p *pen) take(s *scenario.Step, process int) error {
	w := p.w
	is := w.locals[process].at(p.state[process])
	down, paused := is.flags&isDown != 0, p.past.paused[process]
	switch s.Do {
	case observe.Cut, observe.Heal:
		return p.cutBy(s)
	case observe.Deliver, observe.Lose, observe.Duplicate:
		if paused && s.Do == observe.Deliver {
			return p.waits(s)
		}
		l, part, err := p.messageOf(s, process)
		switch {
		case err != nil:
			return err
		case s.Do == observe.Deliver:
			w.deliver(p.state, l, part, 0)
		case s.Do == observe.Lose:
			w.lose(p.state, l, part)
		default:
			w.duplicate(p.state, l, part)
		}
		return nil
	case observe.Recover, observe.Restart:
		if !down {
			return input.Errorf("do: %d is not down", s.Process)
		}
		w.comeBack(p.state, process, s.Do == observe.Restart, 0)
		return nil
	}
	switch {
	case down:
		return input.Errorf("do: %d is down", s.Process)
	case s.Do == observe.Resume && !paused:
		return input.Errorf("do: %d is not paused", s.Process)
	case s.Do == observe.Crash:
		delete(p.past.paused, process)
		w.crash(p.state, process)
	case s.Do == observe.Pause, s.Do == observe.Resume:
		p.past.paused[process] = s.Do == observe.Pause
		p.rest(process)
	case paused:
		return p.waits(s)
	case s.Do == observe.Timeout:
		of := newOwner(process, s.Layer, s.Timer)
		timers := w.frames.at(p.state[w.slots-1]).timers
		if !slices.ContainsFunc(timers, func(t timer) bool { return t.owner == of }) {
			return input.Errorf("timer: %d of layer %d does not run at %d", s.Timer, s.Layer, s.Process)
		}
		w.runOut(p.state, of, 0)
	case s.Do == observe.Start && is.flags&isToStart != 0:
		w.handle(p.state, process, effectKey{op: election.Start}, 0, noTimer)
	default:
		w.inform(p.state, process, election.Op(s.Do), s.Port, 0)
	}
	return nil
}

// cutBy begins or ends a cut.
func (p *pen) cutBy(s *scenario.Step) error {
	w := p.w
	if s.Do == observe.Heal {
		w.cut(p.state, newAction(doHeal, 0, 0))
		return nil
	}
	group, err := w.groupOf(s)
	switch {
	case err != nil:
		return err
	case w.group(p.state) != 0:
		return input.Errorf("do: one cut at a time can be checked")
	}
	w.cut(p.state, newAction(doCut, int(group), 0))
	return nil
}

// waits refuses what comes for a process that is paused.
func (p *pen) waits(s *scenario.Step) error {
	return input.Errorf("do: %d is paused, so its events wait", s.Process)
}

// rest begins or ends a pause. Where no time is modelled, a pause is nothing but slow messages.
func (p *pen) rest(process int) {
	w := p.w
	w.pause(p.state, process, p.past.paused[process])
	if !w.timed() {
		is := *w.locals[process].at(w.value(p.state, process))
		is.flags &^= isPaused
		w.put(process, w.local(process, is))
	}
}

// messageOf returns the link of a step, and the place of its message among those that are to arrive there.
func (p *pen) messageOf(s *scenario.Step, process int) (l, part int, err error) {
	w := p.w
	if l = w.linkInto(process, s.Port); l < 0 {
		return 0, 0, input.Errorf("port: nothing arrives at %d over port %d", s.Process, s.Port)
	}
	if n := len(p.sent[l]); s.Nth >= n {
		return 0, 0, input.Errorf("nth: %d, and on the link to port %d of %d there are %d, from 0 on", s.Nth,
			s.Port, s.Process, n)
	}
	msg := p.sent[l][s.Nth]
	items := w.queues[l].at(p.state[w.n+l]).items
	// Of equal messages, the one that was sent as the same of them. They differ in what is left of their
	// delay.
	same := 0
	for _, m := range p.sent[l][:s.Nth] {
		if m == msg {
			same++
		}
	}
	for part = range items {
		if items[part].msg != msg {
			continue
		}
		if same == 0 {
			break
		}
		same--
	}
	return l, part, nil
}

// linkInto returns the link that arrives at a port, -1 if there is none.
func (m *model) linkInto(process int, port election.Port) int {
	return slices.IndexFunc(m.links, func(l link) bool { return l.to == process && l.port == port })
}

// takeOff notes that a step takes a message off its link, or copies it.
func (p *pen) takeOff(s *scenario.Step, l int) {
	if s.Do == observe.Duplicate {
		p.sent[l] = append(p.sent[l], p.sent[l][s.Nth])
	} else {
		p.sent[l] = slices.Delete(p.sent[l], s.Nth, s.Nth+1)
	}
}

// isLed reports whether a process leads, or has been in a critical section.
func (w *worker) isLed(state []uint32) bool {
	for p := range w.n {
		is := w.locals[p].at(state[p])
		if is.outcome.Role != 0 && is.outcome.Leader.ID == w.config.IDs[p] || is.flags&wasInside != 0 {
			return true
		}
	}
	return false
}
