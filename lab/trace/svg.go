package trace

import (
	"fmt"
	"io"
	"math"

	"github.com/go-election/election/lab/svg"
	"github.com/go-election/election/observe"
)

// The sizes of letters.
const (
	titleLetter = 18.0
	nameLetter  = 15.0
	smallLetter = 12.0
	tinyLetter  = 11.0
)

// The colours: those of Okabe and Ito, which all can distinguish, without the yellow, which cannot be seen on
// white. Where there are more kinds than colours, they come again with another dash.
var (
	colours = []string{"#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9"}
	dashes  = []string{"", "7 3", "2 3", "9 3 2 3"}
)

const (
	ink    = "#333333"
	pale   = "#E4E4E4"
	inside = "#EBC9DC"
)

// WriteSVG draws a trace as a space-time diagram: a line down for each process, an arrow for each
// message in the colour of its kind, and marks for all else. Each says what it is when the pointer is
// over it. A trace that is too large gives [ErrTooLarge].
func WriteSVG(w io.Writer, t *Trace) error {
	s := newStory(t)
	if err := s.drawable(); err != nil {
		return err
	}
	l := s.lay()
	d := &drawing{story: s, layout: l}
	d.width = l.left + l.column*float64(len(t.Header.Scenario.IDs)) + rightMargin
	d.width = max(d.width, 20+titleLetter*letterWidth*float64(len(s.title())), 420)
	// What comes later in an SVG covers what came before: the lines of time lie at the bottom, marks on top.
	d.rows()
	d.arrows()
	d.names(topMargin - 40)
	d.lives()
	for i := range s.beats {
		if b := &s.beats[i]; b.message() {
			d.message(b)
		}
	}
	for i := range s.beats {
		if b := &s.beats[i]; b.message() {
			d.label(i)
		}
	}
	for i := range s.beats {
		if b := &s.beats[i]; !b.message() && l.marked[b.event] {
			d.mark(b)
		}
	}
	d.names(l.bottom + 26)
	height := d.legend(l.bottom + 64)
	var page svg.Drawing
	page.Put(`<rect width="%s" height="%s" fill="#FFFFFF"/>`, svg.Num(d.width), svg.Num(height))
	page.Put(`<text x="20" y="34" font-size="%s" font-weight="bold" fill="%s">%s</text>`,
		svg.Num(titleLetter), ink, svg.Escaped(s.title()))
	page.Append(&d.Drawing)
	_, err := io.WriteString(w, page.Document(d.width, height, s.title()))
	return err
}

// drawing is a picture as it grows.
type drawing struct {
	*story
	*layout
	svg.Drawing
	width  float64
	labels []box     // of messages, so far
	ways   []segment // of all messages
}

func (d *drawing) text(x, y, size float64, anchor, text string) {
	d.Text(x, y, size, anchor, `fill="`+ink+`"`, text)
}

// group draws something with a title that says what it is.
func (d *drawing) group(class, title string, draw func()) {
	d.Put(`<g class="%s"><title>%s</title>`, class, svg.Escaped(title))
	draw()
	d.Put(`</g>`)
}

// rows draws the time.
func (d *drawing) rows() {
	d.text(d.left-timeGap, topMargin-20, smallLetter, "end", "time")
	last := -math.MaxFloat64
	for _, r := range d.layout.rows {
		d.Line(d.left-6, r.y, d.x(len(d.trace.Header.Scenario.IDs)-1)+d.column/2, r.y, 1, "#F2F2F2", "")
		// Every instant has its line, but a time is written only where it does not overlap the one before.
		if r.y-last >= smallLetter+3 {
			d.text(d.left-timeGap, r.y+4, smallLetter, "end", d.time(r.at))
			last = r.y
		}
	}
}

// names says which process each line is.
func (d *drawing) names(y float64) {
	h := &d.trace.Header.Scenario
	for p := range h.IDs {
		d.Put(`<text class="process" x="%s" y="%s" font-size="%s" font-weight="bold" text-anchor="middle" `+
			`fill="%s">%s</text>`,
			svg.Num(d.x(p)), svg.Num(y), svg.Num(nameLetter), ink, d.id(p))
		if h.Priorities != nil {
			d.text(d.x(p), y+16, smallLetter, "middle", fmt.Sprintf("priority %d", h.Priorities[p]))
		}
	}
}

// lives draws the line of each process: dotted where it is down, with a band where it is paused or inside
// a critical section.
func (d *drawing) lives() {
	all := make([]life, len(d.trace.Header.Scenario.IDs))
	for p := range all {
		all[p].from = topMargin - 16
	}
	for i := range d.trace.Events {
		e := &d.trace.Events[i]
		p := d.where[e.Process]
		now := &all[p]
		was, from := *now, d.y[i]
		switch {
		case e.Do == observe.Crash:
			*now = life{from: from, down: true}
		case e.Do == observe.Pause || e.Do == observe.Resume:
			now.paused = e.Do == observe.Pause
		case e.Do == observe.Recover || e.Do == observe.Restart:
			*now = life{from: from}
		case e.Do == observe.Raise && e.Op == entered:
			// There are at most 64 sections, but a Node may raise any Flags.
			now.inside |= 1 << (e.Message.Flags % 64)
		case e.Do == observe.Raise && e.Op == exited:
			now.inside &^= 1 << (e.Message.Flags % 64)
		}
		now.from = was.from
		if was != *now {
			if e.Do != observe.Crash || e.Seq > 1 { // not down from the beginning
				d.life(p, was, from)
			}
			now.from = from
		}
	}
	for p := range all {
		d.life(p, all[p], d.bottom)
	}
}

// life is how a process is from some place on.
type life struct {
	from         float64
	down, paused bool
	inside       uint64 // which critical sections
}

// life draws a stretch of the line of a process.
func (d *drawing) life(p int, l life, to float64) {
	x, class, how := d.x(p), "up", fmt.Sprintf(`stroke="%s" stroke-width="1.5"`, ink)
	band := func(class, colour string) {
		d.Put(`<rect class="%s" x="%s" y="%s" width="10" height="%s" fill="%s"/>`, class, svg.Num(x-5),
			svg.Num(l.from), svg.Num(to-l.from), colour)
	}
	if l.paused {
		band("paused", pale)
	}
	if l.inside != 0 {
		band("inside", inside)
	}
	if l.down {
		class, how = "down", `stroke="#AAAAAA" stroke-width="1" stroke-dasharray="1 5"`
	}
	d.Put(`<line class="%s" x1="%s" y1="%s" x2="%s" y2="%s" %s/>`, class, svg.Num(x), svg.Num(l.from),
		svg.Num(x),
		svg.Num(to), how)
}

// style returns the colour and the dash of a kind of message.
func style(kind uint8) (colour, dash string) {
	if kind == 0 {
		return "#000000", dashes[0]
	}
	k := int(kind-1) % (len(colours) * len(dashes))
	return colours[k%len(colours)], dashes[k/len(colours)]
}

// kindOf returns the kind of the message of a beat.
func (d *drawing) kindOf(b *beat) uint8 {
	if b.sent != none {
		return d.trace.Events[b.sent].Message.Kind
	}
	return d.trace.Events[b.event].Message.Kind
}

// arrow returns from where to where a message is drawn, which may be on its way still.
func (d *drawing) arrow(b *beat) (x1, y1, x2, y2 float64, onTheWay bool) {
	x1, x2, y2 = d.x(b.from), d.x(b.process), d.y[b.event]
	y1 = y2 - leastDrop
	if b.sent != none {
		y1 = d.y[b.sent]
	}
	onTheWay = b.fate == unreceived || b.fate == lost && d.where[d.trace.Events[b.event].Process] == b.from &&
		b.from != b.process
	if onTheWay {
		// The message has not arrived, so its arrow ends on the way.
		x2, y2 = x1+(x2-x1)*0.4, y1+16
		if b.from == b.process {
			x2 = x1 + 24
		}
	}
	return x1, y1, x2, y2, onTheWay
}

// message draws an arrow, as far as the message has come.
func (d *drawing) message(b *beat) {
	x1, y1, x2, y2, onTheWay := d.arrow(b)
	colour, dash := style(d.kindOf(b))
	d.group("message", d.linkText(b)+": "+b.text, func() {
		if b.from == b.process && !onTheWay {
			d.Put(`<path d="M%s %s C%s %s %s %s %s %s" fill="none" stroke="%s" stroke-width="1.6"/>`,
				svg.Num(x1), svg.Num(y1), svg.Num(x1-34), svg.Num(y1), svg.Num(x1-34), svg.Num(y2),
				svg.Num(x2), svg.Num(y2), colour)
			d.head(x1-30, y2, x2, y2, colour)
			return
		}
		d.Line(x1, y1, x2, y2, 1.6, colour, dash)
		switch b.fate {
		case delivered:
			d.head(x1, y1, x2, y2, colour)
		case lost:
			d.cross(x2, y2, 4, colour)
		default:
			d.ring(x2, y2, colour)
		}
	})
}

// head draws the head of an arrow.
func (d *drawing) head(x1, y1, x2, y2 float64, colour string) {
	length := math.Hypot(x2-x1, y2-y1)
	ux, uy := (x2-x1)/length, (y2-y1)/length
	const long, wide = 9, 3.6
	bx, by := x2-ux*long, y2-uy*long
	d.Put(`<polygon points="%s,%s %s,%s %s,%s" fill="%s"/>`,
		svg.Num(x2), svg.Num(y2), svg.Num(bx-uy*wide), svg.Num(by+ux*wide), svg.Num(bx+uy*wide),
		svg.Num(by-ux*wide), colour)
}

// ring ends an arrow that has not come to its end.
func (d *drawing) ring(x, y float64, colour string) { d.Circle(x, y, 3, "#FFFFFF", colour, 1.6) }
