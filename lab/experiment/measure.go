package experiment

import (
	"math"
	"slices"
	"strings"

	"github.com/go-election/election/cost"
	"github.com/go-election/election/internal/prose"
)

// Measure is what algorithms are compared by: what was measured, or a closed form for messages.
type Measure string

// The measures.
const (
	ByMessages Measure = "messages"
	ByTime     Measure = "time"
	ByBits     Measure = "bits"
	ByBest     Measure = "best" // closed forms: no trial is needed
	ByMean     Measure = "mean"
	ByWorst    Measure = "worst"
)

// Measured returns the measures that need trials, and Forms the closed forms.
func Measured() []Measure { return []Measure{ByMessages, ByTime, ByBits} }

// Forms returns the measures that are closed forms.
func Forms() []Measure { return []Measure{ByBest, ByMean, ByWorst} }

// Least returns a phrase for the smallest value of a measure, such as "fewest messages".
func (m Measure) Least() string {
	return map[Measure]string{
		ByMessages: "fewest messages", ByTime: "shortest time", ByBits: "fewest bits",
		ByBest: "fewest messages in the best case", ByMean: "fewest messages in the mean",
		ByWorst: "fewest messages in the worst case",
	}[m]
}

// Of returns what a Cell holds of the measure. A closed form is the same in all trials.
func (m Measure) Of(c *Cell) Spread {
	switch m {
	case ByTime:
		return c.Time
	case ByBits:
		return c.Bits
	case ByBest:
		return Spread{c.Best, c.Best, c.Best}
	case ByMean:
		return Spread{c.Mean, c.Mean, c.Mean}
	case ByWorst:
		return Spread{c.Worst, c.Worst, c.Worst}
	}
	return c.Messages
}

// Form returns the closed form of an algorithm that the measure is; the zero Bound if it is none.
func (m Measure) Form(c *Cell) cost.Bound {
	return map[Measure]cost.Bound{
		ByBest: c.Algorithm.Best, ByMean: c.Algorithm.Mean, ByWorst: c.Algorithm.Worst,
	}[m]
}

// Stretch is a run of sizes at which the same algorithms take the least on average.
type Stretch struct {
	First, Last int
	Titles      []string // of the algorithms; empty if no count is known
}

// String returns the sizes of a Stretch.
func (s Stretch) String() string {
	if s.First == s.Last {
		return prose.Grouped(uint64(s.First))
	}
	return prose.Grouped(uint64(s.First)) + " to " + prose.Grouped(uint64(s.Last))
}

// Names returns the algorithms of a Stretch, or a dash.
func (s Stretch) Names() string {
	if len(s.Titles) == 0 {
		return "-"
	}
	return strings.Join(s.Titles, ", ")
}

// Stretches returns which algorithms take the least of a measure, over all sizes.
func Stretches(cells []Cell, by Measure) []Stretch {
	var all []Stretch
	for some := range BySize(cells) {
		least := math.Inf(1)
		for i := range some {
			if x := by.Of(&some[i]).Mean; x < least { // false for NaN, if no count is known
				least = x
			}
		}
		s := Stretch{First: some[0].N, Last: some[0].N}
		for i := range some {
			// Exact equality is meant: the same counts give the same mean, and NaN equals nothing.
			if by.Of(&some[i]).Mean == least {
				s.Titles = append(s.Titles, some[i].Algorithm.Title())
			}
		}
		if n := len(all); n > 0 && slices.Equal(all[n-1].Titles, s.Titles) {
			all[n-1].Last = s.Last
		} else {
			all = append(all, s)
		}
	}
	return all
}

// BySize yields the cells of each size, one for each algorithm.
func BySize(cells []Cell) func(yield func([]Cell) bool) {
	return func(yield func([]Cell) bool) {
		for len(cells) > 0 {
			end := 1
			for end < len(cells) && cells[end].N == cells[0].N {
				end++
			}
			if !yield(cells[:end]) {
				return
			}
			cells = cells[end:]
		}
	}
}
