package main

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/go-election/election"
	"github.com/go-election/election/internal/prose"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lab/sim"
	"github.com/go-election/election/lab/verdict"
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
	sections *guard   // nil where goroutines ran
	wall     time.Duration
}

// virtual is what only a simulation can tell.
type virtual struct {
	time time.Duration
	hash uint64

	lost, duplicated, reordered uint64 // messages
	left                        int    // messages that given steps leave under way
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
		return restless(c.Algorithm)
	case errors.Is(err, election.ErrNeedsFIFO):
		return fmt.Errorf("%w (--force runs it all the same)", err)
	case errors.Is(err, sim.ErrDelay):
		return fmt.Errorf("%w (a larger parameter delay allows for that, --force runs it all the same)", err)
	}
	return err
}

// check returns why the election failed, or nil if it was done and right. An expectation that
// names the leader has the last word.
func (j *job) check(o *outcome) error {
	if e := j.expect; e != nil {
		var at *time.Duration
		if o.virtual != nil {
			at = &o.virtual.time
		}
		if err := e.Compare(&o.Result, at); err != nil {
			return err
		}
		if e.Leader != nil {
			return nil
		}
	}
	if o.sections != nil && o.sections.err != nil {
		return o.sections.err
	}
	if err := j.served(o); err != nil {
		return j.untold(o, err)
	}
	if j.Algorithm.Leaderless {
		return nil
	}
	if err := o.Err(); err != nil {
		return j.early(o, j.untold(o, err))
	}
	if want, ok := j.wanted(); ok && o.Leader != want {
		return fmt.Errorf("leader: %d, not %d, the %s", o.Leader, want, j.Algorithm.Wins())
	}
	return nil
}

// early adds to an error that the steps that were given end in the middle of an election, if they do and nothing
// is said of what must come of them.
func (j *job) early(o *outcome, err error) error {
	if j.Steps == nil || j.expects() || o.virtual == nil || o.virtual.left == 0 {
		return err
	}
	return fmt.Errorf("its steps end before the election does, with %s under way: %w; elect check --replay judges such steps",
		prose.Plural(o.virtual.left, "message"), err)
}

// expects reports whether a scenario says anything of what must come out.
func (j *job) expects() bool {
	e := j.expect
	return e != nil && (e.Leader != nil || e.Messages != nil || e.ByKind != nil || e.Time != nil || e.EntryOrder != nil || e.Entries != nil)
}

// wanted returns who must be elected, and whether that can be told.
func (j *job) wanted() (election.ID, bool) {
	if j.Steps == nil {
		return j.Expected()
	}
	return j.ExpectedOf(j.Steps)
}

// named says which scenario err is about.
func (j *job) named(err error) error {
	if err == nil || j.label == "" {
		return err
	}
	return fmt.Errorf("%s: %w", j.label, err)
}

// timeless reports whether nothing is planned for a later time than the beginning, or left to
// links that fail, on which the outcome could depend.
func timeless(in *scenario.Input) bool {
	late := func(t time.Duration) bool { return t > 0 }
	return len(in.CrashAt)+len(in.RecoverAt)+len(in.RestartAt)+len(in.PauseAt) == 0 && in.SuspectAfter == 0 && !in.Faults.Any() &&
		!slices.ContainsFunc(in.StartTimes, late)
}

// badLinks reports whether links may lose or copy messages.
func (j *job) badLinks() bool {
	return j.Faults.Any() || slices.ContainsFunc(j.Steps, func(s scenario.Step) bool {
		return s.Do == scenario.DoLose || s.Do == scenario.DoDuplicate
	})
}

// allStart reports whether the bounds of the algorithm hold for this input: everybody starts, or the one that may.
func allStart(in *scenario.Input) bool {
	all := in.Starts() == len(in.IDs) || in.Algorithm.SingleInitiator && in.Initiators == nil
	return all && timeless(in) && len(in.Crashed) == 0
}
