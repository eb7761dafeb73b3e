// Package comparecmd is elect compare: it reads flags, measures by lab/experiment, and writes the results.
package comparecmd

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/go-election/election"
	"github.com/go-election/election/cmd/elect/internal/console"
	"github.com/go-election/election/cmd/elect/internal/exit"
	"github.com/go-election/election/cmd/elect/internal/files"
	"github.com/go-election/election/cmd/elect/internal/job"
	"github.com/go-election/election/cmd/elect/internal/parse"
	"github.com/go-election/election/lab/experiment"
	"github.com/go-election/election/lab/figure"
	"github.com/go-election/election/lab/report"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lab/sim"
	"github.com/go-election/election/params"
)

// compare is elect compare, as it was typed.
type compare struct {
	job.Options

	run            experiment.Comparison
	schedule       sim.Schedule
	links          map[*election.Algorithm]*job.Layout // nil if --topology is not given
	starters, down places                              // nil if they are not given
	settings       []setting

	metric               experiment.Measure
	per                  form
	least, csv, markdown bool
	svg                  string
}

// places is a list of processes, as it was typed.
type places struct {
	list []experiment.Place
	text string
}

// form is what --svg divides by.
type form string

// setting is a parameter and its value.
type setting struct{ name, value string }

// New returns elect compare.
func New(a *console.Console) *cobra.Command {
	c := &compare{Options: job.Options{Catalog: a.Catalog, Most: scenario.MaxProcesses, Driven: "compared"},
		run: experiment.Comparison{Seeds: 20, Order: sim.RandomOrder}, schedule: sim.UnitDelay,
		metric: experiment.ByMessages, per: "1"}
	cmd := &cobra.Command{
		Use:   "compare ALGORITHM...",
		Short: "Compare messages, time and bits of algorithms for several numbers of processes",
		Long:  long, Example: examples,
		ValidArgsFunction: job.Algorithms(a.Catalog, func([]string) bool { return true }),
		RunE:              func(cmd *cobra.Command, args []string) error { return runCompare(a, cmd.Context(), c, args) },
	}
	fs := cmd.Flags()
	fs.SortFlags = false
	parse.Var(fs, &c.run.Sizes, "n", "8,16,20..30", "the numbers of processes", parse.Sizes)
	parse.Var(fs, &c.run.Seeds, "seeds", "number", "the number of elections of each",
		parse.Between(1, experiment.MostSeeds))
	fs.Uint64Var(&c.run.Seed, "seed", 0, "the seed of the first election of each")
	parse.Choice(cmd, &c.run.Order, "order", "the order of processes: sorted, random, best or worst",
		sim.SortedOrder, sim.RandomOrder, sim.BestOrder, sim.WorstOrder)
	c.DefineTopology(cmd)
	parse.Var(fs, &c.starters, "initiators", "ids", "the processes that start: all, or ids as 1, n, n-1; if the "+
		"algorithm allows one, all means one (default all)", starters)
	parse.Complete(cmd, "initiators", "all", "1", "n", "n-1")
	parse.Var(fs, &c.down, "crashed", "ids", "the processes that are down from the beginning", readPlaces)
	fs.StringArrayVar(&c.Params, "param", nil, "a parameter of those algorithms that have it, as name=value; may be "+
		"repeated")
	parse.Choice(cmd, &c.schedule, "delays", "the delays of messages: one unit each, or random up to 2 units, as elect "+
		"sim --schedule", sim.UnitDelay, sim.RandomDelay)
	parse.Choice(cmd, &c.metric, "metric", "what --svg, --markdown and --least show: messages, time, bits, or the "+
		"closed form for messages: best, mean, worst", experiment.ByMessages, experiment.ByTime, experiment.ByBits,
		experiment.ByBest, experiment.ByMean, experiment.ByWorst)
	parse.Choice(cmd, &c.per, "per", "what --svg divides by: 1, n, or nlog for n log n; by n or nlog each algorithm "+
		"has a panel", "1", "n", "nlog")
	fs.BoolVar(&c.least, "least", false, "show only which algorithm takes the least, for which numbers of processes")
	parse.File(cmd, &c.svg, "svg", "svg", "draw it into this file, - for standard output")
	fs.BoolVar(&c.csv, "csv", false, "lines of comma-separated values")
	fs.BoolVar(&c.JSON, "json", false, "one JSON object")
	fs.BoolVar(&c.markdown, "markdown", false, "a table in Markdown")
	cmd.MarkFlagsMutuallyExclusive("csv", "json", "markdown")
	parse.Exclude(cmd, "least", "csv", "json") // they hold everything
	return cmd
}

func readPlaces(flag, text string) (places, error) {
	list, err := parse.List(flag, text, parse.ReadPlace)
	return places{list, text}, err
}

func starters(flag, text string) (places, error) {
	if text == "all" {
		return places{}, nil
	}
	return readPlaces(flag, text)
}

// runCompare measures, draws and reports.
func runCompare(a *console.Console, ctx context.Context, c *compare, args []string) error {
	if err := c.parse(args); err != nil {
		return err
	}
	m := a.Meter()
	c.run.Progress = func(done, total int) { m.Count(done, total, "elections") }
	cells, err := c.run.Run(ctx)
	// Also before an error is written, which would stand behind the meter in the same line.
	m.Clear()
	if err != nil {
		return exit.Classify(err)
	}
	if c.svg != "" {
		drawn := figure.Comparison{Cells: cells, By: c.metric, About: c.about(), Seeds: c.run.Seeds,
			Per: string(c.per)}
		if err := files.WriteFigure(a, c.svg, drawn.Draw()); err != nil {
			return err
		}
	}
	switch {
	case c.svg == files.Standard:
	case c.JSON:
		order := string(c.run.Order)
		if c.file() {
			order = "file"
		}
		err = report.ComparisonJSON(a.Stdout, &c.run, cells, order, string(c.schedule))
	case c.csv:
		err = report.WriteCSV(a.Stdout, cells, c.run.Seeds)
	case c.markdown && c.least:
		err = report.WriteLeast(a.Stdout, cells, c.metric)
	case c.markdown:
		err = report.WriteMarkdown(a.Stdout, cells, c.metric)
	default:
		_, err = fmt.Fprint(a.Stdout, c.text(a, cells))
	}
	return err
}

// prepare applies the flags to one run.
func (c *compare) prepare(run *sim.Config) (err error) {
	a, links := run.Algorithm, c.links[run.Algorithm]
	if c.file() {
		run.IDs = slices.Clone(links.IDs) // if the links have any
	}
	// Places such as n are counted from the smallest ID on, wherever the order of the run has it.
	processes := slices.Sorted(slices.Values(run.IDs))
	if c.starters.list != nil {
		if run.Initiators, err = experiment.Resolve("--initiators", c.starters.list, processes); err != nil {
			return err
		}
	}
	if c.down.list != nil {
		if run.Crashed, err = experiment.Resolve("--crashed", c.down.list, processes); err != nil {
			return err
		}
	}
	if links != nil {
		if run.Topology, err = links.Build(a, run.IDs, run.Seed); err != nil {
			return err
		}
	}
	longest := sim.Unit
	if run.Schedule = c.schedule; run.Schedule == sim.RandomDelay {
		longest = 0 // stands for the bound of the algorithm
	}
	given := make(map[string]params.Value)
	for _, s := range c.settings {
		if !has(a, s.name) {
			continue
		}
		// A value such as n-1 is another number at each size.
		if p, err := parse.ReadPlace("", s.value); err == nil && p.FromN {
			id, _ := p.Of(processes)
			s.value = strconv.Itoa(id)
		}
		if given[s.name], err = params.Typed("--param "+s.name, s.value); err != nil {
			return err
		}
	}
	run.Algorithm, err = scenario.Configure(a, given, run.IDs, longest)
	return err
}

func has(a *election.Algorithm, param string) bool {
	return slices.ContainsFunc(a.Params, func(p params.Param) bool { return p.Name == param })
}
