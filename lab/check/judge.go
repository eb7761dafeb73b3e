package check

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/go-election/election"
	"github.com/go-election/election/input"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lab/verdict"
	"github.com/go-election/election/observe"
)

// Judge judges one run by the rules of a check: a counterexample after a mistake was corrected, or a part
// of one. The simulator takes the steps and reports all that happens to [Judge.Observe], which gives the same
// events to Nodes of its own. Of a check without announcements it does not see that a run has no end.
// The zero value is of no use; see [NewJudge].
type Judge struct {
	w         *worker
	config    Config
	rules     [ruleCount]bool
	property  verdict.Property // that alone is judged
	timed     bool             // the steps have times
	positions map[election.ID]int
	state     []uint32
	underway  map[uint64]onLink // by number
	seen      map[string]bool   // states, since something went wrong
	cycle     bool
	messages  map[uint64]int // by Term; where Terms do not matter, all under 0
	found     *ruling
}

// onLink is a message on its way.
type onLink struct {
	link int
	msg  uint32
}

// ruling is a rule that is broken.
type ruling struct {
	rule int
	err  error
}

// NewJudge returns a Judge of a run of these steps. The Input must have been checked. The property is that
// of a [Trail], which alone is judged then. If it is no rule of the checker, all rules are judged, as far as
// they are promised under the faults that the steps contain. The error wraps [election.ErrInput]: no steps of
// this algorithm break the property, so that a run of them would say nothing.
func NewJudge(in scenario.Input, steps []scenario.Step, property verdict.Property) (*Judge, error) {
	j := &Judge{config: Config{Input: in}, positions: in.Positions(), underway: make(map[uint64]onLink),
		seen: make(map[string]bool), messages: make(map[uint64]int)}
	j.budget(steps)
	m := newModel(&j.config)
	if why := m.unbreakable(property); why != "" {
		return nil, input.Errorf("property: no steps break %.60q: %s", property, why)
	}
	j.w = newWorker(m)
	j.rules = m.rulesFor(property)
	if slices.Contains(ruleProperties[:], property) {
		j.property = property
	}
	j.begin()
	return j, nil
}

// Property returns the property that alone is judged; "" if all are.
func (j *Judge) Property() verdict.Property { return j.property }

// budget reads from the steps what may go wrong.
func (j *Judge) budget(steps []scenario.Step) {
	c := &j.config
	first := 0 // as many starts as come before anything else
	for i := range steps {
		j.timed = j.timed || steps[i].At != nil && *steps[i].At > 0
		if steps[i].Do == observe.Start && first == i {
			first++
		}
	}
	c.addFaults(steps)
	c.Unordered = overtakes(steps)
	c.Started = first == c.Starts()
}

// begin makes the state before the first Init.
func (j *Judge) begin() {
	w := j.w
	j.state = make([]uint32, w.slots)
	starters := j.config.Starters()
	if starters == nil {
		starters = j.config.IDs
	}
	for p, id := range j.config.IDs {
		is := local{}
		if slices.Contains(starters, id) {
			is.flags |= isToStart
		}
		j.state[p] = w.local(p, is) // of those that are down, the simulator reports a crash
	}
	for l := range w.links {
		j.state[w.n+l] = w.queue(l, nil, &w.messages)
	}
	j.state[w.slots-1] = w.frame(frame{tokens: w.noTokens()})
}

// Observe takes all that a simulator reports.
func (j *Judge) Observe(o *observe.Occurrence) {
	p := j.positions[o.Process]
	switch o.What {
	case observe.Step:
		j.step(p, o)
		if op := o.Event.Op; op != election.Recv && op != election.Timeout {
			// Of the three occurrences of one return, some may leave all as it was. And a caller that starts
			// a process again and again, or a detector that suspects, makes no run without end.
			clear(j.seen)
		}
	case observe.Lose:
		j.pull(o.Message)
		clear(j.seen) // what goes wrong is no part of a run without end
	case observe.Duplicate:
		if is, ok := j.underway[o.Message]; ok {
			slot := j.w.n + is.link
			j.change(func() { j.w.put(slot, j.w.pushItem(is.link, j.state[slot], is.msg)) })
		}
		clear(j.seen)
	case observe.Pause:
		is := *j.w.locals[p].at(j.state[p])
		j.w.setApart(&is)
		j.state[p] = j.w.local(p, is)
	case observe.Crash:
		if j.flags(p)&isDown == 0 {
			// What was seen need not be forgotten here: each return does that, and no state since had this
			// process down.
			j.change(func() { j.w.crash(j.state, p) })
		}
	case observe.Recover:
		new(election.State).Reset(&j.w.nodes[p])
		j.state[p] = j.w.local(p, local{flags: j.flags(p) & isToStart, groups: j.groups(p)})
	case observe.Restart:
		j.w.restore(&j.w.nodes[p], string(o.State))
		j.state[p] = j.w.local(p, local{saved: string(o.State), flags: j.flags(p) & isToStart,
			groups: j.groups(p)})
	default:
		return
	}
	j.look(o.At)
	j.note(j.w.broken-1, j.w.fault) // of the last Step
}

// groups returns the largest Term of a group that a process has led.
func (j *Judge) groups(p int) uint64 { return j.w.locals[p].at(j.state[p]).groups }

func (j *Judge) flags(p int) flags { return j.w.locals[p].at(j.state[p]).flags }

// pull takes a message off its link.
func (j *Judge) pull(number uint64) {
	is, ok := j.underway[number]
	if !ok {
		return
	}
	slot := j.w.n + is.link
	items := j.w.queues[is.link].at(j.state[slot]).items
	at := slices.IndexFunc(items, func(l item) bool { return l.msg == is.msg })
	if at >= 0 {
		j.state[slot] = j.w.queue(is.link, slices.Delete(slices.Clone(items), at, at+1), &j.w.messages)
	}
}

// step gives an event to our own Node.
func (j *Judge) step(p int, o *observe.Occurrence) {
	w, ev, ran := j.w, *o.Event, noTimer
	is := *w.locals[p].at(j.state[p])
	switch {
	case ev.Op == election.Recv:
		j.pull(o.Message)
	case ev.Op == election.Timeout:
		ran = newOwner(p, ev.Layer, ev.Timer)
	case w.detects && (ev.Op == election.Suspect || ev.Op == election.Trust):
		w.noteReport(p, &ev, &is)
	case ev.Op == election.Suspect, ev.Op == election.Start && is.flags&isToStart == 0:
		is.flags |= hasMissed
	}
	w.script, w.ranges, w.drawn = w.script[:0], w.ranges[:0], 0
	for _, c := range o.Choices {
		if c.Of > 1 {
			w.script, w.ranges = append(w.script, c.Chosen), append(w.ranges, c.Of)
		}
	}
	e := j.effect(p, &ev, is)
	w.effects = append(w.effects, []effect{e})
	j.change(func() { w.carryOut(j.state, p, uint32(len(w.effects)-1), 0, ran) })
	for i := range e.sends {
		j.underway[o.First+uint64(i)] = onLink{e.sends[i].link, e.sends[i].msg}
	}
	for i := range e.sends {
		j.count(w.messages.at(e.sends[i].msg))
	}
}

// count counts a message, as the search does.
func (j *Judge) count(m *election.Message) {
	switch {
	case j.config.Started || j.config.Algorithm.LongLived:
		j.messages[0]++
	case m.Kind != election.CatchUp:
		j.messages[m.Term]++
	}
}

// effect is what a Node does with an event. It does not panic: the Node of the simulator has stepped before.
func (j *Judge) effect(p int, ev *election.Event, is local) (e effect) {
	w := j.w
	host := &w.nodes[p]
	w.perform(p, host, ev, &is, &e)
	is.node = string(new(election.State).Append(nil, host))
	is.flags &^= hasEnded
	if host.Ended() {
		is.flags |= hasEnded
	}
	e.local = w.local(p, is)
	return e
}

// change carries out what a function puts into the changes of the worker.
func (j *Judge) change(put func()) {
	j.w.changed = j.w.changed[:0]
	put()
	for _, c := range j.w.changed {
		j.state[c.slot] = c.to
	}
}

// note keeps the first rule that is broken.
func (j *Judge) note(rule int, err error) {
	if j.found == nil && rule != noRule && j.rules[rule] {
		j.found = &ruling{rule, err}
	}
}

// look judges the state that there is.
func (j *Judge) look(at time.Duration) {
	j.w.offset = at
	s := State{j.w, j.state}
	j.note(s.judge(&j.rules))
	if j.property != verdict.Ends {
		return
	}
	is := j.stateKey(at)
	j.cycle = j.seen[is]
	j.seen[is] = true
}

// stateKey returns a key that no other state has. The order of messages is part of it where the
// algorithm needs that order.
func (j *Judge) stateKey(at time.Duration) string {
	b := fmt.Appendln(nil, j.state[:j.w.n], j.state[j.w.slots-1])
	for l := range j.w.links {
		var items []int // a type that is sorted elsewhere too
		for _, is := range j.w.queues[l].at(j.state[j.w.n+l]).items {
			items = append(items, int(is.msg))
		}
		if !j.config.Algorithm.NeedsFIFO {
			slices.Sort(items)
		}
		b = fmt.Appendln(b, items)
	}
	if j.timed {
		b = fmt.Appendln(b, at)
	}
	return string(b)
}

// End judges the state in which the run has ended as well. It returns the first rule that the run has
// broken, and why; nil if it has broken none. Where anything is left to happen, nothing that is to
// hold in the end is judged. That a run has no end is seen only by its coming back to a state.
func (j *Judge) End() (property verdict.Property, reason error) {
	if j.cycle {
		j.note(ruleEnds, fmt.Errorf("the steps lead back to where they have been"))
	}
	most := slices.Max(append(slices.Collect(maps.Values(j.messages)), 0))
	if most > j.w.bound() { // or there is no bound, and so no rule
		j.note(ruleBounded, j.w.tooManyMessages(most))
	}
	if j.found == nil && !j.anythingLeft() {
		s := State{j.w, j.state}
		j.note(s.judgeLast(&j.rules))
	}
	if j.found == nil {
		return "", nil
	}
	return ruleProperties[j.found.rule], j.found.err
}

// anythingLeft reports whether anything is left to happen, but for starts that would be refused.
func (j *Judge) anythingLeft() bool {
	hash := j.w.hash(j.state)
	j.w.expand(j.state, hash)
	for _, next := range slices.Clone(j.w.out) { // no failure: its frame has no budget
		j.w.take(j.state, next.act)
		pen := pen{w: j.w, state: j.state}
		if next.act.kind() != doStart || !pen.isRefused(j.state[next.act.index()], next.act.index()) {
			return true
		}
	}
	return false
}
