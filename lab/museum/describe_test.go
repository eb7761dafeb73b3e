package museum

import (
	"context"
	"errors"
	"slices"

	"github.com/go-election/election"
	"github.com/go-election/election/lab/check"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lab/sim"
	"github.com/go-election/election/observe"
)

// counter counts the steps of a run. What there is before the first step does not count, and what a process does
// as it comes back belongs to its return.
type counter struct {
	in    *scenario.Input
	steps uint64
}

func (c *counter) see(o *observe.Occurrence) {
	switch o.What {
	case observe.Crash:
		if c.steps == 0 && slices.Contains(c.in.Crashed, o.Process) {
			return
		}
	case observe.Step:
		if op := o.Event.Op; op == election.Init || op == election.Rejoin {
			return
		}
	case observe.Recover, observe.Restart, observe.Lose, observe.Duplicate:
	default:
		return
	}
	c.steps++
}

// replay runs a counterexample in the simulator, which must find every step possible, and returns how many steps
// it has seen. It does not see the step in which an audit breaks the run, since the Node panics.
func replay(c check.Config, trail *check.Trail) (uint64, error) {
	seen := &counter{in: &c.Input}
	s, err := sim.New(sim.Config{Input: c.Input, Steps: trail.Steps, Observe: seen.see})
	if err != nil {
		return 0, err
	}
	err = s.Run(context.Background())
	switch {
	case errors.Is(err, observe.ErrPanic):
		return seen.steps + 1, nil
	case errors.Is(err, observe.ErrPort):
		return seen.steps, nil
	}
	return seen.steps, err
}
