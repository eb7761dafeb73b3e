package job

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/go-election/election/cmd/elect/internal/files"
	"github.com/go-election/election/cmd/elect/internal/flags"

	"github.com/go-election/election"
	"github.com/go-election/election/catalog"
	"github.com/go-election/election/cmd/elect/internal/console"
	"github.com/go-election/election/cmd/elect/internal/parse"
	"github.com/go-election/election/cmd/elect/internal/suggest"
	"github.com/go-election/election/input"
	"github.com/go-election/election/lab/museum"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lab/sim"
	"github.com/go-election/election/params"
)

// Flags are those of sim and run, as they were typed.
type Flags struct {
	flags.Set
	Most   int    // the largest number of processes
	Driven string // as in "at most 9 can be simulated"

	Files  files.Trace
	Silent bool                    // standard output is for a trace
	Values map[string]params.Value // of --param
}

// InFile are the flags for which a scenario has fields of its own.
var InFile = []string{
	"n", "ids", "priorities", "variant", "param", "initiators", "order", "topology", "start-times",
	"crashed", "crash-at", "recover-at", "restart-at", "suspect-after", "pause-at", "loss", "duplicate",
	"reorder", "partition",
}

// Complete lets a shell complete the algorithm, unless a scenario names it.
func (f *Flags) Complete() {
	f.Algorithms(func(args []string) bool { return len(args) == 0 && !f.Given("scenario") })
}

// realUnit returns how long a unit lasts where time is real.
func (f *Flags) realUnit() (time.Duration, error) {
	if !f.Goroutines() {
		return 0, nil
	}
	return parse.RealTime("--unit", f.Text("unit"))
}

// Goroutines reports whether this is elect run.
func (f *Flags) Goroutines() bool { return f.Cmd.Flags().Lookup("unit") != nil }

// Jobs returns the elections that the command line asks for.
func (f *Flags) Jobs(a *console.Console, args []string) ([]*Job, error) {
	if f.Given("scenario") {
		return f.scenarioJobs(a, args)
	}
	j := &Job{Config: sim.Config{Schedule: sim.Schedule(f.Text("schedule"))}}
	var err error
	if j.Unit, err = f.realUnit(); err != nil {
		return nil, err
	}
	if j.Algorithm, err = f.Algorithm(args); err != nil {
		return nil, err
	}
	if err := f.readSchedule(&j.Config); err != nil {
		return nil, err
	}
	links, err := f.Layout(j.Algorithm)
	if err != nil {
		return nil, err
	}
	if err := f.ReadProcesses(&j.Input, links); err != nil {
		return nil, err
	}
	if links != nil {
		if j.Topology, err = links.Build(j.Algorithm, j.IDs, j.Seed); err != nil {
			return nil, err
		}
	}
	if err := f.Configure(&j.Config); err != nil {
		return nil, err
	}
	j.Params = f.Values
	// Before Arrange moves processes, so that indexes in errors are those of the command line.
	if err := j.complete(); err != nil {
		if shape, ok := errors.AsType[*scenario.ShapeError](err); ok {
			if other := f.Catalog.OnGraph(shape.Algorithm); other != nil {
				err = fmt.Errorf("%w; %s runs on any graph", err, other.Title())
			}
		}
		return nil, err
	}
	return []*Job{j}, f.Arrange(&j.Input, j.Seed)
}

// Algorithm finds what the argument and --variant name: lcr, lcr/max.
func (f *Flags) Algorithm(args []string) (*election.Algorithm, error) {
	switch {
	case len(args) == 0:
		return nil, input.Errorf("which algorithm? There are %s", strings.Join(f.Catalog.Names(), ", "))
	case len(args) > 1:
		return nil, unexpected(args)
	}
	name, variant, slash := strings.Cut(args[0], "/")
	switch {
	case slash && variant == "":
		return nil, input.Errorf("%.60q: a variant is missing after the slash", args[0])
	case f.Given("variant") && f.Text("variant") == "":
		return nil, input.Errorf("--variant: none is given")
	case f.Given("variant") && slash && variant != f.Text("variant"):
		return nil, input.Errorf("--variant: %.60q contradicts %.60q", f.Text("variant"), args[0])
	case f.Given("variant"):
		variant = f.Text("variant")
	}
	return f.Find(name, variant)
}

// Find looks into the catalog of the command; see [Find].
func (f *Flags) Find(name, variant string) (*election.Algorithm, error) {
	return Find(f.Catalog, name, variant)
}

// Find looks into a list, where names are in small letters. Only a name that is near is suggested. What is
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
	if near := suggest.Suggestion(name, names, ""); near != "" {
		return nil, input.Errorf("unknown algorithm %.60q%s", name, near)
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

// ReadProcesses reads the processes and their initiators.
func (f *Flags) ReadProcesses(in *scenario.Input, links *Layout) (err error) {
	switch {
	case links != nil && links.IDs != nil && (f.Given("n") || f.Given("ids") || f.Given("order")):
		return input.Errorf("%s: the file gives the processes and their places; -n, --ids and --order "+
			"cannot", links.Flag())
	case f.Given("n") && f.Given("ids"):
		return input.Errorf("-n and --ids exclude each other")
	case f.Given("n"):
		in.IDs, err = f.count()
	case f.Given("ids"):
		in.IDs, err = parse.IDs("--ids", f.Text("ids"))
	case links != nil && links.N > 0:
		in.IDs = links.processes()
	default:
		return input.Errorf("how many processes? -n or --ids says it")
	}
	if err != nil {
		return err
	}
	if f.Given("priorities") {
		if in.Priorities, err = parse.Numbers("--priorities", f.Text("priorities")); err != nil {
			return err
		}
	}
	switch f.Text("initiators") {
	case "all":
	case "none":
		in.Initiators = []election.ID{}
	default:
		if in.Initiators, err = parse.IDs("--initiators", f.Text("initiators")); err != nil {
			return err
		}
	}
	if f.Given("start-times") {
		if in.StartTimes, err = parse.Times("--start-times", f.Text("start-times")); err != nil {
			return err
		}
	}
	return f.faults(in)
}

// count returns the ids that -n asks for.
func (f *Flags) count() ([]election.ID, error) {
	n, err := parse.Count("-n", f.Text("n"))
	switch {
	case err != nil:
		return nil, err
	case n < 1:
		return nil, input.Errorf("-n: %s processes, at least one is needed", f.Text("n"))
	case n > float64(f.Most):
		return nil, input.Errorf("-n: %s processes, at most %d can be %s", f.Text("n"), f.Most, f.Driven)
	}
	return numbered(int(n)), nil
}

// readSchedule reads the flags of the schedule, the seed and the end. They override those of a scenario in c.
func (f *Flags) readSchedule(c *sim.Config) (err error) {
	if f.Given("until") {
		if c.Until, err = parse.Time("--until", f.Text("until")); err != nil {
			return err
		}
		if c.Until == 0 {
			return input.Errorf("--until: 0 leaves no time to run")
		}
	}
	if f.Given("seed") {
		if c.Seed, err = parse.Number("--seed", f.Text("seed")); err != nil {
			return err
		}
	}
	if f.Given("schedule") {
		if err := f.Among("schedule"); err != nil {
			return err
		}
		if c.Schedule = sim.Schedule(f.Text("schedule")); c.Schedule == sim.UnitDelay {
			c.Delay, c.Unordered = sim.Delay{}, false
		}
	}
	random := c.Schedule == sim.RandomDelay
	if f.Given("fifo") {
		c.Unordered = !f.On("fifo")
	}
	if c.Unordered && !random {
		return input.Errorf("fifo: the unit schedule keeps the order, only the random one need not")
	}
	if f.Given("delay") {
		if !random {
			return input.Errorf("--delay: a message of the unit schedule takes one unit, only --schedule " +
				"random has delays")
		}
		if c.Delay, err = parse.Delay("--delay", f.Text("delay")); err != nil {
			return err
		}
	}
	c.Force = f.On("force")
	return nil
}

// Reads returns the files that the command line says to read.
func (f *Flags) Reads() []string {
	files := []string{f.Text("scenario"), f.Text("replay")}
	if kind, name, _ := strings.Cut(f.Text("topology"), ":"); kind == "dot" {
		files = append(files, name)
	}
	return files
}

// Arrange puts the processes in the order that --order asks for.
func (f *Flags) Arrange(in *scenario.Input, seed uint64) error {
	if !f.Given("order") {
		return nil
	}
	if err := f.Among("order"); err != nil {
		return err
	}
	order := sim.Order(f.Text("order"))
	switch extreme := order == sim.BestOrder || order == sim.WorstOrder; {
	case extreme && !in.AllStart():
		return input.Errorf("--order %s: it is the %s case if all processes start at once", order, order)
	case !sim.Arrange(in, order, seed):
		return input.Errorf("--order %s: no such arrangement is known for %s with %d processes",
			order, in.Algorithm.Title(), len(in.IDs))
	}
	return in.Check()
}

// Configure sets the parameters of the algorithm. Unless they hold a bound on delays, the bound is that of
// the run.
func (f *Flags) Configure(c *sim.Config) error {
	params, err := f.ReadParams()
	if err != nil {
		return err
	}
	longest := sim.Unit
	if c.Schedule == sim.RandomDelay {
		longest = c.Delay.Max // zero stands for the bound of the algorithm
	}
	f.Values = params
	a, err := scenario.Configure(c.Algorithm, params, c.IDs, longest)
	if err == nil {
		c.Algorithm = a
	}
	return err
}

// ReadParams returns the parameters as they were typed.
func (f *Flags) ReadParams() (map[string]params.Value, error) {
	given := make(map[string]params.Value)
	for _, text := range f.All("param") {
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

// faults reads the flags of crashes, pauses and failing links.
func (f *Flags) faults(in *scenario.Input) (err error) {
	if f.Given("crashed") {
		if in.Crashed, err = parse.IDs("--crashed", f.Text("crashed")); err != nil {
			return err
		}
	}
	for _, list := range []struct {
		flag string
		to   *[]scenario.At
	}{{"crash-at", &in.CrashAt}, {"recover-at", &in.RecoverAt}, {"restart-at", &in.RestartAt}} {
		if f.Given(list.flag) {
			if *list.to, err = parse.List("--"+list.flag, f.Text(list.flag), parse.At); err != nil {
				return err
			}
		}
	}
	if f.Given("suspect-after") {
		if in.SuspectAfter, err = parse.Time("--suspect-after", f.Text("suspect-after")); err != nil {
			return err
		}
		if in.SuspectAfter == 0 {
			return input.Errorf("--suspect-after: %s is too early; leave the flag out where no failure "+
				"detector reports crashes",
				f.Text("suspect-after"))
		}
	}
	if f.Given("pause-at") {
		if in.PauseAt, err = parse.List("--pause-at", f.Text("pause-at"), parse.Pause); err != nil {
			return err
		}
	}
	for _, chance := range []struct {
		flag string
		to   *float64
	}{{"loss", &in.Faults.Loss}, {"duplicate", &in.Faults.Duplicate}, {"reorder", &in.Faults.Reorder}} {
		if f.Given(chance.flag) {
			if *chance.to, err = parse.Probability("--"+chance.flag, f.Text(chance.flag)); err != nil {
				return err
			}
		}
	}
	for _, text := range f.All("partition") {
		cut, err := parse.Partition("--partition", text)
		if err != nil {
			return err
		}
		in.Faults.Partitions = append(in.Faults.Partitions, cut)
	}
	return nil
}
