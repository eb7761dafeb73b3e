package main

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/go-election/election"
	"github.com/go-election/election/catalog"
	"github.com/go-election/election/lab/experiment"
	"github.com/go-election/election/lab/figure"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lab/sim"
	"github.com/go-election/election/params"
)

// compare is elect compare, as it was typed.
type compare struct {
	flags // of which it has some

	seeds, measure, svg  string
	csv, markdown, least bool

	metric experiment.Measure

	run            experiment.Comparison
	links          map[*election.Algorithm]*layout // nil where --topology is not given
	starters, down []place                         // nil where they are not given
	settings       []setting
}

// setting is a parameter and its value.
type setting struct{ name, value string }

// metrics are the values of --metric: what is measured, and closed forms.
func metrics() (names []string) {
	for _, m := range slices.Concat(experiment.Measured(), experiment.Forms()) {
		names = append(names, string(m))
	}
	return names
}

func (a *app) compareCommand() *cobra.Command {
	c := &compare{flags: flags{most: scenario.MaxProcesses, driven: "compared"}}
	cmd := &cobra.Command{
		Use:   "compare ALGORITHM...",
		Short: "Put algorithms side by side: messages, time and bits, over the number of processes",
		Long: `Simulates elections of several algorithms among several numbers of processes, several times each,
and puts side by side how many messages they take, how long, and how many bits, beside the closed
forms where there are any.

Every algorithm has links of its own, unless --topology gives all the same. Trial k of each has seed
+ k, and so the same order of processes as the others: what elect sim shows for that seed. Ids are 1
to n, or those of a DOT file, each where the file has it. In --initiators, --crashed and as the value
of a parameter n is the largest, n-1 the next.
A parameter is given to those of the algorithms that have it.

--csv and --json hold everything, --markdown is a table of --metric. With best, mean or worst for a
metric, --least and --markdown tell of the closed forms alone, and nothing is simulated. --svg draws it over the number
of processes, both axes logarithmic: the mean of the trials with a bar from the least to the most, and
the closed forms as lines. Algorithms for critical sections (mutex) are counted by the entry, not by
the election, and cannot be compared.` + aboutTopology,
		Example: `  elect compare lcr hs franklin dkr -n 8,16,32,64,128,256 --svg compare.svg
  elect compare lcr dkr -n 2..100 --order worst --least
  elect compare bully modbully/number -n 5,50 --crashed n --initiators n-1 --param coordinator=n
  elect compare echo/extinction treeelect/graph --topology random:500 -n 200 --csv`,
		RunE: func(cmd *cobra.Command, args []string) error { return a.compare(cmd.Context(), c, args) },
	}
	c.define(cmd)
	return cmd
}

// define defines the flags.
func (c *compare) define(cmd *cobra.Command) {
	c.cmd = cmd
	fs := cmd.Flags()
	fs.SortFlags = false
	text(fs, &c.n, "n", "8,16,20..30", "", "the numbers of processes")
	text(fs, &c.seeds, "seeds", "number", "20", "so many elections of each")
	text(fs, &c.seed, "seed", "number", "0", "what is left to chance is drawn from this number on (default 0)")
	text(fs, &c.order, "order", "case", "random", "how processes are arranged: sorted, random, best or worst case")
	text(fs, &c.topology, "topology", "links", "", "the links, as grid or dot:file (default: as each algorithm needs them)")
	text(fs, &c.initiators, "initiators", "ids", "all", "who starts: all, or the ids: 1, n, n-1")
	text(fs, &c.crashed, "crashed", "ids", "", "who is down from the beginning")
	fs.Var(words{&c.params, "name=value"}, "param", "a parameter, of those algorithms that have it; may be given again")
	text(fs, &c.schedule, "delays", "delays", "unit", "how long messages take: unit, or random up to 2 units, as elect sim --schedule")
	text(fs, &c.measure, "metric", "metric", "messages", "what --svg, --markdown and --least tell: messages, time, bits, or the closed form for messages: best, mean, worst")
	fs.BoolVar(&c.least, "least", false, "tell only who takes the least, among which numbers of processes")
	text(fs, &c.svg, "svg", "file", "", "draw it into this file, - for standard output")
	fs.BoolVar(&c.csv, "csv", false, "lines of comma-separated values")
	fs.BoolVar(&c.json, "json", false, "one JSON object")
	fs.BoolVar(&c.markdown, "markdown", false, "a table in Markdown")
	cmd.ValidArgsFunction = func(_ *cobra.Command, _ []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
		return algorithms(typed), cobra.ShellCompDirectiveNoFileComp
	}
	c.values("order", func([]string) []cobra.Completion { return orders })
	c.values("topology", func([]string) []cobra.Completion { return topologies })
	c.values("initiators", func([]string) []cobra.Completion { return []cobra.Completion{"all", "1", "n", "n-1"} })
	c.values("delays", func([]string) []cobra.Completion { return schedules })
	c.values("metric", func([]string) []cobra.Completion { return metrics() })
	for _, free := range []string{"n", "seeds", "seed", "crashed", "param"} {
		c.values(free, func([]string) []cobra.Completion { return nil })
	}
	if err := cmd.MarkFlagFilename("svg", "svg"); err != nil {
		panic(err) // no such flag
	}
}

// compare measures, draws and tells.
func (a *app) compare(ctx context.Context, c *compare, args []string) error {
	if err := c.parse(args); err != nil {
		return err
	}
	m := a.newMeter()
	c.run.Progress = func(done, total int) { m.count(done, total, "elections") }
	cells, err := c.run.Run(ctx)
	m.clear()
	if err != nil {
		return judged(err)
	}
	if c.svg != "" {
		drawn := figure.Comparison{Cells: cells, By: c.metric, About: c.about(), Seeds: c.run.Seeds}
		if err := a.writeFigure(c.svg, drawn.Draw()); err != nil {
			return err
		}
	}
	switch {
	case c.svg == standardStream:
	case c.json:
		order := c.order
		if c.file() {
			order = "file"
		}
		err = c.run.WriteJSON(a.stdout, cells, order, c.schedule)
	case c.csv:
		err = experiment.WriteCSV(a.stdout, cells, c.run.Seeds)
	case c.markdown && c.least:
		err = experiment.WriteLeast(a.stdout, cells, c.metric)
	case c.markdown:
		err = experiment.WriteMarkdown(a.stdout, cells, c.metric)
	default:
		_, err = fmt.Fprint(a.stdout, c.text(a, cells))
	}
	return err
}

// parse reads the command line.
func (c *compare) parse(args []string) (err error) {
	if err := c.parseAlgorithms(args); err != nil {
		return err
	}
	if err := c.parseLinks(); err != nil {
		return err
	}
	if c.run.Seeds, err = parseWhole("--seeds", c.seeds, "seeds", 1, experiment.MostSeeds); err != nil {
		return err
	}
	if c.run.Seed, err = parseNumber("--seed", c.seed); err != nil {
		return err
	}
	if most := math.MaxUint64 - uint64(c.run.Seeds) + 1; c.run.Seed > most {
		return usage("--seed: %d leaves no room for %d seeds, at most %d does", c.run.Seed, c.run.Seeds, most)
	}
	for _, few := range []struct {
		flag, value string
		allowed     []string
	}{{"order", c.order, orders}, {"delays", c.schedule, schedules}, {"metric", c.measure, metrics()}} {
		if err := among(few.flag, few.value, few.allowed...); err != nil {
			return err
		}
	}
	if c.run.Order = sim.Order(c.order); c.file() {
		c.run.Order = sim.SortedOrder // which leaves the processes where the file has them
	}
	c.metric = experiment.Measure(c.measure)
	c.run.FormsOnly = slices.Contains(experiment.Forms(), c.metric) && (c.least || c.markdown)
	if c.initiators != "all" {
		if c.starters, err = parseList("--initiators", c.initiators, parsePlace); err != nil {
			return err
		}
	}
	if c.cmd.Flags().Changed("crashed") {
		if c.down, err = parseList("--crashed", c.crashed, parsePlace); err != nil {
			return err
		}
	}
	if err := c.parseParams(); err != nil {
		return err
	}
	c.run.Prepare = c.prepare
	if err := c.run.Complete(); err != nil {
		return err
	}
	return c.parseOutput()
}

// parseAlgorithms finds those that are named.
func (c *compare) parseAlgorithms(args []string) error {
	if len(args) == 0 {
		return usage("which algorithms? There are %s", strings.Join(catalog.Names(), ", "))
	}
	for _, arg := range args {
		if strings.Trim(arg, "0123456789.,") == "" {
			return usage("unexpected argument %q: a list has commas only, no spaces", arg)
		}
		name, variant, slash := strings.Cut(arg, "/")
		if slash && variant == "" {
			return usage("%q: a variant is missing after the slash", arg)
		}
		a, err := find(name, variant)
		if err != nil {
			return err
		}
		c.run.Algorithms = append(c.run.Algorithms, a)
	}
	return nil
}

// parseLinks reads --topology, for each algorithm, and the numbers of processes, which it may say too.
func (c *compare) parseLinks() (err error) {
	c.links = make(map[*election.Algorithm]*layout)
	var said *layout
	for _, a := range c.run.Algorithms {
		if c.links[a], err = c.layout(a); err != nil {
			return err
		}
		said = c.links[a]
	}
	switch {
	case said != nil && said.ids != nil && (c.given("n") || c.given("order")):
		err = usage("%s: the file says who is where, -n and --order cannot", said.flag())
	case c.given("n"):
		c.run.Sizes, err = parseSizes("-n", c.n)
	case said != nil && said.n > 0:
		c.run.Sizes = []int{said.n}
	default:
		err = usage("how many processes? -n says it")
	}
	return err
}

// file reports whether a file says who is where.
func (c *compare) file() bool {
	l := c.links[c.run.Algorithms[0]] // as of all others
	return l != nil && l.ids != nil
}

// parseSizes reads numbers of processes, and ranges of them: 8,16,20..30. They are told in rising order.
func parseSizes(flag, text string) ([]int, error) {
	ranges, err := parseList(flag, text, func(where, part string) ([2]int, error) {
		from, to, several := strings.Cut(part, "..")
		if low, high, dash := strings.Cut(part, "-"); dash && low != "" && !several {
			return [2]int{}, usage("%s: %q is not a whole number; a range is %s..%s", where, part, low, high)
		}
		first, err := parseWhole(where, from, "processes", 1, scenario.MaxProcesses)
		if err != nil || !several {
			return [2]int{first, first}, err
		}
		last, err := parseWhole(where, to, "processes", 1, scenario.MaxProcesses)
		switch {
		case err != nil:
		case last < first:
			err = usage("%s: %s is an empty range", where, part)
		case last-first >= experiment.MostSizes:
			err = usage("%s: %s are more than %d sizes", where, part, experiment.MostSizes)
		}
		return [2]int{first, last}, err
	})
	if err != nil {
		return nil, err
	}
	var sizes []int
	for i, r := range ranges {
		for n := r[0]; n <= r[1]; n++ {
			if slices.ContainsFunc(ranges[:i], func(s [2]int) bool { return s[0] <= n && n <= s[1] }) {
				return nil, usage("%s[%d]: %d is there twice", flag, i, n)
			}
			sizes = append(sizes, n)
		}
	}
	slices.Sort(sizes)
	return sizes, nil
}

// parseParams splits --param, and wants every one of them to be of some algorithm.
func (c *compare) parseParams() error {
	for _, text := range c.params {
		name, value, ok := strings.Cut(text, "=")
		if !ok || name == "" {
			return usage("--param: %.60q is not a name and a value, as in alive_timeout=3", text)
		}
		if slices.ContainsFunc(c.settings, func(s setting) bool { return s.name == name }) {
			return usage("--param: %.60q is given twice", name)
		}
		if !slices.ContainsFunc(c.run.Algorithms, func(a *election.Algorithm) bool { return has(a, name) }) {
			return usage("--param: none of the algorithms has a parameter %.60q", name)
		}
		c.settings = append(c.settings, setting{name, value})
	}
	return nil
}

func has(a *election.Algorithm, param string) bool {
	return slices.ContainsFunc(a.Params, func(p params.Param) bool { return p.Name == param })
}

// parseOutput reads what is to become of it.
func (c *compare) parseOutput() error {
	var outputs []string
	for name, on := range map[string]bool{"--csv": c.csv, "--json": c.json, "--markdown": c.markdown} {
		if on {
			outputs = append(outputs, name)
		}
	}
	slices.Sort(outputs)
	switch {
	case len(outputs) > 1:
		return usage("%s and %s exclude each other", outputs[0], outputs[1])
	case c.least && (c.csv || c.json):
		return usage("--least: %s holds everything", outputs[0])
	case !c.cmd.Flags().Changed("svg"):
		return nil
	case c.svg == "":
		return usage("--svg: no file is given")
	case slices.ContainsFunc(c.reads(), func(name string) bool { return sameFile(c.svg, name) }):
		return usage("--svg: %s is read already", c.svg)
	case c.svg == standardStream && (c.least || len(outputs) > 0):
		return usage("%s: standard output is taken by a file named -", append(outputs, "--least")[0])
	case slices.Contains(experiment.Forms(), c.metric):
		return usage("--svg: the closed forms are in the figure of messages")
	case len(c.run.Algorithms) > figure.MostAlgorithms:
		return usage("--svg: %d algorithms, at most %d are legible", len(c.run.Algorithms), figure.MostAlgorithms)
	}
	return writable("svg", c.svg) // better now than in the end
}

// place is an id: itself, or counted from the largest.
type place struct {
	id    int
	fromN bool // n - id
}

// parsePlace reads 3, n or n-1.
func parsePlace(where, text string) (place, error) {
	text = strings.TrimSpace(text)
	rest, fromN := strings.CutPrefix(text, "n")
	if !fromN {
		id, err := parseNumber(where, text)
		if err == nil && id > math.MaxInt32 {
			err = usage("%s: %d is above every n", where, id)
		}
		return place{id: int(id)}, err
	}
	if rest == "" {
		return place{fromN: true}, nil
	}
	below, err := strconv.ParseUint(strings.TrimPrefix(rest, "-"), 10, 31)
	if err != nil || rest[0] != '-' {
		return place{}, usage("%s: %.60q is neither an id nor n-1", where, text)
	}
	return place{id: int(below), fromN: true}, nil
}

// of returns the id of a place among processes, whose ids rise, and whether it is one of them.
func (p place) of(processes []election.ID) (id int, ok bool) {
	id = p.id
	if p.fromN {
		if id = len(processes) - p.id; id >= 1 {
			id = int(processes[id-1])
		}
	}
	_, ok = slices.BinarySearch(processes, election.ID(max(id, 0)))
	return id, ok
}

// resolve returns the ids of places among processes.
func resolve(flag string, places []place, processes []election.ID) ([]election.ID, error) {
	ids := make([]election.ID, 0, len(places))
	for i, p := range places {
		id, ok := p.of(processes)
		if !ok {
			return nil, usage("%s[%d]: %d is not a process", flag, i, id)
		}
		ids = append(ids, election.ID(id))
	}
	return ids, nil
}

// prepare makes one run what the flags want.
func (c *compare) prepare(run *sim.Config) (err error) {
	a, links := run.Algorithm, c.links[run.Algorithm]
	if c.file() {
		run.IDs = slices.Clone(links.ids) // where it has them
	}
	processes := slices.Sorted(slices.Values(run.IDs))
	if c.starters != nil {
		if run.Initiators, err = resolve("--initiators", c.starters, processes); err != nil {
			return err
		}
	}
	if c.down != nil {
		if run.Crashed, err = resolve("--crashed", c.down, processes); err != nil {
			return err
		}
	}
	if links != nil {
		if run.Topology, err = links.build(a, run.IDs, run.Seed); err != nil {
			return err
		}
	}
	longest := sim.Unit
	if run.Schedule = sim.Schedule(c.schedule); run.Schedule == sim.RandomDelay {
		longest = 0 // what the algorithm allows for
	}
	params := make(map[string]params.Value)
	for _, s := range c.settings {
		if !has(a, s.name) {
			continue
		}
		if p, err := parsePlace("", s.value); err == nil && p.fromN {
			id, _ := p.of(processes)
			s.value = strconv.Itoa(id)
		}
		if params[s.name], err = parseValue("--param "+s.name, s.value); err != nil {
			return err
		}
	}
	run.Algorithm, err = scenario.Configure(a, params, run.IDs, longest)
	return err
}
