package svgtest

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// sign is a mark, with what it says.
type sign struct {
	title string
	at    point
}

// signs returns the marks of a picture of time.
func signs(shapes []shape) (all []sign) {
	for i := range shapes {
		if s := &shapes[i]; s.class == "mark" && (i == 0 || shapes[i-1].group != s.group) {
			all = append(all, sign{s.title, middle(shapes, s.group)})
		}
	}
	return all
}

// owners finds numbers that are nearer to the mark of another number than to their own. What a number is of
// is explained below the picture, in words that its mark has, too.
func owners(shapes []shape) (faults []string) {
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
			faults = append(faults, fmt.Sprintf("number %s at %.0f, %.0f is nearer to the mark of another",
				n, at.x, at.y))
		}
	}
	return faults
}

// explained reports whether a text has all words of a mark.
func (m *sign) explained(text string) bool {
	has := strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(" :,;", r) })
	words := strings.Fields(strings.NewReplacer("decides: it ", "", ":", "").Replace(m.title))
	missing := func(w string) bool { return !slices.Contains(has, w) }
	return len(words) > 1 && !slices.ContainsFunc(words, missing)
}
