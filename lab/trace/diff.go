package trace

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/go-election/election"
	"github.com/go-election/election/internal/order"
	"github.com/go-election/election/internal/prose"
	"github.com/go-election/election/observe"
)

// Diff compares two traces by their causal order: process by process, and from sending to receipt. When
// things happened, and in which order at different processes, does not count, nor do the driver, the schedule
// and the seed. It returns the first difference of each process that has one, in the order in which they
// occur in a. In a difference Have and Line are of b, Want and Other of a.
//
// Traces of different elections have one difference, on line 1: what of the headers is not the same, such as
// their ids.
func Diff(a, b *Trace) []Difference {
	if d := diffHeaders(&a.Header, &b.Header); d != nil {
		return []Difference{*d}
	}
	type found struct {
		Difference
		at int // in a
	}
	var all []found
	// Compare process by process: two runs may interleave their processes differently and still be the same.
	ofA, ofB := byProcess(a), byProcess(b)
	names := newNames(a.Header.Kinds)
	for _, id := range a.Header.Scenario.IDs {
		left, right := ofA[id], ofB[id]
		for k := range max(len(left), len(right)) {
			// An event that one trace lacks is reported on the line behind its end.
			d := Difference{Ref: Ref{id, uint64(k + 1)}, Line: Line(len(b.Events)),
				Other: Line(len(a.Events))}
			at := len(a.Events)
			if k < len(left) {
				at = left[k]
				d.Want, d.Other = a.Events[at].text(names), Line(at)
			}
			if k < len(right) {
				d.Have, d.Line = b.Events[right[k]].text(names), Line(right[k])
			}
			if k >= len(left) || k >= len(right) || !a.Events[left[k]].Equal(&b.Events[right[k]]) {
				// Report the first difference of a process only: everything that follows from it differs as well.
				all = append(all, found{d, at})
				break
			}
		}
	}
	order.Stable(all, func(x, y found) int {
		return cmp.Or(cmp.Compare(x.at, y.at),
			cmp.Compare(x.Line, y.Line))
	})
	differences := make([]Difference, len(all))
	for i := range all {
		differences[i] = all[i].Difference
	}
	return differences
}

// byProcess returns where the events of each process stand.
func byProcess(t *Trace) map[election.ID][]int {
	of := make(map[election.ID][]int)
	for i := range t.Events {
		id := t.Events[i].Process
		of[id] = append(of[id], i)
	}
	return of
}

// diffHeaders compares what was run. It returns the first part in which that differs.
func diffHeaders(a, b *Header) *Difference {
	x, y := about(a), about(b)
	for i := range x {
		if x[i] != y[i] {
			return &Difference{Line: 1, Other: 1, Have: y[i], Want: x[i]}
		}
	}
	return nil
}

// about returns what must be the same in two traces that are compared, part by part.
func about(h *Header) []string {
	s := &h.Scenario
	title := election.Algorithm{Name: s.Algorithm, Variant: s.Variant}
	parts := []string{"algorithm " + title.Title()}
	for _, part := range []struct {
		name  string
		value any
	}{
		{"ids", s.IDs}, {"priorities", s.Priorities}, {"messages", h.Kinds},
		{"parameters", strings.TrimPrefix(fmt.Sprint(s.Params), "map")},
		{"longest delay", short(h.Delay)},
	} {
		parts = append(parts, fmt.Sprintf("%s %v", part.name, part.value))
	}
	// Compare the links as they are written: a ring by its shape equals a ring with every port listed.
	links, _ := lineOf(h.links()) // they can be written
	return append(parts, links)
}

// FirstDifference returns what [Diff] finds first in two traces, in a line for people that names both;
// nothing if they are the same.
func FirstDifference(a, b Part) string {
	differences := Diff(a.Trace, b.Trace)
	if len(differences) == 0 {
		return ""
	}
	d := &differences[0]
	if d.Ref == (Ref{}) {
		return fmt.Sprintf("%s and %s are of different elections: %.200s against %.200s", a.Name, b.Name,
			d.Want,
			d.Have)
	}
	more := ""
	if n := len(differences) - 1; n == 1 {
		more = "; 1 more process differs"
	} else if n > 1 {
		more = fmt.Sprintf("; %s more processes differ", prose.Grouped(uint64(n)))
	}
	want, have := a.Trace.Words(d.Other-Line(0)), b.Trace.Words(d.Line-Line(0))
	if want == have { // the texts do not show the difference
		want, have = d.Want, d.Have
	}
	return fmt.Sprintf("event %d of process %d: %s; %s%s", d.Ref.Seq, d.Ref.Process,
		a.onLine(d.Other, want), b.onLine(d.Line, have), more)
}

// onLine quotes a line, with its number.
func (p *Part) onLine(line int, words string) string {
	if words == "" {
		return p.Name + ": nothing"
	}
	return fmt.Sprintf("%s, line %d: %s", p.Name, line, words)
}

// Words returns an event of a trace in the words of the log, or nothing if the trace has no such event.
// Line n has Events[n-2].
func (t *Trace) Words(i int) string {
	if i < 0 || i >= len(t.Events) {
		return ""
	}
	e := &t.Events[i]
	text := t.words().said(e)
	if (e.Do == observe.Deliver || e.Do == observe.Lose) && e.From != (Ref{}) {
		text += fmt.Sprintf(" (%s)", e.From)
	}
	return text
}
