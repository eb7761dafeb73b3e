// Package job reads elections from flags and scenario files.
package job

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/go-election/election"
	"github.com/go-election/election/input"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lab/sim"
	"github.com/go-election/election/observe"
	"github.com/go-election/election/params"
)

// Job is one election of the command line or of a file.
type Job struct {
	sim.Config
	Name   string        // of the scenario, for its summary
	Label  string        // of the scenario, for errors
	Unit   time.Duration // if time is real
	Params map[string]params.Value
	expect *scenario.Expect // the expected result of this run; nil if there is none
}

// complete completes the input and rejects an impossible run. It keeps the delays of the flags or
// the file, because expectations hold only for these delays.
func (j *Job) complete() error {
	c := j.Config
	err := c.Check()
	if err == nil {
		err = c.CheckTurns()
	}
	j.Input = c.Input
	switch {
	case err == nil && c.Algorithm.NeverQuiesces && c.Until == 0 && !j.Still():
		return NeverRests(c.Algorithm)
	case errors.Is(err, election.ErrNeedsFIFO), errors.Is(err, sim.ErrCopies),
		errors.Is(err, sim.ErrSynchronous):
		return fmt.Errorf("%w (--force runs it anyway)", err)
	case errors.Is(err, sim.ErrDelay):
		return fmt.Errorf("%w (a larger parameter delay allows for that, --force runs it anyway)", err)
	}
	return err
}

// Still reports whether nothing happens but the steps, or the acts of a hand.
func (j *Job) Still() bool { return j.Steps != nil || j.Schedule == sim.Hand }

// Judge judges a run of the job.
func (j *Job) Judge() *scenario.Judge {
	return &scenario.Judge{Input: &j.Input, Steps: j.Steps, Acts: j.Acts,
		Hand: j.Schedule == sim.Hand, Expect: j.expect}
}

// Named returns err with the name of its scenario.
func (j *Job) Named(err error) error {
	if err == nil || j.Label == "" {
		return err
	}
	return fmt.Errorf("%s: %w", j.Label, err)
}

// BadLinks reports whether links may lose or copy messages.
func (j *Job) BadLinks() bool {
	bad := func(s *scenario.Step) bool {
		return s.Do == observe.Lose || s.Do == observe.Duplicate || s.Do == observe.Cut
	}
	return j.Faults.Any() ||
		slices.ContainsFunc(j.Steps, func(s scenario.Step) bool { return bad(&s) }) ||
		slices.ContainsFunc(j.Acts, func(a scenario.Act) bool { return bad(&a.Step) })
}

// NeverRests refuses a run without an end, and tells how to give one.
func NeverRests(a *election.Algorithm) error {
	return input.Errorf("until: %s never comes to rest with these parameters; "+
		"set --until, or until in a scenario", a.Title())
}
