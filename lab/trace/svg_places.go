package trace

import (
	"math"
	"slices"

	"github.com/go-election/election/observe"
)

// The measures of marks.
const (
	markStep = 14.0
	markGap  = 1.1 * markStep // from the line of a process to its first mark
	markSize = 7.0            // half of one, with its rim and half the width of an arrow
	starSize = 9.5            // of the largest
	inRow    = 4              // on each side of the line, where columns are wide
)

// point is a place.
type point struct{ x, y float64 }

// settleMarks finds a place for each mark: on the line of its process, unless an arrow passes there,
// or beside it where it covers no arrow and no other mark.
func (d *drawing) settleMarks() {
	d.spots = make(map[int]point)
	inARow := 1
	if d.all {
		inARow = inRow
	}
	for i, shown := range d.shown {
		if !shown {
			continue
		}
		e := &d.trace.Events[i]
		at, size := d.onLine(i), markSize
		if e.Do == observe.Crash {
			size++ // a square, the others are round
		}
		if beside := !atLine(e); beside || d.passed(at) {
			cost := func(at point) int { return d.covered(around(at, size)) }
			free := d.freeSpot(at, markGap, size, inARow, cost)
			if beside || cost(free) == 0 {
				at = free
			}
		}
		d.spots[i] = at
		// What stands next to a mark touches it, and does not cover it, however the sum is rounded.
		d.marks = append(d.marks, around(at, markSize-0.01))
	}
}

// passed reports whether an arrow that is not of the same event goes through the mark of an event.
func (d *drawing) passed(at point) bool {
	ends := func(s *segment) bool {
		return s.x1 == at.x && s.y1 == at.y || s.x2 == at.x && s.y2 == at.y
	}
	return slices.ContainsFunc(d.ways, func(way []segment) bool {
		return slices.ContainsFunc(way, func(s segment) bool {
			return !ends(&s) && s.crosses(around(at, starSize))
		})
	})
}

// settleNumbers finds a place for the number of each key moment: where it covers the least, and of such
// places one to which no mark of another number, or of another process, is nearer than its own.
func (d *drawing) settleNumbers() {
	r := d.letter * 0.62
	for _, m := range d.numbered {
		line := d.onLine(m.event)
		mark, ok := d.spots[m.event]
		if !ok {
			mark = line
		}
		cost := func(at point) int {
			n := 2 * d.covered(around(at, r+2))
			for event, other := range d.spots { // in any order
				if event != m.event && at.to(other) < at.to(mark)+1 &&
					(d.onLine(event).x != line.x || d.isNumbered(event)) {
					return n + 1
				}
			}
			return n
		}
		at := d.freeSpot(mark, r+9, r+2, 1, cost)
		// Its mark may be far from the line, or between the line and the edge.
		for _, other := range []point{d.freeSpot(line, r+6.1, r+2, 1, cost), {mark.x, mark.y - r - 9},
			{mark.x, mark.y + r + 9}} {
			if cost(other) < cost(at) {
				at = other
			}
		}
		d.circles = append(d.circles, at)
		d.marks = append(d.marks, around(at, r+1))
	}
}

// isNumbered reports whether an event is one of a key moment: several at one instant are one.
func (d *drawing) isNumbered(event int) bool {
	e := &d.trace.Events[event]
	return slices.ContainsFunc(d.numbered, func(m moment) bool {
		o := &d.trace.Events[m.event]
		return o.Do == e.Do && o.At == e.At
	})
}

// onLine returns where the line of its process has an event.
func (d *drawing) onLine(event int) point {
	return point{d.x(d.where[d.trace.Events[event].Process]), d.place[event]}
}

func (p point) to(o point) float64 { return math.Hypot(p.x-o.x, p.y-o.y) }

func around(p point, half float64) box { return box{p.x - half, p.y - half, p.x + half, p.y + half} }

// freeSpot returns the place near to another, beside the line, at which something of a size costs the least:
// in the first rows, if it costs nothing there.
func (d *drawing) freeSpot(near point, gap, half float64, row int, cost func(point) int) point {
	best, least := near, -1
	for _, far := range []struct {
		rows  int
		apart float64
		parts []float64
	}{{row, 2*half + 2, parts[:9]}, {16, 4, parts}} {
		for _, part := range far.parts {
			for k := range far.rows {
				for _, side := range []float64{1, -1} {
					at := point{near.x + side*(gap+float64(k)*far.apart), near.y + half*part}
					if n := cost(at); least < 0 || n < least {
						best, least = at, n
					}
					if least == 0 {
						return best
					}
				}
			}
		}
	}
	return best
}

// parts are how far down something may stand, in parts of half its size.
var parts = []float64{0, -1.5, 1.4, -2.4, 2.4, -3.4, 3.4, -4.4, 4.4, -5.6, 5.6, -6.8, 6.8, -8, 8, -9.4, 9.4}

// covered says how bad it is to draw something at a place: most of all outside of the picture, or on the
// legend or the captions.
func (d *drawing) covered(at box) (cost int) {
	if at.x1 < d.left-8 || at.x2 > d.width-2 || at.y1 < d.high || at.y2 > d.low+lastRow {
		return 1000
	}
	for _, o := range d.marks {
		if at.overlaps(o) {
			cost += 50
		}
	}
	for p := range d.trace.Header.Scenario.IDs {
		half, bad := 4.0, 10 // of its line
		if at.y1 < d.named { // of its name, and of its priority
			half, bad = float64(len(d.id(p))+2)*d.letter*letterWidth/2, 50
		}
		if x := d.x(p); at.x1 < x+half && x-half < at.x2 {
			cost += bad
		}
	}
	for _, way := range d.ways {
		for i := range way {
			if way[i].crosses(at) {
				cost++
			}
		}
	}
	return cost
}
