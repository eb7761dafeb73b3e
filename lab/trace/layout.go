package trace

import (
	"strconv"
	"time"

	"github.com/go-election/election/observe"
)

// The measures of a picture.
const (
	leftMargin  = 84.0 // at least, for the times
	timeGap     = 12.0 // behind them
	rightMargin = 40.0
	topMargin   = 104.0
	leastColumn = 62.0 // from one process to the next
	slot        = 18.0 // from one step of a process to its next
	marksInRow  = 5
	markStep    = 14.0
	markGap     = 1.1 * markStep // from the line of a process to its first mark
	leastDrop   = 12.0           // of an arrow, where time does not determine it
	leastRow    = 20.0           // from one instant to the next
	leastSlope  = 14.0           // more than that, if it is a unit later
	mostRow     = 1.5            // the same, in units
	mostUnit    = 60.0           // of time, where it takes as much as it needs
	leastUnit   = 36.0
	wholeTime   = 900.0 // should do for a run, if that leaves units large enough
	lastRow     = 45.0
	letterWidth = 0.62 // of a letter, at most, by its height
)

// layout says where the events of a story are: time goes down.
type layout struct {
	left   float64 // of all processes
	column float64
	y      []float64 // of each event; that of a step, for what the process did in it
	offset []int     // which mark of its step an event is, if it is one
	rows   []instant
	bottom float64
	marks  []box // where marks are, of all processes

	marked []bool // which events are shown by a mark
	// the Rejoin that is shown together with an Init, by that: both are the beginning of one process
	rejoined map[int]int
}

// instant is a time at which something happens.
type instant struct {
	at time.Duration
	y  float64
}

func (l *layout) x(p int) float64 { return l.left + l.column*(float64(p)+0.5) }

// lay finds a place for everything. Events of a process lie below each other, a receipt below its sending,
// and a later instant below all earlier ones.
func (s *story) lay() *layout {
	t := s.trace
	l := &layout{left: leftMargin, y: make([]float64, len(t.Events)), offset: make([]int, len(t.Events)),
		bottom: topMargin}
	low := make([]float64, len(t.Header.Scenario.IDs)) // the lowest of each process
	marks := make([]int, len(low))                     // how many the last step of each has
	row, unit := topMargin, t.unit()
	l.beginnings(s)
	for i := range t.Events {
		e := &t.Events[i]
		p := s.where[e.Process]
		if n := len(l.rows); n == 0 || e.At > l.rows[n-1].at {
			if n > 0 {
				units := float64(e.At-l.rows[n-1].at) / float64(time.Second)
				// Rows keep to the scale of time, within bounds: simultaneous events need room, and long
				// silence needs no more than a gap.
				row = l.bottom + min(max(units*unit-(l.bottom-l.rows[n-1].y),
					leastRow+min(units, 1)*leastSlope), mostRow*unit)
			}
			l.rows = append(l.rows, instant{e.At, row})
			l.left = max(l.left, timeGap+float64(len(s.time(e.At)))*smallLetter*letterWidth+timeGap)
		}
		if e.Do.Effect() || e.Do == observe.Rejoin && !l.marked[i] {
			l.y[i] = low[p]
		} else {
			// Events of one process never share a place, even at the same instant.
			l.y[i] = max(row, low[p]+slot)
			if sent, ok := s.sends[e.From]; ok && e.Do == observe.Deliver {
				// With a delay of zero the arrow would be horizontal and show no direction of time.
				l.y[i] = max(l.y[i], l.y[sent]+leastDrop)
			}
			low[p], marks[p] = l.y[i], 0
		}
		if l.marked[i] {
			l.mark(i, p, low, marks)
		}
		l.bottom = max(l.bottom, low[p])
	}
	l.bottom += lastRow
	l.columns(s)
	return l
}

// unit returns how far down a unit of time goes: less in a long run, for the picture to stay one.
func (t *Trace) unit() float64 {
	last := time.Second
	for i := range t.Events {
		last = max(last, t.Events[i].At)
	}
	return min(max(wholeTime/(float64(last)/float64(time.Second)), leastUnit), mostUnit)
}

// beginnings finds out which events are shown by a mark. A process that comes back has an Init and a
// Rejoin at once, which are one beginning.
func (l *layout) beginnings(s *story) {
	l.marked, l.rejoined = make([]bool, len(s.trace.Events)), make(map[int]int)
	last := make(map[int]int) // the last of each process that is no effect
	for i := range s.beats {
		b := &s.beats[i]
		e := &s.trace.Events[b.event]
		init, ok := last[b.process]
		switch {
		case e.Do == observe.Rejoin && ok && s.trace.Events[init].Do == observe.Init:
			l.rejoined[init] = b.event
		case !b.message():
			l.marked[b.event] = true
		}
		if !e.Do.Effect() {
			last[b.process] = b.event
		}
	}
}

// mark finds a place for a mark, in a row of its step.
func (l *layout) mark(i, p int, low []float64, marks []int) {
	if marks[p] == marksInRow {
		marks[p] = 0
		// The row of this step is full: its further marks go into a row below.
		low[p] += slot - 2
		l.y[i] = low[p]
	}
	l.offset[i] = marks[p]
	marks[p]++
}

// columns gives the processes as much room as their names and the longest row of marks need.
func (l *layout) columns(s *story) {
	h := &s.trace.Header.Scenario
	l.column = leastColumn
	for p := range h.IDs {
		name := float64(len(s.id(p)))
		if h.Priorities != nil {
			name = max(name, float64(len("priority ")+
				len(strconv.FormatUint(h.Priorities[p], 10)))*smallLetter/nameLetter)
		}
		l.column = max(l.column, name*nameLetter*letterWidth+14)
	}
	for i, m := range l.marked {
		if m {
			l.column = max(l.column, markGap+markStep*float64(l.offset[i])+16)
		}
	}
	for i, m := range l.marked {
		if m {
			x, y := l.markX(s, i), l.y[i]
			l.marks = append(l.marks, box{x - 6, y - 6, x + 6, y + 6})
		}
	}
}

// markX returns where the mark of an event is.
func (l *layout) markX(s *story, i int) float64 {
	e := &s.trace.Events[i]
	x := l.x(s.where[e.Process])
	if atProcess(e.Do) {
		return x
	}
	return x + markGap + markStep*float64(l.offset[i])
}

// atProcess reports whether the mark of something belongs onto the line of its process.
func atProcess(d observe.What) bool {
	switch d {
	case observe.Crash, observe.Pause, observe.Resume, observe.Recover, observe.Restart:
		return true
	}
	return false
}
