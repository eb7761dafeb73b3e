package main

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/go-election/election"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lab/sim"
	"github.com/go-election/election/lab/verdict"
	"github.com/go-election/election/observe"
	"github.com/go-election/election/params"
)

// job is one election that was asked for.
type job struct {
	sim.Config
	name   string        // of the scenario, for its summary
	label  string        // of the scenario, for errors
	unit   time.Duration // where time is real
	params map[string]params.Value
	expect *scenario.Expect // what must come out of this very run; nil if nothing in particular
}

// outcome is what came out of a job.
type outcome struct {
	verdict.Result
	schedule string
	virtual  *virtual // nil where goroutines ran
	wall     time.Duration
	judge    *scenario.Judge
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

// complete completes the input and refuses what cannot be run. The delays stay as they were asked
// for.
func (j *job) complete() error {
	c := j.Config
	err := c.Check()
	if err == nil {
		err = c.CheckTurns()
	}
	j.Input = c.Input
	switch {
	case err == nil && c.Algorithm.NeverQuiesces && c.Until == 0 && c.Steps == nil:
		return neverRests(c.Algorithm)
	case errors.Is(err, election.ErrNeedsFIFO):
		return fmt.Errorf("%w (--force runs it all the same)", err)
	case errors.Is(err, sim.ErrDelay):
		return fmt.Errorf("%w (a larger parameter delay allows for that, --force runs it all the same)", err)
	}
	return err
}

// judge judges a run of the job.
func (j *job) judge() *scenario.Judge {
	return &scenario.Judge{Input: &j.Input, Until: j.Until, Steps: j.Steps, Expect: j.expect}
}

// check returns why the election failed, or nil if it was done and right.
func (j *job) check(o *outcome) error {
	var at *time.Duration
	if o.virtual != nil {
		at = &o.virtual.time
	}
	err := o.judge.Err(&o.Result, at)
	switch {
	case errors.Is(err, scenario.ErrMidway):
		return fmt.Errorf("%w; elect check --replay judges such steps", err)
	case errors.Is(err, scenario.ErrUntold) && j.label != "":
		return fmt.Errorf("%w: see suspect_after", err)
	case errors.Is(err, scenario.ErrUntold):
		return fmt.Errorf("%w: see --suspect-after", err)
	}
	return err
}

// named says which scenario err is about.
func (j *job) named(err error) error {
	if err == nil || j.label == "" {
		return err
	}
	return fmt.Errorf("%s: %w", j.label, err)
}

// badLinks reports whether links may lose or copy messages.
func (j *job) badLinks() bool {
	return j.Faults.Any() || slices.ContainsFunc(j.Steps, func(s scenario.Step) bool {
		return s.Do == observe.Lose || s.Do == observe.Duplicate
	})
}

// neverRests says that a run must be given an end, and how.
func neverRests(a *election.Algorithm) error {
	return usage("until: %s never comes to rest with these parameters; "+
		"--until, or until in a scenario, says how long to run", a.Title())
}
