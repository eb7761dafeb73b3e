package soak

import (
	"fmt"
	"slices"

	"github.com/go-election/election"
	"github.com/go-election/election/lab/fault"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lab/sim"
	"github.com/go-election/election/lab/verdict"
	"github.com/go-election/election/observe"
	"github.com/go-election/election/params"
)

// Scenario returns the Plan as a scenario that the simulator runs: what was drawn, and the Seed. Where a
// process got an event in the course of the run, which a scenario cannot state in advance, or where the
// violation may be over by the end, it lists step by step what has happened until then. The note is what was
// violated, if anything.
func (p *Plan) Scenario() (*scenario.Scenario, error) {
	recorder := scenario.NewStepRecorder(&p.Input)
	o := p.Run(recorder.Observe)
	in := p.Input
	// What was posted in the course of the run stands in no field of a scenario, only in its steps.
	stepwise := o.Posted > 0 || o.Violation != nil && momentary(o.Violation.Property)
	var steps []scenario.Step
	var err error
	if stepwise {
		if steps, err = recorder.Steps(); err != nil {
			return nil, err
		}
		in.Initiators = starters(steps)
		in.StartTimes, in.CrashAt, in.RecoverAt, in.RestartAt, in.PauseAt = nil, nil, nil, nil, nil
		in.Faults, in.SuspectAfter = fault.Plan{}, 0
	}
	s, err := scenario.Of(&in)
	if err != nil {
		return nil, err
	}
	s.Name = fmt.Sprintf("soak %s, seed %d", p.Algorithm.Title(), p.Number)
	if o.Violation != nil {
		s.Property, s.Note = o.Violation.Property, o.Violation.Reason
	}
	s.Params = p.params
	if stepwise {
		s.Steps = steps
		s.Params = scenario.WithDelay(p.Algorithm, p.params)
		return s, nil
	}
	s.Schedule, s.Seed = p.Schedule, p.Config.Seed
	if p.Algorithm.NeverQuiesces {
		s.Until = o.Time
	}
	if p.Schedule == sim.RandomDelay {
		delay, fifo := p.Delay, !p.Unordered
		s.Delay, s.FIFO = &delay, &fifo
	}
	return s, nil
}

// momentary reports whether a property is one of a moment, of which the end may show nothing. A run that is
// not sound ends at that moment.
func momentary(p verdict.Property) bool { return p.Kind() == verdict.Always && p != verdict.Sound }

// starters returns the processes that start, in this order.
func starters(steps []scenario.Step) []election.ID {
	all := []election.ID{}
	for i := range steps {
		if s := &steps[i]; s.Do == observe.Start && !slices.Contains(all, s.Process) {
			all = append(all, s.Process)
		}
	}
	return all
}

// Params returns the parameters with which the algorithm was configured, times in units.
func (p *Plan) Params() map[string]params.Value {
	if p.params == nil {
		return map[string]params.Value{}
	}
	return p.params
}
