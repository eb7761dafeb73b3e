package run

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/go-election/election/cmd/elect/internal/console"
	"github.com/go-election/election/cmd/elect/internal/job"
	"github.com/go-election/election/internal/prose"
	"github.com/go-election/election/internal/terminal"
	"github.com/go-election/election/lab/report"
	"github.com/go-election/election/lab/sim"
	"github.com/go-election/election/lab/topology"
	"github.com/go-election/election/lab/verdict"
)

// summary returns the result of a job as text.
func summary(a *console.Console, j *job.Job, o *Outcome) string {
	var b strings.Builder
	if j.Name != "" {
		fmt.Fprintf(&b, "%s: ", j.Name)
	}
	fmt.Fprintf(&b, "%s, %s, %s\n", a.Paint(terminal.Bold, j.Algorithm.Title()), prose.Processes(len(j.IDs)),
		topology.Name(j.Topology))
	row := func(name, format string, args ...any) {
		b.WriteString(prose.Hanging("  "+name, fmt.Sprintf(format, args...), 12, a.Width()))
	}
	if !j.Algorithm.Leaderless {
		row("leader", "%s", leaderLine(a, j, o))
	}
	if o.Judge.Expects() && WhyFailed(j, o) == nil {
		row("outcome", "as expected")
	}
	if j.Algorithm.Sections > 0 {
		row("entries", "%s", entrants(o.Entries))
	}
	row("messages", "%s", messages(&o.Result))
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
		row("time", "%s units (%s)", report.Units(v.Time.Round(sim.Unit/100)), how)
		row("trace", "%s", report.Hash(v.Hash))
	}
	for _, line := range o.WhyOutside() {
		row("outside", "%s", line)
	}
	if !j.Still() && len(j.Acts) == 0 && j.AllStart() {
		for _, line := range report.Bounds(j.Algorithm, j.Topology, o.Messages) {
			fmt.Fprintf(&b, "  %s\n", line)
		}
	}
	if a.Verbose {
		row("speed", "%.1f ns a message, %s in all", o.PerMessage(), prose.Duration(o.Wall))
	}
	return b.String()
}

// leaderLine returns which process leads and how many know it, in a colour that says whether that is right.
func leaderLine(a *console.Console, j *job.Job, o *Outcome) string {
	colour := terminal.Green
	if WhyFailed(j, o) != nil {
		colour = terminal.Red
	}
	switch {
	case o.Live == 0:
		return a.Paint(colour, "none") + ", no process is up"
	case o.Groups && o.Grouped && o.Claimants > 1:
		return a.Paint(colour, prose.Plural(o.Claimants, "leader")) + ", each of a group in which all agree"
	case o.Agreed && o.Claimants == 0:
		return a.Paint(colour, strconv.FormatUint(uint64(o.Leader),
			10)) + " is what all say, but it does not lead"
	case !o.Agreed && o.Claimants == 1:
		return a.Paint(colour, "none") + ", " + o.Claims() + ", and not all agree"
	case !o.Agreed:
		return a.Paint(colour, "none") + ", " + o.Claims()
	}
	known := "all agree"
	if !o.Terminated {
		known += ", but not all know that it has ended"
	}
	return a.Paint(colour, strconv.FormatUint(uint64(o.Leader), 10)) + ", " + known
}

// mostEntrants is the number of entries into critical sections that are listed.
const mostEntrants = 12

// entrants lists the processes that have entered critical sections, in order, and the times.
func entrants(list []verdict.Entry) string {
	if len(list) == 0 {
		return "none"
	}
	var all []string
	for _, e := range list[:min(len(list), mostEntrants)] {
		text := fmt.Sprintf("%d at %s", e.ID, briefly(e.At))
		if e.Section > 0 {
			text = fmt.Sprintf("%d into %d at %s", e.ID, e.Section, briefly(e.At))
		}
		all = append(all, text)
	}
	if more := len(list) - mostEntrants; more > 0 {
		all = append(all, fmt.Sprintf("and %s more", prose.Grouped(uint64(more))))
	}
	return fmt.Sprintf("%s: %s", prose.Grouped(uint64(len(list))), strings.Join(all, ", "))
}

// briefly returns a time in units, to the thousandth.
func briefly(at time.Duration) string { return report.Units(at.Round(sim.Unit / 1000)).String() }

// messages returns the number of messages, by kind.
func messages(r *verdict.Result) string {
	if len(r.ByKind) == 0 {
		return prose.Grouped(r.Messages)
	}
	var kinds []string
	for _, k := range r.ByKind {
		kinds = append(kinds, prose.Grouped(k.Count)+" "+k.Kind)
	}
	return prose.Grouped(r.Messages) + " = " + strings.Join(kinds, " + ")
}
