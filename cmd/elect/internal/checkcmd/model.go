package checkcmd

import (
	"cmp"
	"time"

	"github.com/go-election/election/input"
	"github.com/go-election/election/internal/prose"
	"github.com/go-election/election/lab/check"
	"github.com/go-election/election/lab/scenario"
)

// inTime models time if the algorithm assumes a bound on delays.
func (o *options) inTime(c *check.Config) error {
	if c.Delay == 0 && !o.untimed {
		c.Delay = c.Algorithm.Delay
	}
	if c.Delay > 0 {
		return o.inTicks(c)
	}
	for _, given := range []struct {
		flag string
		time time.Duration
	}{{"tick", o.check.Tick}, {"window", o.check.Window}, {"until", o.check.Until}} {
		if given.time > 0 {
			return input.Errorf("--%s: %s counts on no bound of delays, so that time is modelled with "+
				"--delay only", given.flag, c.Algorithm.Title())
		}
	}
	return nil
}

// mostTicks is the largest number of ticks in check.
const mostTicks = 250

// inTicks refuses times that are no whole number of ticks.
func (o *options) inTicks(c *check.Config) error {
	tick := cmp.Or(c.Tick, c.Delay)
	switch {
	case c.Delay%tick != 0:
		return input.Errorf("--tick: %s is no whole part of the longest delay, %s", scenario.InUnits(c.Tick),
			scenario.InUnits(c.Delay))
	case c.Delay/tick > mostTicks:
		return input.Errorf("--tick: %s makes %s ticks of the longest delay, %s, at most %d can be checked",
			scenario.InUnits(c.Tick), prose.Grouped(uint64(c.Delay/tick)), scenario.InUnits(c.Delay), mostTicks)
	case c.Window/tick > mostTicks:
		return input.Errorf("--window: %s is longer than %d ticks of %s", scenario.InUnits(c.Window), mostTicks,
			scenario.InUnits(tick))
	case c.Window%tick != 0:
		return input.Errorf("--window: %s is not a whole number of ticks of %s", scenario.InUnits(c.Window),
			scenario.InUnits(tick))
	case o.check.Until > 0 && c.Until/tick > mostTicks:
		return input.Errorf("--until: %s is longer than %d ticks of %s", scenario.InUnits(c.Until), mostTicks,
			scenario.InUnits(tick))
	}
	return nil
}

// comesBack refuses returns if no process is ever down.
func (o *options) comesBack(c *check.Config) error {
	if c.Crashes > 0 || len(c.Crashed) > 0 {
		return nil
	}
	for _, flag := range []struct {
		name string
		of   int
	}{{"recoveries", c.Recoveries}, {"restarts", c.Restarts}} {
		if flag.of > 0 {
			return input.Errorf("--%s: no process is ever down, so that none comes back; --crashes or "+
				"--crashed gives some", flag.name)
		}
	}
	return nil
}

// readNetwork completes the kind of links, and the budgets of losses and copies, by each other.
func (o *options) readNetwork(c *check.Config) error {
	switch {
	case o.network == networkFIFO && o.Given("network") && (c.Losses != 0 || c.Duplicates != 0):
		return input.Errorf("--network %s: its links neither lose nor copy, so that there is no --losses "+
			"or --duplicates", o.network)
	case o.network == networkLossy && !o.Given("losses"):
		c.Losses = check.Unlimited
	case o.network == networkDuplicating && !o.Given("duplicates"):
		c.Duplicates = 1
	case o.network == networkLossy && c.Losses == 0:
		return input.Errorf("--network %s: --losses 0 leaves nothing to lose", o.network)
	case o.network == networkDuplicating && c.Duplicates == 0:
		return input.Errorf("--network %s: --duplicates 0 leaves nothing to copy", o.network)
	case o.network == networkFIFO && c.Losses != 0:
		o.network = networkLossy
	case o.network == networkFIFO && c.Duplicates != 0:
		o.network = networkDuplicating
	}
	c.Unordered = o.network == networkUnordered
	return nil
}
