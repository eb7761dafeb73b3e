package checkcmd

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/go-election/election/cmd/elect/internal/console"
	"github.com/go-election/election/cmd/elect/internal/files"
	"github.com/go-election/election/cmd/elect/internal/job"
	"github.com/go-election/election/cmd/elect/internal/parse"
	"github.com/go-election/election/cmd/elect/internal/terminal"
	"github.com/go-election/election/input"
	"github.com/go-election/election/lab/check"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lab/sim"
)

// options are the flags of elect check.
type options struct {
	job.Options
	check            check.Config // as far as the flags give it
	network          string       // the kind of links
	voters           string       // see check.ReadVoters
	untimed          bool
	mayTake          int64 // bytes, of --memory
	ends             bool  // the end of time is the default
	replay, out, dot string
}

// define defines the flags.
func (o *options) define(cmd *cobra.Command) {
	fs, c := cmd.Flags(), &o.check
	fs.SortFlags = false
	o.network = networkFIFO
	o.Define(cmd)
	fs.Lookup("scenario").Usage = "take the election from a file with one scenario, - for standard input"
	fs.BoolVar(&c.Started, "started", false, "all initiators have started before the first state; by default each starts "+
		"at any moment")
	fs.BoolVar(&c.NoAnnouncement, "no-announcement", false, "leave out announcements and what followers learn from "+
		"them; includes --started")
	fs.BoolVar(&c.Nudge, "nudge", false, "when no event is left, each process without a leader starts an "+
		"election")
	parse.Var(fs, &c.Window, "window", "3", "the time until which initiators start, in units", parse.Time)
	parse.Var(fs, &c.Until, "until", "20", "when every run ends, in units; needed with heartbeats", parse.After0)
	parse.Choice(cmd, &o.network, "network", "the links: fifo, unordered, lossy or duplicating", networkFIFO,
		networkUnordered, networkLossy, networkDuplicating)
	fs.StringVar(&o.voters, "voters", "", "the voters of a lease and their changes, such as \"agreed=123 to=1,23 "+
		"changes=1\"; also needed to --replay")
	parse.Var(fs, &c.Delay, "delay", "1", "the longest delay of a message, in units (default the bound that the "+
		"algorithm assumes)", parse.After0)
	parse.Var(fs, &c.Tick, "tick", "0.5", "the step of time, in units (default --delay, or less if timers run out in "+
		"between)", parse.After0)
	fs.BoolVar(&o.untimed, "untimed", false, "messages take any time, whatever bound the algorithm assumes")
	parse.Exclude(cmd, "untimed", "delay", "tick", "window", "until")
	parse.Var(fs, &c.Losses, "losses", "K", "the number of messages that may be lost, or unlimited", losses)
	parse.Complete(cmd, "losses", unlimited)
	for _, flag := range []struct {
		to          *int
		name, usage string
	}{
		{&c.Duplicates, "duplicates", "the number of messages that may arrive twice"},
		{&c.Crashes, "crashes", "the number of crashes, each at any moment"},
		{&c.Recoveries, "recoveries", "the number of returns without the state of the process"},
		{&c.Restarts, "restarts", "the number of returns with the state that the process saved last"},
		{&c.Pauses, "pauses", "the number of pauses of a process, each at any moment and of any length"},
		{&c.Cuts, "cuts", "the number of cuts of the network into two parts, each at any moment and of any length"},
	} {
		parse.Var(fs, flag.to, flag.name, "K", flag.usage, budget)
	}
	fs.BoolVar(&c.Reduce, "reduce", false, "leave out orders of steps that make no difference")
	fs.BoolVar(&c.Exact, "exact", false, "compare whole states instead of their hashes, so that no state is missed")
	parse.Var(fs, &c.Workers, "workers", "K", "the number of workers (default one for each processor)",
		parse.Between(1, 1<<10))
	parse.Var(fs, &c.MaxStates, "max-states", "1e6", "stop at this number of states", parse.Between(1, min(1<<53,
		math.MaxInt)))
	parse.Var(fs, &o.mayTake, "memory", "4GB", "stop before the search takes more memory, as 4GB, 1.5GiB or 500MB (default "+
		"three quarters of the free memory)", memory)
	parse.File(cmd, &o.replay, "replay", "json", "run the steps of a counterexample instead, - for standard input")
	parse.File(cmd, &o.out, "out", "json", "write a counterexample as a scenario into this file, - for standard output")
	parse.File(cmd, &o.dot, "dot", "dot", "write the states and moves as a graph for Graphviz into this file, - for "+
		"standard output")
	fs.BoolVar(&o.JSON, "json", false, "one JSON object")
	pictures := []string{"trace", "svg", "links", "mermaid", "log"}
	o.Files.Define(cmd, pictures...)
	for _, name := range pictures {
		fs.Lookup(name).Usage = "of a counterexample: " + fs.Lookup(name).Usage
	}
	o.Complete(cmd)
	fs.VisitAll(func(f *pflag.Flag) { // the steps of a replay determine everything except its report
		if !slices.Contains(append(pictures, "replay", "json", "voters"), f.Name) {
			parse.Exclude(cmd, "replay", f.Name)
		}
	})
}

// budget reads a number of faults.
var budget = parse.Between(0, 1<<10)

// memory reads --memory, in bytes.
func memory(flag, text string) (int64, error) {
	bytes, err := check.ReadMemory(text)
	if err != nil {
		return 0, input.At(flag, err)
	}
	return bytes, nil
}

// losses reads --losses.
func losses(flag, text string) (int, error) {
	if text == unlimited {
		return check.Unlimited, nil
	}
	return budget(flag, text)
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

// readConfig returns the check of the command line.
func (o *options) readConfig(a *console.Console, args []string) (*check.Config, error) {
	given := o.check
	c := &given
	if err := o.readNetwork(c); err != nil {
		return nil, err
	}
	o.mayTake = cmp.Or(o.mayTake, check.Memory())
	c.MaxBytes = o.mayTake / 2 // the other half is for states that wait to be expanded, and for garbage
	seed := o.Config.Seed
	var err error
	if o.Scenario != "" {
		err = o.readScenario(a, args, c)
	} else {
		err = o.readInput(args, c, seed)
	}
	if err != nil {
		return nil, err
	}
	if err := o.inTime(c); err != nil {
		return nil, err
	}
	if err := o.comesBack(c); err != nil {
		return nil, err
	}
	// Its service would start a process that an algorithm leaves without a leader after a crash.
	c.Nudge = c.Nudge || c.Algorithm.Faults.Nudged && c.Crashes+len(c.Crashed) > 0
	if c.Delay > 0 && c.Algorithm.NeverQuiesces && c.Until == 0 {
		c.Until, o.ends = defaultEnd(c), true
	}
	if err := o.withVoters(c); err != nil {
		return nil, err
	}
	// Before Arrange moves processes, so that indexes in errors are of the command line.
	if err := c.Check(); err != nil {
		return nil, o.about(err)
	}
	if o.Scenario == "" {
		err = o.Arrange(&c.Input, seed)
	}
	return c, err
}

// withVoters adds what --voters gives to a check.
func (o *options) withVoters(c *check.Config) error {
	if o.voters == "" {
		return nil
	}
	v, err := check.ReadVoters(o.voters)
	if err == nil {
		*c, err = v.In(*c)
	}
	if err != nil {
		return input.At("voters", err)
	}
	return nil
}

// votersQuoted returns the flag --voters for a command line, if it is given.
func (o *options) votersQuoted() string {
	if o.voters == "" {
		return ""
	}
	return " --voters " + terminal.Quoted(o.voters)
}

// defaultDelays is after how many of the longest delays time ends if an algorithm never comes to rest and the
// user sets no end: enough for an election, a crash and the next election of algorithms with heartbeats, and
// few enough that three processes take seconds. A lease with default times lasts for longer, which the report
// points out.
const defaultDelays = 4

// defaultEnd returns the default end of time, in no more ticks than can be checked.
func defaultEnd(c *check.Config) time.Duration {
	tick := cmp.Or(c.Tick, c.Delay)
	return min(defaultDelays, mostTicks/(c.Delay/tick)) * c.Delay
}

// about puts the file before err, if there is one.
func (o *options) about(err error) error {
	if err == nil || o.Scenario == "" {
		return err
	}
	return fmt.Errorf("--scenario %s: %w", o.Scenario, err)
}

// readInput reads the election from the flags.
func (o *options) readInput(args []string, c *check.Config, seed uint64) (err error) {
	if c.Algorithm, err = o.Algorithm(args); err != nil {
		return err
	}
	links, err := o.Layout(c.Algorithm)
	if err != nil {
		return err
	}
	if c.Input, err = o.Input(c.Algorithm, links, seed); err != nil {
		return err
	}
	// Parameters are read against the delays of a run. A check has their bound only.
	run := sim.Config{Input: c.Input, Schedule: sim.RandomDelay,
		Delay: sim.Delay{Max: cmp.Or(c.Delay, sim.Unit)}}
	err = o.Configure(&run)
	c.Input = run.Input
	return err
}

// readScenario reads the election from a file.
func (o *options) readScenario(a *console.Console, args []string, c *check.Config) error {
	if len(args) > 0 {
		return input.Errorf("--scenario includes the algorithm: unexpected argument %.60q", args[0])
	}
	s, err := o.single(a, "scenario", o.Scenario)
	if err != nil {
		return err
	}
	if s.Acts != nil || s.Schedule == scenario.Hand {
		return o.about(input.Errorf("acts: a check tries all that can happen; elect sim --scenario does " +
			"them"))
	}
	if s.Steps != nil {
		return o.about(input.Errorf("steps: a check tries all that can happen; --replay runs them"))
	}
	if c.Delay > 0 {
		s.Schedule, s.Delay = sim.RandomDelay, &scenario.Delay{Max: c.Delay}
	}
	if c.Input, err = s.Input(o.Find); err != nil {
		return o.about(err)
	}
	if n := len(c.IDs); n > o.Most {
		return o.about(input.Errorf("ids: %d processes, at most %d can be %s", n, o.Most, o.Driven))
	}
	if !o.Given("network") && s.FIFO != nil && !*s.FIFO {
		c.Unordered, o.network = true, networkUnordered
	}
	// The file's end is one in time: a check that models none visits what comes behind it too.
	if c.Until == 0 && !o.untimed && (c.Delay > 0 || c.Algorithm.Delay > 0) {
		c.Until = s.Until
	}
	o.Values = s.Params
	return nil
}

// single reads a file that holds one scenario.
func (o *options) single(a *console.Console, flag, name string) (*scenario.Scenario, error) {
	all, err := o.ReadFile(a.Stdin, name)
	if err == nil && len(all) > 1 {
		err = input.Errorf("it holds %d scenarios, one is needed", len(all))
	}
	if err != nil {
		return nil, fmt.Errorf("--%s %s: %w", flag, name, err)
	}
	return all[0], nil
}

// outputs refuses files that cannot be written, and more than one on standard output.
func (o *options) outputs(n int) error {
	_, standard, err := o.Files.Check(o.reads()...)
	if err != nil {
		return err
	}
	o.Silent = o.Files.Trace == files.Standard
	for _, file := range o.own() {
		switch {
		case file.name == files.Standard && standard:
			return input.Errorf("--%s: standard output is taken already", file.flag)
		case file.name == files.Standard:
			standard, o.Silent = true, true
		}
	}
	if o.JSON && standard {
		return input.Errorf("--json: standard output is taken by a file named -")
	}
	for _, file := range o.own() {
		if err := o.writable(file); err != nil {
			return err
		}
	}
	return o.Files.CheckPictures(n)
}

// reads returns the files that the command line names for reading.
func (o *options) reads() []string { return append(o.Reads(), o.replay) }

// ownFile is a file that check alone writes.
type ownFile struct{ flag, name string }

func (o *options) own() []ownFile { return []ownFile{{"out", o.out}, {"dot", o.dot}} }

// writable refuses a file that cannot be written, or that is another one.
func (o *options) writable(file ownFile) error {
	if file.name == "" {
		return nil
	}
	if slices.ContainsFunc(o.reads(), func(name string) bool { return files.Same(file.name, name) }) {
		return input.Errorf("--%s: %s is read already", file.flag, file.name)
	}
	if file.flag == "dot" && files.Same(file.name, o.out) {
		return input.Errorf("--dot: %s is written by --out already", file.name)
	}
	for _, other := range o.Files.All() {
		if files.Same(file.name, *other.Name) {
			return input.Errorf("--%s: %s is written by --%s already", file.flag, file.name, other.Flag)
		}
	}
	return files.CheckWritable(file.flag, file.name)
}
