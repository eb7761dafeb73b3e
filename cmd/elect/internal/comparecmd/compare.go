// Package comparecmd is elect compare: it reads flags, lets lab/experiment measure, and writes what came out.
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
	"github.com/go-election/election/cmd/elect/internal/flags"
	"github.com/go-election/election/cmd/elect/internal/help"
	"github.com/go-election/election/cmd/elect/internal/job"
	"github.com/go-election/election/cmd/elect/internal/parse"
	"github.com/go-election/election/lab/experiment"
	"github.com/go-election/election/lab/figure"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lab/sim"
	"github.com/go-election/election/lab/topology"
	"github.com/go-election/election/params"
)

// runCompare is elect compare, as it was typed.
type compare struct {
	job.Flags // of which it has some

	seeds, measure, svg  string
	csv, markdown, least bool

	metric experiment.Measure

	run            experiment.Comparison
	links          map[*election.Algorithm]*job.Layout // nil where --topology is not given
	starters, down []parse.Place                       // nil where they are not given
	settings       []setting
}

// metrics are the values of --metric: what is measured, and closed forms.
func metrics() (names []string) {
	for _, m := range slices.Concat(experiment.Measured(), experiment.Forms()) {
		names = append(names, string(m))
	}
	return names
}

// setting is a parameter and its value.
type setting struct{ name, value string }

// New returns elect compare.
func New(a *console.Console) *cobra.Command {
	c := &compare{Flags: job.Flags{Catalog: a.Catalog, Most: scenario.MaxProcesses, Driven: "compared"}}
	cmd := &cobra.Command{
		Use:     "compare ALGORITHM...",
		Short:   "Put algorithms side by side: messages, time and bits, over the number of processes",
		Long:    help.Long("compare"),
		Example: help.Example("compare"),
		RunE:    func(cmd *cobra.Command, args []string) error { return runCompare(a, cmd.Context(), c, args) },
	}
	c.define(cmd)
	return cmd
}

// define defines the flags.
func (c *compare) define(cmd *cobra.Command) {
	c.Cmd = cmd
	fs := cmd.Flags()
	fs.SortFlags = false
	flags.Text(fs, &c.N, "n", "8,16,20..30", "", "the numbers of processes")
	flags.Text(fs, &c.seeds, "seeds", "number", "20", "so many elections of each")
	flags.Text(fs, &c.Seed, "seed", "number", "0", "what is left to chance is drawn from this number on (default 0)")
	flags.Text(fs, &c.Order, "order", "case", "random", "how processes are arranged: sorted, random, best or worst case")
	flags.Text(fs, &c.Topology, "topology", "links", "", "the links, as grid or dot:file (default: as each algorithm needs them)")
	flags.Text(fs, &c.Initiators, "initiators", "ids", "all", "who starts: all, or the ids: 1, n, n-1")
	flags.Text(fs, &c.Crashed, "crashed", "ids", "", "who is down from the beginning")
	flags.List(fs, &c.Params, "param", "name=value", "a parameter, of those algorithms that have it; may be given again")
	flags.Text(fs, &c.Schedule, "delays", "delays", "unit", "how long messages take: unit, or random up to 2 units, as elect sim --schedule")
	flags.Text(fs, &c.measure, "metric", "metric", "messages", "what --svg, --markdown and --least tell: messages, time, bits, or the closed form for messages: best, mean, worst")
	fs.BoolVar(&c.least, "least", false, "tell only who takes the least, among which numbers of processes")
	flags.Text(fs, &c.svg, "svg", "file", "", "draw it into this file, - for standard output")
	fs.BoolVar(&c.csv, "csv", false, "lines of comma-separated values")
	fs.BoolVar(&c.JSON, "json", false, "one JSON object")
	fs.BoolVar(&c.markdown, "markdown", false, "a table in Markdown")
	cmd.ValidArgsFunction = func(_ *cobra.Command, _ []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
		return job.CompleteAlgorithms(c.Catalog, typed), cobra.ShellCompDirectiveNoFileComp
	}
	c.Suggest("order", func([]string) []cobra.Completion { return job.Orders })
	c.Suggest("topology", func([]string) []cobra.Completion { return topology.Kinds() })
	c.Suggest("initiators", func([]string) []cobra.Completion { return []cobra.Completion{"all", "1", "n", "n-1"} })
	c.Suggest("delays", func([]string) []cobra.Completion { return job.Schedules })
	c.Suggest("metric", func([]string) []cobra.Completion { return metrics() })
	for _, free := range []string{"n", "seeds", "seed", "crashed", "param"} {
		c.Suggest(free, func([]string) []cobra.Completion { return nil })
	}
	flags.Files(cmd, "svg", "svg")
}

// runCompare measures, draws and tells.
func runCompare(a *console.Console, ctx context.Context, c *compare, args []string) error {
	if err := c.parse(args); err != nil {
		return err
	}
	m := a.Meter()
	c.run.Progress = func(done, total int) { m.Count(done, total, "elections") }
	cells, err := c.run.Run(ctx)
	m.Clear()
	if err != nil {
		return exit.Classify(err)
	}
	if c.svg != "" {
		drawn := figure.Comparison{Cells: cells, By: c.metric, About: c.about(), Seeds: c.run.Seeds}
		if err := files.WriteFigure(a, c.svg, drawn.Draw()); err != nil {
			return err
		}
	}
	switch {
	case c.svg == files.Standard:
	case c.JSON:
		order := c.Order
		if c.file() {
			order = "file"
		}
		err = c.run.WriteJSON(a.Stdout, cells, order, c.Schedule)
	case c.csv:
		err = experiment.WriteCSV(a.Stdout, cells, c.run.Seeds)
	case c.markdown && c.least:
		err = experiment.WriteLeast(a.Stdout, cells, c.metric)
	case c.markdown:
		err = experiment.WriteMarkdown(a.Stdout, cells, c.metric)
	default:
		_, err = fmt.Fprint(a.Stdout, c.text(a, cells))
	}
	return err
}

// prepare makes one run what the flags want.
func (c *compare) prepare(run *sim.Config) (err error) {
	a, links := run.Algorithm, c.links[run.Algorithm]
	if c.file() {
		run.IDs = slices.Clone(links.IDs) // where it has them
	}
	processes := slices.Sorted(slices.Values(run.IDs))
	if c.starters != nil {
		if run.Initiators, err = parse.Resolve("--initiators", c.starters, processes); err != nil {
			return err
		}
	}
	if c.down != nil {
		if run.Crashed, err = parse.Resolve("--crashed", c.down, processes); err != nil {
			return err
		}
	}
	if links != nil {
		if run.Topology, err = links.Build(a, run.IDs, run.Seed); err != nil {
			return err
		}
	}
	longest := sim.Unit
	if run.Schedule = sim.Schedule(c.Schedule); run.Schedule == sim.RandomDelay {
		longest = 0 // what the algorithm allows for
	}
	params := make(map[string]params.Value)
	for _, s := range c.settings {
		if !has(a, s.name) {
			continue
		}
		if p, err := parse.ReadPlace("", s.value); err == nil && p.FromN {
			id, _ := p.Of(processes)
			s.value = strconv.Itoa(id)
		}
		if params[s.name], err = parse.Value("--param "+s.name, s.value); err != nil {
			return err
		}
	}
	run.Algorithm, err = scenario.Configure(a, params, run.IDs, longest)
	return err
}

func has(a *election.Algorithm, param string) bool {
	return slices.ContainsFunc(a.Params, func(p params.Param) bool { return p.Name == param })
}
