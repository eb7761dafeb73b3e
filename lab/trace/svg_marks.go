package trace

import (
	"math"
	"slices"
	"strings"

	"github.com/go-election/election"
	"github.com/go-election/election/lab/svg"
	"github.com/go-election/election/observe"
)

// symbol is how something at a process is drawn.
type symbol struct {
	about string
	of    []observe.What
	draw  func(d *drawing, x, y float64)
}

// symbols are all that there are, in the order of the legend.
var symbols = []symbol{
	{"begins", []observe.What{observe.Init, observe.Rejoin},
		func(d *drawing, x, y float64) { d.circle(x, y, 3, svg.Paper) }},
	{"starts", []observe.What{observe.Start, observe.Reelect},
		func(d *drawing, x, y float64) { d.polygon(svg.Ink, x-4, y-5, x+5, y, x-4, y+5) }},
	{"follows", nil, func(d *drawing, x, y float64) { d.diamond(x, y, svg.Green) }},
	{"leads", nil, func(d *drawing, x, y float64) { d.star(x, y, svg.Gold) }},
	{"undecided", nil, func(d *drawing, x, y float64) { d.diamond(x, y, svg.Paper) }},
	{"ends", []observe.What{observe.Done},
		func(d *drawing, x, y float64) { d.square(x, y, svg.Ink) }},
	{"sets a timer", []observe.What{observe.Set}, func(d *drawing, x,
		y float64) {
		d.clock(x, y, svg.Paper)
	}},
	{"time-out", []observe.What{observe.Timeout},
		func(d *drawing, x, y float64) { d.clock(x, y, svg.Amber) }},
	{"stops timers", []observe.What{observe.Stop, observe.StopAll}, func(d *drawing, x, y float64) {
		d.clock(x, y, svg.Paper)
		d.Line(x-5, y+5, x+5, y-5, 1.2, svg.Ink, "")
	}},
	{"enters section", nil, func(d *drawing, x, y float64) { d.triangle(x, y, svg.Pink) }},
	{"leaves section", nil, func(d *drawing, x, y float64) { d.triangle(x, y, svg.Paper) }},
	{"crashes", []observe.What{observe.Crash}, func(d *drawing, x, y float64) {
		d.Put(`<rect x="%s" y="%s" width="13" height="13" fill="%s" stroke="%s" stroke-width="1.2"/>`,
			svg.Num(x-6.5), svg.Num(y-6.5), svg.Red, svg.Ink)
		d.cross(x, y, 4, svg.Paper)
	}},
	{"comes back", []observe.What{observe.Recover, observe.Restart},
		func(d *drawing, x, y float64) { d.circle(x, y, 5, svg.Sky) }},
	{"pauses", []observe.What{observe.Pause}, func(d *drawing, x, y float64) {
		d.Line(x-2.5, y-5, x-2.5, y+5, 2.5, svg.Ink, "")
		d.Line(x+2.5, y-5, x+2.5, y+5, 2.5, svg.Ink, "")
	}},
	{"goes on", []observe.What{observe.Resume}, func(d *drawing, x,
		y float64) {
		d.polygon(svg.Paper, x-4, y-5, x+5, y, x-4, y+5)
	}},
	{"saves", []observe.What{observe.Save},
		func(d *drawing, x, y float64) { d.square(x, y, svg.Paper) }},
	{"doubled", []observe.What{observe.Duplicate}, func(d *drawing, x, y float64) {
		d.circle(x-2, y, 3, svg.Paper)
		d.circle(x+2, y, 3, svg.Paper)
	}},
	{"suspects", []observe.What{observe.Suspect}, func(d *drawing, x,
		y float64) {
		d.slump(x, y, svg.Orange)
	}},
	{"trusts", []observe.What{observe.Trust}, func(d *drawing, x, y float64) { d.plus(x, y, svg.Sky) }},
	{"hears one leave", []observe.What{observe.Left},
		func(d *drawing, x, y float64) { d.slump(x, y, svg.Paper) }},
	{"hears one join", []observe.What{observe.Joined},
		func(d *drawing, x, y float64) { d.plus(x, y, svg.Paper) }},
	{"a link is cut", []observe.What{observe.Cut},
		func(d *drawing, x, y float64) { d.cross(x, y, 4, svg.Red) }},
	{"a link heals", []observe.What{observe.Heal},
		func(d *drawing, x, y float64) { d.plus(x, y, svg.Green) }},
	{"else", nil, func(d *drawing, x, y float64) {
		d.polygon(svg.Paper, x-5, y-2, x, y-6, x+5, y-2, x+3, y+5,
			x-3, y+5)
	}},
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

func (d *drawing) square(x, y float64, fill string) {
	d.Put(`<rect x="%s" y="%s" width="8" height="8" fill="%s" stroke="%s" stroke-width="1.2"/>`, svg.Num(x-4),
		svg.Num(y-4), fill, svg.Ink)
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
	d.circle(x, y, 5, fill)
	d.Put(`<path d="M%s %s V%s H%s" fill="none" stroke="%s" stroke-width="1.2"/>`, svg.Num(x), svg.Num(y-3.5),
		svg.Num(y),
		svg.Num(x+3), svg.Ink)
}

func (d *drawing) cross(x, y, size float64, colour string) {
	d.Line(x-size, y-size, x+size, y+size, 2.2, colour, "")
	d.Line(x-size, y+size, x+size, y-size, 2.2, colour, "")
}

func (d *drawing) polygon(fill string, points ...float64) {
	var text strings.Builder
	for i := 0; i < len(points); i += 2 {
		if i > 0 {
			text.WriteByte(' ')
		}
		text.WriteString(svg.Num(points[i]) + "," + svg.Num(points[i+1]))
	}
	d.Put(`<polygon points="%s" fill="%s" stroke="%s" stroke-width="1"/>`, text.String(), fill, svg.Ink)
}

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
