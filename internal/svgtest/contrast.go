package svgtest

import (
	"fmt"
	"math"
	"strconv"

	"github.com/go-election/election/lab/svg"
)

// rgb is a colour, each part from 0 to 255.
type rgb [3]float64

func read(colour string) (c rgb) {
	for i := range c {
		if len(colour) == 7 {
			n, _ := strconv.ParseUint(colour[1+2*i:3+2*i], 16, 8)
			c[i] = float64(n)
		}
	}
	return c
}

// over returns a colour that covers another by a part.
func (c rgb) over(below rgb, part float64) rgb {
	for i := range c {
		c[i] = part*c[i] + (1-part)*below[i]
	}
	return c
}

// luminance is that of the guidelines for accessible pages, from 0 to 1.
func (c rgb) luminance() (sum float64) {
	for i, weight := range []float64{0.2126, 0.7152, 0.0722} {
		if part := c[i] / 255; part <= 0.03928 {
			sum += weight * part / 12.92
		} else {
			sum += weight * math.Pow((part+0.055)/1.055, 2.4)
		}
	}
	return sum
}

func contrast(a, b rgb) float64 {
	x, y := a.luminance(), b.luminance()
	return (max(x, y) + 0.05) / (min(x, y) + 0.05)
}

// aids are the colours of what helps the eye and says nothing, and of bands, where they are no marks.
var aids = map[string]bool{svg.Faint: true, svg.Pale: true, svg.Rose: true, svg.Alarm: true, svg.Paper: true}

// aid reports whether a shape says nothing by its colour: a line of the grid, or a band, whose
// meaning its rim has.
func (s *shape) aid() bool {
	switch {
	case s.tag == "circle" && s.attr["fill"] == svg.Paper && s.attr["stroke"] == "":
		return true // the ground of what is drawn on it
	case s.class == "mark" || s.class == "message" || s.class == "link" || s.class == "unused":
		return false
	case s.class == "tree" && s.attr["stroke"] == svg.Paper:
		return true // what keeps a link and its band apart
	case s.tag == "rect":
		return aids[s.attr["fill"]]
	case s.attr["fill-opacity"] != "":
		return true // between two curves that have their names in its title
	}
	return s.tag == "line" && aids[s.attr["stroke"]]
}

// LightPages returns the colours of light pages that pictures stand on: white, which browsers and GitHub
// have, a grey of GitHub's, and the library's own page.
func LightPages() []string { return []string{"#FFFFFF", "#F6F8FA", "#F7F7F5"} }

// DarkPages returns the same of dark pages: GitHub, which has two, Chromium, the library's own page, and an
// editor.
func DarkPages() []string { return []string{"#0D1117", "#212830", "#121212", "#16191D", "#1E1E1E"} }

// sheets finds a shape that hides the page from edge to edge.
func sheets(shapes []shape, width float64) (faults []string) {
	for i := range shapes {
		if s := &shapes[i]; s.tag == "rect" && (s.attr["width"] == "100%" || s.number("width") >= width) {
			faults = append(faults, "a sheet hides the page")
		}
	}
	return faults
}

// contrasts finds letters and marks that are too pale for what they lie on, be it the page.
func contrasts(shapes []shape, page string, scheme func(colour string) string) (faults []string) {
	for i := range shapes {
		s := &shapes[i]
		if s.aid() {
			continue
		}
		least, of := ofMarks, "mark"
		if s.tag == "text" {
			least, of = ofText, "text "+strconv.Quote(s.text)
		}
		for _, p := range s.samples() {
			have := s.stands(shapes[:i], p, page, scheme)
			if have < least {
				faults = append(faults, fmt.Sprintf("%s %s %s (%q) has a contrast of %.1f on %s", of, s.tag,
					s.attr["fill"]+s.attr["stroke"], s.title, have, page))
				break
			}
		}
	}
	return faults
}

// samples returns some places of a shape.
func (s *shape) samples() []point {
	switch s.tag {
	case "text":
		return s.points
	case "line", "polyline", "path":
		var some []point
		for _, way := range s.paths {
			for k := range len(way) - 1 {
				for part := 0.05; part < 1; part += 0.15 {
					some = append(some, point{way[k].x + (way[k+1].x-way[k].x)*part,
						way[k].y + (way[k+1].y-way[k].y)*part})
				}
			}
		}
		return some
	}
	return []point{centre(s.points)}
}

// stands returns by how much a shape stands out from what is below it.
func (s *shape) stands(below []shape, p point, page string, scheme func(colour string) string) float64 {
	ground := read(page)
	for i := range below {
		b := &below[i]
		fill := b.attr["fill"]
		// Curves and marks of a plot may meet; letters and the parts of one mark lie on discs and the like.
		own := s.tag == "text" || s.class != "" && s.group == b.group
		if b.tag == "text" || b.tag == "line" || b.tag == "path" {
			continue
		}
		solid := b.attr["fill-opacity"] != "" || own && (b.tag == "circle" || b.tag == "polygon") ||
			b.tag == "rect" && (own || b.group == 0 || b.class == "partition")
		if !solid || fill == "none" || !inside(b.points, p) {
			continue
		}
		part := 1.0
		if b.attr["fill-opacity"] != "" {
			part = b.number("fill-opacity")
		}
		ground = read(scheme(fill)).over(ground, part)
	}
	part := 1.0
	if s.attr["opacity"] != "" {
		part = s.number("opacity")
	}
	best := 0.0
	if s.tag == "text" && s.attr["paint-order"] == "stroke" { // letters on a rim of their own
		ground = read(scheme(s.attr["stroke"]))
	} else if stroke := s.attr["stroke"]; stroke != "" && stroke != "none" {
		best = contrast(read(scheme(stroke)).over(ground, part), ground)
	}
	fill := s.attr["fill"]
	if fill == "" {
		fill = svg.Ink // of the whole picture
	}
	if fill != "none" && s.tag != "line" {
		best = max(best, contrast(read(scheme(fill)).over(ground, part), ground))
	}
	return best
}
