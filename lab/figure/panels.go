package figure

import (
	"math"
	"slices"

	"github.com/go-election/election/lab/svg"
)

// pers are what a measure may be divided by. Lines that run parallel on logarithmic axes differ by a factor.
// Divided so, they are level, and the factor can be read.
var pers = map[string]struct {
	name string
	of   func(n float64) float64
}{
	"n":    {"n", func(n float64) float64 { return n }},
	"nlog": {"(n log2 n)", func(n float64) float64 { return n * math.Log2(n) }},
}

// The measures of the panels, of which two stand side by side.
const (
	paneLeft   = 78.0
	paneGap    = 24.0
	paneWidth  = (plotWidth - paneLeft - paneGap - 16) / 2
	paneHeight = 170.0
	paneRow    = paneHeight + 76
)

// pane is one panel: a logarithmic axis of sizes, and a linear one from zero.
type pane struct {
	x, y        float64 // the corner at the top left
	left, right float64 // the sizes at the edges
	high, step  float64 // the number at the top, and between two lines
}

func (p *pane) px(n float64) float64 {
	return p.x + paneWidth*math.Log(n/p.left)/math.Log(p.right/p.left)
}

// py puts what is above the panel at its upper edge.
func (p *pane) py(v float64) float64 { return p.y + paneHeight*(1-min(v/p.high, 1)) }

// panels draws a panel for each algorithm, all on the same scale, below y. It returns where the text
// below begins.
func (c *Comparison) panels(d *drawing, graphs []graph, y float64) float64 {
	per := pers[c.Per].of
	for i := range graphs {
		g := &graphs[i]
		g.at = slices.Clone(g.at)
		for k := range g.at {
			at := &g.at[k]
			by := per(at.x)
			at.y, at.low, at.high = at.y/by, at.low/by, at.high/by
		}
		g.at = drawable(g.at)
	}
	measured := graphs[:c.algorithms()]
	whole := newPlot(measured, 0)
	p := pane{left: whole.left, right: whole.right, high: whole.high}
	p.step = roundDown(p.high / 3)
	p.high = math.Ceil(p.high/p.step) * p.step
	d.Text(20, y+4, plotLetter, "start", "", c.name()+", among n processes")
	y += plotLine + 8
	for k := range measured {
		p.x, p.y = paneLeft+float64(k%2)*(paneWidth+paneGap), y+float64(k/2)*paneRow+plotLine
		p.draw(d, c, graphs, k)
	}
	return y + paneRow*float64((len(measured)+1)/2) + 12
}

// draw draws the panel of algorithm k.
func (p *pane) draw(d *drawing, c *Comparison, graphs []graph, k int) {
	bottom := p.y + paneHeight
	for v := 0.0; v <= p.high*(1+1e-9); v += p.step {
		colour := svg.Faint
		if v == 0 {
			colour = svg.Ink
		}
		d.Line(p.x, p.py(v), p.x+paneWidth, p.py(v), 1, colour, "")
		if k%2 == 0 {
			d.Text(p.x-9, p.py(v)+6, plotLetter, "end", "", axisNumber(v))
		}
	}
	free := 0.0
	for _, n := range c.sizes() {
		text := axisNumber(float64(n))
		x, wide := p.px(float64(n)), plotLetter*svg.TextWidth(text, false)
		if x-wide/2 < free {
			continue
		}
		d.Line(x, bottom, x, bottom+5, 1, svg.Ink, "")
		d.Text(x, bottom+24, plotLetter, "middle", "", text)
		free = x + wide/2 + 6
	}
	own := slices.DeleteFunc(slices.Clone(graphs), func(g graph) bool { return g.colour != graphs[k].colour })
	d.bands(own, func(at dot) (x, y float64) { return p.px(at.x), p.py(at.y) })
	for i := range c.algorithms() {
		if i != k {
			other := graphs[i]
			other.colour, other.mark, other.dashes = svg.Mid, -1, ""
			d.graph(&other, p.px, p.py, bottom)
		}
	}
	for _, g := range slices.Backward(own) {
		// A form that leaves the panel would run along its edge.
		g.at = slices.DeleteFunc(slices.Clone(g.at), func(at dot) bool { return at.y > p.high })
		d.graph(&g, p.px, p.py, bottom)
	}
	d.mark(p.x+6, p.y-15, k, graphs[k].colour)
	d.Text(p.x+20, p.y-9, plotLetter, "start", bold, graphs[k].label)
}
