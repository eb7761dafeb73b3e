package main

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/go-election/election/internal/prose"
	"github.com/go-election/election/lab/check"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lab/sim"
)

// The kinds of links.
const (
	networkFIFO        = "fifo"
	networkUnordered   = "unordered"
	networkLossy       = "lossy"
	networkDuplicating = "duplicating"
)

var networks = []string{networkFIFO, networkUnordered, networkLossy, networkDuplicating}

// unitDelay is how long a message takes where nobody says it.
const unitDelay = sim.Unit

// unlimited is the budget that is never used up.
const unlimited = "unlimited"

// completeCheck tells the shell what may follow.
func (f *checkFlags) completeCheck() {
	f.complete()
	f.values("network", func([]string) []cobra.Completion { return networks })
	f.values("losses", func([]string) []cobra.Completion { return []cobra.Completion{unlimited} })
	for _, free := range []string{
		"duplicates", "crashes", "recoveries", "restarts", "tick", "window", "workers", "max-states", "memory",
	} {
		f.values(free, func([]string) []cobra.Completion { return nil })
	}
	for _, file := range []string{"replay", "out"} {
		if err := f.cmd.MarkFlagFilename(file, "json"); err != nil {
			panic(err) // no such flag
		}
	}
}

// config returns what the command line asks for.
func (f *checkFlags) config(a *app, args []string) (*check.Config, error) {
	c := &check.Config{Nudge: f.nudge, Started: f.started, NoAnnouncement: f.noAnnouncement, Reduce: f.reduce, Exact: f.exact}
	for _, read := range []func(*check.Config) error{f.readTimes, f.readNetwork, f.readBudgets, f.readLimits} {
		if err := read(c); err != nil {
			return nil, err
		}
	}
	var seed uint64
	var err error
	if f.given("seed") {
		if seed, err = parseNumber("--seed", f.seed); err != nil {
			return nil, err
		}
	}
	if f.given("scenario") {
		err = f.readScenario(a, args, c)
	} else {
		err = f.readInput(args, c, seed)
	}
	if err != nil {
		return nil, err
	}
	if err := f.inTime(c); err != nil {
		return nil, err
	}
	if err := f.comesBack(c); err != nil {
		return nil, err
	}
	if c.Delay > 0 && c.Algorithm.NeverQuiesces && c.Until == 0 {
		return nil, f.about(neverRests(c.Algorithm))
	}
	if err := c.Check(); err != nil { // before anything is arranged, so that places are those given
		return nil, f.about(err)
	}
	if !f.given("scenario") {
		err = f.arrange(&c.Input, seed)
	}
	return c, err
}

// about says which file is wrong, if there is one.
func (f *checkFlags) about(err error) error {
	if err == nil || !f.given("scenario") {
		return err
	}
	return fmt.Errorf("--scenario %s: %w", f.file, err)
}

// readInput reads the election from the flags.
func (f *checkFlags) readInput(args []string, c *check.Config, seed uint64) (err error) {
	if c.Algorithm, err = f.algorithm(args); err != nil {
		return err
	}
	links, err := f.layout(c.Algorithm)
	if err != nil {
		return err
	}
	if err := f.who(&c.Input, links); err != nil {
		return err
	}
	if links != nil {
		if c.Topology, err = links.build(c.Algorithm, c.IDs, seed); err != nil {
			return err
		}
	}
	run := sim.Config{Input: c.Input, Schedule: sim.RandomDelay, Delay: sim.Delay{Max: f.longest(c)}}
	err = f.configure(&run)
	c.Input = run.Input
	return err
}

// longest returns how long a message takes, for the time-outs of the algorithm.
func (f *checkFlags) longest(c *check.Config) time.Duration {
	if c.Delay > 0 {
		return c.Delay
	}
	return unitDelay
}

// readScenario reads the election from a file.
func (f *checkFlags) readScenario(a *app, args []string, c *check.Config) error {
	if len(args) > 0 {
		return usage("--scenario says the algorithm itself: unexpected argument %q", args[0])
	}
	for _, name := range inFile {
		if f.given(name) {
			return usage("--scenario and %s exclude each other", dashed(name))
		}
	}
	s, err := f.single(a, "scenario", f.file)
	if err != nil {
		return err
	}
	if s.Steps != nil {
		return f.about(usage("steps: a check tries all that can happen; --replay runs them"))
	}
	if f.given("delay") {
		s.Schedule, s.Delay = sim.RandomDelay, &scenario.Delay{Max: c.Delay}
	}
	if c.Input, err = s.Input(find); err != nil {
		return f.about(err)
	}
	if n := len(c.IDs); n > f.most {
		return f.about(usage("ids: %d processes, at most %d can be %s", n, f.most, f.driven))
	}
	if !f.given("network") && s.FIFO != nil && !*s.FIFO {
		c.Unordered, f.network = true, networkUnordered
	}
	if !f.given("until") && !f.untimed && (c.Delay > 0 || c.Algorithm.Delay > 0) {
		c.Until = s.Until
	}
	f.parameters = s.Params
	return nil
}

// single reads a file that holds one scenario.
func (f *checkFlags) single(a *app, flag, name string) (*scenario.Scenario, error) {
	if name == "" {
		return nil, usage("--%s: no file is given", flag)
	}
	f.file = name
	all, err := f.read(a.stdin)
	if err == nil && len(all) > 1 {
		err = usage("it holds %d scenarios, one is needed", len(all))
	}
	if err != nil {
		return nil, fmt.Errorf("--%s %s: %w", flag, name, err)
	}
	return all[0], nil
}

// readTimes reads the flags about time.
func (f *checkFlags) readTimes(c *check.Config) (err error) {
	for _, flag := range []struct {
		name, text string
		to         *time.Duration
		zero       bool // makes sense
	}{{"delay", f.delay, &c.Delay, false}, {"tick", f.tick, &c.Tick, false}, {"window", f.window, &c.Window, true}, {"until", f.until, &c.Until, false}} {
		if !f.given(flag.name) {
			continue
		}
		if f.untimed {
			return usage("--untimed and --%s exclude each other", flag.name)
		}
		if *flag.to, err = parseTime("--"+flag.name, flag.text); err != nil {
			return err
		}
		if *flag.to == 0 && !flag.zero {
			return usage("--%s: %s is not above 0", flag.name, flag.text)
		}
	}
	return nil
}

// inTime models time where the algorithm counts on it.
func (f *checkFlags) inTime(c *check.Config) error {
	if !f.given("delay") && !f.untimed {
		c.Delay = c.Algorithm.Delay
	}
	if c.Delay > 0 {
		return f.inTicks(c)
	}
	for _, flag := range []string{"tick", "window", "until"} {
		if f.given(flag) {
			return usage("--%s: %s counts on no bound of delays, so that time is modelled with --delay only", flag, c.Algorithm.Title())
		}
	}
	return nil
}

// mostTicks is how many ticks check allows for.
const mostTicks = 250

// inTicks refuses times that cannot be told in ticks.
func (f *checkFlags) inTicks(c *check.Config) error {
	tick := cmp.Or(c.Tick, c.Delay)
	switch {
	case c.Delay%tick != 0:
		return usage("--tick: %s is no whole part of the longest delay, %s", f.tick, units(c.Delay))
	case c.Delay/tick > mostTicks:
		return usage("--tick: %s makes %s ticks of the longest delay, %s, at most %d can be checked", f.tick, prose.Grouped(uint64(c.Delay/tick)), units(c.Delay), mostTicks)
	case c.Window/tick > mostTicks:
		return usage("--window: %s is longer than %d ticks of %s", f.window, mostTicks, units(tick))
	case c.Window%tick != 0:
		return usage("--window: %s is not a whole number of ticks of %s", f.window, units(tick))
	case f.given("until") && c.Until/tick > mostTicks:
		return usage("--until: %s is longer than %d ticks of %s", f.until, mostTicks, units(tick))
	}
	return nil
}

// comesBack refuses returns where nobody is ever down.
func (f *checkFlags) comesBack(c *check.Config) error {
	if c.Crashes > 0 || len(c.Crashed) > 0 {
		return nil
	}
	for _, flag := range []struct {
		name string
		of   int
	}{{"recoveries", c.Recoveries}, {"restarts", c.Restarts}} {
		if flag.of > 0 {
			return usage("--%s: nobody is ever down, and so nobody comes back; --crashes or --crashed says who is", flag.name)
		}
	}
	return nil
}

// readNetwork reads what links do.
func (f *checkFlags) readNetwork(c *check.Config) (err error) {
	if err := among("network", f.network, networks...); err != nil {
		return err
	}
	if c.Duplicates, err = f.budget("duplicates", f.duplicates); err != nil {
		return err
	}
	if f.losses == unlimited {
		c.Losses = check.Unlimited
	} else if c.Losses, err = f.budget("losses", f.losses); err != nil {
		return err
	}
	switch {
	case f.network == networkFIFO && f.given("network") && (c.Losses != 0 || c.Duplicates != 0):
		return usage("--network %s: its links neither lose nor copy, so that there is no --losses or --duplicates", f.network)
	case f.network == networkLossy && !f.given("losses"):
		c.Losses = check.Unlimited
	case f.network == networkDuplicating && !f.given("duplicates"):
		c.Duplicates = 1
	case f.network == networkLossy && c.Losses == 0:
		return usage("--network %s: --losses 0 leaves nothing to lose", f.network)
	case f.network == networkDuplicating && c.Duplicates == 0:
		return usage("--network %s: --duplicates 0 leaves nothing to copy", f.network)
	case f.network == networkFIFO && c.Losses != 0:
		f.network = networkLossy
	case f.network == networkFIFO && c.Duplicates != 0:
		f.network = networkDuplicating
	}
	c.Unordered = f.network == networkUnordered
	return nil
}

// readBudgets reads what may become of processes.
func (f *checkFlags) readBudgets(c *check.Config) (err error) {
	for _, flag := range []struct {
		name, text string
		to         *int
	}{{"crashes", f.crashes, &c.Crashes}, {"recoveries", f.recoveries, &c.Recoveries}, {"restarts", f.restarts, &c.Restarts}} {
		if *flag.to, err = f.budget(flag.name, flag.text); err != nil {
			return err
		}
	}
	return nil
}

// mostBudget is what check allows for.
const mostBudget = 1 << 10

// budget reads how many times something may happen.
func (f *checkFlags) budget(flag, text string) (int, error) {
	if !f.given(flag) {
		return 0, nil
	}
	k, err := parseNumber("--"+flag, text)
	if err == nil && k > mostBudget {
		err = usage("--%s: %s, at most %d can be checked", flag, text, mostBudget)
	}
	return int(min(k, mostBudget)), err
}

// readLimits reads how much work it may be.
func (f *checkFlags) readLimits(c *check.Config) error {
	if f.given("workers") {
		k, err := parseNumber("--workers", f.workers)
		switch {
		case err != nil:
			return err
		case k < 1 || k > 1<<10:
			return usage("--workers: %s is not between 1 and %d", f.workers, 1<<10)
		}
		c.Workers = int(k)
	}
	if f.given("max-states") {
		k, err := parseCount("--max-states", f.maxStates)
		switch {
		case err != nil:
			return err
		case k < 1:
			return usage("--max-states: %s leaves nothing to visit", f.maxStates)
		}
		c.MaxStates = int(min(k, 1<<53))
	}
	if f.mayTake = check.Memory(); f.given("memory") {
		var err error
		if f.mayTake, err = parseMemory("--memory", f.memory); err != nil {
			return err
		}
	}
	c.MaxBytes = f.mayTake / 2 // the rest is for what is under way, and garbage
	return nil
}

// outputs refuses files that cannot be written, and more than one on standard output.
func (f *checkFlags) outputs(n int) error {
	_, standard, err := f.files.check(f.cmd, f.reads()...)
	switch {
	case err != nil:
		return err
	case f.given("out") && f.out == "":
		return usage("--out: no file is given")
	case f.out == standardStream && standard:
		return usage("--out: standard output is taken already")
	case f.json && (standard || f.out == standardStream):
		return usage("--json: standard output is taken by a file named -")
	}
	if err := f.ownFile(); err != nil {
		return err
	}
	f.silent = f.out == standardStream || f.files.trace == standardStream
	return f.files.pictures(n)
}

// ownFile refuses an --out that is no file, or another one.
func (f *checkFlags) ownFile() error {
	if f.out == "" {
		return nil
	}
	if slices.ContainsFunc(f.reads(), func(name string) bool { return sameFile(f.out, name) }) {
		return usage("--out: %s is read already", f.out)
	}
	for _, file := range f.files.all() {
		if sameFile(f.out, *file.name) {
			return usage("--out: %s is written by --%s already", f.out, file.flag)
		}
	}
	return writable("out", f.out)
}
