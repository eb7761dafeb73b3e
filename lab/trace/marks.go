package trace

import (
	"fmt"
	"math"
	"slices"

	"github.com/go-election/election"
	"github.com/go-election/election/lab/svg"
	"github.com/go-election/election/observe"
)

// How the kinds of messages differ: by color, by dash and by head, so that they do in grey, too.
var (
	colors = []string{svg.Blue, svg.Orange, svg.Green, svg.Pink, svg.Amber, svg.Sky}
	dashes = []string{"", "7 4", "2 4", "10 3 2 3", "14 6", "5 2 2 2", "4 8", "14 3 2 3 2 3"}
)

// style returns how a kind of message is drawn.
func style(kind uint8) (color, dash string, open bool) {
	if kind == 0 {
		return svg.Black, "3 3", true
	}
	k := int(kind - 1)
	// The heads change before the longer dashes come: few algorithms have more than eight kinds.
	half := len(dashes) / 2
	return colors[k%len(colors)], dashes[k%half+k/len(dashes)%2*half], k/half%2 == 1
}

// kindOf returns the kind of the message of a beat.
func (s *story) kindOf(b *beat) uint8 { return s.messageOf(b).Kind }

// symbol is the mark of something that happens to a process.
type symbol struct {
	about  string
	of     []observe.What
	fill   string
	points []float64                    // of a polygon around its place
	more   func(d *sheet, x, y float64) // what is drawn on the polygon, or nil
}

// The shapes of marks.
var (
	rightward = []float64{-4, -5, 5, 0, -4, 5}
	upward    = []float64{0, -5, 5, 4, -5, 4}
	downward  = []float64{0, 5, 5, -4, -5, -4}
	plus      = []float64{-2, -5, 2, -5, 2, -2, 5, -2, 5, 2, 2, 2, 2, 5, -2, 5, -2, 2, -5, 2, -5, -2, -2, -2}
	pentagon  = []float64{-5, -2, 0, -6, 5, -2, 3, 5, -3, 5}
	disc      = round(20, 5, 5)
)

// round returns the points of a polygon whose corners have two distances from its middle by turns.
func round(corners int, far, near float64) (points []float64) {
	for k := range corners {
		r := far
		if k%2 == 1 {
			r = near
		}
		sin, cos := math.Sincos(math.Pi * (2*float64(k)/float64(corners) - 0.5))
		points = append(points, float64(r*cos), float64(r*sin))
	}
	return points
}

// symbols are all marks, in the order of the legend. The last is the mark of what no other is for.
var symbols = []symbol{
	{about: "starts", of: []observe.What{observe.Start, observe.Reelect}, fill: svg.Ink, points: rightward},
	{about: "leads", fill: svg.Gold, points: round(10, 8.5, 3.8)},
	{about: "time-out", of: []observe.What{observe.Timeout}, fill: svg.Amber, points: disc, more: hands},
	{about: "enters section", fill: svg.Pink, points: upward},
	{about: "leaves section", fill: svg.Paper, points: upward},
	{about: "crashes", of: []observe.What{observe.Crash}, fill: svg.Red,
		points: []float64{-6.5, -6.5, 6.5, -6.5, 6.5, 6.5, -6.5, 6.5}, more: paperCross},
	{about: "comes back", of: []observe.What{observe.Recover, observe.Restart}, fill: svg.Sky, points: disc},
	{about: "pauses", of: []observe.What{observe.Pause}, fill: svg.Ink,
		points: []float64{-4, -5, 4, -5, 4, 5, -4, 5}, more: slit},
	{about: "resumes", of: []observe.What{observe.Resume}, fill: svg.Paper, points: rightward},
	{about: "doubled", of: []observe.What{observe.Duplicate}, fill: svg.Paper, points: round(20, 3, 3)},
	{about: "suspects", of: []observe.What{observe.Suspect}, fill: svg.Orange, points: downward},
	{about: "trusts", of: []observe.What{observe.Trust}, fill: svg.Sky, points: plus},
	{about: "else", fill: svg.Paper, points: pentagon},
}

func hands(d *sheet, x, y float64) {
	d.Put(`<path d="M%v %v V%v H%v" fill="none" stroke="%v" stroke-width="1.2"/>`, x, y-3.5, y, x+3, svg.Ink)
}

func paperCross(d *sheet, x, y float64) { d.cross(x, y, 4, svg.Paper) }

func slit(d *sheet, x, y float64) { d.Line(x, y-5, x, y+5, 2.5, svg.Paper, "") }

func (s *symbol) draw(d *sheet, x, y float64) {
	points := slices.Clone(s.points)
	for i := range points {
		points[i] += []float64{x, y}[i%2]
	}
	d.Polygon(points, s.fill, svg.Ink)
	if s.more != nil {
		s.more(d, x, y)
	}
}

// symbolNamed returns a symbol of the legend.
func symbolNamed(about string) *symbol {
	return &symbols[slices.IndexFunc(symbols, func(s symbol) bool { return s.about == about })]
}

// symbolOf returns the mark of an event.
func symbolOf(e *Event) *symbol {
	switch {
	case leads(e):
		return symbolNamed("leads")
	case e.Do == observe.Raise && e.Op == entered:
		return symbolNamed("enters section")
	case e.Do == observe.Raise && e.Op == exited:
		return symbolNamed("leaves section")
	}
	for i := range symbols {
		if slices.Contains(symbols[i].of, e.Do) {
			return &symbols[i]
		}
	}
	return &symbols[len(symbols)-1]
}

// leads reports whether a process takes leadership.
func leads(e *Event) bool { return e.Do == observe.Decide && e.Outcome.Role == election.Leader }

// matters reports whether an event is more than bookkeeping.
func matters(e *Event) bool {
	switch e.Do {
	case observe.Init, observe.Rejoin, observe.Set, observe.Stop, observe.StopAll, observe.Save, observe.Done,
		observe.Choose, observe.Cut, observe.Heal: // a picture has a band for cuts
		return false
	}
	return true
}

// marked reports whether a beat has a mark in the picture.
func (p *picture) marked(b *beat) bool {
	e := &p.trace.Events[b.event]
	switch {
	case b.message() || !matters(e):
		return false
	case e.Do == observe.Decide:
		return leads(e) && p.changed[b.event]
	}
	return !p.overview || e.Do == observe.Crash && e.Seq > 1
}

// marks finds a place for each mark, on the line of its process or next to it, and for the number of each
// moment near to its mark.
func (p *picture) marks() {
	p.spots = make(map[int]point)
	for i := range p.beats {
		b := &p.beats[i]
		if !p.marked(b) {
			continue
		}
		e := &p.trace.Events[b.event]
		at := point{p.x(b.process), p.place[b.event]}
		if !atLine(e) && !p.overview {
			var places []point
			for _, down := range []float64{0, -12, 12, -24, 24} {
				for _, aside := range []float64{15, -15, 28, -28} {
					places = append(places, point{at.x + aside, at.y + down})
				}
			}
			at, _ = p.best(places, 7, 7, none)
		}
		p.spots[b.event] = at
		p.taken = append(p.taken, around(at, 7, 7))
	}
	r := p.letter*letterWidth + 1
	for _, m := range p.moments {
		near, ok := p.spots[m.event]
		if !ok {
			near = point{p.x(p.where[p.trace.Events[m.event].Process]), p.place[m.event]}
		}
		var places []point
		for _, far := range []float64{r + 8, 2 * r, 3 * r} {
			for _, to := range []point{{1, 0}, {-1, 0}, {0, -1}, {0, 1}, {0.8, -0.8}, {-0.8, -0.8}, {0.8, 0.8}, {-0.8, 0.8}} {
				places = append(places, point{near.x + far*to.x, near.y + far*to.y})
			}
		}
		at, _ := p.best(places, r, r, none)
		p.circles = append(p.circles, at)
		p.taken = append(p.taken, around(at, r, r))
	}
}

// atLine reports whether the mark of an event belongs onto the line of its process.
func atLine(e *Event) bool {
	switch e.Do {
	case observe.Crash, observe.Pause, observe.Resume, observe.Recover, observe.Restart:
		return true
	}
	return leads(e)
}

// drawMarks draws the marks, and the numbers of the moments next to them.
func (p *picture) drawMarks() {
	for i := range p.beats {
		if b := &p.beats[i]; p.marked(b) {
			at := p.spots[b.event]
			p.group("mark", p.id(b.process)+": "+b.text, func() {
				symbolOf(&p.trace.Events[b.event]).draw(&p.sheet, at.x, at.y)
			})
		}
	}
	for i := range p.moments {
		p.number(p.circles[i], i+1)
	}
}

// kindSigns are the signs of the kinds of messages, and of what became of them.
func (p *picture) kindSigns() (signs []sign) {
	const wide = 26.0 // each dash occurs in it
	var kinds [256]bool
	var fates [unreceived + 1]bool
	for i := range p.beats {
		if b := &p.beats[i]; b.message() {
			kinds[p.kindOf(b)], fates[b.fate] = true, true
		}
	}
	for kind, used := range kinds {
		if !used {
			continue
		}
		name := p.story.names.name(uint8(kind))
		if name == "" {
			name = fmt.Sprintf("kind %d", kind)
		}
		color, dash, open := style(uint8(kind))
		signs = append(signs, sign{fmt.Sprintf("%.24s", inLine(name)), wide, func(x, y float64) {
			p.Line(x, y, x+wide-4, y, 2, color, dash)
			p.head(segment{x, y, x + wide, y}, color, open)
		}})
	}
	if fates[lost] && !p.overview {
		signs = append(signs, sign{"lost", 18, func(x, y float64) {
			p.Line(x, y, x+13, y, 2, svg.Ink, "")
			p.cross(x+13, y, 4, svg.Ink)
		}})
	}
	if fates[unreceived] && !p.overview {
		signs = append(signs, sign{"not arrived", 18, func(x, y float64) {
			p.Line(x, y, x+13, y, 2, svg.Ink, "")
			p.Circle(x+13, y, 3.5, svg.Paper, svg.Ink, 1.6)
		}})
	}
	return signs
}

// markSigns are the signs of the lines of processes, and of the marks that occur.
func (p *picture) markSigns() (signs []sign) {
	line := func(about string, l life) {
		l.lapse = noLapse
		signs = append(signs, sign{about, 8, func(x, y float64) {
			l.from = y - 8
			p.life(x+4, l, y+8)
		}})
	}
	if p.roles[election.Follower] {
		line("follows", life{role: election.Follower})
	}
	if p.overview && p.roles[election.Leader] {
		line("leads", life{role: election.Leader})
	}
	if len(p.held) > 0 && !p.overview {
		about := "its vote is lent"
		if p.trace.Header.Scenario.Algorithm == storeName {
			about = "the record names a leader"
		}
		signs = append(signs, sign{about, 10, func(x, y float64) { p.loan(x-loanAside+3, y-8, y+8) }})
	}
	used := make(map[*symbol]bool)
	for i := range p.beats {
		if b := &p.beats[i]; p.marked(b) {
			used[symbolOf(&p.trace.Events[b.event])] = true
		}
	}
	if p.overview && slices.Contains(p.down, true) {
		line("is down", life{down: true})
	}
	for k := range symbols {
		if s := &symbols[k]; used[s] && !p.overview {
			signs = append(signs, sign{s.about, 14, func(x, y float64) { s.draw(&p.sheet, x+7, y) }})
		}
	}
	return signs
}
