package main

import (
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/go-election/election"
	"github.com/go-election/election/cost"
	"github.com/go-election/election/lab/experiment"
)

// spread returns what --metric tells of a cell.
func (c *compare) spread(cell *experiment.Cell) experiment.Spread {
	switch c.metric {
	case "time":
		return cell.Time
	case "bits":
		return cell.Bits
	case "best":
		return always(cell.Best)
	case "mean":
		return always(cell.Mean)
	case "worst":
		return always(cell.Worst)
	}
	return cell.Messages
}

func always(x float64) experiment.Spread { return experiment.Spread{Mean: x, Min: x, Max: x} }

// least says in words what it is to take the least.
var least = map[string]string{
	"messages": "fewest messages", "time": "shortest time", "bits": "fewest bits",
	"best": "fewest messages in the best case", "mean": "fewest messages in the mean", "worst": "fewest messages in the worst case",
}

// stretch is a run of sizes at which the same algorithms take the least on average.
type stretch struct {
	first, last int
	names       []string
}

// String returns the sizes.
func (s stretch) String() string {
	if s.first == s.last {
		return grouped(uint64(s.first))
	}
	return grouped(uint64(s.first)) + " to " + grouped(uint64(s.last))
}

// who returns the algorithms.
func (s stretch) who() string {
	if len(s.names) == 0 {
		return "-"
	}
	return strings.Join(s.names, ", ")
}

// stretches returns who takes the least, over all sizes.
func (c *compare) stretches(cells []experiment.Cell) []stretch {
	var all []stretch
	for some := range slices.Chunk(cells, len(c.run.Algorithms)) {
		fewest := math.Inf(1)
		for i := range some {
			if x := c.spread(&some[i]).Mean; x < fewest { // not where nothing is known
				fewest = x
			}
		}
		s := stretch{first: some[0].N, last: some[0].N}
		for i := range some {
			if c.spread(&some[i]).Mean == fewest {
				s.names = append(s.names, some[i].Algorithm.Title())
			}
		}
		if n := len(all); n > 0 && slices.Equal(all[n-1].names, s.names) {
			all[n-1].last = s.last
		} else {
			all = append(all, s)
		}
	}
	return all
}

// about says in a line what was run.
func (c *compare) about() string {
	if c.run.FormsOnly {
		return "closed forms"
	}
	runs := "one election of each"
	if c.run.Seeds > 1 {
		runs = grouped(uint64(c.run.Seeds)) + " elections of each"
	}
	orders := map[experiment.Order]string{
		experiment.RandomOrder: "in random order", experiment.SortedOrder: "in rising order",
		experiment.BestOrder: "each in its best order", experiment.WorstOrder: "each in its worst order",
	}[c.run.Order]
	if c.file() {
		orders = "each process where the file has it"
	}
	starts := "everybody starts"
	if slices.ContainsFunc(c.run.Algorithms, func(a *election.Algorithm) bool { return a.SingleInitiator }) {
		starts = "everybody starts, or the one that may"
	}
	if c.starters != nil {
		starts = strings.ReplaceAll(c.initiators, ",", ", ") + " starts"
		if len(c.starters) > 1 {
			starts = strings.TrimSuffix(starts, "s")
		}
	}
	if c.down != nil {
		starts = strings.ReplaceAll(c.crashed, ",", ", ") + " down, " + starts
	}
	seeds := fmt.Sprintf("seed %d", c.run.Seed)
	if c.run.Seeds > 1 {
		seeds = fmt.Sprintf("seeds %d to %d", c.run.Seed, c.run.Seed+uint64(c.run.Seeds)-1)
	}
	parts := []string{runs, orders, starts}
	for _, s := range c.settings {
		parts = append(parts, s.name+" = "+s.value)
	}
	if c.topology != "" {
		parts = append(parts, "links "+c.topology)
	}
	if c.schedule != "unit" {
		parts = append(parts, c.schedule+" delays")
	}
	return strings.Join(append(parts, seeds), ", ")
}

// among tells the sizes.
func (c *compare) among() string {
	all := stretch{first: c.run.Sizes[0], last: c.run.Sizes[len(c.run.Sizes)-1]}
	if all.last == 1 {
		return "1 process"
	}
	return all.String() + " processes"
}

// text tells what came out, for people.
func (c *compare) text(a *app, cells []experiment.Cell) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n%s\n", a.paint(bold, "Elections among "+c.among()),
		wrapped(c.about(), "", 100))
	if !c.least {
		b.WriteString(aligned(c.rows(cells)))
		b.WriteString(`
MESSAGES, TIME (in units, until the last message has arrived) and BITS are means, FEWEST and MOST the
messages of the elections that took the fewest and the most.`)
		if slices.ContainsFunc(cells, func(cell experiment.Cell) bool { return !math.IsNaN(cell.Best + cell.Mean + cell.Worst) }) {
			b.WriteString(` The CASES are the messages of the closed
forms; after a ≤ it is a bound that need not be attained.`)
		}
		b.WriteString("\n\n")
	}
	onAverage := ""
	if slices.Contains(metrics, c.metric) && c.run.Seeds > 1 {
		onAverage = " on average"
	}
	fmt.Fprintf(&b, "Who takes the %s%s\n", least[c.metric], onAverage)
	all, wide := c.stretches(cells), 0
	for _, s := range all {
		wide = max(wide, len(s.String()))
	}
	for _, s := range all {
		fmt.Fprintf(&b, "  %-*s  %s\n", wide, s, s.who())
	}
	return b.String()
}

// rows is the table for people, its header first. A column in which nothing stands is left out.
func (c *compare) rows(cells []experiment.Cell) [][]string {
	rows := [][]string{{"ALGORITHM", "N", "MESSAGES", "FEWEST", "MOST", "BEST CASE", "MEAN CASE", "WORST CASE", "TIME", "BITS"}}
	for i := range cells {
		cell := &cells[i]
		a := cell.Algorithm
		rows = append(rows, []string{
			a.Title(), grouped(uint64(cell.N)),
			approximate(cell.Messages.Mean), approximate(cell.Messages.Min), approximate(cell.Messages.Max),
			bound(cell.Best, a.Best), bound(cell.Mean, a.Mean), bound(cell.Worst, a.Worst),
			approximate(cell.Time.Mean), approximate(cell.Bits.Mean),
		})
	}
	for column := len(rows[0]) - 1; column > 0; column-- {
		if slices.ContainsFunc(rows[1:], func(row []string) bool { return row[column] != "-" }) {
			continue
		}
		for i := range rows {
			rows[i] = slices.Delete(rows[i], column, column+1)
		}
	}
	return rows
}

// form returns the closed form that is told of an algorithm, an empty one where it is what was measured.
func (c *compare) form(a *election.Algorithm) cost.Bound {
	return map[string]cost.Bound{"best": a.Best, "mean": a.Mean, "worst": a.Worst}[c.metric]
}

// bound writes a count, or a dash where none is known.
func bound(count float64, b cost.Bound) string {
	switch {
	case math.IsNaN(count):
		return "-"
	case b.Loose:
		return "≤ " + approximate(count)
	}
	return approximate(count)
}

// aligned puts the first column to the left and all others to the right.
func aligned(rows [][]string) string {
	wide := make([]int, len(rows[0]))
	for _, row := range rows {
		for i, text := range row {
			wide[i] = max(wide[i], utf8.RuneCountInString(text))
		}
	}
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

// table is --metric in Markdown: a line for each size, a column for each algorithm.
func (c *compare) table(cells []experiment.Cell) string {
	var b strings.Builder
	if c.least {
		fmt.Fprintf(&b, "| n | %s |\n|---|---|\n", least[c.metric])
		for _, s := range c.stretches(cells) {
			fmt.Fprintf(&b, "| %v | %s |\n", s, s.who())
		}
		return b.String()
	}
	b.WriteString("| n |")
	for _, a := range c.run.Algorithms {
		fmt.Fprintf(&b, " `%s` |", a.Title())
	}
	fmt.Fprintf(&b, "\n|--:|%s\n", strings.Repeat("--:|", len(c.run.Algorithms)))
	for some := range slices.Chunk(cells, len(c.run.Algorithms)) {
		fmt.Fprintf(&b, "| %s |", grouped(uint64(some[0].N)))
		for i := range some {
			s := c.spread(&some[i])
			fmt.Fprintf(&b, " %s", bound(s.Mean, c.form(some[i].Algorithm)))
			if s.Min < s.Max {
				fmt.Fprintf(&b, " (%s to %s)", approximate(s.Min), approximate(s.Max))
			}
			b.WriteString(" |")
		}
		b.WriteString("\n")
	}
	return b.String()
}

// writeCSV writes a line for each cell. What is not known is empty.
func (c *compare) writeCSV(w io.Writer, cells []experiment.Cell) error {
	out := csv.NewWriter(w)
	header := []string{"algorithm", "variant", "links", "n", "seeds"}
	for _, metric := range metrics {
		header = append(header, metric+"_mean", metric+"_min", metric+"_max")
	}
	lines := [][]string{append(header, "best", "mean", "worst")}
	for i := range cells {
		cell := &cells[i]
		line := []string{cell.Algorithm.Name, cell.Algorithm.Variant, cell.Links, strconv.Itoa(cell.N), strconv.Itoa(c.run.Seeds)}
		for _, s := range []experiment.Spread{cell.Messages, cell.Time, cell.Bits} {
			line = append(line, plain(s.Mean), plain(s.Min), plain(s.Max))
		}
		lines = append(lines, append(line, plain(cell.Best), plain(cell.Mean), plain(cell.Worst)))
	}
	return out.WriteAll(lines) // a writer that fails is told by run
}

// plain writes a number for machines.
func plain(x float64) string {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return ""
	}
	return strconv.FormatFloat(x, 'f', -1, 64)
}

// compareJSON is the JSON form of a comparison.
type compareJSON struct {
	Order    experiment.Order `json:"order"`
	Schedule string           `json:"schedule"`
	Seeds    int              `json:"seeds"`
	Seed     string           `json:"seed"` // as text, for readers that keep 53 bits only
	Cells    []cellJSON       `json:"cells"`
	Least    []leastJSON      `json:"least"`
}

// cellJSON is one algorithm among n processes; what no closed form is known for is null.
type cellJSON struct {
	Algorithm string     `json:"algorithm"`
	Variant   string     `json:"variant"`
	Links     string     `json:"links"`
	N         int        `json:"n"`
	Messages  spreadJSON `json:"messages"`
	Time      spreadJSON `json:"time"`
	Bits      spreadJSON `json:"bits"`
	Best      *float64   `json:"best"`
	Mean      *float64   `json:"mean"`
	Worst     *float64   `json:"worst"`
}

type spreadJSON struct {
	Mean float64 `json:"mean"`
	Min  float64 `json:"min"`
	Max  float64 `json:"max"`
}

// leastJSON says which algorithms take the least of a metric on average, from one size to another.
type leastJSON struct {
	Metric     string   `json:"metric"`
	First      int      `json:"first"`
	Last       int      `json:"last"`
	Algorithms []string `json:"algorithms"`
}

func (c *compare) object(cells []experiment.Cell) compareJSON {
	o := compareJSON{Order: c.run.Order, Schedule: c.schedule, Seeds: c.run.Seeds, Seed: strconv.FormatUint(c.run.Seed, 10)}
	if c.file() {
		o.Order = "file"
	}
	for i := range cells {
		cell := &cells[i]
		o.Cells = append(o.Cells, cellJSON{
			Algorithm: cell.Algorithm.Name, Variant: cell.Algorithm.Variant, Links: cell.Links, N: cell.N,
			Messages: spreadJSON(cell.Messages), Time: spreadJSON(cell.Time), Bits: spreadJSON(cell.Bits),
			Best: known(cell.Best), Mean: known(cell.Mean), Worst: known(cell.Worst),
		})
	}
	for _, metric := range metrics {
		view := *c
		view.metric = metric
		for _, s := range view.stretches(cells) {
			o.Least = append(o.Least, leastJSON{metric, s.first, s.last, s.names})
		}
	}
	return o
}

// known returns nil for what JSON has no number for.
func known(x float64) *float64 {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return nil
	}
	return &x
}
