// Package comparecmd is elect compare: it reads flags, lets lab/experiment measure, and writes the results.
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
	"github.com/go-election/election/cmd/elect/internal/job"
	"github.com/go-election/election/cmd/elect/internal/parse"
	"github.com/go-election/election/lab/experiment"
	"github.com/go-election/election/lab/figure"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lab/sim"
	"github.com/go-election/election/params"
)

// compare is elect compare, as it was typed.
type compare struct {
	job.Flags // compare has some of the flags of sim

	metric experiment.Measure

	run            experiment.Comparison
	links          map[*election.Algorithm]*job.Layout // nil where --topology is not given
	starters, down []experiment.Place                  // nil where they are not given
	settings       []setting
}

// setting is a parameter and its value.
type setting struct{ name, value string }

// New returns elect compare.
func New(a *console.Console) *cobra.Command {
	c := &compare{Flags: job.Flags{Set: flags.Set{Catalog: a.Catalog}, Most: scenario.MaxProcesses,
		Driven: "compared"}}
	cmd := flags.Command("compare ALGORITHM...",
		"Put algorithms side by side: messages, time and bits, over the number of processes",
		func(cmd *cobra.Command, args []string) error {
			return runCompare(a, cmd.Context(), c, args)
		})
	c.Define(cmd, "compare")
	c.Algorithms(func([]string) bool { return true })
	return cmd
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
	if c.Text("svg") != "" {
		drawn := figure.Comparison{Cells: cells, By: c.metric, About: c.about(), Seeds: c.run.Seeds,
			Per: c.Text("per")}
		if err := files.WriteFigure(a, c.Text("svg"), drawn.Draw()); err != nil {
			return err
		}
	}
	switch {
	case c.Text("svg") == files.Standard:
	case c.On("json"):
		order := c.Text("order")
		if c.file() {
			order = "file"
		}
		err = c.run.WriteJSON(a.Stdout, cells, order, c.Text("delays"))
	case c.On("csv"):
		err = experiment.WriteCSV(a.Stdout, cells, c.run.Seeds)
	case c.On("markdown") && c.On("least"):
		err = experiment.WriteLeast(a.Stdout, cells, c.metric)
	case c.On("markdown"):
		err = experiment.WriteMarkdown(a.Stdout, cells, c.metric)
	default:
		_, err = fmt.Fprint(a.Stdout, c.text(a, cells))
	}
	return err
}

// prepare applies the flags to one run.
func (c *compare) prepare(run *sim.Config) (err error) {
	a, links := run.Algorithm, c.links[run.Algorithm]
	if c.file() {
		run.IDs = slices.Clone(links.IDs) // where it has them
	}
	// Places such as n are counted from the smallest ID on, wherever the order of the run has it.
	processes := slices.Sorted(slices.Values(run.IDs))
	if c.starters != nil {
		if run.Initiators, err = experiment.Resolve("--initiators", c.starters, processes); err != nil {
			return err
		}
	}
	if c.down != nil {
		if run.Crashed, err = experiment.Resolve("--crashed", c.down, processes); err != nil {
			return err
		}
	}
	if links != nil {
		if run.Topology, err = links.Build(a, run.IDs, run.Seed); err != nil {
			return err
		}
	}
	longest := sim.Unit
	if run.Schedule = sim.Schedule(c.Text("delays")); run.Schedule == sim.RandomDelay {
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
