package job

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/go-election/election"
	"github.com/go-election/election/catalog"
	"github.com/go-election/election/cmd/elect/internal/console"
	"github.com/go-election/election/cmd/elect/internal/files"
	"github.com/go-election/election/cmd/elect/internal/parse"
	"github.com/go-election/election/input"
	"github.com/go-election/election/internal/prose"
	"github.com/go-election/election/lab/museum"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lab/sim"
	"github.com/go-election/election/lab/topology"
	"github.com/go-election/election/params"
)

// Options are the flags that describe elections. A command defines some of them.
type Options struct {
	Catalog catalog.List
	Most    int    // the largest number of processes
	Driven  string // as in "at most 9 can be simulated"

	Config   sim.Config // of the elections, as far as the flags give it
	FIFO     bool
	Unit     time.Duration // how long a unit of time lasts; 0 if time is virtual
	Scenario string        // a file that replaces the flags
	JSON     bool
	Params   []string // as name=value
	Files    files.Trace
	Silent   bool                    // standard output is for a trace
	Values   map[string]params.Value // of Params

	variant, topology string
	order             sim.Order
	n                 int
	flags             *pflag.FlagSet
}

// Define defines the flags that sim, run and check share.
func (o *Options) Define(cmd *cobra.Command) {
	fs := cmd.Flags()
	parse.Var(fs, &o.n, "n", "N", "the number of processes, whose ids are 1 to N", parse.Between(1, o.Most))
	parse.Var(fs, &o.Config.IDs, "ids", "3,1,4", "the ids instead, in the order of the topology", parse.IDs)
	cmd.MarkFlagsMutuallyExclusive("n", "ids")
	parse.Var(fs, &o.Config.Priorities, "priorities", "5,0,5", "the priorities, in the same order", parse.Numbers)
	o.DefineAlgorithm(cmd)
	o.DefineTopology(cmd)
	parse.Choice(cmd, &o.order, "order", "the order of the processes: sorted, random, best or worst (default as given)",
		sim.SortedOrder, sim.RandomOrder, sim.BestOrder, sim.WorstOrder)
	fs.Uint64Var(&o.Config.Seed, "seed", 0, "the number that determines every random choice")
	parse.Var(fs, &o.Config.Initiators, "initiators", "ids", "the processes that start, in this order: all, none, or "+
		"ids; if the algorithm allows one, all means one (default all)", initiators)
	parse.Complete(cmd, "initiators", "all", "none")
	parse.Var(fs, &o.Config.Crashed, "crashed", "ids", "the processes that are down from the beginning", parse.IDs)
	parse.File(cmd, &o.Scenario, "scenario", "json", "take the elections from a file instead, - for standard input")
}

// DefineAlgorithm defines the flags that choose a variant of an algorithm and its parameters.
func (o *Options) DefineAlgorithm(cmd *cobra.Command) {
	parse.Var(cmd.Flags(), &o.variant, "variant", "variant", "the variant of the algorithm (default the first listed)",
		parse.Named("variant"))
	parse.CompleteBy(cmd, "variant", func(_ *cobra.Command, args []string, _ string) ([]cobra.Completion,
		cobra.ShellCompDirective) {
		if len(args) == 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		name, _, _ := strings.Cut(args[0], "/")
		return o.Catalog.Variants(name), cobra.ShellCompDirectiveNoFileComp
	})
	cmd.Flags().StringArrayVar(&o.Params, "param", nil,
		"a parameter of the algorithm, as name=value; elect list shows them; may be repeated")
}

// DefineTopology defines the flag that chooses the links.
func (o *Options) DefineTopology(cmd *cobra.Command) {
	o.flags = cmd.Flags()
	parse.Var(o.flags, &o.topology, "topology", "links",
		"the links, as grid:3x4 or dot:file (default as the algorithm needs them)", kindOfLinks)
	parse.Complete(cmd, "topology", topology.Kinds()...)
}

// DefineRun defines the flags that sim and run share and check does not have. The flags of [Options.Define]
// exist already.
func (o *Options) DefineRun(cmd *cobra.Command) {
	fs, c := cmd.Flags(), &o.Config
	parse.Var(fs, &c.StartTimes, "start-times", "0,2.5,1", "the times at which the initiators start, in units", parse.Times)
	parse.Var(fs, &c.Until, "until", "100", "the time at which the run ends, in units; needed with heartbeats "+
		"(default when no event is left)", parse.After0)
	parse.Var(fs, &c.CrashAt, "crash-at", "4@3.5,2@7", "processes crash at a time, in units", parse.Ats)
	parse.Var(fs, &c.RecoverAt, "recover-at", "4@15", "processes return after a crash without their state", parse.Ats)
	parse.Var(fs, &c.SuspectAfter, "suspect-after", "2",
		"a failure detector reports each crash and return after this time (default no detector)", parse.After0)
	fs.BoolVar(&o.JSON, "json", false, "one JSON object for each election, each on a line")
}

// Complete makes shells complete the algorithm, unless a scenario names it, and refuses --scenario together
// with flags for which a scenario has fields. All flags of the command exist already.
func (o *Options) Complete(cmd *cobra.Command) {
	cmd.ValidArgsFunction = Algorithms(o.Catalog,
		func(args []string) bool { return len(args) == 0 && o.Scenario == "" })
	parse.Exclude(cmd, "scenario", InFile...)
}

// InFile are the flags for which a scenario has fields of its own.
var InFile = []string{
	"n", "ids", "priorities", "variant", "param", "initiators", "order", "topology", "start-times",
	"crashed", "crash-at", "recover-at", "restart-at", "suspect-after", "pause-at", "loss", "duplicate",
	"reorder", "partition",
}

// initiators reads --initiators. For all it returns nil.
func initiators(flag, text string) ([]election.ID, error) {
	switch text {
	case "all":
		return nil, nil
	case "none":
		return []election.ID{}, nil
	}
	return parse.IDs(flag, text)
}

// kindOfLinks returns the text of --topology, and checks the word before the colon.
func kindOfLinks(flag, text string) (string, error) {
	kind, _, _ := strings.Cut(text, ":")
	_, err := parse.OneOf(topology.Kinds()...)(flag, kind)
	return text, err
}

// Algorithms returns what completes the names of algorithms as long as there may be more arguments. Variants
// have a description.
func Algorithms(list catalog.List, more func(args []string) bool) cobra.CompletionFunc {
	return func(_ *cobra.Command, args []string, typed string) (names []cobra.Completion,
		_ cobra.ShellCompDirective) {
		if !more(args) {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		names = list.Names()
		for _, a := range list {
			if a.Variant != "" {
				names = append(names, cobra.CompletionWithDesc(a.Title(), a.Summary))
			}
		}
		names = slices.DeleteFunc(names, func(name string) bool { return !strings.HasPrefix(name, typed) })
		return names, cobra.ShellCompDirectiveNoFileComp
	}
}

// Given reports whether a flag is on the command line.
func (o *Options) Given(flag string) bool { return o.flags.Changed(flag) }

// RealTime reports whether this is elect run.
func (o *Options) RealTime() bool { return o.Unit > 0 }

// Jobs returns the elections that the command line asks for.
func (o *Options) Jobs(a *console.Console, args []string) ([]*Job, error) {
	if o.Scenario != "" {
		return o.scenarioJobs(a, args)
	}
	j := &Job{Unit: o.Unit, Config: sim.Config{Schedule: o.Config.Schedule}}
	algorithm, err := o.Algorithm(args)
	if err != nil {
		return nil, err
	}
	if err := o.schedule(&j.Config); err != nil {
		return nil, err
	}
	links, err := o.Layout(algorithm)
	if err != nil {
		return nil, err
	}
	if j.Input, err = o.Input(algorithm, links, j.Seed); err != nil {
		return nil, err
	}
	if err := o.Configure(&j.Config); err != nil {
		return nil, err
	}
	j.Params = o.Values
	// Before Arrange moves processes, so that indexes in errors are of the command line.
	if err := j.complete(); err != nil {
		if shape, ok := errors.AsType[*scenario.ShapeError](err); ok {
			if other := o.Catalog.OnGraph(shape.Algorithm); other != nil {
				err = fmt.Errorf("%w; %s runs on any graph", err, other.Title())
			}
		}
		return nil, err
	}
	return []*Job{j}, o.Arrange(&j.Input, j.Seed)
}

// Algorithm finds what the argument and --variant name: lcr, lcr/max.
func (o *Options) Algorithm(args []string) (*election.Algorithm, error) {
	switch {
	case len(args) == 0:
		return nil, input.Errorf("which algorithm? There are %s", strings.Join(o.Catalog.Names(), ", "))
	case len(args) > 1:
		return nil, unexpected(args)
	}
	name, variant, slash := strings.Cut(args[0], "/")
	switch {
	case slash && variant == "":
		return nil, input.Errorf("%.60q: a variant is missing after the slash", args[0])
	case o.variant != "" && slash && variant != o.variant:
		return nil, input.Errorf("--variant: %.60q contradicts %.60q", o.variant, args[0])
	case o.variant != "":
		variant = o.variant
	}
	return o.Find(name, variant)
}

// Find looks into the catalog of the command; see [Find].
func (o *Options) Find(name, variant string) (*election.Algorithm, error) {
	return Find(o.Catalog, name, variant)
}

// Find looks into a list of names in lower case. Only a name that is near is suggested. What is
// wrong on purpose is found too, by "museum" and an ID, but stands in no list: the files of a page name it.
func Find(list catalog.List, name, variant string) (*election.Algorithm, error) {
	if name == museum.Name {
		if variant == "" {
			return nil, input.Errorf("which of the museum? docs/museum.md lists them, as museum/lcr-...")
		}
		return museum.Find(name, variant)
	}
	names := list.Names()
	if slices.Contains(names, name) {
		return list.Find(name, variant)
	}
	if near := prose.Nearest(name, names); near != "" {
		return nil, input.Errorf("unknown algorithm %.60q: did you mean %s?", name, near)
	}
	return nil, input.Errorf("unknown algorithm %.60q: there are %s", name, strings.Join(names, ", "))
}

// unexpected refuses arguments behind the algorithm.
func unexpected(args []string) error {
	for _, arg := range args {
		// A list with spaces arrives as several arguments.
		if strings.Trim(arg, "0123456789.,") == "" {
			return input.Errorf("unexpected argument %.60q: a list has commas only, no spaces", arg)
		}
	}
	return input.Errorf("unexpected argument %.60q", args[1])
}

// Input returns the processes, their links and their faults.
func (o *Options) Input(a *election.Algorithm, links *Layout, seed uint64) (in scenario.Input, err error) {
	in = o.Config.Input
	in.Algorithm = a
	switch {
	case links != nil && links.IDs != nil && (o.n > 0 || in.IDs != nil || o.order != ""):
		return in, input.Errorf("%s: the file gives the processes and their places; -n, --ids and --order "+
			"cannot", links.Flag())
	case o.n > 0:
		in.IDs = numbered(o.n)
	case in.IDs != nil:
	case links != nil && links.N > 0:
		in.IDs = links.processes()
	default:
		return in, input.Errorf("the number of processes is missing: set -n or --ids")
	}
	if links != nil {
		in.Topology, err = links.Build(a, in.IDs, seed)
	}
	return in, err
}

// schedule applies the flags of the schedule, the seed and the end to c, which may come from a scenario.
func (o *Options) schedule(c *sim.Config) error {
	given := &o.Config
	if given.Until > 0 {
		c.Until = given.Until
	}
	if o.Given("seed") {
		c.Seed = given.Seed
	}
	if o.Given("schedule") {
		if c.Schedule = given.Schedule; c.Schedule == sim.UnitDelay {
			c.Delay, c.Unordered = sim.Delay{}, false
		}
	}
	random := c.Schedule == sim.RandomDelay
	if o.Given("fifo") {
		c.Unordered = !o.FIFO
	}
	if c.Unordered && !random {
		return input.Errorf("fifo: the unit schedule keeps the order, only the random one need not")
	}
	if given.Delay != (sim.Delay{}) {
		if !random {
			return input.Errorf("--delay: a message of the unit schedule takes one unit, only --schedule " +
				"random has delays")
		}
		c.Delay = given.Delay
	}
	c.Force = given.Force
	return nil
}

// Reads returns the files that the command line names for reading.
func (o *Options) Reads() []string {
	files := []string{o.Scenario}
	if kind, name, _ := strings.Cut(o.topology, ":"); kind == "dot" {
		files = append(files, name)
	}
	return files
}

// Topology returns the text of --topology.
func (o *Options) Topology() string { return o.topology }

// Arrange puts the processes in the order that --order asks for.
func (o *Options) Arrange(in *scenario.Input, seed uint64) error {
	switch extreme := o.order == sim.BestOrder || o.order == sim.WorstOrder; {
	case o.order == "":
		return nil
	case extreme && !in.AllStart():
		return input.Errorf("--order %s: it is the %s case only if all processes start simultaneously", o.order, o.order)
	case !sim.Arrange(in, o.order, seed):
		return input.Errorf("--order %s: no such arrangement is known for %s with %d processes",
			o.order, in.Algorithm.Title(), len(in.IDs))
	}
	return in.Check()
}

// Configure sets the parameters of the algorithm. Unless they include a bound on delays, the bound is the
// longest delay of the run.
func (o *Options) Configure(c *sim.Config) (err error) {
	if o.Values, err = o.ReadParams(); err != nil {
		return err
	}
	longest := sim.Unit
	if c.Schedule == sim.RandomDelay {
		longest = c.Delay.Max // zero stands for the bound of the algorithm
	}
	a, err := scenario.Configure(c.Algorithm, o.Values, c.IDs, longest)
	if err == nil {
		c.Algorithm = a
	}
	return err
}

// ReadParams returns the parameters as they were typed.
func (o *Options) ReadParams() (map[string]params.Value, error) {
	given := make(map[string]params.Value)
	for _, text := range o.Params {
		name, value, ok := strings.Cut(text, "=")
		if !ok || name == "" {
			return nil, input.Errorf("--param: %.60q is not a name and a value, as in alive_timeout=3", text)
		}
		if _, again := given[name]; again {
			return nil, input.Errorf("--param: %.60q is given twice", name)
		}
		v, err := params.Typed("--param "+name, value)
		if err != nil {
			return nil, err
		}
		given[name] = v
	}
	return given, nil
}
