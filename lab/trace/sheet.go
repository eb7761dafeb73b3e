package trace

import (
	"math"

	"github.com/go-election/election/lab/svg"
)

// The measures of all pictures.
const (
	phone       = 390.0 // the width of the narrowest screen
	leastLetter = 11.1  // the size of letters on that screen
	readable    = 14.0  // the least size of letters in the picture itself
	letterWidth = 0.62  // of a letter, at most, by its height
	edge        = 14.0  // around everything
)

// sheet is a drawing of some width, with letters of one size.
type sheet struct {
	svg.Drawing
	width, letter float64
}

// point is a place.
type point struct{ x, y float64 }

// segment is a straight part of an arrow or a link.
type segment struct{ x1, y1, x2, y2 float64 }

// box is what a mark, a number or a label covers.
type box struct{ x1, y1, x2, y2 float64 }

func around(p point, wide, high float64) box {
	return box{p.x - wide, p.y - high, p.x + wide, p.y + high}
}

func (b box) overlaps(o box) bool { return b.x1 < o.x2 && o.x1 < b.x2 && b.y1 < o.y2 && o.y1 < b.y2 }

// crosses reports whether a segment goes through a box, by the algorithm of Liang and Barsky.
func (s *segment) crosses(b box) bool {
	from, to := 0.0, 1.0
	for _, side := range [][4]float64{{s.x1, s.x2 - s.x1, b.x1, b.x2}, {s.y1, s.y2 - s.y1, b.y1, b.y2}} {
		at, by, least, most := side[0], side[1], side[2], side[3]
		if by == 0 {
			if at < least || at > most {
				return false
			}
			continue
		}
		in, out := (least-at)/by, (most-at)/by
		from, to = max(from, min(in, out)), min(to, max(in, out))
	}
	return from < to
}

// at returns the place at a part of a segment.
func (s *segment) at(part float64) point {
	return point{s.x1 + (s.x2-s.x1)*part, s.y1 + (s.y2-s.y1)*part}
}

// words writes a text on as many lines as it needs, and returns the bottom of the last.
func (d *sheet) words(x, top, size float64, style, text string) float64 {
	return d.Paragraph(x, top+size*0.95, size, size*1.25, d.width-x-edge, style, text) - size*0.95
}

// heading writes the result and what was run, and returns where it ends.
func (d *sheet) heading(s *story) float64 {
	top := d.words(edge, edge, d.letter*1.15, `font-weight="bold" fill="`+svg.Ink+`"`, s.headline())
	return d.words(edge, top, d.letter, `fill="`+svg.Grey+`"`, s.setting()) + 6
}

// on writes a short text over lines, which it hides, centered at a place.
func (d *sheet) on(at point, style, text string) {
	d.Text(at.x, at.y+d.letter*0.35, d.letter, "middle", style+` fill="`+svg.Ink+`" stroke="`+svg.Paper+
		`" stroke-width="5" paint-order="stroke"`, text)
}

// group draws something with a title that explains it.
func (d *sheet) group(class, title string, draw func()) {
	d.Put(`<g class="%s"><title>%s</title>`, class, svg.Escaped(title))
	draw()
	d.Put(`</g>`)
}

func (d *sheet) cross(x, y, size float64, color string) {
	d.Line(x-size, y-size, x+size, y+size, 2.2, color, "")
	d.Line(x-size, y+size, x+size, y-size, 2.2, color, "")
}

// head draws the head of an arrow.
func (d *sheet) head(s segment, color string, open bool) {
	length := math.Hypot(s.x2-s.x1, s.y2-s.y1)
	if length == 0 {
		return
	}
	ux, uy := (s.x2-s.x1)/length, (s.y2-s.y1)/length
	const long, wide = 9, 4
	x, y := s.x2-ux*long, s.y2-uy*long
	points := []float64{x - uy*wide, y + ux*wide, s.x2, s.y2, x + uy*wide, y - ux*wide}
	if open {
		d.Path(points, 1.8, color, "")
		return
	}
	d.Put(`<polygon points="%v" fill="%v"/>`, points, color)
}

// sign is an entry of a legend.
type sign struct {
	about string
	wide  float64 // of what is drawn
	draw  func(x, y float64)
}

// legend writes signs below top, in as few lines as they need, and returns where it ends.
func (d *sheet) legend(top float64, signs []sign) float64 {
	const gap, apart = 4.0, 9.0
	x, y := edge, top+d.letter*0.8
	for _, s := range signs {
		wide := s.wide + gap + svg.TextWidth(s.about, false)*d.letter
		if x > edge && x+wide > d.width-edge {
			x, y = edge, y+d.letter*1.5
		}
		s.draw(x, y)
		d.Text(x+s.wide+gap, y+d.letter*0.35, d.letter, "start", `fill="`+svg.Ink+`"`, s.about)
		x += wide + apart
	}
	return y + d.letter*0.7
}

// lineSign is the sign of a line.
func (d *sheet) lineSign(about, color string, width float64) sign {
	return sign{about, 22, func(x, y float64) { d.Line(x, y, x+22, y, width, color, "") }}
}
