package trace

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-election/election/observe"
)

// band is a time in which links are cut, by the plan of the run or by hand.
type band struct {
	from, until time.Duration
	ends        bool   // else the links are cut to the end of the run
	text        string // which links are cut, and when
}

// bands returns the partitions of the plan, and the times in which links are cut by hand.
func (s *story) bands() (all []band) {
	for _, p := range s.trace.Header.Scenario.Faults.Partitions {
		b := band{from: p.From, until: p.Until, ends: p.Until > 0}
		for i := range s.trace.Events { // a partition may be ended by hand
			e := &s.trace.Events[i]
			if e.Do == observe.Heal && e.At >= p.From && (!b.ends || e.At < b.until) {
				b.until, b.ends = e.At, true
			}
		}
		var groups []string
		named := 0
		for _, g := range p.Groups {
			ids := make([]string, len(g))
			for i, id := range g {
				ids[i] = strconv.FormatUint(uint64(id), 10)
			}
			named += len(g)
			groups = append(groups, strings.Join(ids, " "))
		}
		if named < len(s.trace.Header.Scenario.IDs) {
			groups = append(groups, "the rest")
		}
		sign := " | "
		if p.OneWay {
			sign = " -/-> "
		}
		b.text = cutText(p.From, p.Until, p.Until > 0, strings.Join(groups, sign))
		all = append(all, b)
	}
	return append(all, s.byHand()...)
}

// byHand returns the times in which links are cut by events.
func (s *story) byHand() (all []band) {
	cut := make(map[string]bool) // the links that are cut now
	var links []string           // the links cut since one was
	for i := range s.trace.Events {
		e := &s.trace.Events[i]
		if e.Do != observe.Cut && e.Do != observe.Heal {
			continue
		}
		link := s.id(s.where[e.Process]) + " -/-> " + s.behind(e)
		switch {
		case e.Do == observe.Cut:
			if len(cut) == 0 {
				all, links = append(all, band{from: e.At}), nil
			}
			if cut[link] = true; !slices.Contains(links, link) {
				links = append(links, link)
			}
		case cut[link]: // else it is of the plan
			if delete(cut, link); len(cut) == 0 {
				all[len(all)-1].until, all[len(all)-1].ends = e.At, true
			}
		}
		if last := len(all) - 1; last >= 0 {
			all[last].text = cutText(all[last].from, all[last].until, all[last].ends, bothWays(links))
		}
	}
	return all
}

// cutText describes a time in which links are cut.
func cutText(from, until time.Duration, ends bool, links string) string {
	text := "cut from " + short(from)
	if ends {
		text += " to " + short(until)
	}
	return text + ": " + links
}

// bothWays lists links, and writes two that lead from one process to another and back as one.
func bothWays(links []string) string {
	const most = 6
	var all []string
	for i, l := range links {
		from, to, _ := strings.Cut(l, " -/-> ")
		switch back := slices.Index(links, to+" -/-> "+from); {
		case back < 0:
			all = append(all, l)
		case i < back:
			all = append(all, from+" | "+to)
		}
	}
	if more := len(all) - most; more > 0 {
		all = append(all[:most], fmt.Sprintf("and %d more", more))
	}
	return strings.Join(all, ", ")
}
