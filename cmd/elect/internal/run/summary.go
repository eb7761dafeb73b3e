package run

import (
	"fmt"
	"strings"
	"time"

	"github.com/go-election/election"
	"github.com/go-election/election/cmd/elect/internal/console"
	"github.com/go-election/election/cmd/elect/internal/job"
	"github.com/go-election/election/cmd/elect/internal/terminal"
	"github.com/go-election/election/internal/prose"
	"github.com/go-election/election/lab/report"
	"github.com/go-election/election/lab/sim"
	"github.com/go-election/election/lab/topology"
)

// summary returns the result of a job as text.
func summary(a *console.Console, j *job.Job, o *Outcome) string {
	var b strings.Builder
	if j.Name != "" {
		fmt.Fprintf(&b, "%s: ", prose.OneLine(j.Name))
	}
	fmt.Fprintf(&b, "%s, %s, %s\n", a.Paint(terminal.Bold, j.Algorithm.Title()), prose.Plural(len(j.IDs), "process"),
		topology.Name(j.Topology))
	row := func(name, format string, args ...any) {
		b.WriteString(prose.Hanging("  "+name, fmt.Sprintf(format, args...), 12, a.Width()))
	}
	if j.Algorithm.Elects != election.NoLeader {
		row("leader", "%s", leaderLine(a, j, o))
	}
	if o.Judge.Expects() && WhyFailed(j, o) == nil {
		row("outcome", "as expected")
	}
	if j.Algorithm.Sections > 0 {
		row("entries", "%s", o.EntriesInWords())
	}
	row("messages", "%s", o.MessagesInWords())
	if v := o.Virtual; v != nil && j.BadLinks() {
		text := fmt.Sprintf("%s lost, %s duplicated", prose.Grouped(v.Lost), prose.Grouped(v.Duplicated))
		if j.Faults.Reorder > 0 {
			text += fmt.Sprintf(", %s reordered", prose.Grouped(v.Reordered))
		}
		row("links", "%s", text)
	}
	row("bits", "%s", prose.Grouped(o.Bits))
	row("chain", "%s", prose.Grouped(o.Chain))
	if v := o.Virtual; v != nil {
		how := fmt.Sprintf("%s schedule, seed %d", o.Schedule, j.Seed)
		if j.Steps != nil {
			how = prose.Grouped(uint64(len(j.Steps))) + " steps"
		} else if n := len(j.Acts); n > 0 {
			how += ", " + prose.Plural(n, "act")
		}
		how = a.Paint(terminal.Dim, "("+how+")")
		row("time", "%s units %s", report.Units(v.Time.Round(sim.Unit/100)), how)
		row("trace", "%s", a.Paint(terminal.Dim, report.Hash(v.Hash).String()))
	}
	for _, line := range o.WhyOutside() {
		row("outside", "%s", line)
	}
	if !j.Still() && len(j.Acts) == 0 && j.AllStart() {
		for _, line := range report.Bounds(j.Algorithm, j.Topology, o.Messages) {
			b.WriteString(prose.Row("  "+a.Paint(terminal.Dim, line), a.Width()))
		}
	}
	if a.Verbose {
		row("speed", "%.1f ns a message, %s in all", o.PerMessage(), o.Wall.Round(10*time.Microsecond))
	}
	return b.String()
}

// leaderLine returns which process leads and how many know it, in a color that tells whether that is right.
func leaderLine(a *console.Console, j *job.Job, o *Outcome) string {
	colour := terminal.Green
	if WhyFailed(j, o) != nil {
		colour = terminal.Red
	}
	leader, known := o.LeaderInWords()
	return a.Paint(colour, leader) + known
}
