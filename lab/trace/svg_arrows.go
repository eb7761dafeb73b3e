package trace

import (
	"cmp"
	"math"
	"slices"

	"github.com/go-election/election"
	"github.com/go-election/election/internal/order"
	"github.com/go-election/election/lab/svg"
	"github.com/go-election/election/observe"
)

// The measures of arrows.
const (
	leastDrop = 10.0 // of one to its own process
	onTheWay  = 0.4  // the part that is drawn of one that does not arrive
	fall      = 16.0 // of that
	deepest   = 160  // the same, where that is crowded
	endSize   = 6.5  // half of the sign at its end, with half the width of an arrow
)

// arrows notes the ways of all messages, which labels of others have to avoid.
func (d *drawing) arrows() {
	d.ways = make([][]segment, len(d.beats))
	for i := range d.beats {
		if b := &d.beats[i]; b.message() {
			d.ways[i] = d.way(b)
		}
	}
}

// mostRounds is how often ends of messages are moved at most.
const mostRounds = 60

// settleEnds moves the end of each message that does not arrive to a place near it where no arrow passes, if
// there is one.
func (d *drawing) settleEnds() {
	var ends []int
	for i, way := range d.ways {
		if len(way) > 0 && d.beats[i].fate != delivered {
			ends = append(ends, i)
		}
	}
	others := make(map[int][]segment) // where else those may end that have moved
	end := func(i int) *segment { return &d.ways[i][len(d.ways[i])-1] }

	for again, round := true, 0; again && round < mostRounds; round++ { // what one leaves is free for others
		again = false
		for _, i := range ends {
			if least := d.struck(i, *end(i), math.MaxInt); least > 0 {
				if again = true; others[i] == nil {
					others[i] = d.shorter(&d.beats[i])
				}
				*end(i) = d.better(i, round, least, others[i])
			}
		}
	}
	for _, i := range ends { // what has moved for nothing goes back as far as it can
		if all := others[i]; all != nil {
			least := d.struck(i, *end(i), math.MaxInt)
			free := func(to segment) bool { return d.struck(i, to, least) <= least }
			*end(i) = all[slices.IndexFunc(all, free)]
		}
	}
	// An end that has no room above is below all events, and the lines of the processes go on to there.
	for _, i := range ends {
		d.low = max(d.low, end(i).y2-lastRow/2)
		d.labels = append(d.labels, around(point{end(i).x2, end(i).y2}, endSize-1))
	}
}

// better returns where a message ends better than now, where it is struck so often. In every other round that
// is any place which is no worse: else a crowd of ends, none of which has a better place alone, would stay.
func (d *drawing) better(i, round, least int, all []segment) segment {
	best := d.ways[i][len(d.ways[i])-1]
	for k := range all {
		if round%2 > 0 {
			// Large primes take each round, and each message, to another part of the list.
			if to := all[(k+round*7919+i*997)%len(all)]; d.struck(i, to, least) <= least {
				return to
			}
			continue
		}
		if n := d.struck(i, all[k], least); n < least {
			best, least = all[k], n
		}
		if least == 0 {
			break
		}
	}
	return best
}

// shorter returns where the arrow of a message may end that does not arrive, the nearest to the usual place
// first: around it, or, where the message is lost at the receiver, sooner on its way.
func (d *drawing) shorter(b *beat) []segment {
	way := d.way(b)
	s := way[len(way)-1]
	dx, dy := s.x2-s.x1, s.y2-s.y1
	all, most := []segment{s}, 2.1
	if !d.ends(b) {
		for part := 0.97; part > 0.3; part -= 0.03 {
			all = append(all, segment{s.x1, s.y1, s.x1 + dx*part, s.y1 + dy*part})
		}
		most = 0.9
	}
	for down := 6.0; down < deepest; down += 2 {
		for part := 0.1; part < most; part += 0.04 {
			all = append(all, segment{s.x1, s.y1, s.x1 + dx*part, s.y1 + down})
		}
	}
	// The height of an end is a time.
	far := func(a segment) float64 { return math.Hypot(a.x2-s.x2, 3*(a.y2-s.y2)) }
	order.Stable(all, func(a, b segment) int { return cmp.Compare(far(a), far(b)) })
	return all
}

// struck returns how many other arrows pass where a message ends, and how many others end where it would
// pass. It counts no further than is needed to know that there are more than most.
func (d *drawing) struck(i int, end segment, most int) (n int) {
	at := around(point{end.x2, end.y2}, endSize)
	for k, way := range d.ways {
		if n > most {
			break
		}
		if k == i || len(way) == 0 {
			continue
		}
		for j := range way {
			if way[j].crosses(at) {
				n++
			}
		}
		if last := way[len(way)-1]; d.beats[k].fate != delivered &&
			end.crosses(around(point{last.x2, last.y2}, endSize)) {
			n++
		}
	}
	return n
}

// ends reports whether a message ends before it arrives: it is lost on its way, or still on it.
func (d *drawing) ends(b *beat) bool {
	return b.fate == unreceived || b.fate == lost && d.where[d.trace.Events[b.event].Process] == b.from &&
		b.from != b.process
}

// way returns where a message is drawn. One between the last and the first process of a ring leaves the
// picture at one edge and comes in at the other.
func (d *drawing) way(b *beat) []segment {
	x1, x2, y2 := d.x(b.from), d.x(b.process), d.place[b.event]
	y1 := y2 - leastDrop
	if b.sent != none {
		y1 = d.place[b.sent]
	}
	n := len(d.trace.Header.Scenario.IDs)
	around := d.wraps && abs(b.from-b.process) == n-1
	if around && b.from == 0 {
		x2 = d.x(-1)
	} else if around {
		x2 = d.x(n)
	}
	if d.ends(b) {
		// The message has not arrived, so its arrow ends on the way.
		if b.from == b.process {
			x2 = x1 + 60
		}
		return []segment{{x1, y1, x1 + (x2-x1)*onTheWay, y1 + fall}}
	}
	if !around {
		return []segment{{x1, y1, x2, y2}}
	}
	middle := (y1 + y2) / 2
	in := d.x(b.process)
	return []segment{{x1, y1, (x1 + x2) / 2, middle}, {in - (x2-x1)/2, middle, in, y2}}
}

func abs(n int) int { return max(n, -n) }

// message draws an arrow, as far as the message has come.
func (d *drawing) message(i int) {
	b := &d.beats[i]
	colour, dash, open := style(d.kindOf(b))
	way := d.ways[i]
	last := way[len(way)-1]
	d.group("message", d.linkText(b)+": "+b.text, func() {
		if b.from == b.process && !d.ends(b) {
			way := []float64{last.x1 - 34, last.y1, last.x1 - 34, last.y2, last.x2, last.y2}
			d.Put(`<path d="M%v %v C%v" fill="none" stroke="%v" stroke-width="1.8"%v/>`, last.x1, last.y1, way,
				colour, svg.Dashed(dash))
			d.head(last.x1-30, last.y2, last.x2, last.y2, colour, open)
			return
		}
		for _, s := range way {
			d.Line(s.x1, s.y1, s.x2, s.y2, 1.8, colour, dash)
		}
		switch b.fate {
		case delivered:
			d.head(last.x1, last.y1, last.x2, last.y2, colour, open)
		case lost:
			d.cross(last.x2, last.y2, 4.5, colour)
		default:
			d.ring(last.x2, last.y2, colour)
		}
	})
}

// life is how a process is from some place on.
type life struct {
	from         float64
	down, paused bool
	role         election.Role
	inside       uint64 // which critical sections
}

// lives draws the line of each process: thin while it is undecided, thick in green or gold once it follows or
// leads, dotted where it is down, with a band where it is paused or inside a critical section.
func (d *drawing) lives() {
	all := make([]life, len(d.trace.Header.Scenario.IDs))
	for p := range all {
		all[p].from = d.parts[0].top - 8
	}
	for i := range d.trace.Events {
		e := &d.trace.Events[i]
		p := d.where[e.Process]
		now := &all[p]
		was, from := *now, d.place[i]
		switch {
		case e.Do == observe.Crash:
			*now = life{down: true}
		case e.Do == observe.Pause || e.Do == observe.Resume:
			now.paused = e.Do == observe.Pause
		case e.Do == observe.Recover || e.Do == observe.Restart:
			*now = life{}
		case e.Do == observe.Decide:
			now.role = e.Outcome.Role
		case e.Do == observe.Raise && e.Op == entered:
			// There are at most 64 sections, but a Node may raise any Flags.
			now.inside |= 1 << (e.Message.Flags % 64)
		case e.Do == observe.Raise && e.Op == exited:
			now.inside &^= 1 << (e.Message.Flags % 64)
		}
		now.from = was.from
		if was != *now {
			if e.Do != observe.Crash || e.Seq > 1 { // not down from the beginning
				d.life(p, was, from)
			}
			now.from = from
		}
	}
	for p := range all {
		d.life(p, all[p], d.low+lastRow/2)
	}
}

// life draws a stretch of the line of a process.
func (d *drawing) life(p int, l life, to float64) {
	x := d.x(p)
	band := func(class, colour string) {
		d.Put(`<rect class="%v" x="%v" y="%v" width="14" height="%v" fill="%v" stroke="%v"/>`, class,
			x-7, l.from, to-l.from, colour, svg.Mid)
	}
	if l.paused {
		band("paused", svg.Pale)
	}
	if l.inside != 0 {
		band("inside", svg.Rose)
	}
	class, colour, width, dash := "undecided", svg.Mid, 1.5, ""
	switch {
	case l.down:
		class, width, dash = "down", 1.2, "1 5"
	case l.role == election.Follower:
		class, colour, width = "follower", svg.Green, 3
	case l.role == election.Leader:
		class, colour, width = "leader", svg.Gold, 6
	}
	d.Put(`<line class="%v" x1="%v" y1="%v" x2="%v" y2="%v" stroke="%v" stroke-width="%v"%v/>`, class,
		x, l.from, x, to, colour, width, svg.Dashed(dash))
}
