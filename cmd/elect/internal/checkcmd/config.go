package checkcmd

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/go-election/election/cmd/elect/internal/console"
	"github.com/go-election/election/cmd/elect/internal/files"
	"github.com/go-election/election/cmd/elect/internal/job"
	"github.com/go-election/election/cmd/elect/internal/parse"
	"github.com/go-election/election/cmd/elect/internal/suggest"
	"github.com/go-election/election/input"
	"github.com/go-election/election/lab/check"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lab/sim"
)

// checkFlags are those of elect check, as they were typed.
type checkFlags struct {
	job.Flags
	network string // the kind of links
	mayTake int64  // bytes, of --memory
	ends    bool   // the end of time is the default
}

// mostChecked is the largest number of processes.
const mostChecked = 1 << 10

// The kinds of links.
const (
	networkFIFO        = "fifo"
	networkUnordered   = "unordered"
	networkLossy       = "lossy"
	networkDuplicating = "duplicating"
)

// unlimited is the budget that is never used up.
const unlimited = "unlimited"

// config returns the check of the command line.
func (f *checkFlags) config(a *console.Console, args []string) (*check.Config, error) {
	c := &check.Config{Nudge: f.On("nudge"), Started: f.On("started"),
		NoAnnouncement: f.On("no-announcement"), Reduce: f.On("reduce"), Exact: f.On("exact")}
	for _, read := range []func(*check.Config) error{f.readTimes, f.readNetwork, f.readBudgets,
		f.readLimits} {
		if err := read(c); err != nil {
			return nil, err
		}
	}
	var seed uint64
	var err error
	if f.Given("seed") {
		if seed, err = parse.Number("--seed", f.Text("seed")); err != nil {
			return nil, err
		}
	}
	if f.Given("scenario") {
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
	// Its service would start a process that an algorithm leaves without a leader after a crash.
	c.Nudge = c.Algorithm.Faults.Nudged && c.Crashes+len(c.Crashed) > 0
	if c.Delay > 0 && c.Algorithm.NeverQuiesces && c.Until == 0 {
		c.Until, f.ends = defaultEnd(c), true
	}
	// Before Arrange moves processes, so that indexes in errors are those of the command line.
	if err := c.Check(); err != nil {
		return nil, f.about(err)
	}
	if !f.Given("scenario") {
		err = f.Arrange(&c.Input, seed)
	}
	return c, err
}

// defaultDelays is after how many of the longest delays time ends if an algorithm never comes to rest and the
// user sets no end: enough for an election, a crash and the next election of algorithms with heartbeats, and
// few enough that three processes take seconds.
const defaultDelays = 4

// defaultEnd returns the default end of time, in no more ticks than can be checked.
func defaultEnd(c *check.Config) time.Duration {
	tick := cmp.Or(c.Tick, c.Delay)
	return min(defaultDelays, mostTicks/(c.Delay/tick)) * c.Delay
}

// about puts the file before err, if there is one.
func (f *checkFlags) about(err error) error {
	if err == nil || !f.Given("scenario") {
		return err
	}
	return fmt.Errorf("--scenario %s: %w", f.Text("scenario"), err)
}

// readInput reads the election from the flags.
func (f *checkFlags) readInput(args []string, c *check.Config, seed uint64) (err error) {
	if c.Algorithm, err = f.Algorithm(args); err != nil {
		return err
	}
	links, err := f.Layout(c.Algorithm)
	if err != nil {
		return err
	}
	if err := f.ReadProcesses(&c.Input, links); err != nil {
		return err
	}
	if links != nil {
		if c.Topology, err = links.Build(c.Algorithm, c.IDs, seed); err != nil {
			return err
		}
	}
	// Parameters are read against the delays of a run. A check has their bound only.
	run := sim.Config{Input: c.Input, Schedule: sim.RandomDelay,
		Delay: sim.Delay{Max: cmp.Or(c.Delay, sim.Unit)}}
	err = f.Configure(&run)
	c.Input = run.Input
	return err
}

// readScenario reads the election from a file.
func (f *checkFlags) readScenario(a *console.Console, args []string, c *check.Config) error {
	if len(args) > 0 {
		return input.Errorf("--scenario says the algorithm itself: unexpected argument %.60q", args[0])
	}
	for _, name := range job.InFile {
		if f.Given(name) {
			return input.Errorf("--scenario and %s exclude each other", suggest.Dashed(name))
		}
	}
	s, err := f.single(a, "scenario", f.Text("scenario"))
	if err != nil {
		return err
	}
	if s.Acts != nil || s.Schedule == scenario.Hand {
		return f.about(input.Errorf("acts: a check tries all that can happen; elect sim --scenario does " +
			"them"))
	}
	if s.Steps != nil {
		return f.about(input.Errorf("steps: a check tries all that can happen; --replay runs them"))
	}
	if f.Given("delay") {
		s.Schedule, s.Delay = sim.RandomDelay, &scenario.Delay{Max: c.Delay}
	}
	if c.Input, err = s.Input(f.Find); err != nil {
		return f.about(err)
	}
	if n := len(c.IDs); n > f.Most {
		return f.about(input.Errorf("ids: %d processes, at most %d can be %s", n, f.Most, f.Driven))
	}
	if !f.Given("network") && s.FIFO != nil && !*s.FIFO {
		c.Unordered, f.network = true, networkUnordered
	}
	// The file's end is one in time: a check that models none visits what comes behind it too.
	if !f.Given("until") && !f.On("untimed") && (c.Delay > 0 || c.Algorithm.Delay > 0) {
		c.Until = s.Until
	}
	f.Values = s.Params
	return nil
}

// single reads a file that holds one scenario.
func (f *checkFlags) single(a *console.Console, flag, name string) (*scenario.Scenario, error) {
	if name == "" {
		return nil, input.Errorf("--%s: no file is given", flag)
	}
	all, err := f.ReadFile(a.Stdin, name)
	if err == nil && len(all) > 1 {
		err = input.Errorf("it holds %d scenarios, one is needed", len(all))
	}
	if err != nil {
		return nil, fmt.Errorf("--%s %s: %w", flag, name, err)
	}
	return all[0], nil
}

// outputs refuses files that cannot be written, and more than one on standard output.
func (f *checkFlags) outputs(n int) error {
	_, standard, err := f.Files.Check(f.Cmd, f.Reads()...)
	if err != nil {
		return err
	}
	f.Silent = f.Files.Trace == files.Standard
	for _, flag := range []string{"out", "dot"} {
		switch name := f.Text(flag); {
		case f.Given(flag) && name == "":
			return input.Errorf("--%s: no file is given", flag)
		case name == files.Standard && standard:
			return input.Errorf("--%s: standard output is taken already", flag)
		case name == files.Standard:
			standard, f.Silent = true, true
		}
	}
	if f.On("json") && standard {
		return input.Errorf("--json: standard output is taken by a file named -")
	}
	if err := cmp.Or(f.ownFile("out"), f.ownFile("dot")); err != nil {
		return err
	}
	return f.Files.CheckPictures(n)
}

// ownFile refuses an --out or --dot that is no file, or another one.
func (f *checkFlags) ownFile(flag string) error {
	own := f.Text(flag)
	if own == "" {
		return nil
	}
	if slices.ContainsFunc(f.Reads(), func(name string) bool { return files.Same(own, name) }) {
		return input.Errorf("--%s: %s is read already", flag, own)
	}
	if flag == "dot" && files.Same(own, f.Text("out")) {
		return input.Errorf("--dot: %s is written by --out already", own)
	}
	for _, file := range f.Files.All() {
		if files.Same(own, *file.Name) {
			return input.Errorf("--%s: %s is written by --%s already", flag, own, file.Flag)
		}
	}
	return files.CheckWritable(flag, own)
}
