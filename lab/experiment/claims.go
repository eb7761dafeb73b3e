package experiment

import (
	"fmt"
	"slices"
	"strconv"
)

// Claim is a statement of the paper, and whether the measurement confirms it.
type Claim struct {
	Figure int // of the paper
	Model  Model
	Method Method
	Says   string
	Holds  bool
	Found  string // in a sentence
}

// asBase is the note for a method under which waiting or counting keeps no process from starting.
const asBase = ", always as many as base"

// few is the share of iterations that still counts as a few.
const few = 0.1

// Claims compares the statements of the paper about its figures with the measured series. It merges equal
// statements about several methods and models.
func Claims(all []Series) []Claim {
	var claims []Claim
	var base *Series
	for i := range all {
		s := &all[i]
		c := Claim{Figure: 15, Model: s.Model, Method: s.Method}
		switch s.Method.Variant {
		case "base":
			base = s
			c.Says = "in most iterations more than one process starts"
			c.Holds, c.Found = s.ShareStarted() > 0.5, found(s.ShareStarted())
		case "number":
			c.Figure, c.Says = 16, "always only one process starts"
			c.Holds, c.Found = s.ShareStarted() == 0, found(s.ShareStarted())
			if sameStarts(s, base) {
				c.Found += asBase
			}
			claims = append(claims, c)
			c.Says = "always only one election takes place"
			c.Holds, c.Found = s.ShareServed() == 0,
				fmt.Sprintf("%s elections served on average, %s for base", decimal(s.MeanServed()),
					decimal(base.MeanServed()))
		default:
			c.Says = "but for a few iterations only one process starts"
			c.Holds, c.Found = s.ShareStarted() <= few, found(s.ShareStarted())
			if sameStarts(s, base) {
				c.Found += asBase
			}
		}
		claims = append(claims, c)
	}
	var sorted []Claim
	for i, c := range claims {
		same := func(d Claim) bool { return d.Figure == c.Figure && d.Says == c.Says }
		// Listed already, with the first of these claims.
		if slices.IndexFunc(claims, same) < i {
			continue
		}
		for _, d := range claims {
			if same(d) {
				sorted = append(sorted, d)
			}
		}
	}
	return sorted
}

func found(share float64) string {
	if share == 0 {
		return "never more than one"
	}
	return "more than one in " + Percent(share)
}

// sameStarts reports whether as many start in every trial.
func sameStarts(s, other *Series) bool {
	for i, t := range s.Trials {
		if t.Started != other.Trials[i].Started {
			return false
		}
	}
	return true
}

// Percent writes a share for people. A share that is not exactly 0 or 1 is never rounded to it.
func Percent(share float64) string {
	switch {
	case share > 0 && share < 0.0005:
		return "<0.1 %"
	// Rounding would print 100 % and claim more than was found.
	case share < 1 && share >= 0.9995:
		return ">99.9 %"
	}
	return decimal(100*share) + " %"
}

func decimal(x float64) string { return strconv.FormatFloat(x, 'f', 1, 64) }
