package main

import (
	"context"
	"fmt"
	"math"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/go-election/election/lab/experiment"
)

func (a *app) complexityCommand() *cobra.Command {
	var n string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "complexity",
		Short: "How many messages an election takes: equations (1) to (10)",
		Long: `Measures the message counts of pending convenience and of election numbers, for 3 to N processes and
each process that may notice the crash, and puts them beside the equations (1) to (10) of the paper
and beside the right formulas. For up to 10 processes it also looks for the largest count, over all
sets of processes that are down. The exit status is 1 if a measured count is not the right one.`,
		Example: `  elect experiment complexity
  elect experiment complexity -n 30 --json`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := noMore(args); err != nil {
				return err
			}
			most, err := parseWhole("-n", n, "processes", experiment.FewestProcesses, experiment.MostMeasured)
			if err != nil {
				return err
			}
			return a.complexity(cmd.Context(), most, asJSON)
		},
	}
	fs := cmd.Flags()
	fs.SortFlags = false
	text(fs, &n, "n", "N", "10", "up to so many processes")
	fs.BoolVar(&asJSON, "json", false, "one JSON object")
	f := &flags{cmd: cmd}
	cmd.ValidArgsFunction = cobra.NoFileCompletions
	f.values("n", func([]string) []cobra.Completion { return nil })
	return cmd
}

func (a *app) complexity(ctx context.Context, n int, asJSON bool) error {
	m := a.newMeter()
	elections := 0
	rows, err := experiment.Complexity{N: n, Progress: func(done int) {
		elections = done
		m.count(done, 0, "elections")
	}}.Run(ctx)
	m.clear()
	if err != nil {
		return judged(err)
	}
	if asJSON {
		err = printJSON(a.stdout, complexityObject(n, elections, rows))
	} else {
		_, err = fmt.Fprint(a.stdout, a.complexityText(n, elections, rows))
	}
	if err != nil {
		return failed(err)
	}
	return differing(rows)
}

// differing returns an error if something measured is not what it should be.
func differing(rows []experiment.Row) error {
	count := 0
	var first *experiment.Row
	for i := range rows {
		if r := &rows[i]; r.Differs() {
			if count++; first == nil {
				first = r
			}
		}
	}
	if first == nil {
		return nil
	}
	return failed(fmt.Errorf("%d of %d counts are not what the formula says; the first: %s, modbully/%s, n=%d, i=%d: %s, not %s",
		count, len(rows), first.Equation.Name, first.Equation.Variant, first.N, first.I, exact(first.Measured), exact(first.Formula)))
}

// accounting says what is counted.
const accounting = "n counts all processes, also the old coordinator, process n, which is down; i is the one that notices. " +
	"Only in (1) and (2) the paper's own n, here n', counts just those that are up: n' = n-1. " +
	"Every message that is sent counts, also one to a process that is down. " +
	"Not counted are a refresh of the times, 3 for each process that is told, and what it costs to come back."

// complexityText tells what came out, for people.
func (a *app) complexityText(n, elections int, rows []experiment.Row) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n", a.paint(bold, fmt.Sprintf("Messages of an election among 3 to %d processes: equations of the paper, and what was measured", n)))
	b.WriteString(wrapped(accounting, "", 100))
	differs := differing(rows) != nil
	count := 0
	for len(rows) > 0 {
		e := rows[0].Equation
		end := 0
		for end < len(rows) && rows[end].Equation == e {
			end++
		}
		a.equation(&b, n, rows[:end])
		count, rows = count+end, rows[end:]
	}
	fmt.Fprintf(&b, "\n%s counts, measured in %s elections: ", grouped(uint64(count)), grouped(uint64(elections)))
	if differs {
		return b.String() + a.paint(red, "not all are correct") + "\n"
	}
	return b.String() + a.paint(green, "all are correct") + "\n"
}

// equation tells what came out for one of them. For the largest n it tells every i.
func (a *app) equation(b *strings.Builder, n int, rows []experiment.Row) {
	e := rows[0].Equation
	colour := green
	if e.Verdict == experiment.Wrong {
		colour = red
	}
	printed := e.Printed
	if printed == "" {
		printed = "nothing"
	}
	fmt.Fprintf(b, "\n%s modbully/%s, %s: %s\n", a.paint(bold, e.Name), e.Variant, e.Case, a.paint(colour, string(e.Verdict)))
	fmt.Fprintf(b, "  paper %s, correct %s\n", printed, e.Formula)
	b.WriteString(wrapped(e.Why, "  ", 100))
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
		return exact(first)
	}
	return exact(first) + ".." + exact(last)
}

// exact writes a number with as many decimals as it needs, up to two.
func exact(x float64) string {
	return strings.TrimSuffix(strings.TrimRight(strconv.FormatFloat(x, 'f', 2, 64), "0"), ".")
}

// complexityJSON is the JSON form of the experiment.
type complexityJSON struct {
	Experiment string         `json:"experiment"`
	N          int            `json:"n"`
	Accounting string         `json:"accounting"`
	Elections  int            `json:"elections"`
	Differing  int            `json:"differing"`
	Equations  []equationJSON `json:"equations"`
}

type equationJSON struct {
	Equation string             `json:"equation"`
	Variant  string             `json:"variant"`
	Case     string             `json:"case"`
	Printed  *string            `json:"paper"`
	Correct  string             `json:"correct"`
	Verdict  experiment.Verdict `json:"verdict"`
	Why      string             `json:"why"`
	Rows     []rowJSON          `json:"rows"`
}

// rowJSON is one count; i is null where it is over all who may notice.
type rowJSON struct {
	N        int      `json:"n"`
	I        *int     `json:"i"`
	Paper    *float64 `json:"paper"`
	Correct  float64  `json:"correct"`
	Measured float64  `json:"measured"`
}

func complexityObject(n, elections int, rows []experiment.Row) complexityJSON {
	o := complexityJSON{Experiment: "complexity", N: n, Accounting: accounting, Elections: elections}
	for i := range rows {
		r := &rows[i]
		if i == 0 || rows[i-1].Equation != r.Equation {
			e := r.Equation
			j := equationJSON{Equation: e.Name, Variant: e.Variant, Case: e.Case, Correct: e.Formula, Verdict: e.Verdict, Why: e.Why}
			if e.Printed != "" {
				j.Printed = &e.Printed
			}
			o.Equations = append(o.Equations, j)
		}
		j := rowJSON{N: r.N, Correct: r.Formula, Measured: r.Measured}
		if r.I > 0 {
			j.I = &r.I
		}
		if !math.IsNaN(r.Paper) {
			j.Paper = &r.Paper
		}
		if r.Differs() {
			o.Differing++
		}
		last := &o.Equations[len(o.Equations)-1]
		last.Rows = append(last.Rows, j)
	}
	return o
}
