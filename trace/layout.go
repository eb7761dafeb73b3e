package trace

import (
	"strconv"
	"time"
)

// The measures of a picture.
const (
	leftMargin  = 84.0
	rightMargin = 40.0
	topMargin   = 104.0
	column      = 98.0 // from one process to the next, if their names are short
	slot        = 18.0 // from one step of a process to its next
	marksInRow  = 5
	markStep    = 14.0
	leastDrop   = 12.0 // of an arrow, where time does not tell
	leastRow    = 20.0 // from one instant to the next
	mostRow     = 90.0
	aUnit       = 60.0
	letterWidth = 0.62 // of a letter, at most, by its height
)

// layout says where the events of a story are: time goes down.
type layout struct {
	column float64
	y      []float64 // of each event; that of a step, for what the process did in it
	offset []int     // which mark of its step an event is, if it is one
	rows   []instant
	bottom float64
}

// instant is a time at which something happens.
type instant struct {
	at time.Duration
	y  float64
}

func (l *layout) x(p int) float64 { return leftMargin + l.column*(float64(p)+0.5) }

// lay finds a place for everything. Events of a process lie below each other, a receipt below its sending,
// and a later instant below all earlier ones.
func (s *story) lay() *layout {
	t := s.trace
	l := &layout{column: column, y: make([]float64, len(t.Events)), offset: make([]int, len(t.Events))}
	for p, r := range t.Header.Scenario.IDs {
		name := float64(len(strconv.FormatUint(uint64(r), 10)))
		if pr := t.Header.Scenario.Priorities; pr != nil {
			name = max(name, float64(len("priority ")+len(strconv.FormatUint(pr[p], 10)))*smallLetter/nameLetter)
		}
		l.column = max(l.column, name*nameLetter*letterWidth+14)
	}
	l.bottom = topMargin
	low := make([]float64, len(t.Header.Scenario.IDs)) // the lowest of each process
	marks := make([]int, len(low))                     // how many the last step of each has
	row := topMargin
	marked := make([]bool, len(t.Events))
	for i := range s.beats {
		if b := &s.beats[i]; !b.message() {
			marked[b.event] = true
		}
	}
	for i := range t.Events {
		e := &t.Events[i]
		p := s.where[e.Process]
		if n := len(l.rows); n == 0 || e.At > l.rows[n-1].at {
			if n > 0 {
				units := float64(e.At-l.rows[n-1].at) / float64(time.Second)
				row = l.bottom + min(max(units*aUnit-(l.bottom-l.rows[n-1].y), leastRow), mostRow)
			}
			l.rows = append(l.rows, instant{e.At, row})
		}
		if e.Do.effect() {
			l.y[i] = low[p]
		} else {
			l.y[i] = max(row, low[p]+slot)
			if sent, ok := s.sends[e.From]; ok && e.Do == Receive {
				l.y[i] = max(l.y[i], l.y[sent]+leastDrop)
			}
			low[p], marks[p] = l.y[i], 0
		}
		if marked[i] {
			l.mark(i, p, low, marks)
		}
		l.bottom = max(l.bottom, low[p])
	}
	l.bottom += mostRow / 2
	return l
}

// mark finds a place for a mark, in a row of its step.
func (l *layout) mark(i, p int, low []float64, marks []int) {
	if marks[p] == marksInRow {
		marks[p] = 0
		low[p] += slot - 2
		l.y[i] = low[p]
	}
	l.offset[i] = marks[p]
	marks[p]++
}
