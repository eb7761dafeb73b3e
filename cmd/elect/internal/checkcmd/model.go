package checkcmd

import (
	"cmp"
	"time"

	"github.com/go-election/election/cmd/elect/internal/parse"
	"github.com/go-election/election/input"
	"github.com/go-election/election/internal/prose"
	"github.com/go-election/election/lab/check"
	"github.com/go-election/election/lab/scenario"
)

// readTimes reads the flags about time.
func (f *checkFlags) readTimes(c *check.Config) (err error) {
	for _, flag := range []struct {
		name string
		to   *time.Duration
		zero bool // 0 is a value
	}{{"delay", &c.Delay, false}, {"tick", &c.Tick, false}, {"window", &c.Window, true}, {"until", &c.Until,
		false}} {
		if !f.Given(flag.name) {
			continue
		}
		if f.On("untimed") {
			return input.Errorf("--untimed and --%s exclude each other", flag.name)
		}
		if *flag.to, err = parse.Time("--"+flag.name, f.Text(flag.name)); err != nil {
			return err
		}
		if *flag.to == 0 && !flag.zero {
			return input.Errorf("--%s: %s is not above 0", flag.name, f.Text(flag.name))
		}
	}
	return nil
}

// inTime models time where the algorithm assumes a bound on delays.
func (f *checkFlags) inTime(c *check.Config) error {
	if !f.Given("delay") && !f.On("untimed") {
		c.Delay = c.Algorithm.Delay
	}
	if c.Delay > 0 {
		return f.inTicks(c)
	}
	for _, flag := range []string{"tick", "window", "until"} {
		if f.Given(flag) {
			return input.Errorf("--%s: %s counts on no bound of delays, so that time is modelled with "+
				"--delay only", flag, c.Algorithm.Title())
		}
	}
	return nil
}

// mostTicks is the largest number of ticks in check.
const mostTicks = 250

// inTicks refuses times that are no whole number of ticks.
func (f *checkFlags) inTicks(c *check.Config) error {
	tick := cmp.Or(c.Tick, c.Delay)
	switch {
	case c.Delay%tick != 0:
		return input.Errorf("--tick: %s is no whole part of the longest delay, %s", f.Text("tick"),
			scenario.InUnits(c.Delay))
	case c.Delay/tick > mostTicks:
		return input.Errorf("--tick: %s makes %s ticks of the longest delay, %s, at most %d can be checked",
			f.Text("tick"), prose.Grouped(uint64(c.Delay/tick)), scenario.InUnits(c.Delay), mostTicks)
	case c.Window/tick > mostTicks:
		return input.Errorf("--window: %s is longer than %d ticks of %s", f.Text("window"), mostTicks,
			scenario.InUnits(tick))
	case c.Window%tick != 0:
		return input.Errorf("--window: %s is not a whole number of ticks of %s", f.Text("window"),
			scenario.InUnits(tick))
	case f.Given("until") && c.Until/tick > mostTicks:
		return input.Errorf("--until: %s is longer than %d ticks of %s", f.Text("until"), mostTicks,
			scenario.InUnits(tick))
	}
	return nil
}

// comesBack refuses returns where no process is ever down.
func (f *checkFlags) comesBack(c *check.Config) error {
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

// readNetwork reads the kind of links, and the budgets of losses and copies.
func (f *checkFlags) readNetwork(c *check.Config) (err error) {
	f.network = f.Text("network")
	if err := f.Among("network"); err != nil {
		return err
	}
	if c.Duplicates, err = f.budget("duplicates"); err != nil {
		return err
	}
	if f.Text("losses") == unlimited {
		c.Losses = check.Unlimited
	} else if c.Losses, err = f.budget("losses"); err != nil {
		return err
	}
	switch {
	case f.network == networkFIFO && f.Given("network") && (c.Losses != 0 || c.Duplicates != 0):
		return input.Errorf("--network %s: its links neither lose nor copy, so that there is no --losses "+
			"or --duplicates", f.network)
	case f.network == networkLossy && !f.Given("losses"):
		c.Losses = check.Unlimited
	case f.network == networkDuplicating && !f.Given("duplicates"):
		c.Duplicates = 1
	case f.network == networkLossy && c.Losses == 0:
		return input.Errorf("--network %s: --losses 0 leaves nothing to lose", f.network)
	case f.network == networkDuplicating && c.Duplicates == 0:
		return input.Errorf("--network %s: --duplicates 0 leaves nothing to copy", f.network)
	case f.network == networkFIFO && c.Losses != 0:
		f.network = networkLossy
	case f.network == networkFIFO && c.Duplicates != 0:
		f.network = networkDuplicating
	}
	c.Unordered = f.network == networkUnordered
	return nil
}

// readBudgets reads the budgets of crashes and returns.
func (f *checkFlags) readBudgets(c *check.Config) (err error) {
	for _, flag := range []struct {
		name string
		to   *int
	}{{"crashes", &c.Crashes}, {"recoveries", &c.Recoveries}, {"restarts", &c.Restarts},
		{"pauses", &c.Pauses}, {"cuts", &c.Cuts}} {
		if *flag.to, err = f.budget(flag.name); err != nil {
			return err
		}
	}
	return nil
}

// mostBudget is the largest budget in check.
const mostBudget = 1 << 10

// budget reads a budget.
func (f *checkFlags) budget(flag string) (int, error) {
	if !f.Given(flag) {
		return 0, nil
	}
	text := f.Text(flag)
	k, err := parse.Number("--"+flag, text)
	if err == nil && k > mostBudget {
		err = input.Errorf("--%s: %s, at most %d can be checked", flag, text, mostBudget)
	}
	return int(min(k, mostBudget)), err
}

// readLimits reads the limits of states, memory and workers.
func (f *checkFlags) readLimits(c *check.Config) error {
	if f.Given("workers") {
		k, err := parse.Number("--workers", f.Text("workers"))
		switch {
		case err != nil:
			return err
		case k < 1 || k > 1<<10:
			return input.Errorf("--workers: %s is not between 1 and %d", f.Text("workers"), 1<<10)
		}
		c.Workers = int(k)
	}
	if f.Given("max-states") {
		k, err := parse.Count("--max-states", f.Text("max-states"))
		switch {
		case err != nil:
			return err
		case k < 1:
			return input.Errorf("--max-states: %s leaves nothing to visit", f.Text("max-states"))
		}
		c.MaxStates = int(min(k, 1<<53))
	}
	if f.mayTake = check.Memory(); f.Given("memory") {
		var err error
		if f.mayTake, err = check.ReadMemory(f.Text("memory")); err != nil {
			return input.At("--memory", err)
		}
	}
	c.MaxBytes = f.mayTake / 2 // the other half is for states that wait to be expanded, and for garbage
	return nil
}
