package figure

import (
	"fmt"
	"math"
	"slices"

	"github.com/go-election/election"
	"github.com/go-election/election/cost"
	"github.com/go-election/election/lab/experiment"
	"github.com/go-election/election/lab/svg"
)

// The measures of a figure of a comparison. On a screen of 390 pixels its letters have 11.
const (
	plotWidth   = 640.0 // of the sheet
	plotLetter  = 18.1
	plotLine    = 23.0 // from one line of text to the next
	plotLeft    = 98.0
	leastHeight = 340.0 // between the axes
	labelMark   = 60.0  // the sign before a name, with the line that leads there
)

// MostAlgorithms is how many algorithms one figure can show.
const MostAlgorithms = 7

// colours are one for each algorithm: the colors of Okabe and Ito, which all can distinguish, without the yellow,
// which is too light for a line on white.
var colours = [MostAlgorithms]string{
	svg.Blue, svg.Orange, svg.Green, svg.Pink, svg.Black, svg.Amber, svg.Sky,
}

// dashes are one for each closed form.
var dashes = map[string]string{"best": "1.5 5", "mean": "7 4", "worst": "12 4 2 4", "always": "7 4"}

// graph is one line of a figure: what was measured, or a closed form.
type graph struct {
	label, colour, dashes string
	form, formula         string // of a closed form: "best", "3n - 1"
	mark                  int    // which shape its points have; -1 for a closed form
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
	Per   string             // what the measure is divided by: "n", or "nlog" for n log n; else by nothing
}

// Draw draws the measure over the number of processes, both axes logarithmic. In the figure of messages
// a band reaches from the best to the worst case. With Per each algorithm has a panel of its own.
func (c *Comparison) Draw() string {
	graphs := c.graphs()
	d := &drawing{}
	title := c.title(graphs)
	y := d.paragraph(d.title(title), c.About)
	switch {
	case len(c.sizes()) == 1 && (pers[c.Per].of == nil || c.Cells[0].N > 1): // the logarithm of 1 is zero
		y = c.rows(d, graphs, y)
	case pers[c.Per].of != nil:
		y = c.panels(d, graphs, y)
	default:
		y = c.plot(d, graphs, y)
	}
	y = d.paragraph(y, c.caption(graphs))
	return d.Document(plotWidth, y, title, c.About)
}

// title names the algorithm that takes the least among the most processes. If there is no single one, it names
// what is measured.
func (c *Comparison) title(graphs []graph) string {
	n := c.Cells[len(c.Cells)-1].N
	ends := make(map[string]float64)
	for _, g := range graphs[:c.algorithms()] {
		if last := len(g.at) - 1; last >= 0 && g.at[last].x == float64(n) {
			ends[g.label] = g.at[last].y
		}
	}
	least := ""
	for _, g := range graphs[:c.algorithms()] {
		if y, ok := ends[g.label]; ok && (least == "" || y < ends[least]) {
			least = g.label
		}
	}
	for label, y := range ends {
		if label != least && y == ends[least] {
			ends = nil // several take the least
		}
	}
	if len(ends) < 2 {
		return map[experiment.Measure]string{
			experiment.ByMessages: "Messages of an election", experiment.ByTime: "How long an election takes",
			experiment.ByBits: "Bits of an election",
		}[c.By]
	}
	return fmt.Sprintf("%s takes the %s among %d processes", least, c.By.Least(), n)
}

// title writes what a figure shows at its top, and returns where more can stand.
func (d *drawing) title(text string) (y float64) {
	return d.Paragraph(20, 34, titleLetter, titleLetter*1.27, plotWidth-40, bold, text)
}

// paragraph writes lines from y on, and returns where the next would stand.
func (d *drawing) paragraph(y float64, text string) float64 {
	return d.Paragraph(20, y, plotLetter, plotLine, plotWidth-40, "", text)
}

// name returns what the vertical axis shows.
func (c *Comparison) name() string {
	name := string(c.By)
	if c.By == experiment.ByTime {
		name = "time, in units"
	}
	if pers[c.Per].of != nil {
		name += " / " + pers[c.Per].name
	}
	return name
}

// sizes returns the numbers of processes.
func (c *Comparison) sizes() (sizes []int) {
	for i := 0; i < len(c.Cells); i += c.algorithms() {
		sizes = append(sizes, c.Cells[i].N)
	}
	return sizes
}

// plot draws one plot of all, below y, and returns where the text below it begins.
func (c *Comparison) plot(d *drawing, graphs []graph, y float64) float64 {
	d.Text(20, y+4, plotLetter, "start", "", c.name())
	p := newPlot(graphs, y+plotLine)
	p.axes(d, c.sizes())
	d.bands(graphs, func(at dot) (x, y float64) { return p.x(at.x), p.y(at.y) })
	for i, g := range slices.Backward(graphs) { // what was measured lies above the forms, the first above all
		if !banded(graphs, i) {
			d.graph(&g, p.x, p.y, p.bottom)
		}
	}
	p.labels(d, graphs)
	return p.bottom + 80
}

// ends returns the place of the other end of the band that graph i, a best case, begins; -1 if there is none.
func ends(graphs []graph, i int) int {
	best := &graphs[i]
	if best.form != "best" || len(best.at) < 2 {
		return -1
	}
	return slices.IndexFunc(graphs, func(g graph) bool {
		return g.colour == best.colour &&
			g.form == "worst"
	})
}

// banded reports whether a graph is the edge of a band.
func banded(graphs []graph, i int) bool {
	for k := range graphs {
		if end := ends(graphs, k); end >= 0 && (i == k || i == end) {
			return true
		}
	}
	return false
}

// bands fills what is between the best and the worst case of each algorithm.
func (d *drawing) bands(graphs []graph, place func(at dot) (x, y float64)) {
	for i := range graphs {
		end := ends(graphs, i)
		if end < 0 {
			continue
		}
		best, worst, points := &graphs[i], &graphs[end], []float64{}
		for _, at := range best.at {
			x, y := place(at)
			points = append(points, x, y)
		}
		for _, at := range slices.Backward(worst.at) {
			x, y := place(at)
			points = append(points, x, y)
		}
		d.Group(best.label + ": " + best.formula + "; " + worst.label + ": " + worst.formula)
		d.Band(points, best.colour)
		d.Ungroup()
	}
}

// caption explains the signs.
func (c *Comparison) caption(graphs []graph) string {
	text := "Points: one election each."
	if c.Seeds > 1 {
		text = "Points: the mean; bars: from the least to the most."
	}
	if len(c.sizes()) == 1 {
		if slices.ContainsFunc(graphs, func(g graph) bool { return g.form == "worst" }) {
			text += " Bands: from the best to the worst case; upright: the mean case."
		}
		return text
	}
	if slices.ContainsFunc(graphs, func(g graph) bool { return g.mark < 0 }) {
		text += " Bands: from the best to the worst case; dashed: the mean case."
	}
	if pers[c.Per].of != nil {
		text += " Grey: the other algorithms."
	}
	return text
}

// algorithms returns how many algorithms there are.
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

// closedForms returns the lines of the closed forms of algorithm k, if these hold.
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
		g := graph{label: name + " " + b.name, colour: colours[k], dashes: dashes[b.name], mark: -1,
			form:    b.name,
			formula: b.Formula}
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
			same.label, same.dashes, same.form = name+" always", dashes["always"], "always"
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
