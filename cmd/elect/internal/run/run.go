// Package run runs elections and reports their results, as text or as JSON.
package run

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/go-election/election/cmd/elect/internal/console"
	"github.com/go-election/election/cmd/elect/internal/job"
	"github.com/go-election/election/cmd/elect/internal/terminal"
	"github.com/go-election/election/lab/report"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lab/sim"
	"github.com/go-election/election/local"
	"github.com/go-election/election/observe"
	"github.com/go-election/election/params"
)

// Simulate runs an election in virtual time.
func Simulate(ctx context.Context, j *job.Job, m *terminal.Meter) (*Outcome, error) {
	c := j.Config
	if m != nil {
		c.Progress = func(delivered uint64, _ time.Duration) { m.Show(delivered) }
	}
	schedule := string(j.Schedule)
	if j.Steps != nil {
		schedule = givenSteps
	}
	judge := j.Judge()
	// Otherwise the Result alone decides: an observer would cost memory for every message.
	if j.Still() || j.Algorithm.Sections > 0 {
		c.Observe = observe.Both(judge.Observe, j.Observe)
	}
	r, err := sim.Run(ctx, c)
	v := &report.Virtual{
		Time: r.Time, Hash: r.TraceHash, Lost: r.Lost, Duplicated: r.Duplicated, Reordered: r.Reordered,
		Outside: make([]report.Outside, len(r.Outside)),
	}
	for i, o := range r.Outside {
		v.Outside[i] = report.Outside{After: o.After, Why: o.Why}
	}
	o := report.Outcome{Result: r.Result, Schedule: schedule, Wall: r.Wall, Virtual: v}
	return &Outcome{Outcome: o, Judge: judge}, err
}

// errUntil is the cause with which --until ends a run.
var errUntil = errors.New("the end of --until is reached")

// Goroutines runs an election among goroutines.
func Goroutines(ctx context.Context, j *job.Job, m *terminal.Meter) (*Outcome, error) {
	c := local.Config{Input: j.Input, Unit: j.Unit, Observe: j.Observe}
	if j.Until > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx,
			time.Duration(float64(j.Until)/float64(sim.Unit)*float64(j.Unit)), errUntil)
		defer cancel()
	}
	if m != nil {
		c.Progress = m.Show
	}
	judge := j.Judge()
	if j.Algorithm.Sections > 0 {
		c.Observe = observe.Both(judge.Observe, j.Observe)
	}
	r, err := local.Run(ctx, c)
	// That end was asked for. An interrupt has another cause, and stays an error.
	if errors.Is(err, errUntil) {
		err = nil
	}
	r.Entries = judge.Entries()
	o := report.Outcome{Result: r.Result, Schedule: goroutines, Wall: r.Wall}
	return &Outcome{Outcome: o, Judge: judge}, err
}

// Outcome is the result of a job, and its judge.
type Outcome struct {
	report.Outcome
	Judge *scenario.Judge
}

// goroutines is the schedule of elect run.
const goroutines = "goroutines"

// givenSteps is the schedule of a scenario that gives every step.
const givenSteps = "steps"

// WhyFailed returns why the election failed, or nil if it ended and is right.
func WhyFailed(j *job.Job, o *Outcome) error {
	var at *time.Duration
	if o.Virtual != nil {
		at = &o.Virtual.Time
	}
	err := o.Judge.Err(&o.Result, at)
	switch {
	case errors.Is(err, scenario.ErrMidway) && o.Judge.Hand: // a replay takes steps, and no acts
		return fmt.Errorf("%w; elect page --scenario continues the run by hand", err)
	case errors.Is(err, scenario.ErrMidway):
		return fmt.Errorf("%w; elect check --replay judges such steps", err)
	case errors.Is(err, scenario.ErrUntold) && j.Label != "":
		return fmt.Errorf("%w: see suspect_after", err)
	case errors.Is(err, scenario.ErrUntold) && slices.ContainsFunc(j.Input.Algorithm.Params,
		func(p params.Param) bool { return p.Name == "heartbeat" }):
		return fmt.Errorf("%w: see --suspect-after and --param heartbeat=2", err)
	case errors.Is(err, scenario.ErrUntold):
		return fmt.Errorf("%w: see --suspect-after", err)
	}
	return err
}

// Report writes the result of a job, as JSON or as text.
func Report(a *console.Console, j *job.Job, o *Outcome, asJSON, another bool) error {
	if asJSON {
		return report.Write(a.Stdout, report.NewRun(&j.Input, j.Seed, &o.Outcome, j.BadLinks()))
	}
	text := summary(a, j, o)
	if another {
		text = "\n" + text
	}
	_, err := io.WriteString(a.Stdout, text)
	return err
}
