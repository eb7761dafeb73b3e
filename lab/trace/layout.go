package trace

import (
	"cmp"
	"math"
	"slices"
	"time"

	"github.com/go-election/election"
	"github.com/go-election/election/internal/order"
	"github.com/go-election/election/observe"
)

// The measures of a picture. Those that depend on the size of letters are in letters.
const (
	phone       = 390.0 // the width at which all must be legible
	leastLetter = 11.1  // there
	readable    = 14.0  // in the picture itself
	letterWidth = 0.62  // of a letter, at most, by its height
	leastWidth  = phone // of a picture, for its words
	leastColumn = 50.0  // from one process to the next
	edge        = 14.0  // around everything
	allColumn   = 90.0  // the same, with every mark
	lastRow     = 26.0
)

// layout says where the events of a story are: time goes down.
type layout struct {
	*scale
	letter float64 // the size of letters
	left   float64 // of all processes
	column float64
	wraps  bool // the links between the last process and the first leave and enter at the edges
	upward bool // the names of are written upwards, since they are longer than columns are wide
	width  float64

	high  float64   // the end of the legend
	named float64   // that of the names of processes, below it
	low   float64   // the lowest of all events
	place []float64 // of each event, from the top; that of a step, for what the process did in it

	shown []bool // which events have a mark
	// the Rejoin that is shown together with an Init, by that: both are the beginning of one process
	rejoined map[int]int
}

func (l *layout) x(p int) float64 { return l.left + l.column*(float64(p)+0.5) }

// lay finds a place for everything below top, with letters of a size.
func (s *story) lay(letter, top float64, folds []fold) *layout {
	l := &layout{letter: letter, rejoined: make(map[int]int)}
	l.beginnings(s)
	depth, most := s.depths()
	unit := s.trace.unitOf(s.sends)
	l.scale = newScale(top, letter, unit, s.height(unit, most), s.instants(), folds,
		func(silent time.Duration) string {
			if s.steps {
				return ""
			}
			return s.span(silent)
		})
	l.steps = s.steps
	l.places(s, depth)
	l.columns(s)
	return l
}

// depths returns for each step how many steps at the same instant it follows from, itself included, and
// the most of each instant.
func (s *story) depths() (depth []int, most map[time.Duration]int) {
	t := s.trace
	depth, most = make([]int, len(t.Events)), make(map[time.Duration]int)
	last := make([]int, len(t.Header.Scenario.IDs)) // the step before of each process
	for p := range last {
		last[p] = none
	}
	for i := range t.Events {
		e := &t.Events[i]
		p := s.where[e.Process]
		depth[i] = 1
		if e.Do.Effect() {
			if last[p] != none {
				depth[i] = depth[last[p]]
			}
			continue
		}
		causes := []int{last[p]}
		if sent, ok := s.sends[e.From]; ok {
			causes = append(causes, sent)
		}
		for _, cause := range causes {
			if cause != none && t.Events[cause].At == e.At {
				depth[i] = max(depth[i], depth[cause]+1)
			}
		}
		most[e.At] = max(most[e.At], depth[i])
		// The beginning of a process takes no room of its own.
		if e.Do != observe.Init && e.Do != observe.Rejoin {
			last[p] = i
		}
	}
	return depth, most
}

// height returns how high a unit is drawn: as high as the busiest moment needs, within bounds, and less in a
// long run.
func (s *story) height(unit time.Duration, most map[time.Duration]int) float64 {
	need := leastUnit
	for _, steps := range most {
		need = max(need, stepApart*float64(steps)/spread)
	}
	busy := make(map[[2]int64]int)
	for i := range s.trace.Events {
		if e := &s.trace.Events[i]; !e.Do.Effect() {
			key := [2]int64{int64(e.Process), int64(e.At / unit)}
			busy[key]++
			need = max(need, stepApart*float64(busy[key]))
		}
	}
	units, last := 0.0, time.Duration(0)
	for _, at := range s.instants() {
		units += min(float64(at-last)/float64(unit), longGap)
		last = at
	}
	return min(need, mostUnit, max(wholeTime/max(units, 1), leastUnit))
}

// instants returns the times at which something happens that is shown.
func (s *story) instants() []time.Duration {
	var times []time.Duration
	for i := range s.trace.Events {
		if e := &s.trace.Events[i]; !s.folded(e.At) {
			times = append(times, e.At)
		}
	}
	if len(times) > 0 {
		last := times[len(times)-1]
		for _, p := range s.trace.Header.Scenario.Faults.Partitions {
			for _, at := range []time.Duration{p.From, p.Until} {
				if at > 0 && at < last && !s.folded(at) {
					times = append(times, at)
				}
			}
		}
	}
	order.Stable(times, cmp.Compare)
	return slices.Compact(times)
}

// places finds the height of each event.
func (l *layout) places(s *story, depth []int) {
	t := s.trace
	l.place = make([]float64, len(t.Events))
	next := make(map[time.Duration]float64) // where the instant after another begins
	instants, before := s.instants(), make([]float64, len(t.Header.Scenario.IDs))
	most := make(map[time.Duration]int)
	for i := range t.Events {
		most[t.Events[i].At] = max(most[t.Events[i].At], depth[i])
	}
	for i, at := range instants {
		next[at] = math.Inf(1)
		if i+1 < len(instants) {
			next[at] = l.scale.y(instants[i+1])
		}
	}
	for i := range t.Events {
		at := t.Events[i].At
		y := l.scale.y(at)
		// What happens at one instant follows from one another, so it is drawn in that order, but never
		// so low that it would seem to be at the next.
		room := min(spread*l.height, 0.9*(next[at]-y))
		if n := most[at]; n > 1 && room > 0 {
			y += room * float64(depth[i]-1) / float64(n-1)
		}
		// Where the clocks of processes differ, a receipt may have an earlier time than its sending.
		if sent, ok := s.sends[t.Events[i].From]; ok && t.Events[i].Do == observe.Deliver && sent < i {
			y = max(y, l.place[sent]+leastDrop/2)
		}
		p := s.where[t.Events[i].Process]
		y = max(y, before[p])
		before[p] = y
		l.place[i], l.low = y, max(l.low, y)
	}
}

// beginnings finds out which events have a mark. A process that comes back has an Init and a Rejoin at once,
// which are one beginning.
func (l *layout) beginnings(s *story) {
	l.shown = make([]bool, len(s.trace.Events))
	last := make(map[int]int) // the last of each process that is no effect
	for i := range s.beats {
		b := &s.beats[i]
		e := &s.trace.Events[b.event]
		init, ok := last[b.process]
		switch {
		case e.Do == observe.Rejoin && ok && s.trace.Events[init].Do == observe.Init:
			l.rejoined[init] = b.event
		case !b.message():
			l.shown[b.event] = s.all || matters(e) &&
				(e.Do != observe.Decide || leads(e) && s.changed[b.event])
		}
		if !e.Do.Effect() {
			last[b.process] = b.event
		}
	}
}

// matters reports whether an event is more than bookkeeping.
func matters(e *Event) bool {
	switch e.Do {
	case observe.Init, observe.Rejoin, observe.Set, observe.Stop, observe.StopAll, observe.Save, observe.Done,
		observe.Choose, observe.Cut, observe.Heal: // a picture has a band for cuts
		return false
	}
	return true
}

// leads reports whether a process takes leadership.
func leads(e *Event) bool { return e.Do == observe.Decide && e.Outcome.Role == election.Leader }

// columns finds out how wide all is.
func (l *layout) columns(s *story) {
	h := &s.trace.Header.Scenario
	n := len(h.IDs)
	l.column = leastColumn
	for p := range h.IDs {
		name := float64(len(s.id(p)))*l.letter*letterWidth + 10
		// Long names would make a picture so wide that nothing in it is legible on a small screen.
		if name > 2*leastColumn {
			l.upward = true
			continue
		}
		l.column = max(l.column, name)
	}
	if s.all {
		l.column = max(l.column, allColumn)
	}
	widest := len("time")
	if l.steps {
		widest = len("step")
	}
	for step, at := l.tick(l.letter), time.Duration(0); at <= l.parts[len(l.parts)-1].until; at += step {
		widest = max(widest, len(s.time(at)))
		if at/step > 1000 {
			break
		}
	}
	for i := range l.parts {
		for _, line := range cutLines(l.parts[i].cut) {
			widest = max(widest, len(line))
		}
	}
	l.left = edge + float64(widest)*l.letter*letterWidth + 18
	l.wraps = wrapped(&s.trace.Header)
	if l.wraps {
		l.left += l.column / 2
	}
	l.width = l.left + l.column*float64(n) + edge
	if l.wraps {
		l.width += l.column / 2
	}
	l.width = max(l.width, leastWidth)
}

// wrapped reports whether the first and the last process are neighbours on a ring of three or more.
func wrapped(h *Header) bool {
	return h.Links != nil && h.Links.Shape() == election.Ring && len(h.Scenario.IDs) > 2
}

// atLine reports whether the mark of something belongs onto the line of its process.
func atLine(e *Event) bool {
	switch e.Do {
	case observe.Crash, observe.Pause, observe.Resume, observe.Recover, observe.Restart:
		return true
	}
	return leads(e)
}
