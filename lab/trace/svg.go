package trace

import (
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/go-election/election"
	"github.com/go-election/election/internal/prose"
	"github.com/go-election/election/lab/svg"
)

// How the kinds of messages differ: by colour, by dash and by head, so that they do in grey, too.
var (
	colours = []string{svg.Blue, svg.Orange, svg.Green, svg.Pink, svg.Amber, svg.Sky}
	dashes  = []string{"", "7 4", "2 4", "10 3 2 3", "14 6", "5 2 2 2", "4 8", "14 3 2 3 2 3"}
)

// Picture says how a trace is drawn. The zero value shows what matters.
type Picture struct {
	All bool // every event has a mark, and repetitions are drawn each
}

// WriteSVG draws a trace as a space-time diagram: a line down for each process, which shows its role, an
// arrow for each message in the colour of its kind, and marks for what else matters. Time runs down to
// scale. The key moments are numbered, and explained below. A trace with more than [MostProcesses] or
// [MostMessages] is drawn as an overview, without words at its messages; one of more than [MostLanes]
// processes gives [ErrTooLarge].
func WriteSVG(w io.Writer, t *Trace, how Picture) error {
	t, steps := ordered(byTime(t))
	s := newStory(t)
	s.all, s.steps = how.All, steps
	if n := len(t.Header.Scenario.IDs); n > MostLanes {
		return fmt.Errorf("%w: %d processes, at most %d have room beside each other", ErrTooLarge, n,
			MostLanes)
	}
	if s.drawable() != nil {
		_, err := io.WriteString(w, s.overview())
		return err
	}
	var folds []fold
	if !s.all {
		folds = s.folds()
		s.hidden = folds
	}
	// The letters must be legible where the picture is as narrow as a phone, and larger letters make it
	// wider.
	letter := readable
	for range 8 {
		letter = max(letter, leastLetter*s.lay(letter, 0, folds).width/phone)
	}
	d := s.draw(letter, folds)
	_, err := io.WriteString(w, d.Document(d.width, d.end, s.headline(), s.about()))
	return err
}

// draw draws everything with letters of a size.
func (s *story) draw(letter float64, folds []fold) *drawing {
	// The width decides how many lines the words above need, and those where the rest begins.
	probe := s.lay(letter, 0, folds)
	d := &drawing{story: s, layout: probe, numbered: s.moments()}
	head := &drawing{story: s, layout: probe, numbered: d.numbered}
	bottom, rest := head.heading(edge)
	names := bottom + d.nameHeight()
	// A number has room between the names and the first instant.
	d.layout = s.lay(letter, names+1.2*letter-8.8, folds)
	d.high, d.named = bottom, names-0.35*letter
	d.arrows()
	d.settleEnds()
	d.partitions()
	d.axis()
	d.settleMarks()
	d.settleNumbers()
	d.lives()
	for i := range s.beats {
		if b := &s.beats[i]; b.message() {
			d.message(i)
		}
	}
	d.violation()
	for i := range s.beats {
		if b := &s.beats[i]; !b.message() && d.shown[b.event] {
			d.mark(b)
		}
	}
	d.numbers()
	for i := range s.beats {
		if b := &s.beats[i]; b.message() {
			d.label(i)
		}
	}
	d.processNames(bottom)
	d.Append(&head.Drawing)
	d.end = d.caption(d.low + lastRow)
	// The others of the signs are explained below, so that the picture begins at the top.
	if len(rest) > 0 {
		head.Drawing = svg.Drawing{}
		bottom, _ = head.flow(d.end-edge, math.MaxInt, rest)
		d.end = bottom + edge
		d.Append(&head.Drawing)
	}
	return d
}

// about says what the picture shows to readers who cannot see it: the result, the setting, the key moments,
// and the first lines of the log.
func (s *story) about() string {
	parts := []string{s.headline(), s.setting()}
	for i, m := range s.moments() {
		parts = append(parts, fmt.Sprintf("%d, at %s: %s", i+1, s.time(s.trace.Events[m.event].At), m.text))
	}
	return strings.Join(append(parts, s.log()), ". ") + "."
}

// log quotes the first lines of the log.
func (s *story) log() string { return "The log begins: " + strings.Join(s.quoted(), "; ") }

// drawing is a picture as it grows.
type drawing struct {
	*story
	*layout
	svg.Drawing
	end      float64 // the height
	labels   []box   // of messages, so far, and the ends of those that do not arrive
	ways     [][]segment
	numbered []moment
	circles  []point       // where their numbers are
	spots    map[int]point // where the marks of events are
	marks    []box         // all of them
}

func (d *drawing) text(x, y float64, anchor, text string) {
	d.Text(x, y, d.letter, anchor, `fill="`+svg.Ink+`"`, text)
}

// words writes a text on as many lines as it needs, and returns the bottom of the last.
func (d *drawing) words(x, top, size float64, style, text string) float64 {
	most := int((d.width - x - edge) / (size * letterWidth))
	for line := range strings.Lines(prose.Wrapped(text, "", max(most, 12))) {
		top += size * 1.25
		d.Text(x, top-size*0.3, size, "start", style, strings.TrimSpace(line))
	}
	return top
}

// heading writes what it is, how it was run, and what the signs mean. It returns where it ends, and the signs
// that have no room there.
func (d *drawing) heading(top float64) (bottom float64, rest []sign) {
	top = d.words(edge, top, d.letter*1.15, `font-weight="bold" fill="`+svg.Ink+`"`, d.headline())
	top = d.words(edge, top, d.letter, `fill="`+svg.Grey+`"`, d.setting())
	bottom, rest = d.legend(top + 6)
	return bottom + 6, rest
}

// group draws something with a title that says what it is.
func (d *drawing) group(class, title string, draw func()) {
	d.Put(`<g class="%s"><title>%s</title>`, class, svg.Escaped(title))
	draw()
	d.Put(`</g>`)
}

// axis draws the time.
func (d *drawing) axis() {
	name := "time"
	if d.layout.steps {
		name = "step"
	}
	right, at := d.left-8, d.left
	if d.wraps {
		right, at = right-d.column/2, at-d.column/2
	}
	far := d.width - edge
	first := d.parts[0].top
	d.Text(right, first-d.letter*1.3, d.letter, "end", `fill="`+svg.Grey+`"`, name)
	step := d.tick(d.letter)
	for i := range d.parts {
		p := &d.parts[i]
		if i%2 == 1 {
			d.zigzag(at, p)
			lines := cutLines(p.cut)
			y := (p.top+p.bottom)/2 - d.letter*cutLine*float64(len(lines))/2
			for k, line := range lines {
				d.Text(right, y+d.letter*(cutLine*(float64(k)+0.5)+0.35), d.letter, "end",
					`class="cut" fill="`+svg.Grey+`"`, line)
			}
			continue
		}
		for t := (p.from + step - 1) / step * step; t <= p.until; t += step {
			y := d.y(t)
			d.Line(at-4, y, far, y, 1, svg.Pale, "")
			if i > 0 && y-p.top < d.letter*0.4 && d.parts[i-1].cut != "" && y-p.top > 0 {
				continue
			}
			d.text(right, y+d.letter*0.35, "end", d.time(t))
		}
	}
}

// zigzag draws the axis where it is cut.
func (d *drawing) zigzag(x float64, p *part) {
	var points []float64
	for k := range 7 {
		side := 4.0
		if k%2 == 0 {
			side = -4
		}
		points = append(points, x+side, p.top+6+(p.bottom-p.top-12)*float64(k)/6)
	}
	d.Path(points, 1.5, svg.Mid, "")
}

// nameHeight returns how high the names of the processes are.
func (d *drawing) nameHeight() float64 {
	lines := 1.4
	if d.trace.Header.Scenario.Priorities != nil {
		lines += 1.2
	}
	if !d.upward {
		return lines * d.letter
	}
	longest := 0
	for p := range d.trace.Header.Scenario.IDs {
		longest = max(longest, len(d.id(p)))
	}
	return float64(longest)*d.letter*letterWidth + (lines-0.4)*d.letter
}

// processNames says which process each line is: in bold if it leads at the end.
func (d *drawing) processNames(top float64) {
	h := &d.trace.Header.Scenario
	y := top + d.nameHeight()
	if h.Priorities != nil {
		y -= d.letter * 1.2
	}
	for p := range h.IDs {
		style := `class="process" font-weight="bold" fill="` + svg.Ink + `"`
		if d.final[p].Role == election.Leader {
			style = `class="process" font-weight="bold" fill="` + svg.Gold + `"`
		}
		x, at := d.x(p), y-d.letter*0.4
		if d.upward {
			x += d.letter * 0.35
			style += fmt.Sprintf(` transform="rotate(-90 %s %s)"`, svg.Num(x), svg.Num(at))
			d.Text(x, at, d.letter, "start", style, d.id(p))
		} else {
			d.Text(x, at, d.letter, "middle", style, d.id(p))
		}
		if h.Priorities != nil {
			d.Text(d.x(p), at+d.letter*1.2, d.letter, "middle", `fill="`+svg.Grey+`"`,
				fmt.Sprintf("p %d", h.Priorities[p]))
		}
	}
	if n := len(h.IDs); d.wraps && !d.upward {
		style, at := `class="ghost" fill="`+svg.Grey+`"`, y-d.letter*0.4
		d.Text(d.left-d.column/2+2, at, d.letter, "start", style, "("+d.id(n-1)+")")
		d.Text(d.left+d.column*(float64(n)+0.5)-2, at, d.letter, "end", style, "("+d.id(0)+")")
	}
}

// violation frames the step at which the property does not hold.
func (d *drawing) violation() {
	if d.trace.Header.Scenario.Property == "" || len(d.trace.Events) == 0 {
		return
	}
	i := d.lastStep()
	x, y := d.x(d.where[d.trace.Events[i].Process]), d.place[i]
	d.Put(`<rect class="violation" x="%v" y="%v" width="%v" height="%v" rx="5" fill="none" stroke="%v" `+
		`stroke-width="2.5"/>`, x-15, y-12, 30, 24, svg.Red)
}

// numbers writes the numbers of the key moments.
func (d *drawing) numbers() {
	for i := range d.numbered {
		d.number(d.circles[i].x, d.circles[i].y, d.letter*0.62, i+1)
	}
}

func (d *drawing) number(x, y, r float64, n int) {
	d.Circle(x, y, r, svg.Paper, svg.Ink, 1.2)
	d.Text(x, y+d.letter*0.35, d.letter, "middle", `class="number" fill="`+svg.Ink+`"`, fmt.Sprint(n))
}

// caption explains the numbered moments, and returns where it ends.
func (d *drawing) caption(top float64) float64 {
	r := d.letter * 0.62
	for i, m := range d.numbered {
		text := d.time(d.trace.Events[m.event].At) + ": " + m.text
		if d.layout.steps {
			text = "step " + text
		}
		d.number(edge+r+1, top+d.letter*0.85, r, i+1)
		top = d.words(edge+2*r+9, top+d.letter*0.1, d.letter, `fill="`+svg.Ink+`"`, text) + d.letter*0.25
	}
	return top + edge
}

// style returns how a kind of message is drawn.
func style(kind uint8) (colour, dash string, open bool) {
	if kind == 0 {
		return svg.Black, "3 3", true
	}
	k := int(kind - 1)
	// The heads change before the longer dashes come: few algorithms have more than eight kinds.
	half := len(dashes) / 2
	return colours[k%len(colours)], dashes[k%half+k/len(dashes)%2*half], k/half%2 == 1
}

// kindOf returns the kind of the message of a beat.
func (d *drawing) kindOf(b *beat) uint8 {
	if b.sent != none {
		return d.trace.Events[b.sent].Message.Kind
	}
	return d.trace.Events[b.event].Message.Kind
}

// head draws the head of an arrow.
func (d *drawing) head(x1, y1, x2, y2 float64, colour string, open bool) {
	length := math.Hypot(x2-x1, y2-y1)
	if length == 0 {
		return
	}
	ux, uy := (x2-x1)/length, (y2-y1)/length
	const long, wide = 9, 4
	bx, by := x2-ux*long, y2-uy*long
	points := []float64{bx - uy*wide, by + ux*wide, x2, y2, bx + uy*wide, by - ux*wide}
	if open {
		d.Path(points, 1.8, colour, "")
		return
	}
	d.Put(`<polygon points="%v" fill="%v"/>`, points, colour)
}

// ring ends an arrow that has not come to its end.
func (d *drawing) ring(x, y float64, colour string) { d.Circle(x, y, 3.5, svg.Paper, colour, 1.6) }
