package trace

import (
	"fmt"
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
		func(d *drawing, x, y float64) { d.circle(x, y, 3, "#FFFFFF") }},
	{"starts", []observe.What{observe.Start, observe.Reelect},
		func(d *drawing, x, y float64) { d.polygon(ink, x-4, y-5, x+5, y, x-4, y+5) }},
	{"follows", nil, func(d *drawing, x, y float64) { d.diamond(x, y, "#009E73") }},
	{"leads", nil, func(d *drawing, x, y float64) { d.diamond(x, y, "#F0E442") }},
	{"undecided again", nil, func(d *drawing, x, y float64) { d.diamond(x, y, "#FFFFFF") }},
	{"knows the end", []observe.What{observe.Done}, func(d *drawing, x, y float64) { d.square(x, y, ink) }},
	{"sets a timer", []observe.What{observe.Set}, func(d *drawing, x,
		y float64) {
		d.clock(x, y, "#FFFFFF")
	}},
	{"a timer runs out", []observe.What{observe.Timeout},
		func(d *drawing, x, y float64) { d.clock(x, y, "#E69F00") }},
	{"stops timers", []observe.What{observe.Stop, observe.StopAll}, func(d *drawing, x, y float64) {
		d.clock(x, y, "#FFFFFF")
		d.Line(x-5, y+5, x+5, y-5, 1.2, ink, "")
	}},
	{"enters section", nil, func(d *drawing, x, y float64) { d.triangle(x, y, "#CC79A7") }},
	{"leaves section", nil, func(d *drawing, x, y float64) { d.triangle(x, y, "#FFFFFF") }},
	{"crashes", []observe.What{observe.Crash}, func(d *drawing, x, y float64) {
		d.Put(`<rect x="%s" y="%s" width="13" height="13" fill="#D55E00" stroke="%s" stroke-width="1.2"/>`,
			svg.Num(x-6.5), svg.Num(y-6.5), ink)
		d.cross(x, y, 4, "#FFFFFF")
	}},
	{"comes back", []observe.What{observe.Recover, observe.Restart},
		func(d *drawing, x, y float64) { d.circle(x, y, 5, "#56B4E9") }},
	{"pauses", []observe.What{observe.Pause}, func(d *drawing, x, y float64) {
		d.Line(x-2.5, y-5, x-2.5, y+5, 2.5, ink, "")
		d.Line(x+2.5, y-5, x+2.5, y+5, 2.5, ink, "")
	}},
	{"goes on", []observe.What{observe.Resume}, func(d *drawing, x,
		y float64) {
		d.polygon("#FFFFFF", x-4, y-5, x+5, y, x-4, y+5)
	}},
	{"saves its state", []observe.What{observe.Save},
		func(d *drawing, x, y float64) { d.square(x, y, "#FFFFFF") }},
	{"message doubled", []observe.What{observe.Duplicate}, func(d *drawing, x, y float64) {
		d.circle(x-2, y, 3, "#FFFFFF")
		d.circle(x+2, y, 3, "#FFFFFF")
	}},
	{"suspects", []observe.What{observe.Suspect}, func(d *drawing, x,
		y float64) {
		d.slump(x, y, "#D55E00")
	}},
	{"trusts", []observe.What{observe.Trust}, func(d *drawing, x, y float64) { d.plus(x, y, "#56B4E9") }},
	{"hears one leave", []observe.What{observe.Left},
		func(d *drawing, x, y float64) { d.slump(x, y, "#FFFFFF") }},
	{"hears one join", []observe.What{observe.Joined},
		func(d *drawing, x, y float64) { d.plus(x, y, "#FFFFFF") }},
	{"else", nil, func(d *drawing, x, y float64) {
		d.polygon("#FFFFFF", x-5, y-2, x, y-6, x+5, y-2, x+3, y+5,
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

func (d *drawing) circle(x, y, r float64, fill string) { d.Circle(x, y, r, fill, ink, 1.2) }

func (d *drawing) square(x, y float64, fill string) {
	d.Put(`<rect x="%s" y="%s" width="8" height="8" fill="%s" stroke="%s" stroke-width="1.2"/>`, svg.Num(x-4),
		svg.Num(y-4), fill, ink)
}

func (d *drawing) diamond(x, y float64, fill string) {
	d.polygon(fill, x, y-6, x+5, y, x, y+6, x-5, y)
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
		svg.Num(x+3), ink)
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
	d.Put(`<polygon points="%s" fill="%s" stroke="%s" stroke-width="1"/>`, text.String(), fill, ink)
}

// mark draws what is no message, beside the line of its process.
func (d *drawing) mark(b *beat) {
	e := &d.trace.Events[b.event]
	text := b.text
	if rejoin, ok := d.rejoined[b.event]; ok {
		text += ", " + d.markText(&d.trace.Events[rejoin])
	}
	d.group("mark", d.id(b.process)+": "+text, func() {
		symbolOf(e).draw(d, d.markX(d.story, b.event),
			d.y[b.event])
	})
}

// The measures of the legend.
const (
	legendRow    = 22.0
	legendColumn = 160.0
)

// sign is a line of the legend.
type sign struct {
	about string
	draw  func(x, y float64)
}

// legend says what colours and symbols mean, as far as they are used. It returns the height of the
// picture.
func (d *drawing) legend(top float64) float64 {
	most := max(int((d.width-25)/legendColumn), 1)
	for _, signs := range [][]sign{d.kindSigns(), d.markSigns()} {
		rows := (len(signs) + most - 1) / most
		if rows == 0 {
			continue
		}
		// Spread the signs evenly over the rows, so that the last row does not hold a single one.
		columns := (len(signs) + rows - 1) / rows
		for i := range signs {
			x, y := 20+legendColumn*float64(i%columns), top+legendRow*float64(i/columns)
			signs[i].draw(x, y)
			d.text(x+42, y+4, smallLetter, "start", signs[i].about)
		}
		top += legendRow * float64((len(signs)+columns-1)/columns)
	}
	return top + 8
}

// kindSigns are those of the kinds of messages, and of what became of them.
func (d *drawing) kindSigns() (signs []sign) {
	var kinds [256]bool
	var fates [unreceived + 1]bool
	for i := range d.beats {
		if b := &d.beats[i]; b.message() {
			kinds[d.kindOf(b)], fates[b.fate] = true, true
		}
	}
	for kind, used := range kinds {
		if !used {
			continue
		}
		name := d.story.names.name(uint8(kind))
		if name == "" {
			name = fmt.Sprintf("kind %d", kind)
		}
		colour, dash := style(uint8(kind))
		signs = append(signs, sign{fmt.Sprintf("%.16s", inLine(name)), func(x, y float64) {
			d.Line(x, y, x+28, y, 1.8, colour, dash)
			d.head(x, y, x+34, y, colour)
		}})
	}
	for _, f := range []struct {
		fate  fate
		about string
		end   func(x, y float64)
	}{
		{lost, "lost", func(x, y float64) { d.cross(x, y, 4, ink) }},
		{unreceived, "not arrived", func(x, y float64) { d.ring(x, y, ink) }},
	} {
		if fates[f.fate] {
			signs = append(signs, sign{f.about, func(x, y float64) {
				d.Line(x, y, x+28, y, 1.8, ink, "")
				f.end(x+28, y)
			}})
		}
	}
	return signs
}

// markSigns are those of what is no message.
func (d *drawing) markSigns() (signs []sign) {
	used := make(map[*symbol]bool)
	for i := range d.beats {
		if b := &d.beats[i]; !b.message() {
			used[symbolOf(&d.trace.Events[b.event])] = true
		}
	}
	for k := range symbols {
		if s := &symbols[k]; used[s] {
			signs = append(signs, sign{s.about, func(x, y float64) { s.draw(d, x+16, y) }})
		}
	}
	return signs
}
