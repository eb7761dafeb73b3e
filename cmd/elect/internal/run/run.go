// Package run runs elections and reports what came out, for people or as JSON.
package run

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/go-election/election/cmd/elect/internal/console"
	"github.com/go-election/election/cmd/elect/internal/job"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lab/sim"
	"github.com/go-election/election/lab/verdict"
	"github.com/go-election/election/local"
	"github.com/go-election/election/observe"
)

// Simulate runs an election in virtual time.
func Simulate(ctx context.Context, j *job.Job, m *console.Meter) (*Outcome, error) {
	c := j.Config
	if m != nil {
		c.Progress = func(delivered uint64, _ time.Duration) { m.Show(delivered) }
	}
	schedule := string(j.Schedule)
	if j.Steps != nil {
		schedule = givenSteps
	}
	judge := j.Judge()
	if j.Steps != nil || j.Algorithm.Sections > 0 {
		c.Observe = also(judge.Observe, j.Observe)
	}
	r, err := sim.Run(ctx, c)
	v := &virtual{time: r.Time, hash: r.TraceHash, lost: r.Lost, duplicated: r.Duplicated, reordered: r.Reordered}
	return &Outcome{Result: r.Result, schedule: schedule, wall: r.Wall, virtual: v, Judge: judge}, err
}

// also returns an observer that reports to another as well, if there is one.
func also(first, other observe.Observer) observe.Observer {
	if other == nil {
		return first
	}
	return func(o *observe.Occurrence) {
		first(o)
		other(o)
	}
}

// errUntil ends a run that has lasted as long as it should.
var errUntil = errors.New("until the end that was asked for")

// Goroutines runs an election among goroutines.
func Goroutines(ctx context.Context, j *job.Job, m *console.Meter) (*Outcome, error) {
	c := local.Config{Input: j.Input, Unit: j.Unit, Observe: j.Observe}
	if j.Until > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, time.Duration(float64(j.Until)/float64(sim.Unit)*float64(j.Unit)), errUntil)
		defer cancel()
	}
	if m != nil {
		c.Progress = m.Show
	}
	var entered verdict.Entries
	if j.Algorithm.Sections > 0 {
		c.Observe = also(entered.Observe, j.Observe)
	}
	r, err := local.Run(ctx, c)
	if errors.Is(err, errUntil) {
		err = nil
	}
	r.Entries = entered
	return &Outcome{Result: r.Result, schedule: goroutines, wall: r.Wall, Judge: j.Judge()}, err
}

// Outcome is what came out of a job.
type Outcome struct {
	verdict.Result
	schedule string
	virtual  *virtual // nil where goroutines ran
	wall     time.Duration
	Judge    *scenario.Judge
}

// virtual is what only a simulation can tell.
type virtual struct {
	time time.Duration
	hash uint64

	lost, duplicated, reordered uint64 // messages
}

// goroutines is the schedule of elect run.
const goroutines = "goroutines"

// givenSteps is the schedule of a scenario that says every step.
const givenSteps = "steps"

// WhyFailed returns why the election failed, or nil if it was done and right.
func WhyFailed(j *job.Job, o *Outcome) error {
	var at *time.Duration
	if o.virtual != nil {
		at = &o.virtual.time
	}
	err := o.Judge.Err(&o.Result, at)
	switch {
	case errors.Is(err, scenario.ErrMidway):
		return fmt.Errorf("%w; elect check --replay judges such steps", err)
	case errors.Is(err, scenario.ErrUntold) && j.Label != "":
		return fmt.Errorf("%w: see suspect_after", err)
	case errors.Is(err, scenario.ErrUntold):
		return fmt.Errorf("%w: see --suspect-after", err)
	}
	return err
}
