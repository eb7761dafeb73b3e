package trace

import (
	"math"
	"slices"

	"github.com/go-election/election"
	"github.com/go-election/election/lab/svg"
	"github.com/go-election/election/observe"
)

// symbol is how something at a process is drawn.
type symbol struct {
	about string
	of    []observe.What
	form  func(d *drawing, x, y float64, fill string)
	fill  string
}

func (s *symbol) draw(d *drawing, x, y float64) { s.form(d, x, y, s.fill) }

// symbols are all that there are, in the order of the legend.
var symbols = []symbol{
	{"begins", []observe.What{observe.Init, observe.Rejoin}, (*drawing).dot, svg.Paper},
	{"starts", []observe.What{observe.Start, observe.Reelect}, (*drawing).play, svg.Ink},
	{"follows", nil, (*drawing).diamond, svg.Green},
	{"leads", nil, (*drawing).star, svg.Gold},
	{"undecided", nil, (*drawing).diamond, svg.Paper},
	{"ends", []observe.What{observe.Done}, (*drawing).square, svg.Ink},
	{"sets a timer", []observe.What{observe.Set}, (*drawing).clock, svg.Paper},
	{"time-out", []observe.What{observe.Timeout}, (*drawing).clock, svg.Amber},
	{"stops timers", []observe.What{observe.Stop, observe.StopAll}, (*drawing).stopped, svg.Paper},
	{"enters section", nil, (*drawing).triangle, svg.Pink},
	{"leaves section", nil, (*drawing).triangle, svg.Paper},
	{"crashes", []observe.What{observe.Crash}, (*drawing).crash, svg.Red},
	{"comes back", []observe.What{observe.Recover, observe.Restart}, (*drawing).disc, svg.Sky},
	{"pauses", []observe.What{observe.Pause}, (*drawing).bars, svg.Ink},
	{"goes on", []observe.What{observe.Resume}, (*drawing).play, svg.Paper},
	{"saves", []observe.What{observe.Save}, (*drawing).square, svg.Paper},
	{"doubled", []observe.What{observe.Duplicate}, (*drawing).dots, svg.Paper},
	{"suspects", []observe.What{observe.Suspect}, (*drawing).slump, svg.Orange},
	{"trusts", []observe.What{observe.Trust}, (*drawing).plus, svg.Sky},
	{"a link is cut", []observe.What{observe.Cut}, (*drawing).times, svg.Red},
	{"a link heals", []observe.What{observe.Heal}, (*drawing).plus, svg.Green},
	{"else", nil, (*drawing).pentagon, svg.Paper},
}

// Where the symbols of decisions and of critical sections begin.
const (
	decisions = 2
	sections  = 9
)

// symbolOf returns the symbol for something.
func symbolOf(e *Event) *symbol {
	if e.Do == observe.Decide {
		switch e.Outcome.Role {
		case election.Follower:
			return &symbols[decisions]
		case election.Leader:
			return &symbols[decisions+1]
		}
		return &symbols[decisions+2]
	}
	if e.Do == observe.Raise {
		switch e.Op {
		case entered:
			return &symbols[sections]
		case exited:
			return &symbols[sections+1]
		}
	}
	for i := range symbols {
		if slices.Contains(symbols[i].of, e.Do) {
			return &symbols[i]
		}
	}
	return &symbols[len(symbols)-1]
}

func (d *drawing) circle(x, y, r float64, fill string) { d.Circle(x, y, r, fill, svg.Ink, 1.2) }

func (d *drawing) dot(x, y float64, fill string) { d.circle(x, y, 3, fill) }

func (d *drawing) disc(x, y float64, fill string) { d.circle(x, y, 5, fill) }

func (d *drawing) dots(x, y float64, fill string) {
	d.dot(x-2, y, fill)
	d.dot(x+2, y, fill)
}

func (d *drawing) play(x, y float64, fill string) { d.polygon(fill, x-4, y-5, x+5, y, x-4, y+5) }

func (d *drawing) bars(x, y float64, fill string) {
	d.Line(x-2.5, y-5, x-2.5, y+5, 2.5, fill, "")
	d.Line(x+2.5, y-5, x+2.5, y+5, 2.5, fill, "")
}

func (d *drawing) square(x, y float64, fill string) { d.box(x, y, 8, fill) }

func (d *drawing) crash(x, y float64, fill string) {
	d.box(x, y, 13, fill)
	d.times(x, y, svg.Paper)
}

func (d *drawing) box(x, y, size float64, fill string) {
	d.Put(`<rect x="%v" y="%v" width="%v" height="%[3]v" fill="%v" stroke="%v" stroke-width="1.2"/>`,
		x-size/2, y-size/2, size, fill, svg.Ink)
}

func (d *drawing) times(x, y float64, fill string) { d.cross(x, y, 4, fill) }

func (d *drawing) pentagon(x, y float64, fill string) {
	d.polygon(fill, x-5, y-2, x, y-6, x+5, y-2, x+3, y+5, x-3, y+5)
}

func (d *drawing) diamond(x, y float64, fill string) {
	d.polygon(fill, x, y-6, x+5, y, x, y+6, x-5, y)
}

// star is that of the process that leads.
func (d *drawing) star(x, y float64, fill string) { d.largeStar(x, y, 8.5, fill) }

func (d *drawing) largeStar(x, y, size float64, fill string) {
	points := make([]float64, 0, 20)
	for k := range 10 {
		r := size
		if k%2 == 1 {
			r = size * 3.8 / 8.5
		}
		angle := math.Pi * (float64(k)/5 - 0.5)
		points = append(points, x+r*math.Cos(angle), y+r*math.Sin(angle))
	}
	d.polygon(fill, points...)
}

func (d *drawing) triangle(x, y float64, fill string) { d.polygon(fill, x, y-5, x+5, y+4, x-5, y+4) }

// slump is a triangle upside down.
func (d *drawing) slump(x, y float64, fill string) { d.polygon(fill, x, y+5, x+5, y-4, x-5, y-4) }

func (d *drawing) plus(x, y float64, fill string) {
	const long, thick = 5.5, 2
	d.polygon(fill, x-thick, y-long, x+thick, y-long, x+thick, y-thick, x+long, y-thick, x+long, y+thick,
		x+thick, y+thick,
		x+thick, y+long, x-thick, y+long, x-thick, y+thick, x-long, y+thick, x-long, y-thick, x-thick,
		y-thick)
}

func (d *drawing) clock(x, y float64, fill string) {
	d.disc(x, y, fill)
	d.Put(`<path d="M%v %v V%v H%v" fill="none" stroke="%v" stroke-width="1.2"/>`, x, y-3.5, y, x+3, svg.Ink)
}

func (d *drawing) stopped(x, y float64, fill string) {
	d.clock(x, y, fill)
	d.Line(x-5, y+5, x+5, y-5, 1.2, svg.Ink, "")
}

func (d *drawing) cross(x, y, size float64, colour string) {
	d.Line(x-size, y-size, x+size, y+size, 2.2, colour, "")
	d.Line(x-size, y+size, x+size, y-size, 2.2, colour, "")
}

func (d *drawing) polygon(fill string, points ...float64) { d.Polygon(points, fill, svg.Ink) }

// mark draws what is no message, beside the line of its process.
func (d *drawing) mark(b *beat) {
	e := &d.trace.Events[b.event]
	text := b.text
	if rejoin, ok := d.rejoined[b.event]; ok {
		text += ", " + d.markText(&d.trace.Events[rejoin])
	}
	d.group("mark", d.id(b.process)+": "+text, func() {
		at := d.spots[b.event]
		symbolOf(e).draw(d, at.x, at.y)
	})
}
