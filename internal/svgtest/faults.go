package svgtest

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/go-election/election/lab/svg"
)

// The measures of a legible picture.
const (
	phone       = 390.0 // the width of a small screen
	leastLetter = 11.0  // there
	ofText      = 4.5   // contrast of letters
	ofMarks     = 3.0   // and of all else that says something
)

// Faults returns what is wrong with a picture, one line each.
func Faults(picture string) (faults []string) {
	shapes, width, height, err := parse(picture)
	if err != nil {
		return []string{err.Error()}
	}
	faults = slices.Concat(letters(shapes, width, height), sheets(shapes, width), covers(shapes),
		hides(shapes), greys(shapes), curves(shapes), owners(shapes), outside(shapes, width, height),
		strays(shapes))
	for _, page := range LightPages() {
		faults = append(faults, contrasts(shapes, page, func(c string) string { return c })...)
	}
	for _, page := range DarkPages() {
		faults = append(faults, contrasts(shapes, page, dark)...)
	}
	slices.Sort(faults)
	return slices.Compact(faults)
}

var schemes = svg.Schemes()

// dark returns the counterpart of a colour on a dark page.
func dark(colour string) string {
	if other, ok := schemes[colour]; ok {
		return other
	}
	return colour // no rule changes it
}

func letters(shapes []shape, width, height float64) (faults []string) {
	for i := range shapes {
		s := &shapes[i]
		if s.tag != "text" {
			continue
		}
		size := s.number("font-size")
		if phoned := size * min(phone/width, 1); phoned < leastLetter {
			faults = append(faults, fmt.Sprintf("text %q has letters of %.1f px on a phone", s.text, phoned))
		}
		// Also in a font that is wider than the one that is asked for.
		long := size * svg.TextWidth(s.text, s.attr["font-weight"] == "bold")
		begin, end := s.number("x"), width
		if s.attr["transform"] != "" { // read from below
			begin, end = height-s.number("y"), height
		}
		switch s.attr["text-anchor"] {
		case "middle":
			begin -= long / 2
		case "end":
			begin -= long
		}
		if begin < 0 || begin+long > end {
			faults = append(faults, fmt.Sprintf("text %q runs out of the picture", s.text))
		}
	}
	return faults
}

// greys finds kinds of messages that differ by colour alone: neither by a dash nor by a head. More kinds
// than there are dashes and heads must have their names beside them.
func greys(shapes []shape) (faults []string) {
	looks := map[string]string{} // the kind that has a look
	for _, a := range arrows(shapes) {
		_, said, ok := strings.Cut(a.title, ": ")
		if !ok || a.head == "" {
			continue
		}
		kind, look := strings.Fields(said)[0], a.dash+" "+a.head
		if other, ok := looks[look]; ok && other != kind {
			faults = append(faults, fmt.Sprintf("kinds %s and %s differ by colour alone", other, kind))
		}
		looks[look] = kind
	}
	return faults
}

// curves finds curves of what was measured that differ by colour alone, not by the marks on them. A closed
// form has its formula in its title; it lies among the marks of its algorithm, or has a panel of its own.
func curves(shapes []shape) (faults []string) {
	looks := map[string]string{}
	for i := range shapes {
		s := &shapes[i]
		if s.tag != "polyline" || s.class == "message" || s.attr["stroke"] == svg.Mid ||
			s.attr["stroke-dasharray"] != "" || strings.Contains(s.title, ": ") {
			continue
		}
		if i > 0 && shapes[i-1].tag == "line" && shapes[i-1].attr["stroke"] == s.attr["stroke"] {
			continue // the open head of an arrow in the legend
		}
		look := ""
		for k := i + 1; look == "" && k < len(shapes) && shapes[k].group == s.group &&
			shapes[k].tag != "polyline"; k++ {
			if o := &shapes[k]; o.attr["fill"] == s.attr["stroke"] {
				look = o.form()
			}
		}
		if other, ok := looks[look]; ok && other != s.attr["stroke"] {
			faults = append(faults, fmt.Sprintf("curves %s and %s differ by colour alone", other,
				s.attr["stroke"]))
		}
		looks[look] = s.attr["stroke"]
	}
	return faults
}

// form returns how the corners of a shape lie to each other.
func (s *shape) form() string {
	text := s.tag
	for _, p := range s.points {
		text += fmt.Sprintf(" %.0f,%.0f", p.x-s.points[0].x, p.y-s.points[0].y)
	}
	return text
}

// arrow is the way of a message, or a link.
type arrow struct {
	group      int
	title      string
	paths      [][]point
	dash, head string // no head if it has not arrived
	width      float64
	signs      []*shape // of a message that has not arrived
}

// arrows returns those of all messages.
func arrows(shapes []shape) (all []arrow) {
	for i := 0; i < len(shapes); {
		s := &shapes[i]
		if s.class != "message" {
			i++
			continue
		}
		a := arrow{group: s.group, title: s.title, dash: s.attr["stroke-dasharray"],
			width: s.number("stroke-width")}
		for ; i < len(shapes) && shapes[i].group == a.group; i++ {
			switch s := &shapes[i]; {
			case s.tag == "path", s.tag == "line" && s.number("stroke-width") == a.width:
				a.paths = append(a.paths, s.paths...)
			case s.tag == "polygon" || s.tag == "polyline":
				a.head = s.tag
			default:
				a.signs = append(a.signs, s)
			}
		}
		all = append(all, a)
	}
	return all
}

// covers finds marks that lie on an arrow. The arrows that begin or end where a mark stands are its own: the
// mark is of the same event.
func covers(shapes []shape) (faults []string) {
	all := arrows(shapes)
	mark := func(what string, group int, s *shape, at point) {
		for i := range all {
			if a := &all[i]; a.group != group && !a.endsAt(at) && a.away(s) < 0 {
				faults = append(faults, fmt.Sprintf("%s at %.0f, %.0f lies on the arrow %q", what, at.x, at.y,
					a.title))
			}
		}
	}
	for i := range shapes {
		switch s := &shapes[i]; {
		case s.class == "mark" && s.tag != "path": // the hands of a clock are within it
			mark("mark "+s.title, s.group, s, middle(shapes, s.group))
		case i+1 < len(shapes) && shapes[i+1].attr["class"] == "number" && s.tag == "circle":
			mark("number "+shapes[i+1].text, -1, s, centre(s.points))
		}
	}
	for i := range all {
		for _, s := range all[i].signs {
			mark("end of "+all[i].title, all[i].group, s, centre(s.points))
		}
	}
	return faults
}

// hides finds marks and numbers that lie on a text, or on the legend, which is above the names of processes.
func hides(shapes []shape) (faults []string) {
	top := math.Inf(-1)
	for i := range shapes {
		if s := &shapes[i]; s.attr["class"] == "process" {
			top = s.points[len(s.points)-1].y - s.number("font-size")/2
		}
	}
	for i := range shapes {
		s, own, what := &shapes[i], -1, "mark "+shapes[i].title
		if i+1 < len(shapes) && shapes[i+1].attr["class"] == "number" && s.tag == "circle" {
			own, what = i+1, "number "+shapes[i+1].text
		} else if s.class != "mark" {
			continue
		}
		at := centre(s.points)
		if slices.ContainsFunc(s.points, func(p point) bool { return p.y < top }) {
			faults = append(faults, fmt.Sprintf("%s at %.0f, %.0f lies on the legend", what, at.x, at.y))
		}
		for k := range shapes {
			t := &shapes[k]
			if t.tag == "text" && k != own && (t.group == 0 || t.group != s.group) && s.hides(t) {
				faults = append(faults, fmt.Sprintf("%s at %.0f, %.0f lies on %q", what, at.x, at.y, t.text))
			}
		}
	}
	return faults
}

// hides reports whether a shape lies on the letters of a text.
func (s *shape) hides(text *shape) bool {
	a, b := text.points[0], text.points[len(text.points)-1]
	high, long := text.number("font-size")*0.35, math.Hypot(b.x-a.x, b.y-a.y)
	part := 0.0
	if long > 0 { // the first letter and the last reach no farther than their text
		part = min(high/long, 0.5)
	}
	dx, dy := (b.x-a.x)*part, (b.y-a.y)*part
	return distance(s, point{a.x + dx, a.y + dy}, point{b.x - dx, b.y - dy}) < high
}

// endsAt reports whether an arrow begins or ends at a place.
func (a *arrow) endsAt(p point) bool {
	first, last := a.paths[0], a.paths[len(a.paths)-1]
	return near(first[0], p, 1) || near(last[len(last)-1], p, 1)
}

// away returns how far a shape is from an arrow, from edge to edge; negative if it lies on it.
func (a *arrow) away(s *shape) float64 {
	const far = 30 // no mark is as large
	least, at := math.Inf(1), centre(s.points)
	for _, way := range a.paths {
		for k := range way[:len(way)-1] {
			if s.tag == "rect" || toSegment(at, way[k], way[k+1]) < far {
				least = min(least, distance(s, way[k], way[k+1]))
			}
		}
	}
	return least - a.width/2 - s.rim()
}

// rim returns how far the line around a shape reaches beyond it.
func (s *shape) rim() float64 {
	if s.attr["stroke"] == "" || s.attr["stroke"] == "none" {
		return 0
	}
	return max(s.number("stroke-width"), 1) / 2
}

// middle returns the centre of a group.
func middle(shapes []shape, group int) point {
	var all []point
	for i := range shapes {
		if shapes[i].group == group && shapes[i].tag != "path" {
			all = append(all, shapes[i].points...)
		}
	}
	return centre(all)
}

// centre returns the middle of a star by its corners, of all else by its sides.
func centre(points []point) point {
	if len(points) == 10 {
		sum := point{}
		for _, p := range points {
			sum.x, sum.y = sum.x+p.x/10, sum.y+p.y/10
		}
		return sum
	}
	low, high := point{math.Inf(1), math.Inf(1)}, point{math.Inf(-1), math.Inf(-1)}
	for _, p := range points {
		low, high = point{min(low.x, p.x), min(low.y, p.y)}, point{max(high.x, p.x), max(high.y, p.y)}
	}
	return point{(low.x + high.x) / 2, (low.y + high.y) / 2}
}

func near(a, b point, by float64) bool { return math.Hypot(a.x-b.x, a.y-b.y) <= by }

// distance returns how far a shape is from a segment; 0 if they cross or the segment is inside.
func distance(s *shape, a, b point) float64 {
	if s.tag != "line" && s.tag != "polyline" && inside(s.points, a) {
		return 0
	}
	least := math.Inf(1)
	for k, p := range s.points {
		if q := s.points[(k+1)%len(s.points)]; s.tag != "polyline" || k+1 < len(s.points) {
			least = min(least, apart(p, q, a, b))
		}
	}
	return least
}

// apart returns how far two segments are from each other.
func apart(a, b, c, d point) float64 {
	side := func(p, q, r point) float64 { return (q.x-p.x)*(r.y-p.y) - (q.y-p.y)*(r.x-p.x) }
	if side(a, b, c)*side(a, b, d) < 0 && side(c, d, a)*side(c, d, b) < 0 {
		return 0
	}
	return min(toSegment(a, c, d), toSegment(b, c, d), toSegment(c, a, b), toSegment(d, a, b))
}

func toSegment(p, a, b point) float64 {
	dx, dy := b.x-a.x, b.y-a.y
	part := 0.0
	if long := dx*dx + dy*dy; long > 0 {
		part = min(max(((p.x-a.x)*dx+(p.y-a.y)*dy)/long, 0), 1)
	}
	return math.Hypot(p.x-a.x-part*dx, p.y-a.y-part*dy)
}

// inside reports whether a place is within corners.
func inside(corners []point, p point) bool {
	in := false
	for k, a := range corners {
		b := corners[(k+1)%len(corners)]
		if (a.y > p.y) != (b.y > p.y) && p.x < a.x+(b.x-a.x)*(p.y-a.y)/(b.y-a.y) {
			in = !in
		}
	}
	return in
}
