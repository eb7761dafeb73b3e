package report

import (
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/go-election/election/cost"
	"github.com/go-election/election/internal/prose"
	"github.com/go-election/election/lab/experiment"
)

// WriteComparison writes cells as a table for people, a line each, and a legend of this width. A column in
// which nothing stands is left out. Columns for which the width has no room stand in further tables below.
func WriteComparison(w io.Writer, cells []experiment.Cell, width int) error {
	rows := [][]string{{
		"ALGORITHM", "N", "MESSAGES", "FEWEST", "MOST", "BEST", "MEAN", "WORST", "TIME", "BITS",
	}}
	for i := range cells {
		c := &cells[i]
		a := c.Algorithm
		rows = append(rows, []string{
			a.Title(), prose.Grouped(uint64(c.N)),
			prose.Approximate(c.Messages.Mean), prose.Approximate(c.Messages.Min),
			prose.Approximate(c.Messages.Max),
			bound(c.Best, a.Best), bound(c.Mean, a.Mean), bound(c.Worst, a.Worst),
			prose.Approximate(c.Time.Mean), prose.Approximate(c.Bits.Mean),
		})
	}
	// From the right, since deleting a column renumbers those behind it.
	for column := len(rows[0]) - 1; column > 0; column-- {
		if slices.ContainsFunc(rows[1:], func(row []string) bool { return row[column] != "-" }) {
			continue
		}
		for i := range rows {
			rows[i] = slices.Delete(rows[i], column, column+1)
		}
	}
	legend := "MESSAGES, TIME (in units, until the last message has arrived) and BITS are means, FEWEST " +
		"and MOST " +
		"the messages of the elections that took the fewest and the most."
	if slices.ContainsFunc(cells, func(c experiment.Cell) bool { return !math.IsNaN(c.Best + c.Mean + c.Worst) }) {
		legend += " BEST, MEAN and WORST are the messages of the closed forms; after a ≤ it is a bound " +
			"that need not be attained."
	}
	_, err := fmt.Fprintf(w, "%s\n%s\n", strings.Join(fitting(rows, 2, width), "\n"),
		prose.Wrapped(legend, "", width))
	return err
}

// WriteStretches writes which algorithms take the least of a measure, over all sizes. several is true if each
// number is a mean of several elections.
func WriteStretches(w io.Writer, cells []experiment.Cell, by experiment.Measure, several bool) error {
	var b strings.Builder
	onAverage := ""
	if several && slices.Contains(experiment.Measured(), by) {
		onAverage = " on average"
	}
	fmt.Fprintf(&b, "Which takes the %s%s\n", by.Least(), onAverage)
	all, wide := experiment.Stretches(cells, by), 0
	for _, s := range all {
		wide = max(wide, len(s.String()))
	}
	for _, s := range all {
		fmt.Fprintf(&b, "  %-*s  %s\n", wide, s, s.Names())
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// bound writes a count, or a dash if none is known.
func bound(count float64, b cost.Bound) string {
	switch {
	case math.IsNaN(count):
		return "-"
	case b.Loose:
		return "≤ " + prose.Approximate(count)
	}
	return prose.Approximate(count)
}

// fitting lays out rows as one table, or as several if one would be wider than width. Each of them
// begins with the first keys columns, which name the line, and has at least one more.
func fitting(rows [][]string, keys, width int) []string {
	wide := widths(rows)
	begin := 0
	for _, w := range wide[:keys] {
		begin += w + 2
	}
	var tables []string
	for from := keys; from < len(wide); {
		to, length := from+1, begin+wide[from]
		for to < len(wide) && length+2+wide[to] <= width {
			length += 2 + wide[to]
			to++
		}
		some := make([][]string, len(rows))
		for i, row := range rows {
			some[i] = slices.Concat(row[:keys], row[from:to])
		}
		tables = append(tables, aligned(some))
		from = to
	}
	return tables
}

// widths returns how wide each column is.
func widths(rows [][]string) []int {
	wide := make([]int, len(rows[0]))
	for _, row := range rows {
		for i, text := range row {
			wide[i] = max(wide[i], utf8.RuneCountInString(text))
		}
	}
	return wide
}

// aligned puts the first column to the left and all others to the right.
func aligned(rows [][]string) string {
	wide := widths(rows)
	var b strings.Builder
	for _, row := range rows {
		fmt.Fprintf(&b, "%-*s", wide[0], row[0])
		for i, text := range row[1:] {
			fmt.Fprintf(&b, "  %*s", wide[i+1], text)
		}
		b.WriteString("\n")
	}
	return b.String()
}

// WriteMarkdown writes a measure as a table in Markdown: a line for each size, a column for each algorithm.
func WriteMarkdown(w io.Writer, cells []experiment.Cell, by experiment.Measure) error {
	var b strings.Builder
	for some := range experiment.BySize(cells) {
		if b.Len() == 0 {
			b.WriteString("| n |")
			for i := range some {
				fmt.Fprintf(&b, " `%s` |", some[i].Algorithm.Title())
			}
			fmt.Fprintf(&b, "\n|--:|%s\n", strings.Repeat("--:|", len(some)))
		}
		fmt.Fprintf(&b, "| %s |", prose.Grouped(uint64(some[0].N)))
		for i := range some {
			s := by.Of(&some[i])
			fmt.Fprintf(&b, " %s", bound(s.Mean, by.Form(&some[i])))
			if s.Min < s.Max {
				fmt.Fprintf(&b, " (%s to %s)", prose.Approximate(s.Min), prose.Approximate(s.Max))
			}
			b.WriteString(" |")
		}
		b.WriteString("\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// WriteLeast writes as a table in Markdown which algorithms take the least of a measure.
func WriteLeast(w io.Writer, cells []experiment.Cell, by experiment.Measure) error {
	var b strings.Builder
	fmt.Fprintf(&b, "| n | %s |\n|---|---|\n", by.Least())
	for _, s := range experiment.Stretches(cells, by) {
		fmt.Fprintf(&b, "| %v | %s |\n", s, s.Names())
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// WriteCSV writes a line for each Cell, with its number of trials. What is not known is empty.
func WriteCSV(w io.Writer, cells []experiment.Cell, seeds int) error {
	header := []string{"algorithm", "variant", "links", "n", "seeds"}
	for _, m := range experiment.Measured() {
		header = append(header, string(m)+"_mean", string(m)+"_min", string(m)+"_max")
	}
	lines := [][]string{append(header, "best", "mean", "worst")}
	for i := range cells {
		c := &cells[i]
		line := []string{c.Algorithm.Name, c.Algorithm.Variant, c.Links, strconv.Itoa(c.N),
			strconv.Itoa(seeds)}
		for _, s := range []experiment.Spread{c.Messages, c.Time, c.Bits} {
			line = append(line, plain(s.Mean), plain(s.Min), plain(s.Max))
		}
		lines = append(lines, append(line, plain(c.Best), plain(c.Mean), plain(c.Worst)))
	}
	return csv.NewWriter(w).WriteAll(lines)
}

// plain writes a number for machines.
func plain(x float64) string {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return ""
	}
	return strconv.FormatFloat(x, 'f', -1, 64)
}
