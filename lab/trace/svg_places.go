package trace

import (
	"math"
	"slices"
)

// The measures of marks.
const (
	markStep = 14.0 // from the line of a process to its first mark
	markSize = 7.0  // half of one, with its rim and half the width of an arrow
	starSize = 9.5  // of the largest
)

// point is a place.
type point struct{ x, y float64 }

// settleMarks finds a place for each mark: that of a leader or a crash is on the line of its process. Others are
// beside it, on the left if possible, so that all can be told from those of the next line, and not on an arrow
// if there is room.
func (d *drawing) settleMarks() {
	d.spots = make(map[int]point)
	for _, onLine := range []bool{true, false} {
		for i, shown := range d.shown {
			e := &d.trace.Events[i]
			if !shown || atLine(e) != onLine {
				continue
			}
			at := point{d.x(d.where[e.Process]), d.place[i]}
			if !onLine {
				at = freeSpot(at, -markStep, d.column/4, markSize, d.covered)
			}
			d.spots[i] = at
			d.marks = append(d.marks, around(at, markSize))
		}
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

// settleNumbers finds a place for the number of each key moment, next to its mark.
func (d *drawing) settleNumbers() {
	r := d.letter * 0.62
	of := make([]point, len(d.numbered))
	for i, m := range d.numbered {
		at, ok := d.spots[m.event]
		if !ok {
			at = point{d.x(d.where[d.trace.Events[m.event].Process]), d.place[m.event]}
		}
		of[i] = at
	}
	for _, own := range of {
		at := freeSpot(own, r+9, r+73, r+2, func(at box) int {
			cost := 10 * d.covered(at)
			for _, other := range of {
				if at.far(other) < at.far(own) {
					cost += 300
				}
			}
			return cost
		})
		d.circles = append(d.circles, at)
		d.marks = append(d.marks, around(at, r+1))
	}
}

// far returns how far the middle of a box is from a place.
func (b box) far(p point) float64 { return math.Hypot((b.x1+b.x2)/2-p.x, (b.y1+b.y2)/2-p.y) }

func around(p point, half float64) box { return box{p.x - half, p.y - half, p.x + half, p.y + half} }

// freeSpot returns the place for something of a size, beside something else, that costs the least: at a gap from
// it, to the right unless the gap is negative, on the other side, or farther away, up to some distance.
func freeSpot(near point, gap, most, half float64, cost func(at box) int) point {
	best, least := near, math.MaxInt
	for j, part := range parts {
		if least <= j/4 {
			break
		}
		for k := 0; math.Abs(gap)+markStep/2*float64(k) <= most; k++ {
			far := gap + math.Copysign(markStep/2*float64(k), gap)
			for other, x := range []float64{near.x + far, near.x - far} {
				at := point{x, near.y + half*part}
				if c := 2*cost(around(at, half)) + other + j/4 + k; c < least {
					best, least = at, c
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
