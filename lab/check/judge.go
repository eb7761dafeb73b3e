package check

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/go-election/election/input"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lab/verdict"
	"github.com/go-election/election/observe"
)

// Ruling is what [Judge] finds.
type Ruling struct {
	Only   verdict.Property // the only property that was judged; empty if all were
	Broken verdict.Property // the first property that does not hold; empty if there is none
	Reason error            // why it does not hold
}

// Judge takes steps, such as the steps of a [Trail] after a mistake was corrected, and judges their run by the rules
// of a check. If the property is a rule of the checker, it alone is judged. Otherwise all rules are judged that
// are promised under the faults in the steps. If something is left to happen after the last step, properties that
// must hold finally are not judged. The run counts as one without end if it returns to a state.
//
// The error wraps [election.ErrInput] if a step is not possible, in which case the Ruling is about the steps before
// it, or if no steps of this algorithm violate the property, so that a run would prove nothing.
func Judge(ctx context.Context, in scenario.Input, steps []scenario.Step,
	property verdict.Property) (Ruling, error) {
	if err := in.Check(); err != nil {
		return Ruling{}, err
	}
	j, err := newJudge(in, steps, property)
	if err != nil {
		return Ruling{}, err
	}
	_, err = j.takeAll(ctx, steps, false)
	return j.end(), err
}

// judge takes the steps of a run and judges it.
type judge struct {
	*pen
	rules    [ruleCount]bool
	only     verdict.Property
	together bool            // all initiators have started before anything else
	timed    bool            // the steps have times
	seen     map[string]bool // the states since the last fault
	cycle    bool
	panicked bool
	found    *report
}

// newJudge returns a judge in the state before the first step.
func newJudge(in scenario.Input, steps []scenario.Step, property verdict.Property) (*judge, error) {
	c := budgeted(in, steps)
	m := newModel(c)
	if why := m.unbreakable(property); why != "" {
		return nil, input.Errorf("property: no steps break %.60q: %s", property, why)
	}
	j := &judge{rules: m.rulesFor(property), together: c.Started, seen: make(map[string]bool)}
	if slices.Contains(ruleProperties[:], property) {
		j.only = property
	}
	for i := range steps {
		j.timed = j.timed || steps[i].At != nil && *steps[i].At > 0
	}
	c.Started = false // the starts are steps
	var err error
	if j.pen, err = newPen(newWorker(m)); err != nil {
		return nil, err
	}
	j.past = newPast()
	j.look(false)
	return j, nil
}

// budgeted returns the check in which as much may go wrong as in the steps.
func budgeted(in scenario.Input, steps []scenario.Step) *Config {
	c := &Config{Input: in, Unordered: overtakes(steps)}
	c.addFaults(steps)
	first := slices.IndexFunc(steps, func(s scenario.Step) bool { return s.Do != observe.Start })
	if first < 0 {
		first = len(steps)
	}
	c.Started = first == c.Starts()
	return c
}

// takeAll takes the steps and judges each state. If skip is true, it leaves out steps that are not possible. It
// returns the steps that it has taken.
func (j *judge) takeAll(ctx context.Context, steps []scenario.Step, skip bool) (taken []scenario.Step,
	err error) {
	where := j.w.config.Positions()
	for i := 0; i < len(steps) && !j.panicked; i++ {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		s, before := &steps[i], j.past.last
		j.past.last = s.When(before)
		err := j.follow(s, where[s.Process])
		switch j.panicked = j.w.broken == ruleSound+1; {
		case err != nil && !j.panicked && !skip:
			return nil, input.Errorf("steps[%d].%s", i, input.Reason(err))
		case err != nil && !j.panicked:
			if s.At == nil {
				j.past.last = before
			}
			continue
		case !j.panicked:
			j.look(s.Do == observe.Deliver || s.Do == observe.Timeout)
		}
		j.note(j.w.broken-1, j.w.fault)
		taken = append(taken, *s)
	}
	return taken, nil
}

// note keeps the first rule that is broken.
func (j *judge) note(rule int, err error) {
	if j.found == nil && rule != noRule && j.rules[rule] {
		j.found = &report{rule: rule, err: err}
	}
}

// look judges the current state. An event from outside or a fault is no part of a run without end, and may leave
// a state as it was.
func (j *judge) look(inside bool) {
	j.note((&State{j.w, j.state}).judge(&j.rules))
	if j.only != verdict.Ends {
		return
	}
	if !inside {
		clear(j.seen)
	}
	key := j.stateKey()
	j.cycle = j.seen[key]
	j.seen[key] = true
}

// stateKey returns a key that no other state has. The order of messages is part of it if the algorithm needs that
// order.
func (j *judge) stateKey() string {
	b := fmt.Appendln(nil, j.state[:j.w.n], j.state[j.w.slots-1])
	for l := range j.w.links {
		var items []int // a type that is sorted elsewhere too
		for _, is := range j.w.queues[l].at(j.state[j.w.n+l]).items {
			items = append(items, int(is.msg))
		}
		if !j.w.config.Algorithm.NeedsFIFO {
			slices.Sort(items)
		}
		b = fmt.Appendln(b, items)
	}
	if j.timed {
		b = fmt.Appendln(b, j.w.offset)
	}
	return string(b)
}

// end judges the end of the run.
func (j *judge) end() Ruling {
	if j.cycle {
		j.note(ruleEnds, fmt.Errorf("the steps return to an earlier state"))
	}
	if most := j.messages(); most > j.w.bound() { // or there is no bound, and so no rule
		j.note(ruleBounded, j.w.tooManyMessages(most))
	}
	if j.found == nil && !j.panicked && !j.anythingLeft() {
		j.note((&State{j.w, j.state}).judgeLast(&j.rules))
	}
	if j.found == nil {
		return Ruling{Only: j.only}
	}
	return Ruling{j.only, ruleProperties[j.found.rule], j.found.err}
}

// messages returns the most messages of an election, as the search counts them.
func (j *judge) messages() int {
	if j.together || j.w.config.Algorithm.LongLived() {
		return j.past.messages
	}
	return slices.Max(append(slices.Collect(maps.Values(j.past.ofTerm)), 0))
}

// anythingLeft reports whether anything is left to happen except starts that would be refused.
func (j *judge) anythingLeft() bool {
	f := j.w.frames.at(j.state[j.w.slots-1]).clone()
	f.left = budgets{} // a failure is nothing that is left to happen
	j.state[j.w.slots-1] = j.w.frame(f)
	j.w.forget()
	j.w.expand(j.state, j.w.hash(j.state))
	for _, next := range slices.Clone(j.w.out) {
		j.w.take(j.state, next.act)
		if next.act.kind() != doStart || !j.isRefused(j.state[next.act.index()], next.act.index()) {
			return true
		}
	}
	return false
}
