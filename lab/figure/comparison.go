package figure

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/go-election/election"
	"github.com/go-election/election/cost"
	"github.com/go-election/election/internal/prose"
	"github.com/go-election/election/lab/experiment"
	"github.com/go-election/election/lab/svg"
)

// The measures of a figure of a comparison, which is legible at half its size.
const (
	plotWidth   = 800.0 // of the sheet
	plotLeft    = 100.0
	plotRight   = 566.0
	plotTop     = 92.0
	leastHeight = 380.0 // between the axes
	labelGap    = 20.0  // between two names
	labelLeft   = plotRight + 26
)

// MostAlgorithms is how many algorithms one figure can show.
const MostAlgorithms = 7

// colours are one for each algorithm: those of Okabe and Ito, which all can distinguish, without the yellow,
// which is too light for a line on white.
var colours = [MostAlgorithms]string{
	svg.Blue, svg.Orange, svg.Green, svg.Pink, svg.Black, svg.Amber, svg.Sky,
}

// dashes are one for each closed form.
var dashes = map[string]string{"best": "1.5 5", "mean": "7 4", "worst": "12 4 2 4", "always": "7 4"}

// graph is one line of a figure: what was measured, or a closed form.
type graph struct {
	label, colour, dashes string
	mark                  int // which shape its points have; -1 for a closed form
	at                    []dot
}

// dot is a point of a graph, with the least and the most there.
type dot struct{ x, y, low, high float64 }

// Comparison is what a figure shows of the cells of an [experiment.Comparison].
type Comparison struct {
	Cells []experiment.Cell
	By    experiment.Measure // one that is measured: messages, time or bits
	About string             // what was run, in a line below the title
	Seeds int                // how many trials each Cell has
}

// Draw draws the measure over the number of processes, both axes logarithmic. The closed forms stand in the
// figure of messages.
func (c *Comparison) Draw() string {
	graphs := c.graphs()
	p := newPlot(graphs)
	d := &drawing{}
	title := map[experiment.Measure]string{
		experiment.ByMessages: "Messages of an election", experiment.ByTime: "How long an election takes",
		experiment.ByBits: "Bits of an election",
	}[c.By]
	height := p.bottom + 106
	d.Text(20, 34, titleLetter, "start", bold, title)
	y := 58.0
	for line := range strings.Lines(prose.Wrapped(c.About, "", 96)) {
		d.Text(20, y, letter, "start", "", strings.TrimSpace(line))
		y += 19
	}
	var sizes []int
	for i := 0; i < len(c.Cells); i += c.algorithms() {
		sizes = append(sizes, c.Cells[i].N)
	}
	name := string(c.By)
	if c.By == experiment.ByTime {
		name = "time, in units"
	}
	p.axes(d, sizes, name)
	for _, g := range slices.Backward(graphs) { // what was measured lies above the forms, the first above all
		p.graph(d, &g)
	}
	p.labels(d, graphs)
	for i, line := range c.caption(graphs) {
		d.Text(20, p.bottom+76+18*float64(i), letter, "start", "", line)
	}
	return d.Document(plotWidth, height, title, c.About)
}

// caption says what the signs mean.
func (c *Comparison) caption(graphs []graph) []string {
	text := []string{"Points: one election each."}
	if c.Seeds > 1 {
		text[0] = "Points: the mean; bars: from the least to the most."
	}
	if slices.ContainsFunc(graphs, func(g graph) bool { return g.mark < 0 }) {
		text = append(text, "Broken lines: the closed forms; after ≤ a bound that need not be attained.")
	}
	return text
}

// algorithms returns how many algorithms there are: those of the first size.
func (c *Comparison) algorithms() int {
	other := slices.IndexFunc(c.Cells, func(cell experiment.Cell) bool { return cell.N != c.Cells[0].N })
	if other < 0 {
		return len(c.Cells)
	}
	return other
}

// graphs returns what was measured, a line for each algorithm, and then the closed forms.
func (c *Comparison) graphs() []graph {
	var measured, forms []graph
	per := c.algorithms()
	for k := range per {
		g := graph{label: c.Cells[k].Algorithm.Title(), colour: colours[k], mark: k}
		for i := k; i < len(c.Cells); i += per {
			s := c.By.Of(&c.Cells[i])
			g.at = append(g.at, dot{float64(c.Cells[i].N), s.Mean, s.Min, s.Max})
		}
		g.at = drawable(g.at)
		measured = append(measured, g)
		if c.By == experiment.ByMessages {
			forms = append(forms, c.closedForms(k)...)
		}
	}
	return append(measured, forms...)
}

// closedForms returns the lines of algorithm k, where these hold.
func (c *Comparison) closedForms(k int) []graph {
	cells, per := c.Cells, c.algorithms()
	first, last := &cells[k], &cells[len(cells)-per+k]
	a, name := first.Algorithm, first.Algorithm.Name
	if slices.ContainsFunc(cells[:per], func(other experiment.Cell) bool {
		return other.Algorithm.Name == name && other.Algorithm.Variant != a.Variant
	}) {
		name = a.Variant
	}
	var tried, between []size
	for i := k; i < len(cells); i += per {
		tried = append(tried, size{cells[i].N, cells[i].Ports})
	}
	for _, n := range sizesFrom(first.N, last.N) {
		between = append(between, size{n: n})
	}
	var forms []graph
	for _, b := range []struct {
		name string
		*cost.Bound
		at float64
	}{{"best", &a.Best, first.Best}, {"mean", &a.Mean, first.Mean}, {"worst", &a.Worst, first.Worst}} {
		if math.IsNaN(b.at) {
			continue
		}
		g := graph{label: name + " " + b.name, colour: colours[k], dashes: dashes[b.name], mark: -1}
		if b.Loose {
			g.label += " ≤"
		}
		at := between
		// Not every size can be had, or its number of ports is not known.
		if b.Count == nil || a.Topology == election.Hypercube || len(between) < 3 {
			at = tried
		}
		for _, s := range at {
			count := b.At(s.n, s.ports)
			g.at = append(g.at, dot{float64(s.n), count, count, count})
		}
		if g.at = drawable(g.at); len(forms) > 0 && slices.Equal(forms[len(forms)-1].at, g.at) {
			same := &forms[len(forms)-1]
			same.label, same.dashes = name+" always", dashes["always"]
			continue
		}
		forms = append(forms, g)
	}
	return forms
}

// size is how many processes there are, and how many ports they have.
type size struct{ n, ports int }

// drawable leaves out what has no place on logarithmic axes.
func drawable(at []dot) []dot {
	return slices.DeleteFunc(at, func(d dot) bool {
		return d.y <= 0 || math.IsInf(d.y, 0) ||
			math.IsNaN(d.y)
	})
}

// sizesFrom returns the whole numbers between two, or some of them if they are many, evenly by their
// logarithm.
func sizesFrom(first, last int) []int {
	var some []int
	for x := float64(first); x < float64(last); x = max(x+1, math.Round(x*1.02)) {
		some = append(some, int(x))
	}
	return append(some, last)
}

// plot maps numbers to places, by their logarithms.
type plot struct {
	left, right, low, high float64 // the numbers at the edges
	bottom                 float64
}

// newPlot makes room for graphs and their names.
func newPlot(graphs []graph) *plot {
	height := max(leastHeight, labelGap*float64(len(graphs)-1))
	p := &plot{left: math.Inf(1), low: math.Inf(1), bottom: plotTop + height}
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
	return plotLeft + (plotRight-plotLeft)*math.Log(v/p.left)/math.Log(p.right/p.left)
}

func (p *plot) y(v float64) float64 {
	return p.bottom - (p.bottom-plotTop)*math.Log(v/p.low)/math.Log(p.high/p.low)
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
func (p *plot) axes(d *drawing, sizes []int, name string) {
	for _, v := range ticks(p.low, p.high, 12) {
		y := p.y(v)
		d.Line(plotLeft, y, plotRight, y, 1, svg.Faint, "")
		d.Line(plotLeft-5, y, plotLeft, y, 1, svg.Ink, "")
		d.Text(plotLeft-9, y+5, letter, "end", "", axisNumber(v))
	}
	d.Line(plotLeft, p.bottom, plotRight, p.bottom, 1, svg.Ink, "")
	d.Line(plotLeft, plotTop, plotLeft, p.bottom, 1, svg.Ink, "")
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
		wide := 0.56 * letter * float64(len(text))
		// Leave out a number that would overlap the one before.
		if x-wide/2 < free {
			continue
		}
		d.Text(x, p.bottom+21, letter, "middle", "", text)
		free = x + wide/2 + 4
	}
	d.Text((plotLeft+plotRight)/2, p.bottom+45, letter, "middle", "", "processes, n")
	d.Upwards(24, (plotTop+p.bottom)/2, letter, name)
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

// graph draws one line: with points and bars if it was measured.
func (p *plot) graph(d *drawing, g *graph) {
	points := make([]float64, 0, 2*len(g.at))
	for _, at := range g.at {
		points = append(points, p.x(at.x), p.y(at.y))
	}
	if g.mark < 0 {
		if len(g.at) > 1 {
			d.Path(points, 1.5, g.colour, g.dashes)
		}
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
			// The axis is logarithmic and has no zero.
			low := p.bottom
			if at.low > 0 {
				low = p.y(at.low)
			}
			d.Line(x, low, x, p.y(at.high), 1.5, g.colour, "")
			if !dense {
				d.Line(x-4, low, x+4, low, 1.5, g.colour, "")
				d.Line(x-4, p.y(at.high), x+4, p.y(at.high), 1.5, g.colour, "")
			}
		}
		if !dense {
			d.mark(x, points[2*i+1], g.mark, g.colour)
		}
	}
}

// mark draws a point whose shape is that of its algorithm, too.
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

// labels writes the names to the right of where the lines end, apart from each other.
func (p *plot) labels(d *drawing, graphs []graph) {
	type label struct {
		*graph
		end, y float64
	}
	var all []label
	for i := range graphs {
		if g := &graphs[i]; len(g.at) > 0 {
			end := p.y(g.at[len(g.at)-1].y)
			all = append(all, label{g, end, end})
		}
	}
	slices.SortStableFunc(all, func(a, b label) int { return cmp.Compare(a.end, b.end) })
	for i := range all { // downwards, then back up from the bottom
		if i > 0 {
			all[i].y = max(all[i].y, all[i-1].y+labelGap)
		}
	}
	floor := p.bottom
	// Pushing labels down may have moved the last ones below the plot.
	for i := len(all) - 1; i >= 0; i-- {
		all[i].y = min(all[i].y, floor)
		floor = all[i].y - labelGap
	}
	for _, l := range all {
		x := p.x(l.at[len(l.at)-1].x)
		d.Path([]float64{x + 7, l.end, plotRight + 4, l.end, labelLeft - 6, l.y}, 1, svg.Mid, "")
		if l.mark < 0 {
			d.Path([]float64{labelLeft - 4, l.y, labelLeft + 26, l.y}, 2, l.colour, l.dashes)
			d.Text(labelLeft+34, l.y+5, letter, "start", "", l.label)
			continue
		}
		d.Path([]float64{labelLeft - 4, l.y, labelLeft + 26, l.y}, 2.5, l.colour, "")
		d.mark(labelLeft+11, l.y, l.mark, l.colour)
		d.Text(labelLeft+34, l.y+5, letter, "start", bold, l.label)
	}
}
