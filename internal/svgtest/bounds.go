package svgtest

import (
	"fmt"
	"slices"
)

// outside finds what is drawn beyond the edges of a picture. How far a text goes to the sides is checked with
// its letters.
func outside(shapes []shape, width, height float64) (faults []string) {
	for i := range shapes {
		s := &shapes[i]
		what, half, wide := s.class+" "+s.title, s.rim(), width
		if s.tag == "text" {
			what, half = fmt.Sprintf("text %q", s.text), s.number("font-size")*0.35
			if s.attr["transform"] == "" {
				wide = 0
			}
		}
		if slices.ContainsFunc(s.points, func(p point) bool {
			return p.y < half || p.y > height-half || wide > 0 && (p.x < half || p.x > wide-half)
		}) {
			faults = append(faults, fmt.Sprintf("%s at %.0f, %.0f is outside of the picture", what,
				s.points[0].x, s.points[0].y))
		}
	}
	return faults
}

// strays finds messages, their labels and what is said of a cut of the axis where they lie on a text that
// says something else: the name of a process, a time, or what explains the picture.
func strays(shapes []shape) (faults []string) {
	for k := range shapes {
		t := &shapes[k]
		if t.tag != "text" || t.group > 0 || t.attr["class"] == "label" || t.attr["class"] == "number" {
			continue
		}
		for i := range shapes {
			s := &shapes[i]
			label := s.attr["class"] == "label" || s.attr["class"] == "cut"
			if label && i != k && s.meets(t) || s.class == "message" && s.tag != "text" && s.way().hides(t) {
				what := "message " + s.title
				if label {
					what = fmt.Sprintf("label %q", s.text)
				}
				faults = append(faults, fmt.Sprintf("%s at %.0f, %.0f lies on %q", what, s.points[0].x,
					s.points[0].y, t.text))
			}
		}
	}
	return faults
}

// way returns a path as the line that it is, not as what it surrounds.
func (s *shape) way() *shape {
	if s.tag != "path" {
		return s
	}
	return &shape{tag: "polyline", points: s.points}
}

// meets reports whether the letters of two texts that are read from the left lie on each other.
func (s *shape) meets(text *shape) bool {
	if text.attr["transform"] != "" {
		return false
	}
	a, b := s.points, text.points
	high := (s.number("font-size") + text.number("font-size")) * 0.35
	return a[0].x < b[len(b)-1].x && b[0].x < a[len(a)-1].x && a[0].y < b[0].y+high && b[0].y < a[0].y+high
}
