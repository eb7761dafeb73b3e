package figure

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/go-election/election/internal/prose"
	"github.com/go-election/election/lab/experiment"
	"github.com/go-election/election/lab/svg"
)

// The measures of a figure, as wide as a comparison. Panels stand one below another.
const (
	panelLeft   = 92.0
	panelWidth  = plotWidth - panelLeft - 20
	panelHeight = 200.0
	titleLetter = 22.0
)

// curve is what one colour of a panel shows: a number for each iteration.
type curve struct {
	name, label, colour string
	values              []int
}

// panel is one of the figures of the paper, under one model.
type panel struct {
	title, axis string
	curves      []curve
}

// figures15and16 makes the two panels of a model. The colors are of Okabe and Ito, which all
// can distinguish.
func figures15and16(some []experiment.Series, n int) (left, right panel) {
	left = panel{title: "Each waits before it starts (figure 15 of the paper)", axis: "processes that start an election"}
	right = panel{title: "Only the first election is served (figure 16)", axis: "processes that start, or elections served"}
	started := func(t *experiment.Trial) int { return t.Started }
	served := func(t *experiment.Trial) int { return t.Served }
	for i := range some {
		s := &some[i]
		switch m := s.Method; {
		case m.Variant == "base":
			left.add(s, "base", "modified bully, no wait", svg.Black, started)
			right.add(s, "base", "each one that starts is served", svg.Black, started)
		case m.Variant == "number":
			right.add(s, "starts", "with number, processes that start", svg.Orange, started)
			right.add(s, "served", "with number, elections that are served", svg.Pink, served)
		case m.Wait == "paper":
			left.add(s, "paper", "all wait the same maximum", svg.Amber, started)
		case m.Ties == experiment.TiedAtMaximum:
			left.add(s, "own (max)", "own waits"+tiedLabel(n, " tied at the maximum"), svg.Sky, started)
		case m.Ties == experiment.TiedAnywhere:
			left.add(s, "own (any)", "own waits"+tiedLabel(n, " tied anywhere"), svg.Blue, started)
		default:
			left.add(s, "rank", "a slot by rank", svg.Green, started)
		}
	}
	return left, right
}

func tiedLabel(n int, how string) string {
	if k := experiment.Tied(n); k > 0 {
		return fmt.Sprintf(", %d%s", k, how)
	}
	return ", none tied"
}

func (p *panel) add(s *experiment.Series, name, label, colour string, of func(*experiment.Trial) int) {
	c := curve{name: name, label: name + ": " + label, colour: colour}
	for i := range s.Trials {
		c.values = append(c.values, of(&s.Trials[i]))
	}
	p.curves = append(p.curves, c)
}

// Redundancy draws figures 15 and 16 of the paper under each model: how the numbers of all iterations are
// distributed. With bars it draws every iteration, as the paper does, unless there are more than
// [experiment.MostShown].
func Redundancy(r *experiment.Redundancy, all []experiment.Series, bars bool) string {
	per := len(experiment.Methods())
	bars = bars && r.Iterations <= experiment.MostShown
	d := &drawing{}
	title := redundant(r.N, all[:per])
	about := fmt.Sprintf("The modified bully algorithm and its extensions, simulated. %s, %d leads and crashes; "+
		"%s, seed %d.",
		prose.Plural(r.N, "process"), r.N, prose.Plural(r.Iterations, "iteration"), r.Seed)
	y := d.paragraph(d.title(title), about)
	if !bars {
		y = d.paragraph(y,
			"The wider a bar, the more iterations have that number. The ring is the mean.")
	}
	for k := 0; k*per < len(all); k++ {
		some := all[k*per : (k+1)*per]
		y = d.model(y+20, some, r.N, bars, k == 0)
	}
	return d.Document(plotWidth, y, title, about)
}

// redundant returns in words how many elections there are without waits, and how many with the best of them.
func redundant(n int, some []experiment.Series) string {
	left, _ := figures15and16(some, n)
	without, best := left.curves[0].mean(), left.curves[0]
	for _, c := range left.curves[1:] {
		if c.mean() < best.mean() {
			best = c
		}
	}
	_, words, _ := strings.Cut(best.label, ": ")
	return fmt.Sprintf("Without a wait %s processes start an election after a crash; with %s, %s", svg.Num(without),
		words, svg.Num(best.mean()))
}

// mean returns the mean of all iterations.
func (c *curve) mean() float64 {
	sum := 0
	for _, v := range c.values {
		sum += v
	}
	return float64(sum) / float64(len(c.values))
}

// model draws the panels of one model below y, and returns where the next begins.
func (d *drawing) model(y float64, some []experiment.Series, n int, bars, first bool) float64 {
	y = d.Paragraph(20, y, plotLetter, plotLine, plotWidth-40, bold,
		"Model "+string(some[0].Model)+": "+some[0].Model.About())
	left, right := figures15and16(some, n)
	for _, p := range []panel{left, right} {
		d.Text(20, y+12, plotLetter, "start", bold, p.title)
		// Distributions have their names below, which the first model explains.
		if y += 12 + plotLine; bars || first {
			y = d.legend(y, &p)
		}
		d.Text(20, y+10, plotLetter, "start", "", p.axis)
		scale := newScale(y+26, &left, &right)
		d.frame(panelLeft, scale)
		y = scale.y(0) + 56
		if bars {
			d.bars(panelLeft, scale, &p)
			y += plotLine
		} else {
			d.distributions(panelLeft, scale, &p)
			y += 2 * plotLine
		}
	}
	return y
}

// scale maps numbers to heights of one row of panels.
type scale struct {
	top  float64
	most int // at the top
	step int // between two ticks
}

func newScale(top float64, panels ...*panel) scale {
	most := 1
	for _, p := range panels {
		for _, c := range p.curves {
			for _, v := range c.values {
				most = max(most, v)
			}
		}
	}
	step := 1
	for _, factor := range []int{2, 5, 10, 20, 50, 100, 200, 500} {
		if most/step < 7 {
			break
		}
		step = factor
	}
	return scale{top: top, most: (most/step + 1) * step, step: step}
}

func (s scale) y(v float64) float64 { return s.top + panelHeight*(1-v/float64(s.most)) }

// legend explains the colors of a panel, below y, and returns where it ends.
func (d *drawing) legend(y float64, p *panel) float64 {
	for _, c := range p.curves {
		d.Rect(20, y-12, 14, 14, c.colour)
		d.Text(42, y, plotLetter, "start", "", c.label)
		y += plotLine
	}
	return y
}

// frame draws the axes and their ticks.
func (d *drawing) frame(x float64, s scale) {
	for v := 0; v <= s.most; v += s.step {
		y := s.y(float64(v))
		colour := svg.Faint
		if v == 0 {
			colour = svg.Ink
		}
		d.Line(x, y, x+panelWidth, y, 1, colour, "")
		d.Line(x-5, y, x, y, 1, svg.Ink, "")
		d.Text(x-9, y+6, plotLetter, "end", "", strconv.Itoa(v))
	}
	d.Line(x, s.top, x, s.y(0), 1, svg.Ink, "")
}

// bars draws every iteration.
func (d *drawing) bars(x float64, s scale, p *panel) {
	count := len(p.curves[0].values)
	group := panelWidth / float64(count)
	width := group * 0.84 / float64(len(p.curves))
	for i := range count {
		left := x + group*(float64(i)+0.08)
		for k, c := range p.curves {
			y := s.y(float64(c.values[i]))
			d.Rect(left+width*(float64(k)+0.06), y, width*0.88, s.y(0)-y, c.colour)
		}
		middle := x + group*(float64(i)+0.5)
		d.Line(middle, s.y(0), middle, s.y(0)+5, 1, svg.Ink, "")
		d.Text(middle, s.y(0)+24, plotLetter, "middle", "", strconv.Itoa(i+1))
	}
	d.Text(x+panelWidth/2, s.y(0)+48, plotLetter, "middle", "", "iteration")
}

// distributions draws for each colour how many of the iterations have which number.
func (d *drawing) distributions(x float64, s scale, p *panel) {
	slot := panelWidth / float64(len(p.curves))
	for k, c := range p.curves {
		shares, several := make([]int, s.most+1), 0
		for _, v := range c.values {
			shares[v]++
			if v > 1 {
				several++
			}
		}
		most := slices.Max(shares)
		middle, thick := x+slot*(float64(k)+0.5), panelHeight/float64(s.most)
		for v, share := range shares {
			if share > 0 {
				// A rare number must still be visible.
				width := max(slot*0.86*float64(share)/float64(most), 1)
				height := min(thick*0.86, 12)
				d.Rect(middle-width/2, s.y(float64(v))-height/2, width, height, c.colour)
			}
		}
		mean := c.mean()
		d.Circle(middle, s.y(mean), 5, svg.Paper, svg.Ink, 2)
		d.Text(middle, s.y(0)+24, plotLetter, "middle", "", c.name)
		d.Text(middle, s.y(0)+48, plotLetter, "middle", "", fmt.Sprintf("%.2f", mean))
		d.Text(middle, s.y(0)+71, plotLetter, "middle", "",
			experiment.Percent(float64(several)/float64(len(c.values))))
	}
	d.Text(x-9, s.y(0)+48, plotLetter, "end", "", "mean")
	d.Text(x-9, s.y(0)+71, plotLetter, "end", "", "above 1")
}
