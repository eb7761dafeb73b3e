package figure

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/go-election/election/internal/prose"
	"github.com/go-election/election/lab/experiment"
	"github.com/go-election/election/lab/svg"
)

// The measures of the grid of a figure, which is as wide as a comparison: a column for each model, a row for each method.
const (
	titleLetter = 22.0
	gridWidth   = plotWidth - 40
	gridGap     = 24.0 // between columns
	cellHeight  = 46.0
	cellTop     = 8.0  // between the name of a row and its panels
	cellBelow   = 15.0 // between panels and the name of the next row
	ringRadius  = 5.0
)

// curve is one panel: a number for each iteration of a method under a model.
type curve struct {
	name, colour string
	values       []int
}

// group is one of the figures of the paper under one model.
type group struct {
	title, axis string
	curves      []curve
}

// figures15and16 returns the panels of a model. The colors are of Okabe and Ito, which all can distinguish.
func figures15and16(some []experiment.Series, n int) (starts, serves group) {
	starts = group{title: "How many processes start an election (figure 15 of the paper)", axis: "processes that start"}
	serves = group{title: "If only the first election is served (figure 16)", axis: "processes, or elections"}
	started := func(t *experiment.Trial) int { return t.Started }
	served := func(t *experiment.Trial) int { return t.Served }
	for i := range some {
		s := &some[i]
		switch m := s.Method; {
		case m.Variant == "base":
			starts.add(s, "no wait", svg.Ink, started)
			serves.add(s, "no numbers: elections that are served", svg.Ink, served)
		case m.Variant == "number":
			serves.add(s, "election numbers: processes that start", svg.Orange, started)
			serves.add(s, "election numbers: elections that are served", svg.Pink, served)
		case m.Wait == "paper":
			starts.add(s, "the same maximum wait for all", svg.Amber, started)
		case m.Ties == experiment.TiedAtMaximum:
			starts.add(s, "own waits"+tiedLabel(n, " tied at the maximum"), svg.Sky, started)
		case m.Ties == experiment.TiedAnywhere:
			starts.add(s, "own waits"+tiedLabel(n, " tied anywhere"), svg.Blue, started)
		default:
			starts.add(s, "a slot by rank", svg.Green, started)
		}
	}
	return starts, serves
}

func tiedLabel(n int, how string) string {
	if k := experiment.Tied(n); k > 0 {
		return fmt.Sprintf(", %d%s", k, how)
	}
	return ", none tied"
}

func (g *group) add(s *experiment.Series, name, colour string, of func(*experiment.Trial) int) {
	c := curve{name: name, colour: colour}
	for i := range s.Trials {
		c.values = append(c.values, of(&s.Trials[i]))
	}
	g.curves = append(g.curves, c)
}

// column is what is drawn of one model.
type column struct {
	model    experiment.Model
	groups   [2]group
	x, width float64 // of the panels; the means stand to the right of them
	most     int     // the largest number of all
	step     int     // between two ticks
	bars     bool    // one for each iteration
}

// Redundancy draws figures 15 and 16 of the paper under each model, as a grid of small panels: how the numbers of all
// iterations are distributed. With bars it draws every iteration, as the paper does, unless there are more than
// [experiment.MostShown].
func Redundancy(r *experiment.Redundancy, all []experiment.Series, bars bool) string {
	bars = bars && r.Iterations <= experiment.MostShown
	columns := columnsOf(all, r.N, bars)
	d := &drawing{}
	title := redundant(columns)
	about := fmt.Sprintf("The modified bully algorithm and its extensions, simulated: %s, %d leads and crashes; "+
		"%s, seed %d.", prose.Plural(r.N, "process"), r.N, prose.Plural(r.Iterations, "iteration"), r.Seed)
	caption := "In each panel, the higher a bar, the more iterations have that number. The ring is the mean."
	if bars {
		caption = "Each bar is one iteration: how many processes start, or how many elections are served. The ring is the mean."
	}
	y := d.paragraph(d.title(title), about+" "+caption) + 14
	below := y
	for i := range columns {
		c := &columns[i]
		head := d.Paragraph(c.x, y, plotLetter, plotLine, columnWidth(len(columns)), bold, "Model "+string(c.model))
		below = max(below, d.Paragraph(c.x, head, plotLetter, plotLine, columnWidth(len(columns)), "", c.model.About()))
	}
	y = below
	for k := range columns[0].groups {
		y = d.Paragraph(20, y+16, plotLetter, plotLine, gridWidth, bold, columns[0].groups[k].title) + 4
		for row := range columns[0].groups[k].curves {
			d.Text(20, y, plotLetter, "start", "", columns[0].groups[k].curves[row].name)
			for i := range columns {
				d.panel(&columns[i], &columns[i].groups[k].curves[row], y+cellTop)
			}
			y += cellTop + cellHeight + cellBelow + plotLetter
		}
		y -= cellBelow + plotLetter
		for i := range columns {
			d.under(&columns[i], columns[i].groups[k].axis, y)
		}
		y += 64
	}
	return d.Document(plotWidth, y, title, about+" "+caption)
}

func columnWidth(columns int) float64 {
	return (gridWidth - gridGap*float64(columns-1)) / float64(columns)
}

// columnsOf returns the columns, each with a scale of its own: the models differ too much for one.
func columnsOf(all []experiment.Series, n int, bars bool) (columns []column) {
	per := len(experiment.Methods())
	means := 0.0 // how much room they need
	for ; len(all) > 0; all = all[per:] {
		c := column{model: all[0].Model, most: 1, step: 1, bars: bars}
		c.groups[0], c.groups[1] = figures15and16(all[:per], n)
		for _, curve := range slices.Concat(c.groups[0].curves, c.groups[1].curves) {
			c.most = max(c.most, slices.Max(curve.values))
			means = max(means, 4*ringRadius+6+plotLetter*svg.TextWidth(curve.meanText(), false))
		}
		for _, step := range []int{5, 10, 20, 50, 100, 200, 500} {
			if c.most/c.step < 7 {
				break
			}
			c.step = step
		}
		columns = append(columns, c)
	}
	for i := range columns {
		c, whole := &columns[i], columnWidth(len(columns))
		c.x, c.width = 20+float64(i)*(whole+gridGap), whole-means
		if bars { // room for the numbers of the vertical axis
			left := 9 + plotLetter*svg.TextWidth(strconv.Itoa(c.most), false)
			c.x, c.width = c.x+left, c.width-left
		}
	}
	return columns
}

// redundant returns in words how many elections there are without waits, and how many with the best of them.
func redundant(columns []column) string {
	means := func(row int) string {
		var all, same []string
		for i := range columns {
			mean := svg.Num(columns[i].groups[0].curves[row].mean())
			all = append(all, fmt.Sprintf("%s (model %s)", mean, columns[i].model))
			same = append(same, mean)
		}
		if len(slices.Compact(same)) == 1 {
			return same[0]
		}
		return strings.Join(all, " or ")
	}
	best, least := 0, math.Inf(1)
	for row := range columns[0].groups[0].curves {
		sum := 0.0
		for i := range columns {
			sum += columns[i].groups[0].curves[row].mean()
		}
		if sum < least {
			best, least = row, sum
		}
	}
	return fmt.Sprintf("Without a wait %s processes start an election after a crash; with %s, %s", means(0),
		columns[0].groups[0].curves[best].name, means(best))
}

// mean returns the mean of all iterations.
func (c *curve) mean() float64 {
	sum := 0
	for _, v := range c.values {
		sum += v
	}
	return float64(sum) / float64(len(c.values))
}

func (c *curve) meanText() string { return strconv.FormatFloat(c.mean(), 'f', 2, 64) }

// at returns the place of a number, in a panel of distributions.
func (c *column) at(v float64) float64 { return c.x + c.width*(v+0.5)/float64(c.most+1) }

// panel draws a panel below y, and its mean next to it.
func (d *drawing) panel(c *column, of *curve, y float64) {
	bottom := y + cellHeight
	d.Group(of.name + ", model " + string(c.model) + ": " + of.meanText() + " on average")
	if c.bars {
		d.iterations(c, of, y)
	} else {
		d.distribution(c, of, y)
	}
	d.Line(c.x, bottom, c.x+c.width, bottom, 1, svg.Ink, "")
	ring := c.x + c.width + 2*ringRadius
	d.Circle(ring, bottom-cellHeight/2, ringRadius, svg.Paper, svg.Ink, 2)
	d.Text(ring+2*ringRadius, bottom-cellHeight/2+6, plotLetter, "start", "", of.meanText())
	d.Ungroup()
}

// iterations draws a bar for each iteration.
func (d *drawing) iterations(c *column, of *curve, y float64) {
	bottom, slot := y+cellHeight, c.width/float64(len(of.values))
	height := func(v float64) float64 { return cellHeight * v / float64(c.most) }
	d.Line(c.x, y, c.x+c.width, y, 1, svg.Faint, "")
	d.Text(c.x-9, y+13, plotLetter, "end", "", strconv.Itoa(c.most))
	d.Text(c.x-9, bottom+3, plotLetter, "end", "", "0")
	for i, v := range of.values {
		d.Rect(c.x+slot*(float64(i)+0.12), bottom-height(float64(v)), slot*0.76, height(float64(v)), of.colour)
	}
}

// distribution draws a bar for each number: how many of the iterations have it.
func (d *drawing) distribution(c *column, of *curve, y float64) {
	bottom, thick := y+cellHeight, c.width/float64(c.most+1)
	for _, v := range c.ticks() {
		d.Line(c.at(float64(v)), y, c.at(float64(v)), bottom, 1, svg.Faint, "")
	}
	shares := make([]int, c.most+1)
	for _, v := range of.values {
		shares[v]++
	}
	most := slices.Max(shares)
	for v, share := range shares {
		if share > 0 {
			// A rare number must still be visible.
			height := max(cellHeight*float64(share)/float64(most), 1.5)
			d.Rect(c.at(float64(v))-thick*0.42, bottom-height, thick*0.84, height, of.colour)
		}
	}
	d.Circle(c.at(of.mean()), bottom, ringRadius, svg.Paper, svg.Ink, 2)
}

// ticks returns the numbers below the panels of distributions: 1, which is the aim, and round ones.
func (c *column) ticks() []int {
	all := []int{1}
	for v := c.step; v <= c.most; v += c.step {
		if v > 1 {
			all = append(all, v)
		}
	}
	return all
}

// under draws the axis below the last panel of a column, which ends at y.
func (d *drawing) under(c *column, axis string, y float64) {
	numbers, at := c.ticks(), func(v int) float64 { return c.at(float64(v)) }
	if c.bars {
		axis, numbers = "iteration", nil
		count := len(c.groups[0].curves[0].values)
		for i := 1; i <= count; i++ {
			if count <= 10 && columnWidth(2) < c.width || i == 1 || i%5 == 0 {
				numbers = append(numbers, i)
			}
		}
		at = func(i int) float64 { return c.x + c.width*(float64(i)-0.5)/float64(count) }
	}
	for _, v := range numbers {
		d.Line(at(v), y, at(v), y+5, 1, svg.Ink, "")
		d.Text(at(v), y+24, plotLetter, "middle", "", strconv.Itoa(v))
	}
	d.Text(c.x+c.width/2, y+46, plotLetter, "middle", "", axis)
}
