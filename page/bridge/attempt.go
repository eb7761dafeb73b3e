package bridge

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/go-election/election"
	"github.com/go-election/election/input"
	"github.com/go-election/election/lab/check"
	"github.com/go-election/election/lab/museum"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lab/sim"
	"github.com/go-election/election/lab/topology"
	"github.com/go-election/election/lab/verdict"
	"github.com/go-election/election/observe"
)

// another returns the reason why a run is no attempt at this challenge: a different algorithm or different
// processes. If messages count, the order of the processes and the starts are free.
func (c *challenge) another(s *scenario.Scenario) (string, error) {
	is, want := unplanned(s), unplanned(c.Scenario)
	if c.Property == "" {
		is.IDs, want.IDs = slices.Sorted(slices.Values(is.IDs)), slices.Sorted(slices.Values(want.IDs))
		if len(is.Initiators) == len(want.Initiators) {
			is.Initiators, want.Initiators = nil, nil
		}
	}
	a, err := is.MarshalJSON()
	if err != nil {
		return "", err
	}
	b, err := want.MarshalJSON()
	if err != nil {
		return "", err
	}
	if !bytes.Equal(a, b) {
		return "the run has another algorithm, other processes, starters, links or settings than the " +
			"challenge", nil
	}
	return "", nil
}

// beyond returns the faults of a run that the challenge does not allow.
func (c *challenge) beyond(a *asked) string {
	count := func(do observe.What) (n int) {
		for i := range a.After {
			if a.After[i].Do == do {
				n++
			}
		}
		return n
	}
	k := c.Budget
	// The simulator reports a restart of a process that has saved nothing as a return without memory.
	k.Recoveries += max(0, min(a.blank, k.Restarts-count(observe.Restart)))
	for _, fault := range []struct {
		do   observe.What
		name string
		most int
	}{{observe.Crash, "crash", k.Crashes}, {observe.Recover, "return without memory", k.Recoveries},
		{observe.Restart, "return with memory", k.Restarts}, {observe.Lose, "lost message", k.Losses},
		{observe.Duplicate, "doubled message", k.Duplicates}, {observe.Pause, "pause", k.Pauses},
		{observe.Cut, "cut", k.Cuts}} {
		if n := count(fault.do); fault.most >= 0 && n > fault.most {
			return fmt.Sprintf("%s: %d in the run, the challenge allows %d", fault.name, n, fault.most)
		}
	}
	return ""
}

// misled describes a mistake of a failure detector in a run, which the checker never makes.
func misled(r *run, a *asked) string {
	steps, acts := a.After, r.scenario.Acts
	if a.unseen && len(acts) > 0 {
		steps = append(slices.Clip(steps), acts[len(acts)-1].Step)
	}
	down := map[int]bool{}
	for _, id := range a.Crashed {
		down[slices.Index(a.IDs, id)] = true
	}
	for i := range steps {
		step := &steps[i]
		p := slices.Index(a.IDs, step.Process)
		switch step.Do {
		case observe.Crash, observe.Recover, observe.Restart:
			down[p] = step.Do == observe.Crash
		case observe.Suspect, observe.Trust:
			of, ok := topology.Behind(a.Topology, p, step.Port)
			if ok && down[of] != (step.Do == observe.Suspect) {
				return fmt.Sprintf("%s: of process %d that is not true, and the challenge does not allow it",
					step.Do, a.IDs[of])
			}
		}
	}
	return ""
}

// leaves describes how a run leaves the model of its algorithm in a way that the challenge does not allow. It
// includes delays and timers only if timed is set.
func (c *challenge) leaves(r *run, outside []sim.Outside, timed bool) string {
	if len(r.outside) > 0 {
		return "the run leaves the model of the algorithm: " + r.outside[0].Why
	}
	a := r.config.Algorithm
	for _, o := range outside {
		is := o.Is
		is.Unordered = is.Unordered && !c.Budget.Any
		if !timed {
			is.Delay, is.Early = 0, false
		}
		if why := is.Outside(a, len(c.Scenario.IDs)); why != "" {
			return fmt.Sprintf("the run leaves the model of the algorithm at step %d: %s", o.After+1, why)
		}
	}
	return ""
}

// winsByMistake judges whether a run violates the property, within the budget of the checker.
func winsByMistake(ctx context.Context, _ *Bridge, c *challenge, r *run) (*judgement, error) {
	a, err := r.happened(ctx)
	if err != nil {
		return nil, err
	}
	j := &judgement{Steps: len(a.After)}
	if a.unseen {
		j.Steps++
	}
	if j.Words = cmp.Or(c.leaves(r, a.outside, false), c.beyond(a), misled(r, a)); j.Words != "" {
		return j, nil
	}
	j.Words = cmp.Or(c.leaves(r, a.outside, true), "the run violates nothing yet")
	if c.leaves(r, a.outside, true) == "" {
		if err := j.note(ctx, c, a); j.Solved || err != nil {
			return j, err
		}
	}
	// By hand an act may have come later than it had to. What counts is their order, if any times fit it.
	if r.scenario.Schedule != scenario.Hand || a.Algorithm.DelayBound() == 0 && a.Algorithm.Elects != election.LeaseHolders {
		return j, nil
	}
	acts := r.scenario.Acts
	if a.unseen && acts[len(acts)-1].Do == observe.Timeout { // whether it is early is not known
		return j, nil
	}
	steps, err := check.Earliest(ctx, a.Input, a.After)
	if err != nil && !errors.Is(err, election.ErrInput) || steps == nil {
		return j, ctx.Err()
	}
	a.After = steps
	return j, j.note(ctx, c, a)
}

// note notes what a run violates.
func (j *judgement) note(ctx context.Context, c *challenge, a *asked) error {
	for _, property := range []verdict.Property{c.Property, ""} {
		v, err := a.judge(ctx, property)
		if err != nil {
			return err
		}
		if v != nil {
			j.Solved, j.Property, j.Words = true, v.Property, v.Reason
			return nil
		}
	}
	return nil
}

// winsByMessages judges whether a run takes the most messages.
func winsByMessages(ctx context.Context, _ *Bridge, c *challenge, r *run) (*judgement, error) {
	f, err := r.film(ctx)
	if err != nil {
		return nil, err
	}
	j := &judgement{Steps: int(f.Head.Messages)}
	j.Words = fmt.Sprintf("%d of %d messages", f.Head.Messages, c.Par)
	a, err := r.happened(ctx)
	if err != nil {
		return nil, err
	}
	switch beyond := c.beyond(a); {
	case len(f.Head.Outside) > 0:
		j.Words = "the run leaves the model of the algorithm: " + f.Head.Outside[0].Why
	case beyond != "":
		j.Words = beyond
	case !f.Head.OK || f.Head.Stopped != "":
		j.Words += ", and the election has not ended"
	case a.cut: // what goes wrong later was not counted
		j.Words += ", in more steps than can be judged"
	default:
		j.Solved = j.Steps >= c.Par
	}
	return j, nil
}

// panicked returns the violation if a Node panicked in a run or sent over a port without a link, or else nil.
func panicked(err error) *violation {
	if !errors.Is(err, observe.ErrPanic) && !errors.Is(err, observe.ErrPort) {
		return nil
	}
	reason := input.Reason(oneLine(err))
	if _, what, audited := strings.Cut(reason, museum.Audit); audited {
		reason = what
	}
	return &violation{verdict.Sound, verdict.Sound.Text(), reason}
}
