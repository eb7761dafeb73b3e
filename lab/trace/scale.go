package trace

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/go-election/election/internal/order"
	"github.com/go-election/election/internal/prose"
	"github.com/go-election/election/observe"
)

// The measures of the axis of time.
const (
	leastUnit   = 40.0   // from one unit to the next
	mostUnit    = 170.0  //
	wholeTime   = 1500.0 // should do for a run, if that leaves units large enough
	stepApart   = 10.0   // from one step of a process to its next
	spread      = 0.3    // the part of a unit into which the steps of one instant reach
	longGap     = 3.0    // units without an event, which are cut
	gapHeight   = 46.0   // of a cut, at least
	cutLine     = 1.2    // of what is written there, in letters
	cutLetters  = 8      // in such a line, if words are no longer
	firstMoment = 14.0   // from the top to the first instant
)

// scale maps time to places: evenly, but for stretches that are cut out.
type scale struct {
	unit   time.Duration // what counts as a unit: that of the simulation, or how long a message takes
	height float64       // of a unit
	parts  []part
	steps  bool // there are no times, and the number of each step stands for its time
}

// part is a stretch of the axis: to scale, or cut.
type part struct {
	from, until time.Duration
	top, bottom float64
	cut         string // what was left out, if it was
}

// cutLines returns the lines that say what a cut leaves out. They are short, since they stand beside the
// axis: over the lines of processes they would hide the messages that are under way meanwhile.
func cutLines(text string) []string {
	return strings.FieldsFunc(prose.Wrapped(text, "", cutLetters), func(r rune) bool { return r == '\n' })
}

// y returns the place of a time.
func (s *scale) y(at time.Duration) float64 {
	i, _ := slices.BinarySearchFunc(s.parts, at, func(p part, at time.Duration) int {
		if p.until < at {
			return -1
		}
		return 1
	})
	p := &s.parts[min(i, len(s.parts)-1)]
	if at <= p.from || p.until == p.from {
		return p.top
	}
	return p.top + (p.bottom-p.top)*min(float64(at-p.from)/float64(p.until-p.from), 1)
}

// newScale makes an axis for the times at which something happens, from the top down, with letters of a size.
// Folds are left out.
func newScale(top, letter float64, unit time.Duration, height float64, times []time.Duration, folds []fold,
	write func(time.Duration) string) *scale {
	s := &scale{unit: unit, height: height}
	now := part{top: top + firstMoment, bottom: top + firstMoment}
	if len(times) > 0 {
		now.from, now.until = times[0], times[0]
	}
	begin := func(from, until time.Duration, cut string) {
		s.parts = append(s.parts, now)
		// The times before and after it need half a line each.
		high := max(gapHeight, letter*cutLine*float64(len(cutLines(cut))+1))
		gap := part{from: from, until: until, top: now.bottom, bottom: now.bottom + high, cut: cut}
		s.parts = append(s.parts, gap)
		now = part{from: until, until: until, top: gap.bottom, bottom: gap.bottom}
	}
	reach := func(until time.Duration) {
		now.bottom += float64(until-now.until) / float64(unit) * height
		now.until = until
	}
	// The lines of what was before need a little of a silence to be seen to end.
	half := unit / 2
	long := func(silent time.Duration) bool {
		return float64(silent) > longGap*float64(unit) && now.until >= 0
	}
	for _, at := range times {
		for len(folds) > 0 && folds[0].until <= at {
			from := max(now.until, folds[0].from)
			if long(from - now.until) {
				from = now.until + half // the silence before goes with what is folded
			}
			reach(from)
			begin(from, folds[0].until, folds[0].text)
			folds = folds[1:]
		}
		if silent := at - now.until; long(silent) {
			from, until := now.until+half, at-half
			reach(from)
			begin(from, until, write(silent))
		}
		reach(max(at, now.until))
	}
	s.parts = append(s.parts, now)
	return s
}

// unitOf returns what counts as a unit of time: in a simulation its own, else a round number near to how
// long a message takes.
func (t *Trace) unitOf(sent map[Ref]int) time.Duration {
	if t.Header.Driver == "sim" {
		return time.Second
	}
	var took []time.Duration
	for i := range t.Events {
		e := &t.Events[i]
		if s, ok := sent[e.From]; ok && e.Do == observe.Deliver {
			took = append(took, e.At-t.Events[s].At)
		}
	}
	if len(took) == 0 {
		return time.Millisecond
	}
	order.Stable(took, cmp.Compare)
	return max(time.Duration(roundUp(float64(took[len(took)/2]))), time.Microsecond)
}

// roundUp returns the least of 1, 2, 5, 10, 20, 50, ... that is not below x.
func roundUp(x float64) float64 {
	if x <= 1 {
		return 1
	}
	decade := math.Pow(10, math.Floor(math.Log10(x)+1e-9))
	for _, step := range []float64{1, 2, 5} {
		if step*decade >= x*(1-1e-9) {
			return step * decade
		}
	}
	return 10 * decade
}

// tick returns the distance of the round times that are written beside the axis, for letters of a size.
func (s *scale) tick(letter float64) time.Duration {
	least := 1.9 * letter / s.height * float64(s.unit)
	if s.unit == time.Second {
		return time.Duration(roundUp(math.Ceil(least/float64(s.unit)))) * s.unit
	}
	return time.Duration(roundUp(least))
}

// ordered returns a trace in which the number of each step is its time, if it is that of a run whose
// steps were given without times. Else it returns the trace itself.
func ordered(t *Trace) (*Trace, bool) {
	numbers := t.steps()
	if t.Header.Scenario.Schedule != "" || t.Header.Driver != "sim" || len(numbers) == 0 {
		return t, false
	}
	for i := range t.Events {
		e := &t.Events[i]
		if n, ok := numbers[e.Ref()]; ok && e.At != time.Duration(n-1)*time.Second {
			return t, false
		}
	}
	n := &Trace{Header: t.Header, Events: slices.Clone(t.Events)}
	last := 0
	for i := range n.Events {
		e := &n.Events[i]
		if number, ok := numbers[e.Ref()]; ok {
			last = number
		}
		e.At = time.Duration(last) * time.Second
	}
	return n, true
}
