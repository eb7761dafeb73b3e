package check

import (
	"context"
	"time"

	"github.com/go-election/election"
	"github.com/go-election/election/input"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lab/sim"
	"github.com/go-election/election/lab/verdict"
	"github.com/go-election/election/observe"
)

// shrinkStates is how many states a search for the shortest run visits at most.
const shrinkStates = 1 << 14

// Shrink returns fewer steps in which the same property does not hold, or these, if it finds none: of a run
// that was found by hand or by chance. If property is "", it is what a Judge of all finds. It leaves out
// steps as long as [Judge] still finds the property violated, with every step that is not possible without
// them. Then it searches for a run that is shorter still, with no more faults of each
// kind. No message is later than one of these steps is, and no timer runs out at a wrong time if none
// does here. The result depends on nothing else; if ctx ends, it is what was found so far. The error
// wraps [election.ErrInput]: the steps do not violate the property.
func Shrink(ctx context.Context, in scenario.Input, steps []scenario.Step,
	property verdict.Property) ([]scenario.Step, error) {
	if err := in.Check(); err != nil {
		return nil, err
	}
	if err := in.CheckSteps(append([]scenario.Step{}, steps...)); err != nil {
		return nil, err
	}
	s := &shrinking{in: in, property: property}
	_, breaches, broken, err := s.try(ctx, steps, false)
	switch {
	case err != nil:
		return nil, err
	case broken == "":
		return nil, input.Errorf("steps: they violate no property")
	case property != "" && property != broken:
		return nil, input.Errorf("steps: they do not violate the property %.60q", property)
	}
	s.property, s.breaches = broken, breaches
	best := scenario.Shrink(steps, scenario.Shorter[scenario.Step](len(steps)/2),
		func(less []scenario.Step) ([]scenario.Step, bool) { return s.isAsBad(ctx, less) },
		func() bool { return ctx.Err() == nil })
	if found := s.search(ctx, best); found != nil {
		best = found
	}
	return best, nil
}

// shrinking is the search for fewer steps.
type shrinking struct {
	in       scenario.Input
	property verdict.Property
	breaches breaches // of the steps that are given
}

// isAsBad returns the steps that are possible, and reports whether they violate the property in a network that is
// no worse.
func (s *shrinking) isAsBad(ctx context.Context, steps []scenario.Step) ([]scenario.Step, bool) {
	can, breaches, broken, err := s.try(ctx, steps, true)
	return can, err == nil && broken == s.property && breaches.within(&s.breaches)
}

// try takes the steps, and leaves out those that are not possible if skip is true. It returns the steps that it has
// taken, how far they leave the model, and what they violate.
func (s *shrinking) try(ctx context.Context, steps []scenario.Step, skip bool) (can []scenario.Step, b breaches,
	broken verdict.Property, err error) {
	j, err := newJudge(s.in, steps, s.property)
	if err != nil {
		return nil, b, "", err
	}
	if can, err = j.takeAll(ctx, steps, skip); err != nil {
		return nil, b, "", err
	}
	if len(can) < len(steps) && !j.panicked {
		return s.try(ctx, can, skip) // what is promised depends on the faults that are left
	}
	if s.in.Algorithm.Delay > 0 {
		timing := newTiming(&s.in)
		run, err := sim.New(sim.Config{Input: s.in, Steps: append([]scenario.Step{}, can...),
			Observe: timing.observe})
		if err != nil {
			return nil, b, "", err
		}
		_ = run.Run(ctx) // the judge has taken the same steps
		b = timing.end(run.Now())
	}
	b.overtakes = overtakes(can)
	return can, b, j.end().Broken, nil
}

// search looks for the shortest run, if it is shorter than the steps.
func (s *shrinking) search(ctx context.Context, steps []scenario.Step) []scenario.Step {
	c := Config{Input: s.in, Unordered: overtakes(steps), Delay: s.in.Algorithm.Delay,
		MaxStates: shrinkStates,
		only:      s.property}
	c.addFaults(steps) // no pause where time is not modelled: slow messages are as good, so it is left out
	if c.Delay > 0 && s.in.Algorithm.NeverQuiesces {
		at := -scenario.Unit
		for i := range steps {
			at = steps[i].When(at)
		}
		c.Until = at
	}
	r, err := Run(ctx, c)
	if err != nil || r.Counterexample == nil || r.Counterexample.Property != s.property {
		return nil
	}
	found := r.Counterexample.Steps
	if _, ok := s.isAsBad(ctx, found); !ok || len(found) >= len(steps) {
		return nil
	}
	return found
}

// breaches are in how many ways a run leaves what an algorithm that measures time assumes.
type breaches struct {
	overtakes bool
	late      time.Duration // how much longer than it may a message takes, at most
	mistimed  int           // timers that run out early, or not at all
}

// within reports whether a run leaves no more than another one does.
func (b *breaches) within(other *breaches) bool {
	return (!b.overtakes || other.overtakes) && b.late <= other.late && b.mistimed <= other.mistimed
}

// timing is an observer that compares a run with what the algorithm assumes of delays and timers.
type timing struct {
	in     *scenario.Input
	found  breaches
	sent   map[uint64]time.Duration
	timers map[[2]uint64]election.TimerChange // by process and owner, with times of the run
}

func newTiming(in *scenario.Input) *timing {
	return &timing{in: in, sent: make(map[uint64]time.Duration),
		timers: make(map[[2]uint64]election.TimerChange)}
}

// observe notes what happens.
func (t *timing) observe(o *observe.Occurrence) {
	switch o.What {
	case observe.Lose:
		delete(t.sent, o.Message)
	case observe.Crash, observe.Recover, observe.Restart:
		for key := range t.timers {
			if key[0] == uint64(o.Process) {
				delete(t.timers, key)
			}
		}
	case observe.Step:
		if o.Event.Op == election.Recv {
			t.arrives(o.At - t.sent[o.Message])
			delete(t.sent, o.Message)
		}
		for i := range o.Effects.Sends {
			t.sent[o.First+uint64(i)] = o.At
		}
		t.step(o)
	}
}

// arrives notes how long a message has taken.
func (t *timing) arrives(took time.Duration) {
	t.found.late = max(t.found.late, took-t.in.Algorithm.DelayBound())
}

// step notes what a process does to its timers.
func (t *timing) step(o *observe.Occurrence) {
	p := uint64(o.Process)
	if o.Event.Op == election.Timeout {
		key := [2]uint64{p, uint64(newOwner(0, o.Event.Layer, o.Event.Timer))}
		if is := t.timers[key]; o.At < is.Min || o.At > is.Max {
			t.found.mistimed++
		}
		delete(t.timers, key)
	}
	for _, c := range o.Effects.Timers {
		for key := range t.timers {
			if key[0] == p && owner(key[1]).matches(0, &c) {
				delete(t.timers, key)
			}
		}
		if !c.Stop {
			c.Min, c.Max = o.At+max(c.Min, 0), o.At+max(c.Max, c.Min, 0)
			t.timers[[2]uint64{p, uint64(newOwner(0, c.Layer, c.Timer))}] = c
		}
	}
}

// end returns the breaches of a run that ends now.
func (t *timing) end(now time.Duration) breaches {
	for _, at := range t.sent {
		t.arrives(now - at)
	}
	for _, is := range t.timers {
		if now > is.Max {
			t.found.mistimed++
		}
	}
	return t.found
}
