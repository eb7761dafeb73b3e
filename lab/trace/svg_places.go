package trace

// The measures of marks.
const (
	markStep = 14.0
	markGap  = 1.1 * markStep // from the line of a process to its first mark
	markSize = 6.0            // half of one
	inRow    = 4              // on each side of the line, where columns are wide
)

// point is a place.
type point struct{ x, y float64 }

// settleMarks finds a place for each mark: on the line of its process, or beside it where it covers no
// arrow and no other mark.
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
		at := point{d.x(d.where[e.Process]), d.place[i]}
		if !atLine(e) {
			at = d.freeSpot(at, markGap, markSize, inARow)
		}
		d.spots[i] = at
		d.marks = append(d.marks, around(at, markSize))
	}
}

// settleNumbers finds a place for the number of each key moment.
func (d *drawing) settleNumbers() {
	r := d.letter * 0.62
	for _, m := range d.numbered {
		at := point{d.x(d.where[d.trace.Events[m.event].Process]), d.place[m.event]}
		at = d.freeSpot(at, r+8, r+1, 1)
		d.circles = append(d.circles, at)
		d.marks = append(d.marks, around(at, r+1))
	}
}

func around(p point, half float64) box { return box{p.x - half, p.y - half, p.x + half, p.y + half} }

// freeSpot returns the place near to another, beside the line, at which something of a size covers the least.
func (d *drawing) freeSpot(near point, gap, half float64, row int) point {
	best, least := near, -1
	for _, down := range []float64{0, -half * 1.4, half * 1.4, -half * 2.4, half * 2.4, -half * 3.4,
		half * 3.4} {
		for k := range row {
			for _, side := range []float64{1, -1} {
				at := point{near.x + side*(gap+float64(k)*(2*half+2)), near.y + down}
				cost := d.covered(around(at, half))
				if least < 0 || cost < least {
					best, least = at, cost
				}
				if least == 0 {
					return best
				}
			}
		}
	}
	return best
}

// covered says how bad it is to draw something at a place: most of all over another mark.
func (d *drawing) covered(at box) (cost int) {
	if at.x1 < d.left-8 || at.x2 > d.width-2 {
		return 1000
	}
	for _, o := range d.marks {
		if at.overlaps(o) {
			cost += 50
		}
	}
	for p := range d.trace.Header.Scenario.IDs {
		if x := d.x(p); at.x1 < x+4 && x-4 < at.x2 {
			cost += 10
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
