package report

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"text/tabwriter"
	"unicode/utf8"

	"github.com/go-election/election/internal/prose"
	"github.com/go-election/election/lab/experiment"
)

// Marks is the layout of a text. The zero value is ready for use.
type Marks struct {
	Title, Right, Wrong func(text string) string // as by colours; if nil, all is left as it is
	Width               int                      // of lines. If zero, 80.
}

// width returns how wide lines are.
func (m *Marks) width() int { return cmp.Or(m.Width, 80) }

func (m *Marks) title(text string) string {
	if m.Title == nil {
		return text
	}
	return m.Title(text)
}

// holds returns one of two texts, marked.
func (m *Marks) holds(right bool, yes, no string) string {
	mark, text := m.Right, yes
	if !right {
		mark, text = m.Wrong, no
	}
	if mark == nil {
		return text
	}
	return mark(text)
}

// WriteComplexity writes the rows of a Complexity, with the number of elections that were measured, for people.
func WriteComplexity(w io.Writer, c *experiment.Complexity, elections int, rows []experiment.Row, marks Marks) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n", marks.title(fmt.Sprintf(
		"Messages among 3 to %d processes: equations of the paper, and what was measured", c.N)))
	b.WriteString(prose.Wrapped(experiment.Accounting, "", marks.width()))
	for some := range experiment.ByEquation(rows) {
		writeEquation(&b, c.N, some, marks)
	}
	all := marks.holds(experiment.Differing(rows) == nil, "all are correct", "not all are correct")
	fmt.Fprintf(&b, "\n%s counts, measured in %s elections: %s\n",
		prose.Grouped(uint64(len(rows))), prose.Grouped(uint64(elections)), all)
	_, err := io.WriteString(w, b.String())
	return err
}

// writeEquation writes the rows of one equation. For the largest n it shows every i.
func writeEquation(b *strings.Builder, n int, rows []experiment.Row, marks Marks) {
	e := rows[0].Equation
	printed := e.Printed
	if printed == "" {
		printed = "nothing"
	}
	fmt.Fprintf(b, "\n%s modbully/%s, %s: %s\n", marks.title(e.Name), e.Variant, e.Case,
		marks.holds(e.Verdict != experiment.Wrong, string(e.Verdict), string(e.Verdict)))
	fmt.Fprintf(b, "  paper %s, correct %s\n", printed, e.Formula)
	b.WriteString(prose.Wrapped(e.Why, "  ", marks.width()))
	table := [][]string{{"  N", "I", "PAPER", "CORRECT", "MEASURED"}}
	for len(rows) > 0 {
		end := 1
		// Show the largest n row by row, as far as counts differ, and smaller ones as ranges.
		for end < len(rows) && rows[end].N == rows[0].N &&
			(rows[0].N < n || sameCounts(&rows[end], &rows[0])) {
			end++
		}
		first, last := &rows[0], &rows[end-1]
		noticing := "all"
		if first.I > 0 {
			noticing = span(float64(first.I), float64(last.I))
		}
		table = append(table, []string{"  " + strconv.Itoa(first.N), noticing, span(first.Paper, last.Paper),
			span(first.Formula, last.Formula), span(first.Measured, last.Measured)})
		rows = rows[end:]
	}
	b.WriteString(aligned(table))
}

// sameCounts reports whether two rows differ in i only.
func sameCounts(r, s *experiment.Row) bool {
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

// WriteRedundancy writes the result of a Redundancy and its comparison with the paper, as text.
func WriteRedundancy(w io.Writer, r *experiment.Redundancy, all []experiment.Series, marks Marks) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n",
		marks.title("Redundant elections: figures 15 and 16 of the modified bully algorithm paper"))
	b.WriteString(prose.Wrapped(fmt.Sprintf("%s, %d leads and crashes, %s, seed %d; %s", prose.Plural(r.N, "process"),
		r.N,
		prose.Plural(r.Iterations, "iteration"), r.Seed, tiedInWords(r.N)), "", marks.width()))
	for i := 0; i < len(all); i += len(experiment.Methods()) {
		some := all[i : i+len(experiment.Methods())]
		fmt.Fprintf(&b, "\nmodel %s: %s\n", some[0].Model, some[0].Model.About())
		writeMethods(&b, some, marks.width())
	}
	b.WriteString("\n" +
		prose.Wrapped("STARTED is how many processes start an election of their own, SERVED how many "+
			"times the new coordinator announces itself to all, each on average, with the share of "+
			"iterations in which it "+
			"is more than one. MESSAGES are those sent from the crash on.", "", marks.width()))
	b.WriteString("\nWhat the paper claims, and what came out\n")
	var claims strings.Builder
	t := tabwriter.NewWriter(&claims, 0, 0, 2, ' ', 0)
	said := ""
	for _, c := range experiment.Claims(all) {
		if c.Says != said {
			said = c.Says
			fmt.Fprintf(t, "figure %d: %s\n", c.Figure, c.Says)
		}
		holds := marks.holds(c.Holds, "holds", "does not hold")
		fmt.Fprintf(t, "  model %s\t%s\t%s\t%s\n", c.Model, c.Method, holds, c.Found)
	}
	t.Flush()
	for line := range strings.Lines(claims.String()) {
		b.WriteString(prose.Row(line, marks.width()))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func tiedInWords(n int) string {
	if k := experiment.Tied(n); k > 0 {
		return fmt.Sprintf("%d have the same pending-convenience time", k)
	}
	return "too few for exactly equal pending-convenience times"
}

// writeMethods writes what came out under one model.
func writeMethods(b *strings.Builder, some []experiment.Series, width int) {
	table := [][]string{{"  METHOD", "STARTED", ">1", "SERVED", ">1", "MESSAGES"}}
	for i := range some {
		s := &some[i]
		table = append(table, []string{"  " + s.Method.String(), fmt.Sprintf("%.2f", s.MeanStarted()),
			experiment.Percent(s.ShareStarted()), fmt.Sprintf("%.2f", s.MeanServed()), experiment.Percent(s.ShareServed()),
			fmt.Sprintf("%.1f", s.MeanMessages())})
	}
	b.WriteString(aligned(table))
	if len(some[0].Trials) > experiment.MostShown {
		return
	}
	b.WriteString("\n  STARTED IN EACH ITERATION\n")
	table = nil
	for i := range some {
		row := []string{"  " + some[i].Method.String()}
		for _, trial := range some[i].Trials {
			row = append(row, strconv.Itoa(trial.Started))
		}
		table = append(table, row)
	}
	text := aligned(table)
	line, _, _ := strings.Cut(text, "\n")
	if utf8.RuneCountInString(line) <= width {
		b.WriteString(text)
		return
	}
	// The numbers of up to 20 iterations continue below if a terminal has no room for them.
	for _, row := range table {
		b.WriteString(prose.Hanging(row[0], strings.Join(row[1:], "  "), 4, width))
	}
}
