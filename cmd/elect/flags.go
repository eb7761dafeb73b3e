package main

import (
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/go-election/election"
	"github.com/go-election/election/catalog"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lab/sim"
	"github.com/go-election/election/params"
)

// flags are those of sim and run, as they were typed.
type flags struct {
	cmd    *cobra.Command
	most   int    // how many processes there may be
	driven string // what the driver does with them, for messages

	n, ids, priorities, variant, seed, initiators, order, topology string

	file, schedule, startTimes, delay, unit, until string

	crashed, crashAt, recoverAt, restartAt, pauseAt, suspectAfter string
	loss, duplicate, reorder                                      string
	partitions, params                                            []string

	fifo, force, json bool

	files      traceFiles
	silent     bool                    // standard output is for a trace
	parameters map[string]params.Value // of --param
}

// The values of the flags that have a few.
var (
	orders    = []string{"sorted", "random", "best", "worst"}
	schedules = []string{string(sim.UnitDelay), string(sim.RandomDelay)}
	starters  = []string{"all", "none"}
)

// inFile are the flags that say what a scenario says itself.
var inFile = append([]string{"n", "ids", "priorities", "variant", "param", "initiators", "order", "topology", "start-times"}, faults...)

// faults are the flags that say what goes wrong.
var faults = []string{
	"crashed", "crash-at", "recover-at", "restart-at", "suspect-after", "pause-at", "loss", "duplicate", "reorder", "partition",
}

// add defines the flags that sim and run share.
func (f *flags) add(cmd *cobra.Command) {
	f.cmd = cmd
	fs := cmd.Flags()
	fs.SortFlags = false
	text(fs, &f.n, "n", "N", "", "so many processes, with ids 1 to N")
	text(fs, &f.ids, "ids", "3,1,4", "", "the processes instead, in the order of the topology")
	text(fs, &f.priorities, "priorities", "5,0,5", "", "their priorities, in the same order")
	text(fs, &f.variant, "variant", "variant", "", "which variant of the algorithm (default: the first listed)")
	fs.Var(words{&f.params, "name=value"}, "param", "a parameter of the algorithm, as elect list shows them; may be given again")
	text(fs, &f.seed, "seed", "number", "0", "what is left to chance is drawn from this number (default 0)")
	text(fs, &f.initiators, "initiators", "ids", "all", "who starts: all, none, or the ids, in that order")
	text(fs, &f.order, "order", "case", "", "how processes are arranged: sorted, random, best or worst case (default: as given)")
	text(fs, &f.topology, "topology", "links", "", "the links, as grid:3x4 or dot:file (default: as the algorithm needs them)")
	text(fs, &f.until, "until", "100", "", "how long to run, in units; needed where there are heartbeats (default: until nothing is left to happen)")
	text(fs, &f.crashed, "crashed", "ids", "", "who is down from the beginning")
	text(fs, &f.startTimes, "start-times", "0,2.5,1", "", "when the initiators start, in units")
	text(fs, &f.crashAt, "crash-at", "4@3.5,2@7", "", "who crashes, and when, in units")
	text(fs, &f.recoverAt, "recover-at", "4@15", "", "who comes back after a crash without its state")
	text(fs, &f.suspectAfter, "suspect-after", "2", "", "the others are told of each crash and return, so long after it (default: nobody is told)")
	text(fs, &f.file, "scenario", "file", "", "run the scenarios of a file instead, - for standard input")
	fs.BoolVar(&f.json, "json", false, "one JSON object a line for each election")
}

// addVirtual defines the flags that need virtual time.
func (f *flags) addVirtual(cmd *cobra.Command) {
	fs := cmd.Flags()
	text(fs, &f.schedule, "schedule", "delays", "unit", "when messages arrive: unit or random delays")
	text(fs, &f.delay, "delay", "0.5,2", "", "the shortest and longest random delay, in units")
	fs.BoolVar(&f.fifo, "fifo", true, "links keep the order; they need not if delays are random")
	fs.BoolVar(&f.force, "force", false, "run an algorithm even where links do not keep an order or a delay that it needs")
	text(fs, &f.restartAt, "restart-at", "4@15", "", "who comes back after a crash with the state that it saved last")
	text(fs, &f.pauseAt, "pause-at", "3@2-6", "", "who handles nothing, from when until when")
	text(fs, &f.loss, "loss", "0.1", "", "the probability that a message is lost")
	text(fs, &f.duplicate, "duplicate", "0.1", "", "the probability that it arrives twice")
	text(fs, &f.reorder, "reorder", "0.1", "", "the probability that it takes another delay and may be overtaken")
	fs.Var(words{&f.partitions, "1,2|3,4@3-9"}, "partition",
		"groups cut off from each other, from 3 until 9; with > that way only; may be given again")
	f.files.add(f.cmd, "trace", "svg", "mermaid", "log")
}

// words is the value of a flag that holds text and may be given several times.
type words struct {
	all  *[]string
	kind string
}

func (w words) String() string        { return "" }
func (w words) Set(text string) error { *w.all = append(*w.all, text); return nil }
func (w words) Type() string          { return w.kind }

// addReal defines the flags that need real time.
func (f *flags) addReal(cmd *cobra.Command) {
	text(cmd.Flags(), &f.unit, "unit", "time", "100ms", "how long a unit of time lasts: 20ms, 1.5s")
	f.files.add(cmd, "trace")
}

// realUnit returns how long a unit lasts where time is real.
func (f *flags) realUnit() (time.Duration, error) {
	if !f.goroutines() {
		return 0, nil
	}
	unit, err := time.ParseDuration(f.unit)
	switch {
	case err != nil:
		return 0, usage("--unit: %.60q is not a time, as in 20ms or 1.5s", f.unit)
	case unit <= 0:
		return 0, usage("--unit: %s is not above 0", f.unit)
	}
	return unit, nil
}

// word is the value of a flag that holds text. Help shows what kind of text.
type word struct {
	text *string
	kind string
}

func (w word) String() string        { return *w.text }
func (w word) Set(text string) error { *w.text = text; return nil }
func (w word) Type() string          { return w.kind }

// text defines a flag that holds text; -n is short for --n.
func text(fs *pflag.FlagSet, to *string, name, kind, unless, about string) {
	*to = unless
	short := ""
	if len(name) == 1 {
		short = name
	}
	fs.VarP(word{to, kind}, name, short, about)
}

// goroutines reports whether this is elect run.
func (f *flags) goroutines() bool { return f.cmd.Flags().Lookup("unit") != nil }

func (f *flags) given(name string) bool { return f.cmd.Flags().Changed(name) }

// jobs returns the elections that the command line asks for.
func (f *flags) jobs(a *app, args []string) ([]*job, error) {
	if f.given("scenario") {
		return f.scenarioJobs(a, args)
	}
	j := &job{Config: sim.Config{Schedule: sim.Schedule(f.schedule)}}
	var err error
	if j.unit, err = f.realUnit(); err != nil {
		return nil, err
	}
	if j.Algorithm, err = f.algorithm(args); err != nil {
		return nil, err
	}
	if err := f.how(&j.Config); err != nil {
		return nil, err
	}
	links, err := f.layout(j.Algorithm)
	if err != nil {
		return nil, err
	}
	if err := f.who(&j.Input, links); err != nil {
		return nil, err
	}
	if links != nil {
		if j.Topology, err = links.build(j.Algorithm, j.IDs, j.Seed); err != nil {
			return nil, err
		}
	}
	if err := f.configure(&j.Config); err != nil {
		return nil, err
	}
	j.params = f.parameters
	if err := j.complete(); err != nil { // before anything is arranged, so that places are those given
		return nil, links.elsewhere(j, err)
	}
	return []*job{j}, f.arrange(&j.Input, j.Seed)
}

// algorithm finds what the argument and --variant name: lcr, lcr/max.
func (f *flags) algorithm(args []string) (*election.Algorithm, error) {
	switch {
	case len(args) == 0:
		return nil, usage("which algorithm? There are %s", strings.Join(catalog.Names(), ", "))
	case len(args) > 1:
		return nil, unexpected(args)
	}
	name, variant, slash := strings.Cut(args[0], "/")
	switch {
	case slash && variant == "":
		return nil, usage("%q: a variant is missing after the slash", args[0])
	case f.given("variant") && f.variant == "":
		return nil, usage("--variant: none is given")
	case f.given("variant") && slash && variant != f.variant:
		return nil, usage("--variant: %q contradicts %q", f.variant, args[0])
	case f.given("variant"):
		variant = f.variant
	}
	return find(name, variant)
}

// find looks into the catalog. Names are in small letters there. Only a name that is near is suggested.
func find(name, variant string) (*election.Algorithm, error) {
	names := catalog.Names()
	if slices.Contains(names, name) {
		return catalog.Find(name, variant)
	}
	if near := suggestion(name, names, ""); near != "" {
		return nil, usage("unknown algorithm %q%s", name, near)
	}
	return nil, usage("unknown algorithm %q: there are %s", name, strings.Join(names, ", "))
}

// unexpected refuses what stands behind the algorithm.
func unexpected(args []string) error {
	for _, arg := range args {
		if strings.Trim(arg, "0123456789.,") == "" {
			return usage("unexpected argument %q: a list has commas only, no spaces", arg)
		}
	}
	return usage("unexpected argument %q", args[1])
}

// who reads the processes and their initiators.
func (f *flags) who(in *scenario.Input, links *layout) (err error) {
	switch {
	case links != nil && links.ids != nil && (f.given("n") || f.given("ids") || f.given("order")):
		return usage("%s: the file says who is where, -n, --ids and --order cannot", links.flag())
	case f.given("n") && f.given("ids"):
		return usage("-n and --ids exclude each other")
	case f.given("n"):
		in.IDs, err = f.count()
	case f.given("ids"):
		in.IDs, err = parseIDs("--ids", f.ids)
	case links != nil && links.n > 0:
		in.IDs = links.processes()
	default:
		return usage("how many processes? -n or --ids says it")
	}
	if err != nil {
		return err
	}
	if f.given("priorities") {
		if in.Priorities, err = parseNumbers("--priorities", f.priorities); err != nil {
			return err
		}
	}
	switch f.initiators {
	case "all":
	case "none":
		in.Initiators = []election.ID{}
	default:
		if in.Initiators, err = parseIDs("--initiators", f.initiators); err != nil {
			return err
		}
	}
	if f.given("start-times") {
		if in.StartTimes, err = parseTimes("--start-times", f.startTimes); err != nil {
			return err
		}
	}
	return f.wrong(in)
}

// count returns the ids that -n asks for.
func (f *flags) count() ([]election.ID, error) {
	n, err := parseCount("-n", f.n)
	switch {
	case err != nil:
		return nil, err
	case n < 1:
		return nil, usage("-n: %s processes, at least one is needed", f.n)
	case n > float64(f.most):
		return nil, usage("-n: %s processes, at most %d can be %s", f.n, f.most, f.driven)
	}
	return numbered(int(n)), nil
}

// how reads the flags that say how to run; they override what c has from a scenario.
func (f *flags) how(c *sim.Config) (err error) {
	if f.given("until") {
		if c.Until, err = parseTime("--until", f.until); err != nil {
			return err
		}
		if c.Until == 0 {
			return usage("--until: 0 leaves no time to run")
		}
	}
	if f.given("seed") {
		if c.Seed, err = parseNumber("--seed", f.seed); err != nil {
			return err
		}
	}
	if f.given("schedule") {
		if err := among("schedule", f.schedule, schedules...); err != nil {
			return err
		}
		if c.Schedule = sim.Schedule(f.schedule); c.Schedule == sim.UnitDelay {
			c.Delay, c.Unordered = sim.Delay{}, false
		}
	}
	random := c.Schedule == sim.RandomDelay
	if f.given("fifo") {
		c.Unordered = !f.fifo
	}
	if c.Unordered && !random {
		return usage("fifo: the unit schedule keeps the order, only the random one need not")
	}
	if f.given("delay") {
		if !random {
			return usage("--delay: a message of the unit schedule takes one unit, only --schedule random has delays")
		}
		if c.Delay, err = parseDelay("--delay", f.delay); err != nil {
			return err
		}
	}
	c.Force = f.force
	return nil
}
