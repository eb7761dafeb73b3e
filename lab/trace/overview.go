package trace

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/go-election/election"
	"github.com/go-election/election/internal/prose"
	"github.com/go-election/election/lab/svg"
	"github.com/go-election/election/observe"
)

// The measures of an overview.
const (
	overviewWidth  = 760.0
	overviewHeight = 900.0
	overviewLetter = 22.0
	mostArrows     = 3000 // that are drawn each; more are counted by place and time
	mostCells      = 128  // of time and of processes, in which they are counted
)

// overview draws a run that is too large for words: its processes beside each other, all messages as
// thin lines or, where they are too many, as shades, and what became of the processes.
func (s *story) overview() string {
	n := len(s.trace.Header.Scenario.IDs)
	o := &overview{drawing: &drawing{story: s}}
	o.layout = &layout{scale: &scale{unit: s.trace.unitOf(s.sends), steps: s.steps}, letter: overviewLetter,
		left: edge + 80, width: overviewWidth}
	o.column = (overviewWidth - o.left - 2*edge) / float64(n) // half of a name goes beyond the last
	o.numbered = s.moments()
	top := o.words(edge, edge, o.letter*1.1, `font-weight="bold" fill="`+svg.Ink+`"`, s.headline())
	top = o.words(edge, top, o.letter, `fill="`+svg.Grey+`"`, s.setting())
	for i := range s.trace.Events {
		o.last = max(o.last, s.trace.Events[i].At)
	}
	messages := 0
	for i := range s.beats {
		if s.beats[i].message() {
			messages++
		}
	}
	o.dense = messages > mostArrows
	if o.dense {
		o.cells()
	}
	top, rest := o.flow(top+6, mostRows, o.signs())
	top = o.ids(top + o.letter*0.3)
	o.toScale(top)
	o.axis()
	// Lines of roles can be seen among lines of messages, and not on shades: that of a leader has a rim.
	if o.dense {
		o.lines()
		o.shades()
	} else {
		o.thin()
		o.lines()
	}
	o.Append(&o.leaders)
	o.faults()
	end := o.caption(o.low + lastRow)
	if len(rest) > 0 {
		end, _ = o.flow(end-edge, math.MaxInt, rest)
		end += edge
	}
	return o.Document(overviewWidth, end, s.headline(), s.about())
}

// overview is such a picture as it grows.
type overview struct {
	*drawing
	dense    bool
	leaders  svg.Drawing   // their lines
	last     time.Duration // of the axis
	count    [][]int       // of messages that arrive, by time and place
	grain    time.Duration // of a row of them
	together int           // how many processes are one column of them
	most     int           // in one cell
}

// toScale gives each event its height. The numbers of the first moments have room above all messages.
func (o *overview) toScale(top float64) {
	first := top + 2.1*o.letter
	o.high, o.low = top, first+overviewHeight
	o.scale.height = overviewHeight * float64(o.unit) / float64(max(o.last, 1))
	o.parts = []part{{until: o.last, top: first, bottom: o.low}}
	o.place = make([]float64, len(o.trace.Events))
	for i := range o.place {
		o.place[i] = o.y(o.trace.Events[i].At)
	}
}

// ids names the processes that lead, then those that are down, and others, as far as there is room.
func (o *overview) ids(top float64) float64 {
	y := top + o.letter
	var named []int
	half := func(p int) float64 { return float64(len(o.id(p)))*o.letter*letterWidth/2 + 5 }
	for turn := range 3 {
		for p := range o.final {
			leads := o.final[p].Role == election.Leader
			if turn == 0 && !leads || turn == 1 && !o.down[p] || o.x(p)+half(p) > o.width {
				continue
			}
			if !slices.ContainsFunc(named, func(q int) bool {
				return math.Abs(o.x(p)-o.x(q)) < half(p)+half(q)
			}) {
				named = append(named, p)
				o.Text(o.x(p), y, o.letter, "middle", `class="process" fill="`+svg.Ink+`"`, o.id(p))
			}
		}
	}
	return y + 2
}

// thin draws each message as a thin line.
func (o *overview) thin() {
	o.wraps = wrapped(&o.trace.Header) // the axis has no room for what is beyond the edges
	o.arrows()
	var kinds [256]strings.Builder
	for i := range o.beats {
		b := &o.beats[i]
		if !b.message() {
			continue
		}
		to := &kinds[o.kindOf(b)]
		for _, s := range o.ways[i] {
			fmt.Fprintf(to, "M%s %sL%s %s", svg.Num(s.x1), svg.Num(s.y1), svg.Num(s.x2), svg.Num(s.y2))
		}
	}
	for kind := range kinds {
		if path := kinds[kind].String(); path != "" {
			colour, dash, _ := style(uint8(kind))
			o.Put(`<path class="messages" d="%s" fill="none" stroke="%s" stroke-width="0.9"%s/>`, path, colour,
				svg.Dashed(dash))
		}
	}
}

var shadesOf = []string{svg.Shade1, svg.Shade2, svg.Shade3, svg.Shade4, svg.Shade5}

// shades counts what arrives where and when.
func (o *overview) shades() {
	n := len(o.trace.Header.Scenario.IDs)
	for row, columns := range o.count {
		for column, c := range columns {
			if c > 0 {
				top, low := o.y(time.Duration(row)*o.grain), o.y(time.Duration(row+1)*o.grain)
				left, right := column*o.together, min((column+1)*o.together, n)
				o.Rect(o.left+o.column*float64(left), top, o.column*float64(right-left)+0.3, low-top+0.3,
					shadesOf[o.shade(c)])
			}
		}
	}
}

// shade returns how dark a count is drawn, by its logarithm.
func (o *overview) shade(count int) int {
	if o.most <= 1 {
		return 0
	}
	return min(int(float64(len(shadesOf))*math.Log(float64(count))/math.Log(float64(o.most))),
		len(shadesOf)-1)
}

// cells counts how many messages arrive in each cell: at some neighbours, in some whole units.
func (o *overview) cells() {
	n := len(o.trace.Header.Scenario.IDs)
	// Cells that hold different numbers of processes or units would make a pattern that is not in the run.
	o.together = (n + mostCells - 1) / mostCells
	o.grain = max((o.last/mostCells+o.unit-1)/o.unit, 1) * o.unit
	o.count = make([][]int, o.last/o.grain+1)
	// What happens at the end of the run has a whole row, too.
	o.last = time.Duration(len(o.count)) * o.grain
	for row := range o.count {
		o.count[row] = make([]int, (n+o.together-1)/o.together)
	}
	for i := range o.trace.Events {
		if e := &o.trace.Events[i]; e.Do == observe.Deliver {
			c := &o.count[e.At/o.grain][o.where[e.Process]/o.together]
			*c++
			o.most = max(o.most, *c)
		}
	}
}

// lines draws the role of each process, once it has one, and where it is down.
func (o *overview) lines() {
	type line struct {
		from   float64
		colour string
	}
	now := make([]line, len(o.trace.Header.Scenario.IDs))
	draw := func(p int, to float64) {
		if l := now[p]; l.colour != "" {
			width, on := max(min(o.column*0.5, 4), 0.6), &o.Drawing
			if l.colour == svg.Gold {
				width, on = 4, &o.leaders
				if o.dense {
					on.Rect(o.x(p)-4, l.from, 8, to-l.from, svg.Paper)
				}
			}
			on.Line(o.x(p), l.from, o.x(p), to, width, l.colour, "")
		}
	}
	for i := range o.trace.Events {
		e := &o.trace.Events[i]
		p, y := o.where[e.Process], o.place[i]
		if colour := roleColour(e, now[p].colour); colour != now[p].colour {
			draw(p, y)
			now[p] = line{y, colour}
		}
	}
	for p := range now {
		draw(p, o.low+lastRow/2)
	}
}

// roleColour returns how the line of a process goes on after an event, by how it was before.
func roleColour(e *Event, before string) string {
	switch e.Do {
	case observe.Decide:
		switch e.Outcome.Role {
		case election.Leader:
			return svg.Gold
		case election.Follower:
			return svg.Green
		}
		return ""
	case observe.Crash:
		return svg.Red
	case observe.Recover, observe.Restart:
		return ""
	}
	return before
}

// faults marks crashes and leaders.
func (o *overview) faults() {
	for i := range o.trace.Events {
		e := &o.trace.Events[i]
		if e.Do == observe.Crash && e.Seq > 1 || leads(e) && o.changed[i] {
			p, s := o.where[e.Process], symbolOf(e)
			o.group("mark", o.id(p)+": "+s.about, func() {
				o.Circle(o.x(p), o.place[i], 10, svg.Paper, "", 0)
				s.draw(o.drawing, o.x(p), o.place[i])
			})
		}
	}
	o.settleNumbers()
	o.numbers()
}

// signs returns what says what the colours mean.
func (o *overview) signs() (all []sign) {
	if o.dense {
		all = append(all, sign{fmt.Sprintf("1 to %s arrive in a cell", prose.Grouped(uint64(o.most))),
			26 * float64(len(shadesOf)), func(x, y float64) {
				for k, colour := range shadesOf {
					o.Rect(x+26*float64(k), y-o.letter*0.45, 26, o.letter*0.9, colour)
				}
			}})
	} else {
		all = o.kindSigns()
	}
	occurs := make(map[string]bool)
	for i := range o.trace.Events {
		occurs[roleColour(&o.trace.Events[i], "")] = true
	}
	for _, r := range []struct{ about, colour string }{
		{"follows", svg.Green}, {"leads", svg.Gold}, {"is down", svg.Red},
	} {
		if occurs[r.colour] {
			all = append(all, sign{r.about, 20, func(x, y float64) {
				o.Line(x, y, x+20, y, 4, r.colour, "")
			}})
		}
	}
	return all
}
