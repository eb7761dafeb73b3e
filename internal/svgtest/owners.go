package svgtest

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/go-election/election/lab/svg"
)

// sign is a mark, with what it says.
type sign struct {
	title   string
	process string
	at      point
	star    bool
}

// signs returns the marks of a picture of time.
func signs(shapes []shape) (all []sign) {
	for i := range shapes {
		s := &shapes[i]
		if s.class != "mark" || s.halo() || i > 0 && shapes[i-1].group == s.group && !shapes[i-1].halo() {
			continue
		}
		process, _, _ := strings.Cut(s.title, ":")
		all = append(all, sign{s.title, process, middle(shapes, s.group), len(s.points) == 10})
	}
	return all
}

// halo reports whether a shape keeps what is drawn on it apart from what is below.
func (s *shape) halo() bool {
	return s.tag == "circle" && s.attr["fill"] == svg.Paper && s.attr["stroke"] == ""
}

// halos returns the groups of marks that have one.
func halos(shapes []shape) map[int]bool {
	all := map[int]bool{}
	for i := range shapes {
		if shapes[i].class == "mark" && shapes[i].halo() {
			all[shapes[i].group] = true
		}
	}
	return all
}

// owners finds marks that may be taken for those of another process: farther from the line of their own than a
// quarter of the way to the next. The star of a leader must be on its line.
func owners(shapes []shape) (faults []string) {
	lines, apart := map[string]float64{}, math.Inf(1)
	last := math.Inf(-1)
	for i := range shapes {
		s := &shapes[i]
		if s.attr["class"] != "process" {
			continue
		}
		x := s.number("x")
		if s.attr["transform"] != "" { // read from below
			x -= s.number("font-size") * 0.35
		}
		lines[s.text] = x
		apart, last = min(apart, math.Abs(x-last)), x
	}
	for _, m := range signs(shapes) {
		x, ok := lines[m.process]
		if !ok {
			continue // not every process of a large picture has a name
		}
		switch far := math.Abs(m.at.x - x); {
		case m.star && far > 1:
			faults = append(faults, fmt.Sprintf("mark %s at %.0f, %.0f is not on the line of %s", m.title, m.at.x,
				m.at.y, m.process))
		case far > apart/4+1:
			faults = append(faults, fmt.Sprintf("mark %s at %.0f, %.0f is too far from the line of %s", m.title,
				m.at.x, m.at.y, m.process))
		}
	}
	return faults
}

// numbers finds numbers that are nearer to the mark of another number than to their own. What a number is of is
// explained below the picture, in words that its mark has, too.
func numbers(shapes []shape) (faults []string) {
	texts, places := map[string]string{}, map[string]point{}
	for i := range shapes {
		if s := &shapes[i]; s.attr["class"] == "number" && i > 0 {
			if _, ok := places[s.text]; !ok {
				places[s.text] = centre(shapes[i-1].points)
				continue
			}
			for k := i + 1; k < len(shapes) && shapes[k].tag == "text"; k++ {
				texts[s.text] += " " + shapes[k].text
			}
		}
	}
	all := signs(shapes)
	all = slices.DeleteFunc(all, func(m sign) bool {
		for _, text := range texts {
			if m.explained(text) {
				return false
			}
		}
		return true
	})
	for n, at := range places {
		own, other := math.Inf(1), math.Inf(1)
		for k := range all {
			far := math.Hypot(all[k].at.x-at.x, all[k].at.y-at.y)
			if all[k].explained(texts[n]) {
				own = min(own, far)
				continue
			}
			for m := range texts {
				if m != n && all[k].explained(texts[m]) {
					other = min(other, far)
				}
			}
		}
		if !math.IsInf(own, 1) && other < own {
			faults = append(faults, fmt.Sprintf("number %s at %.0f, %.0f is nearer to the mark of another", n, at.x,
				at.y))
		}
	}
	return faults
}

// explained reports whether a text has all words of a mark.
func (m *sign) explained(text string) bool {
	has := strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(" :,;", r) })
	words := strings.Fields(strings.NewReplacer("decides: it ", "", ":", "").Replace(m.title))
	return len(words) > 1 && !slices.ContainsFunc(words, func(w string) bool { return !slices.Contains(has, w) })
}
