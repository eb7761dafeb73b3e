package trace

import (
	"math"
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

// arrows notes the ways of all messages, which labels of others have to avoid.
func (d *drawing) arrows() {
	d.ways = make([]segment, len(d.beats))
	for i := range d.beats {
		if b := &d.beats[i]; b.message() {
			s := &d.ways[i]
			s.x1, s.y1, s.x2, s.y2, _ = d.arrow(b)
		}
	}
}

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
	half := tinyLetter * letterWidth * float64(len(text)) / 2
	s := &d.ways[i]
	for _, part := range s.places() {
		x, y := s.x1+(s.x2-s.x1)*part, s.y1+(s.y2-s.y1)*part
		at := box{x - half - 1, y - 5, x + half + 1, y + 5}
		if d.free(at, i) {
			d.labels = append(d.labels, at)
			d.Put(`<text class="label" x="%s" y="%s" font-size="%s" text-anchor="middle" fill="%s" `+
				`stroke="#FFFFFF" stroke-width="3" paint-order="stroke">%s</text>`,
				svg.Num(x), svg.Num(y+4), svg.Num(tinyLetter), ink, text)
			return
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
func (d *drawing) free(at box, message int) bool {
	wide := box{at.x1 - labelGap, at.y1 - 1, at.x2 + labelGap, at.y2 + 1}
	own := &d.ways[message]
	for _, taken := range [][]box{d.labels, d.marks, {{own.x2 - 4, own.y2 - 4, own.x2 + 4, own.y2 + 4}}} {
		for _, o := range taken {
			if wide.x1 < o.x2 && o.x1 < wide.x2 && wide.y1 < o.y2 && o.y1 < wide.y2 {
				return false
			}
		}
	}
	for p := range d.trace.Header.Scenario.IDs {
		if x := d.x(p); at.x1 < x+3 && x-3 < at.x2 {
			return false
		}
	}
	for i := range d.ways {
		// An arrow on exactly the same way cannot be avoided.
		if i != message && d.ways[i] != *own && d.ways[i].crosses(at) {
			return false
		}
	}
	return true
}

// crosses reports whether the way goes through a box.
func (s *segment) crosses(b box) bool {
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
