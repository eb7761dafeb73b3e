package trace

import (
	"math"
	"slices"
	"strconv"

	"github.com/go-election/election/lab/svg"
)

// mostLabelled is how many messages may be labelled with the id that they are about.
const mostLabelled = 80

// The measures of labels.
const (
	labelGap  = 3.0 // between two
	labelStep = 6.0 // from one place on an arrow to the next
	nearTail  = 12.0
	nearHead  = 18.0
)

// box is where a label is, or a mark.
type box struct{ x1, y1, x2, y2 float64 }

// segment is the way of a message.
type segment struct{ x1, y1, x2, y2 float64 }

// label writes which process a message is about, where there is room for that and where it can be of no
// other arrow.
func (d *drawing) label(i int) {
	b := &d.beats[i]
	e := &d.trace.Events[max(b.sent, 0)]
	if b.sent == none {
		e = &d.trace.Events[b.event]
	}
	// In a crowded picture labels hide more than they say, and searching their places takes quadratic time.
	if len(d.beats) > 4*mostLabelled || e.Message.Rank.ID == 0 || b.from == b.process {
		return
	}
	text := strconv.FormatUint(uint64(e.Message.Rank.ID), 10)
	half, high := d.letter*letterWidth*float64(len(text))/2, d.letter/2
	for _, s := range d.ways[i] {
		for _, part := range s.places() {
			x, y := s.x1+(s.x2-s.x1)*part, s.y1+(s.y2-s.y1)*part
			at := box{x - half - 1, y - high, x + half + 1, y + high}
			if d.free(at, i, &s) {
				d.labels = append(d.labels, at)
				d.Text(x, y+d.letter*0.35, d.letter, "middle", `class="label" fill="`+svg.Ink+`" stroke="`+
					svg.Paper+`" stroke-width="4" paint-order="stroke"`, text)
				return
			}
		}
	}
}

// places are the parts of an arrow at which its label may be, the best first: not far from the tail,
// then ever nearer to its ends.
func (s *segment) places() []float64 {
	places := []float64{0.3, 0.42, 0.54, 0.66, 0.2, 0.78}
	length := math.Hypot(s.x2-s.x1, s.y2-s.y1)
	for way := nearTail; way < length/2; way += labelStep {
		places = append(places, way/length)
		if way >= nearHead {
			places = append(places, 1-way/length)
		}
	}
	return places
}

// free reports whether the label of a message can be here: not over another, a mark, the line of a
// process, its own head or the arrow of another message.
func (d *drawing) free(at box, message int, own *segment) bool {
	if at.x1 < 0 || at.x2 > d.width {
		return false
	}
	wide := box{at.x1 - labelGap, at.y1 - 1, at.x2 + labelGap, at.y2 + 1}
	head := box{own.x2 - 5, own.y2 - 5, own.x2 + 5, own.y2 + 5}
	if d.taken(wide) || wide.overlaps(head) {
		return false
	}
	for p := range d.trace.Header.Scenario.IDs {
		if x := d.x(p); at.x1 < x+4 && x-4 < at.x2 {
			return false
		}
	}
	for i := range d.ways {
		for _, s := range d.ways[i] {
			// An arrow on exactly the same way cannot be avoided.
			if i != message && s != *own && s.crosses(at) {
				return false
			}
		}
	}
	return true
}

// taken reports whether a label or a mark is there.
func (d *drawing) taken(at box) bool {
	return slices.ContainsFunc(d.labels, at.overlaps) || slices.ContainsFunc(d.marks, at.overlaps)
}

func (b box) overlaps(o box) bool { return b.x1 < o.x2 && o.x1 < b.x2 && b.y1 < o.y2 && o.y1 < b.y2 }

// crosses reports whether the way goes through a box.
func (s *segment) crosses(b box) bool {
	if !b.overlaps(box{min(s.x1, s.x2), min(s.y1, s.y2), max(s.x1, s.x2), max(s.y1, s.y2)}) {
		return false // most are far away
	}
	from, to := 0.0, 1.0
	for _, side := range [][3]float64{{s.x1, s.x2 - s.x1, 0}, {s.y1, s.y2 - s.y1, 1}} {
		least, most := b.x1, b.x2
		if side[2] == 1 {
			least, most = b.y1, b.y2
		}
		at, by := side[0], side[1]
		// Parallel to this pair of sides: the segment lies between them wholly or not at all.
		if by == 0 {
			if at < least || at > most {
				return false
			}
			continue
		}
		// This is the algorithm of Liang and Barsky: narrow the part of the segment that lies between each
		// pair of sides.
		in, out := (least-at)/by, (most-at)/by
		from, to = max(from, min(in, out)), min(to, max(in, out))
	}
	return from < to
}
