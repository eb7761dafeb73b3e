package figure

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/go-election/election/lab/svg"
)

// The measures of the rows of algorithms that are compared among one number of processes.
const (
	rowHeight = 40.0
	rowBand   = 18.0
)

// rows draws a row for each algorithm below y, the least first, on one linear axis from zero, and returns where the text
// below begins.
func (c *Comparison) rows(d *drawing, graphs []graph, y float64) float64 {
	measured := slices.Clone(graphs[:c.algorithms()])
	slices.SortStableFunc(measured, func(a, b graph) int { return cmp.Compare(a.only().y, b.only().y) })
	by := 1.0
	if per := pers[c.Per].of; per != nil {
		by = per(float64(c.Cells[0].N))
	}
	left, high, edge := plotLeft, 0.0, 40.0
	number := func(v float64) string { return axisNumber(math.Round(10*v/by) / 10) }
	for _, g := range measured {
		edge = max(edge, 20+plotLetter*svg.TextWidth(number(g.only().y), false))
		left = max(left, 20+plotLetter*svg.TextWidth(g.label, true)+16)
		high = max(high, g.only().high/by, g.only().y/by)
	}
	if high == 0 {
		high = 1
	}
	step := roundDown(high / 3)
	if high/step > 6 {
		step *= 2
	}
	high = math.Ceil(high/step) * step
	right := plotWidth - edge
	x := func(v float64) float64 { return left + (right-left)*min(v/by/high, 1) }
	top, bottom := y+plotLine, y+plotLine+rowHeight*float64(len(measured))
	d.Text(20, y+4, plotLetter, "start", "", fmt.Sprintf("%s, among %d processes", c.name(), c.Cells[0].N))
	for v := 0.0; v <= high*(1+1e-9); v += step {
		at, colour := left+(right-left)*v/high, svg.Faint
		if v == 0 {
			colour = svg.Ink
		}
		d.Line(at, top, at, bottom, 1, colour, "")
		d.Text(at, bottom+24, plotLetter, "middle", "", axisNumber(v))
	}
	for i := range measured {
		g := &measured[i]
		middle := top + rowHeight*(float64(i)+0.5)
		d.forms(g, graphs, x, middle)
		d.Text(left-14, middle+6, plotLetter, "end", bold, g.label)
		if len(g.at) == 0 {
			continue
		}
		at := g.only()
		d.Group(fmt.Sprintf("%s: %s", g.label, axisNumber(math.Round(100*at.y/by)/100)))
		if at.low < at.high {
			d.Line(x(at.low), middle, x(at.high), middle, 2.5, g.colour, "")
			for _, v := range []float64{at.low, at.high} {
				d.Line(x(v), middle-5, x(v), middle+5, 2, g.colour, "")
			}
		}
		d.mark(x(at.y), middle, g.mark, g.colour)
		d.Text(x(max(at.y, at.high))+10, middle+6, plotLetter, "start", "", number(at.y))
		d.Ungroup()
	}
	return bottom + 62
}

// only returns the point of a graph that has one at most.
func (g *graph) only() (at dot) {
	if len(g.at) > 0 {
		at = g.at[0]
	}
	return at
}

// forms draws the closed forms of an algorithm behind its row: a band from the best to the worst case, and the mean.
func (d *drawing) forms(of *graph, graphs []graph, x func(float64) float64, middle float64) {
	form := func(name string) *graph {
		k := slices.IndexFunc(graphs, func(g graph) bool {
			return g.mark < 0 && g.colour == of.colour && g.form == name && len(g.at) > 0
		})
		if k < 0 {
			return nil
		}
		return &graphs[k]
	}
	if best, worst := form("best"), form("worst"); best != nil && worst != nil {
		from, to := x(best.at[0].y), x(worst.at[0].y)
		d.Group(best.label + ": " + best.formula + "; " + worst.label + ": " + worst.formula)
		d.Band([]float64{from, middle - rowBand/2, to, middle - rowBand/2, to, middle + rowBand/2, from, middle + rowBand/2},
			of.colour)
		d.Ungroup()
	}
	if mean := form("mean"); mean != nil {
		at := x(mean.at[0].y)
		d.Group(mean.label + ": " + mean.formula)
		d.Line(at, middle-rowBand/2, at, middle+rowBand/2, 2, of.colour, "3 2")
		d.Ungroup()
	}
}
