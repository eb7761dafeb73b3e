package comparecmd

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/go-election/election"
	"github.com/go-election/election/cmd/elect/internal/console"
	"github.com/go-election/election/internal/prose"
	"github.com/go-election/election/internal/terminal"
	"github.com/go-election/election/lab/experiment"
	"github.com/go-election/election/lab/sim"
)

// about describes the comparison in a line.
func (c *compare) about() string {
	if c.run.FormsOnly {
		return "closed forms"
	}
	runs := "one election of each"
	if c.run.Seeds > 1 {
		runs = prose.Grouped(uint64(c.run.Seeds)) + " elections of each"
	}
	orders := map[sim.Order]string{
		sim.RandomOrder: "in random order", sim.SortedOrder: "in rising order",
		sim.BestOrder: "each in its best order", sim.WorstOrder: "each in its worst order",
	}[c.run.Order]
	if c.file() {
		orders = "each process where the file has it"
	}
	starts := "all start"
	if slices.ContainsFunc(c.run.Algorithms, func(a *election.Algorithm) bool { return a.SingleInitiator }) {
		starts = "all start, or the one that may"
	}
	if c.starters != nil {
		starts = strings.ReplaceAll(c.Text("initiators"), ",", ", ") + " starts"
		if len(c.starters) > 1 {
			starts = strings.TrimSuffix(starts, "s")
		}
	}
	if c.down != nil {
		starts = strings.ReplaceAll(c.Text("crashed"), ",", ", ") + " down, " + starts
	}
	seeds := fmt.Sprintf("seed %d", c.run.Seed)
	if c.run.Seeds > 1 {
		seeds = fmt.Sprintf("seeds %d to %d", c.run.Seed, c.run.Seed+uint64(c.run.Seeds)-1)
	}
	parts := []string{runs, orders, starts}
	for _, s := range c.settings {
		parts = append(parts, s.name+" = "+s.value)
	}
	if c.Text("topology") != "" {
		parts = append(parts, "links "+c.Text("topology"))
	}
	if c.Text("delays") != "unit" {
		parts = append(parts, c.Text("delays")+" delays")
	}
	return strings.Join(append(parts, seeds), ", ")
}

// among returns the sizes as text.
func (c *compare) among() string {
	all := experiment.Stretch{First: c.run.Sizes[0], Last: c.run.Sizes[len(c.run.Sizes)-1]}
	if all.Last == 1 {
		return "1 process"
	}
	return all.String() + " processes"
}

// text returns the results as text.
func (c *compare) text(a *console.Console, cells []experiment.Cell) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n%s\n", a.Paint(terminal.Bold, "Elections among "+c.among()),
		prose.Wrapped(c.about(), "", a.Width()))
	if !c.On("least") {
		_ = experiment.WriteTable(&b, cells) // a Builder returns no error
		legend := "MESSAGES, TIME (in units, until the last message has arrived) and BITS are means, " +
			"FEWEST and MOST the " +
			"messages of the elections that took the fewest and the most."
		if slices.ContainsFunc(cells, func(cell experiment.Cell) bool {
			return !math.IsNaN(cell.Best + cell.Mean + cell.Worst)
		}) {
			legend += " The CASES are the messages of the closed forms; after a ≤ it is a bound that " +
				"need not be attained."
		}
		fmt.Fprintf(&b, "\n%s\n", prose.Wrapped(legend, "", a.Width()))
	}
	onAverage := ""
	if slices.Contains(experiment.Measured(), c.metric) && c.run.Seeds > 1 {
		onAverage = " on average"
	}
	fmt.Fprintf(&b, "Which takes the %s%s\n", c.metric.Least(), onAverage)
	all, wide := experiment.Stretches(cells, c.metric), 0
	for _, s := range all {
		wide = max(wide, len(s.String()))
	}
	for _, s := range all {
		fmt.Fprintf(&b, "  %-*s  %s\n", wide, s, s.Names())
	}
	return b.String()
}
