package bridge

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/go-election/election"
	"github.com/go-election/election/input"
	"github.com/go-election/election/lab/check"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lab/verdict"
	"github.com/go-election/election/observe"
)

// mostJudged bounds the steps of a run that is judged step by step.
const mostJudged = 20_000

// violation is a property that a run violates.
type violation struct {
	Property verdict.Property `json:"property"`
	Words    string           `json:"words"`
	Reason   string           `json:"reason"`
}

// broken judges a run by all properties that the algorithm promises under the faults of the run. It returns
// null if none is violated. The head of a film judges only the result.
func (b *Bridge) broken(ctx context.Context, args json.RawMessage, _ func(any)) (Reply, error) {
	var in struct {
		Scenario json.RawMessage `json:"scenario"`
	}
	if err := read(args, &in); err != nil {
		return Reply{}, err
	}
	a, err := b.happened(ctx, in.Scenario)
	if err != nil {
		return Reply{}, err
	}
	v, err := a.first(ctx)
	if err != nil {
		return Reply{}, err
	}
	return written(v)
}

// shrink gives the scenario of a shorter run that violates the same property.
func (b *Bridge) shrink(ctx context.Context, args json.RawMessage, _ func(any)) (Reply, error) {
	var in struct {
		Scenario json.RawMessage  `json:"scenario"`
		Property verdict.Property `json:"property"` // if empty, what the run violates first
	}
	if err := read(args, &in); err != nil {
		return Reply{}, err
	}
	r, err := b.open(in.Scenario, 0)
	if err != nil {
		return Reply{}, err
	}
	a, err := r.happened(ctx)
	if err != nil {
		return Reply{}, err
	}
	if steps := r.scenario.Steps; a.unseen && len(r.scenario.Acts) == 0 && len(steps) > len(a.After) {
		a.After = steps[:len(a.After)+1] // with that at which the Node panics
	}
	if a.cut && in.Property == "" {
		v, err := a.first(ctx)
		if err != nil {
			return Reply{}, err
		}
		in.Property = v.Property
	}
	if a.After, err = check.Shrink(ctx, a.Input, a.judged(in.Property), in.Property); err != nil {
		return Reply{}, err
	}
	v, err := a.judge(ctx, in.Property)
	if err != nil {
		return Reply{}, err
	}
	s := a.with(a.After)
	if v != nil {
		s.Property, s.Note = v.Property, v.Reason
	}
	return written(s)
}

// happened returns all events in the run of a scenario, as the steps of a.After.
func (b *Bridge) happened(ctx context.Context, text json.RawMessage) (*asked, error) {
	r, err := b.open(text, 0)
	if err != nil {
		return nil, err
	}
	return r.happened(ctx)
}

// happened returns all events in the run.
func (r *run) happened(ctx context.Context) (*asked, error) {
	n, blank, saved := 0, 0, make(map[election.ID]bool)
	s, _, err := r.play(ctx, func() int { return n }, func(o *observe.Occurrence) {
		n++
		switch {
		case o.What == observe.Step && o.Effects.Saved():
			saved[o.Process] = true
		case o.What == observe.Recover && !saved[o.Process]:
			blank++
		case o.What == observe.Recover:
			delete(saved, o.Process)
		}
	})
	if err != nil {
		return nil, err
	}
	steps, err := r.steps(ctx)
	if err != nil {
		return nil, err
	}
	a := &asked{scenario: r.unplanned(), failed: panicked(s.Err()), blank: blank,
		unseen: errors.Is(s.Err(), observe.ErrPanic), outside: s.Result().Outside}
	if a.Input, err = a.scenario.Input(find); err != nil {
		return nil, err
	}
	// Of the algorithm as it was configured, for the delays of this schedule.
	a.Algorithm = r.config.Algorithm
	a.cut = steps > mostJudged
	a.After, _, _, err = r.stepsTo(ctx, min(steps, mostJudged))
	return a, err
}

// first judges the run by all properties and returns the first violation. A run that was stopped, perhaps one
// without end, is judged by its steps alone: whether they violate a property or return to an earlier state.
func (a *asked) first(ctx context.Context) (*violation, error) {
	v, err := a.judge(ctx, "")
	if v != nil || err != nil || !a.cut {
		return v, err
	}
	if !a.Algorithm.NeverQuiesces {
		if v, err = a.judge(ctx, verdict.Ends); v != nil || err != nil {
			return v, err
		}
	}
	return nil, input.Errorf("scenario: the run has more than %d steps, and the first %d violate nothing",
		mostJudged, mostJudged)
}

// judged returns the steps of the run as they are judged by a property.
func (a *asked) judged(property verdict.Property) []scenario.Step {
	steps := append([]scenario.Step{}, a.After...)
	if property == verdict.Ends && a.Algorithm.Delay == 0 {
		// A run comes back to a state only if its time is no part of that.
		for i := range steps {
			steps[i].At = nil
		}
	}
	return steps
}

// judge judges the run of a.After; nil if it violates nothing.
func (a *asked) judge(ctx context.Context, property verdict.Property) (*violation, error) {
	// An observer does not see the step of a Node that panics, so that a.After ends before it.
	if a.failed != nil && (property == "" || property == verdict.Sound) {
		return a.failed, nil
	}
	r, err := check.Judge(ctx, a.Input, a.judged(property), property)
	if err != nil || r.Reason == nil {
		return nil, err
	}
	return &violation{r.Broken, r.Broken.Text(), input.Reason(oneLine(r.Reason))}, nil
}
