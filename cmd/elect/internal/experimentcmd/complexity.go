package experimentcmd

import (
	"context"
	"fmt"
	"math"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/go-election/election/cmd/elect/internal/console"
	"github.com/go-election/election/cmd/elect/internal/exit"
	"github.com/go-election/election/cmd/elect/internal/flags"
	"github.com/go-election/election/cmd/elect/internal/help"
	"github.com/go-election/election/cmd/elect/internal/job"
	"github.com/go-election/election/cmd/elect/internal/parse"
	"github.com/go-election/election/internal/prose"
	"github.com/go-election/election/lab/experiment"
)

func complexityCommand(a *console.Console) *cobra.Command {
	var n string
	var asJSON bool
	cmd := &cobra.Command{
		Use:     "complexity",
		Short:   "How many messages an election takes: equations (1) to (10)",
		Long:    help.Long("experiment-complexity"),
		Example: help.Example("experiment-complexity"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := flags.NoMore(args); err != nil {
				return err
			}
			most, err := parse.Whole("-n", n, "processes", experiment.FewestProcesses, experiment.MostMeasured)
			if err != nil {
				return err
			}
			return runComplexity(a, cmd.Context(), most, asJSON)
		},
	}
	fs := cmd.Flags()
	fs.SortFlags = false
	flags.Text(fs, &n, "n", "N", "10", "up to so many processes")
	fs.BoolVar(&asJSON, "json", false, "one JSON object")
	f := &job.Flags{Cmd: cmd}
	cmd.ValidArgsFunction = cobra.NoFileCompletions
	f.Suggest("n", func([]string) []cobra.Completion { return nil })
	return cmd
}

func runComplexity(a *console.Console, ctx context.Context, n int, asJSON bool) error {
	m := a.Meter()
	elections := 0
	run := experiment.Complexity{N: n, Progress: func(done int) {
		elections = done
		m.Count(done, 0, "elections")
	}}
	rows, err := run.Run(ctx)
	m.Clear()
	if err != nil {
		return exit.Classify(err)
	}
	if asJSON {
		err = run.WriteJSON(a.Stdout, elections, rows)
	} else {
		_, err = fmt.Fprint(a.Stdout, complexityText(a, n, elections, rows))
	}
	if err != nil {
		return exit.Failed(err)
	}
	if err := experiment.Differing(rows); err != nil {
		return exit.Failed(err)
	}
	return nil
}

// complexityText tells what came out, for people.
func complexityText(a *console.Console, n, elections int, rows []experiment.Row) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n", a.Paint(console.Bold, fmt.Sprintf("Messages of an election among 3 to %d processes: equations of the paper, and what was measured", n)))
	b.WriteString(prose.Wrapped(experiment.Accounting, "", 100))
	for some := range experiment.ByEquation(rows) {
		equationText(a, &b, n, some)
	}
	fmt.Fprintf(&b, "\n%s counts, measured in %s elections: ", prose.Grouped(uint64(len(rows))), prose.Grouped(uint64(elections)))
	if experiment.Differing(rows) != nil {
		return b.String() + a.Paint(console.Red, "not all are correct") + "\n"
	}
	return b.String() + a.Paint(console.Green, "all are correct") + "\n"
}

// equationText tells what came out for one of them. For the largest n it tells every i.
func equationText(a *console.Console, b *strings.Builder, n int, rows []experiment.Row) {
	e := rows[0].Equation
	colour := console.Green
	if e.Verdict == experiment.Wrong {
		colour = console.Red
	}
	printed := e.Printed
	if printed == "" {
		printed = "nothing"
	}
	fmt.Fprintf(b, "\n%s modbully/%s, %s: %s\n", a.Paint(console.Bold, e.Name), e.Variant, e.Case, a.Paint(colour, string(e.Verdict)))
	fmt.Fprintf(b, "  paper %s, correct %s\n", printed, e.Formula)
	b.WriteString(prose.Wrapped(e.Why, "  ", 100))
	t := tabwriter.NewWriter(b, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "  n\ti\tPAPER\tCORRECT\tMEASURED")
	for len(rows) > 0 {
		end := 1
		for end < len(rows) && rows[end].N == rows[0].N && (rows[0].N < n || same(&rows[end], &rows[0])) {
			end++
		}
		first, last := &rows[0], &rows[end-1]
		who := "all"
		if first.I > 0 {
			who = span(float64(first.I), float64(last.I))
		}
		fmt.Fprintf(t, "  %d\t%s\t%s\t%s\t%s\n", first.N, who, span(first.Paper, last.Paper),
			span(first.Formula, last.Formula), span(first.Measured, last.Measured))
		rows = rows[end:]
	}
	t.Flush()
}

func same(r, s *experiment.Row) bool {
	return r.Paper == s.Paper && r.Formula == s.Formula && r.Measured == s.Measured
}

// span writes two numbers, or one if they are the same.
func span(first, last float64) string {
	switch {
	case math.IsNaN(first):
		return "-"
	case first == last:
		return experiment.Exact(first)
	}
	return experiment.Exact(first) + ".." + experiment.Exact(last)
}
