package trace

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/go-election/election/lab/svg"
	"github.com/go-election/election/observe"
)

// mostCutNamed is how many cut links a text names.
const mostCutNamed = 6

// severed is a time in which some links are cut, by events of the trace; those of a plan are in its header.
type severed struct {
	from, until time.Duration
	first, last int // the events that begin and end it; last is none if nothing does
	links       [][2]string
}

// stretches returns when links were cut by hand.
func (s *story) stretches() (all []severed) {
	type oneWay struct{ from, to string }
	cut := make(map[oneWay]bool)
	for i := range s.trace.Events {
		e := &s.trace.Events[i]
		if e.Do != observe.Cut && e.Do != observe.Heal {
			continue
		}
		way := oneWay{s.id(s.where[e.Process]), s.behind(e)}
		if e.Do == observe.Cut {
			if len(cut) == 0 {
				all = append(all, severed{from: e.At, first: i, last: none})
			}
			cut[way] = true
			now := &all[len(all)-1]
			if link := [2]string{way.from, way.to}; !slices.Contains(now.links, link) {
				now.links = append(now.links, link)
			}
			continue
		}
		// The end of a partition of the plan heals what no event has cut.
		if !cut[way] {
			continue
		}
		if delete(cut, way); len(cut) == 0 {
			all[len(all)-1].until, all[len(all)-1].last = e.At, i
		}
	}
	return all
}

// stretchText says which links are cut, and for how long.
func (s *story) stretchText(c *severed) string {
	text := "cut from " + short(c.from)
	if c.last != none {
		text += " to " + short(c.until)
	}
	return text + ": " + c.linksText()
}

func (c *severed) linksText() string {
	var links []string
	for _, l := range c.links {
		back := slices.Index(c.links, [2]string{l[1], l[0]})
		switch here := slices.Index(c.links, l); {
		case back < 0:
			links = append(links, l[0]+" -/-> "+l[1])
		case here < back:
			links = append(links, l[0]+" | "+l[1])
		}
	}
	if more := len(links) - mostCutNamed; more > 0 {
		links = append(links[:mostCutNamed], fmt.Sprintf("and %d more", more))
	}
	return strings.Join(links, ", ")
}

// cutMoments are the beginnings and ends of cuts by hand.
func (s *story) cutMoments() (all []moment) {
	for _, c := range s.stretches() {
		all = append(all, moment{event: c.first, beat: none, weight: weightFault, text: "cut: " +
			c.linksText()})
		if c.last != none {
			all = append(all, moment{event: c.last, beat: none, weight: weightFault,
				text: "the links are whole again"})
		}
	}
	return all
}

// healed returns when a partition of the plan that begins at a time was ended by hand, if it was.
func (s *story) healed(from time.Duration) (time.Duration, bool) {
	for i := range s.trace.Events {
		if e := &s.trace.Events[i]; e.Do == observe.Heal && e.At >= from {
			return e.At, true
		}
	}
	return 0, false
}

// partitions draws a band over each time in which links are cut.
func (d *drawing) partitions() {
	for i := range d.trace.Header.Scenario.Faults.Partitions {
		p := &d.trace.Header.Scenario.Faults.Partitions[i]
		until, ends := p.Until, p.Until > 0
		if at, ok := d.healed(p.From); ok && (!ends || at < until) {
			until, ends = at, true
		}
		d.cutBand(d.partitionText(p), p.From, until, ends)
	}
	for _, c := range d.stretches() {
		d.cutBand(d.stretchText(&c), c.from, c.until, c.last != none)
	}
}

// cutBand draws one of them.
func (d *drawing) cutBand(title string, from, until time.Duration, ends bool) {
	last := d.parts[len(d.parts)-1].until
	if from > last {
		return
	}
	top, low := d.y(from), d.low+lastRow/2
	if ends && until <= last {
		low = d.y(until)
	}
	d.group("partition", title, func() {
		d.Rect(d.left-6, top, d.column*float64(len(d.trace.Header.Scenario.IDs))+12, max(low-top, 2),
			svg.Alarm)
		d.Line(d.left-6, top, d.width-edge, top, 1.5, svg.Red, "4 3")
		d.Line(d.left-6, low, d.width-edge, low, 1.5, svg.Red, "4 3")
	})
}
