package figure

import (
	"cmp"
	"math"
	"slices"
	"strconv"

	"github.com/go-election/election/internal/prose"
	"github.com/go-election/election/lab/svg"
)

// plot maps numbers to places, by their logarithms.
type plot struct {
	left, right, low, high float64 // the numbers at the edges
	top, bottom, end       float64 // where it ends, at the right too
}

// newPlot makes room for graphs and for the names of those that were measured.
func newPlot(graphs []graph, top float64) *plot {
	count, longest := 0, 0.0
	for i := range graphs {
		if g := &graphs[i]; g.mark >= 0 {
			count++
			longest = max(longest, plotLetter*svg.TextWidth(g.label, true))
		}
	}
	p := &plot{left: math.Inf(1), low: math.Inf(1), top: top,
		bottom: top + max(leastHeight, plotLine*float64(count-1)), end: plotWidth - 12 - longest - labelMark}
	for _, g := range graphs {
		for _, d := range g.at {
			p.left, p.right = min(p.left, d.x), max(p.right, d.x)
			p.low, p.high = min(p.low, d.y), max(p.high, d.y, d.high)
			if d.low > 0 {
				p.low = min(p.low, d.low)
			}
		}
	}
	if p.right == 0 { // nothing to be drawn
		p.left, p.right, p.low, p.high = 1, 1, 1, 1
	}
	// A single size needs a width, or the scale would divide by zero.
	if p.left == p.right {
		p.left, p.right = p.left/2, p.right*2
	}
	margin := math.Pow(p.right/p.left, 0.03)
	p.left, p.right = p.left/margin, p.right*margin
	p.low, p.high = roundDown(p.low/1.05), 10/roundDown(10/(p.high*1.05))
	return p
}

// roundDown returns the largest of 1, 2, 5, 10, 20, 50, ... that is not above x; x may be a fraction.
func roundDown(x float64) float64 {
	// Log10 of a power of ten may be slightly too small, and would give the decade below.
	decade := math.Pow(10, math.Floor(math.Log10(x)+1e-9))
	for _, step := range []float64{5, 2} {
		if x >= step*decade*(1-1e-9) {
			return step * decade
		}
	}
	return decade
}

func (p *plot) x(v float64) float64 {
	return plotLeft + (p.end-plotLeft)*math.Log(v/p.left)/math.Log(p.right/p.left)
}

func (p *plot) y(v float64) float64 {
	return p.bottom - (p.bottom-p.top)*math.Log(v/p.low)/math.Log(p.high/p.low)
}

// ticks returns round numbers from low to high, not too many.
func ticks(low, high float64, most int) []float64 {
	for _, steps := range [][]float64{{1, 2, 5}, {1}} {
		if all := decades(low, high, steps, 1); len(all) <= most {
			return all
		}
	}
	every := 2
	for len(decades(low, high, []float64{1}, every)) > most {
		every++
	}
	return decades(low, high, []float64{1}, every)
}

func decades(low, high float64, steps []float64, every int) []float64 {
	var all []float64
	for e := int(math.Floor(math.Log10(low))); e <= int(math.Ceil(math.Log10(high))); e++ {
		if e%every != 0 {
			continue
		}
		for _, step := range steps {
			if v := step * math.Pow(10, float64(e)); v >= low*(1-1e-9) && v <= high*(1+1e-9) {
				all = append(all, v)
			}
		}
	}
	return all
}

// axes draws the frame, and the lines of round numbers. The sizes that were run stand below it, as far
// as they do not touch, or round numbers if they are many.
func (p *plot) axes(d *drawing, sizes []int) {
	for _, v := range ticks(p.low, p.high, 12) {
		y := p.y(v)
		d.Line(plotLeft, y, p.end, y, 1, svg.Faint, "")
		d.Line(plotLeft-5, y, plotLeft, y, 1, svg.Ink, "")
		d.Text(plotLeft-9, y+6, plotLetter, "end", "", axisNumber(v))
	}
	d.Line(plotLeft, p.bottom, p.end, p.bottom, 1, svg.Ink, "")
	d.Line(plotLeft, p.top, plotLeft, p.bottom, 1, svg.Ink, "")
	at := make([]float64, len(sizes))
	for i, n := range sizes {
		at[i] = float64(n)
	}
	if len(sizes) > 12 {
		at = ticks(p.left, p.right, 9)
	}
	free := 0.0
	for _, v := range at {
		if v < p.left || v > p.right { // nothing is drawn there
			continue
		}
		x, text := p.x(v), axisNumber(v)
		d.Line(x, p.bottom, x, p.bottom+5, 1, svg.Ink, "")
		wide := 0.56 * plotLetter * float64(len(text))
		// Leave out a number that would overlap the one before.
		if x-wide/2 < free {
			continue
		}
		d.Text(x, p.bottom+24, plotLetter, "middle", "", text)
		free = x + wide/2 + 4
	}
	d.Text((plotLeft+p.end)/2, p.bottom+50, plotLetter, "middle", "", "processes, n")
}

// axisNumber writes a round number, in few letters.
func axisNumber(v float64) string {
	if v < 1e6 {
		return prose.Approximate(v)
	}
	exponent := math.Floor(math.Log10(v) + 1e-9)
	text := "10^" + strconv.Itoa(int(exponent))
	if first := math.Round(10 * v / math.Pow(10, exponent)); first != 10 {
		text = strconv.FormatFloat(first/10, 'f', -1, 64) + "*" + text
	}
	return text
}

// graph draws one line: with points and bars if it was measured, with its formula if it is a closed form.
func (d *drawing) graph(g *graph, px, py func(v float64) float64, bottom float64) {
	points := make([]float64, 0, 2*len(g.at))
	for _, at := range g.at {
		points = append(points, px(at.x), py(at.y))
	}
	if len(points) < 4 && g.mark < 0 {
		return
	}
	about := g.label
	if g.formula != "" {
		about += ": " + g.formula
	}
	d.Group(about)
	defer d.Ungroup()
	if g.mark < 0 {
		d.Path(points, 1.5, g.colour, g.dashes)
		return
	}
	dense := len(g.at) > 40
	if len(g.at) > 1 {
		d.Path(points, 2.5, g.colour, "")
	}
	for i, at := range g.at {
		x := points[2*i]
		// With one trial, or with equal counts, the bar would be a dot behind the mark.
		if at.low < at.high {
			// A logarithmic axis has no zero.
			low := bottom
			if at.low > 0 {
				low = py(at.low)
			}
			d.Line(x, low, x, py(at.high), 1.5, g.colour, "")
			if !dense {
				d.Line(x-4, low, x+4, low, 1.5, g.colour, "")
				d.Line(x-4, py(at.high), x+4, py(at.high), 1.5, g.colour, "")
			}
		}
		if !dense {
			d.mark(x, points[2*i+1], g.mark, g.colour)
		}
	}
}

// mark draws a point with the shape of its algorithm.
func (d *drawing) mark(x, y float64, shape int, colour string) {
	const r = 5.5
	corners := [][]float64{
		{x, y - r, x + r, y, x, y + r, x - r, y},
		{x - r, y + r, x, y - r, x + r, y + r},
		{x - r, y - r, x, y + r, x + r, y - r},
	}
	switch shape {
	case 0:
		d.Circle(x, y, 5, colour, "", 0)
	case 1:
		d.Rect(x-4.5, y-4.5, 9, 9, colour)
	default:
		d.Polygon(corners[(shape-2)%len(corners)], colour, svg.Paper)
	}
}

// labels writes the names of what was measured to the right of where the lines end, apart from each other.
func (p *plot) labels(d *drawing, graphs []graph) {
	type label struct {
		*graph
		end, y float64
	}
	var all []label
	for i := range graphs {
		if g := &graphs[i]; len(g.at) > 0 && g.mark >= 0 {
			end := p.y(g.at[len(g.at)-1].y)
			all = append(all, label{g, end, end})
		}
	}
	slices.SortStableFunc(all, func(a, b label) int { return cmp.Compare(a.end, b.end) })
	for i := range all { // downwards, then back up from the bottom
		if i > 0 {
			all[i].y = max(all[i].y, all[i-1].y+plotLine)
		}
	}
	floor := p.bottom
	// Pushing labels down may have moved the last ones below the plot.
	for i := len(all) - 1; i >= 0; i-- {
		all[i].y = min(all[i].y, floor)
		floor = all[i].y - plotLine
	}
	left := p.end + labelMark - 34
	for _, l := range all {
		x := p.x(l.at[len(l.at)-1].x)
		d.Path([]float64{x + 7, l.end, p.end + 4, l.end, left - 6, l.y}, 1, svg.Mid, "")
		d.Path([]float64{left - 4, l.y, left + 26, l.y}, 2.5, l.colour, "")
		d.mark(left+11, l.y, l.mark, l.colour)
		d.Text(left+34, l.y+6, plotLetter, "start", bold, l.label)
	}
}
