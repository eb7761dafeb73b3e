package sim

import (
	"fmt"
	"slices"
	"time"

	"github.com/go-election/election"
	"github.com/go-election/election/input"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/observe"
)

// The schedule of a run and its delays, as scenarios name them.
type (
	Schedule = scenario.Schedule
	Delay    = scenario.Delay
)

// The schedules and the distributions of delays, see package scenario.
const (
	UnitDelay   = scenario.UnitDelay
	RandomDelay = scenario.RandomDelay
	Hand        = scenario.Hand
	Uniform     = scenario.Uniform
	Exponential = scenario.Exponential
)

// Config is a run: what to run, and how.
type Config struct {
	scenario.Input

	Schedule Schedule // If empty, UnitDelay.
	// of RandomDelay; if its times are zero, up to 2 units, or what the algorithm allows for
	Delay     Delay
	Unordered bool // links do not keep the order; only with RandomDelay
	Force     bool // run an algorithm even if links or delays are not what it requires
	Seed      uint64

	// Until is the time at which the run ends, even if events remain or none are left. If zero, the run ends
	// when no event is left.
	Until time.Duration

	// Steps, if not nil, are the only events of the run, in this order, under the unit schedule. Messages
	// stay on their links and timers run until a step takes them, whatever their delay. The steps need not
	// respect the order and the delays that the algorithm requires.
	Steps []scenario.Step

	// Acts are done in the course of the run, in this order, and what follows from them happens too. One that
	// cannot be when its turn comes, or has no turn before the run ends, is an error.
	Acts []scenario.Act

	// KeepSaved keeps the state that processes save, for [Sim.RestartSaved]. It is implied if the Input, the
	// Steps or the Acts contain restarts.
	KeepSaved bool

	// OnRaise, if not nil, is called with what the topmost machine of a process raises.
	OnRaise func(p int, ev election.Event)

	// Progress, if not nil, is called once a million steps with the messages delivered so far.
	Progress func(delivered uint64, now time.Duration)

	// Observe, if not nil, is called for every event, including the loss and duplication of messages. It
	// costs memory for every message, and an observed run cannot return to a [Snapshot].
	Observe observe.Observer
}

// LongestDelay bounds the delays of a random schedule, and so the calendar that they need.
const LongestDelay = 1e6 * Unit

// lastTime is when virtual time ends. It leaves room for the longest delay.
const lastTime = never / 2

// Check completes the Config and returns an error that wraps [election.ErrInput] or
// [election.ErrNeedsFIFO], [ErrCopies] or [ErrDelay] if it cannot be run. [New] calls it.
func (c *Config) Check() error {
	if err := c.Input.Check(); err != nil {
		return err
	}
	if c.Schedule == "" {
		c.Schedule = UnitDelay
	}
	if err := c.checkPlan(); err != nil {
		return err
	}
	switch {
	case c.Schedule != RandomDelay && c.Unordered:
		return input.Errorf("fifo: the %s schedule keeps the order; random does not need to", c.Schedule)
	case c.Schedule != RandomDelay && c.Delay != (Delay{}):
		return input.Errorf("delay: only the random schedule draws delays")
	case c.Until < 0:
		return input.Errorf("until: %s is less than 0", scenario.InUnits(c.Until))
	case c.Algorithm.NeedsFIFO && (c.Unordered || c.Faults.Reorder > 0) && !c.Force:
		return fmt.Errorf("%w: %s", election.ErrNeedsFIFO, c.Algorithm.Title())
	case !c.Algorithm.Faults.Copies && c.Faults.Duplicate > 0 && !c.Force:
		return fmt.Errorf("%w: %s", ErrCopies, c.Algorithm.Title())
	}
	longest := Unit
	if c.Schedule == RandomDelay {
		if err := complete(&c.Delay, c.Algorithm.Delay); err != nil {
			return err
		}
		longest = c.Delay.Longest()
	}
	if c.Faults.Reorder > 0 && !c.Algorithm.Synchronous { // those refuse it below, whatever their bound is
		longest *= 2 // the delay of the message, and another one
	}
	if bound := c.Algorithm.DelayBound(); bound > 0 && longest > bound && !c.Force && !c.still() {
		return fmt.Errorf("%w: %s assumes at most %v units, here up to %v", ErrDelay, c.Algorithm.Title(),
			scenario.InUnits(bound), scenario.InUnits(longest))
	}
	if c.Algorithm.Synchronous && !c.isSynchronous(longest) && !c.Force && !c.still() {
		return fmt.Errorf("%w: for %s processes must start at one instant, clocks must be right, and "+
			"each message must take %v units, or less where all start", ErrSynchronous, c.Algorithm.Title(),
			scenario.InUnits(c.Algorithm.Delay))
	}
	return nil
}

// isSynchronous reports whether processes start at one instant, clocks are right, and each message takes the
// Delay of the algorithm, or less if all processes start. Longest is the longest delay of a message, not
// counting an additional delay caused by Faults.
func (c *Config) isSynchronous(longest time.Duration) bool {
	at := slices.Compact(slices.Clone(c.StartTimes))
	even := longest == c.Algorithm.Delay && (c.Schedule != RandomDelay || c.Delay.Min == longest)
	return len(at) < 2 && !c.WrongClocks() && c.Faults.Reorder == 0 && (even || c.Starts() == len(c.IDs))
}

// still reports whether nothing happens but Steps or Acts.
func (c *Config) still() bool { return c.Steps != nil || c.Schedule == Hand }

// checkPlan checks the schedule, the steps and the acts.
func (c *Config) checkPlan() error {
	if err := c.CheckSteps(c.Steps); err != nil {
		return err
	}
	switch {
	case c.Schedule != UnitDelay && c.Schedule != RandomDelay && c.Schedule != Hand:
		return input.Errorf("schedule: %.60q is not one of unit, random and hand", c.Schedule)
	case c.Schedule != UnitDelay && c.Steps != nil:
		return input.Errorf("schedule: %s, not allowed with steps, which contain all events", c.Schedule)
	case len(c.Acts) > 0 && c.Steps != nil:
		return input.Errorf("acts: not allowed with steps, which contain all events")
	case c.Schedule == Hand:
		if err := c.CheckHand(); err != nil {
			return err
		}
	}
	return c.CheckActs(c.Acts)
}

// complete fills in what is zero in a Delay, and checks it. The algorithm allows for bound, if that is
// above zero.
func complete(d *Delay, bound time.Duration) error {
	if *d == (Delay{}) {
		d.Max = 2 * Unit
		if bound > 0 {
			d.Max = min(d.Max, bound)
		}
	}
	switch d.Distribution {
	case Exponential:
		if longest := LongestDelay / scenario.LongestMeans; d.Mean < 1 || d.Mean > longest {
			return input.Errorf("delay: a mean of %v units, it must be above 0 and at most %v",
				scenario.InUnits(d.Mean), scenario.InUnits(longest))
		}
		return nil
	case "", Uniform:
	default:
		return input.Errorf("delay: distribution %.60q is neither uniform nor exponential", d.Distribution)
	}
	if d.Min == 0 { // nothing arrives when it is sent
		d.Min = 1
	}
	switch {
	case d.Min < 1 || d.Max < d.Min:
		return input.Errorf("delay: from %v to %v units", scenario.InUnits(d.Min), scenario.InUnits(d.Max))
	case d.Max > LongestDelay:
		return input.Errorf("delay: up to %v units, at most %v can be", scenario.InUnits(d.Max),
			scenario.InUnits(LongestDelay))
	}
	return nil
}
