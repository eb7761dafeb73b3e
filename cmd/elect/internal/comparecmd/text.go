package comparecmd

import (
	"fmt"
	"slices"
	"strings"

	"github.com/go-election/election"
	"github.com/go-election/election/cmd/elect/internal/console"
	"github.com/go-election/election/cmd/elect/internal/terminal"
	"github.com/go-election/election/internal/prose"
	"github.com/go-election/election/lab/experiment"
	"github.com/go-election/election/lab/report"
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
	if c.starters.list != nil {
		starts = strings.ReplaceAll(c.starters.text, ",", ", ") + " starts"
		if len(c.starters.list) > 1 {
			starts = strings.TrimSuffix(starts, "s")
		}
	}
	if c.down.list != nil {
		starts = strings.ReplaceAll(c.down.text, ",", ", ") + " down, " + starts
	}
	seeds := fmt.Sprintf("seed %d", c.run.Seed)
	if c.run.Seeds > 1 {
		seeds = fmt.Sprintf("seeds %d to %d", c.run.Seed, c.run.Seed+uint64(c.run.Seeds)-1)
	}
	parts := []string{runs, orders, starts}
	for _, s := range c.settings {
		parts = append(parts, s.name+" = "+s.value)
	}
	if c.Topology() != "" {
		parts = append(parts, "links "+c.Topology())
	}
	if c.schedule != sim.UnitDelay {
		parts = append(parts, string(c.schedule)+" delays")
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
	if !c.least {
		_ = report.WriteComparison(&b, cells, a.Width()) // a Builder returns no error
	}
	_ = report.WriteStretches(&b, cells, c.metric, c.run.Seeds > 1)
	return b.String()
}
