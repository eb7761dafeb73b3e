package trace

import (
	"cmp"
	"slices"

	"github.com/go-election/election"
)

// Diff compares two traces by their causal order: process by process, and from sending to
// receipt. When things happened, and in which order at different processes, does not count, nor do
// the driver, the schedule and the seed. It returns the first difference of each process that has
// one, that which comes first in a before the others. In a difference Have is what b holds, and Want what a
// does; Line is that of b, Other that of a.
//
// Traces of different elections have one difference, on line 1.
func Diff(a, b *Trace) []Difference {
	if d := diffHeaders(&a.Header, &b.Header); d != nil {
		return []Difference{*d}
	}
	type found struct {
		Difference
		at int // in a
	}
	var all []found
	ofA, ofB := byProcess(a), byProcess(b)
	names := newNames(a.Header.Kinds)
	for _, id := range a.Header.Scenario.IDs {
		left, right := ofA[id], ofB[id]
		for k := range max(len(left), len(right)) {
			d := Difference{Ref: Ref{id, uint64(k + 1)}, Line: Line(len(b.Events)), Other: Line(len(a.Events))}
			at := len(a.Events)
			if k < len(left) {
				at = left[k]
				d.Want, d.Other = a.Events[at].text(names), Line(at)
			}
			if k < len(right) {
				d.Have, d.Line = b.Events[right[k]].text(names), Line(right[k])
			}
			if k >= len(left) || k >= len(right) || !a.Events[left[k]].Equal(&b.Events[right[k]]) {
				all = append(all, found{d, at})
				break
			}
		}
	}
	slices.SortStableFunc(all, func(x, y found) int { return cmp.Or(cmp.Compare(x.at, y.at), cmp.Compare(x.Line, y.Line)) })
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

// diffHeaders compares what was run.
func diffHeaders(a, b *Header) *Difference {
	x, errX := about(a)
	y, errY := about(b)
	if errX == nil && errY == nil && x == y {
		return nil
	}
	return &Difference{Line: 1, Other: 1, Have: y, Want: x}
}

// about returns what must be the same in two traces that are compared.
func about(h *Header) (string, error) {
	s := &h.Scenario
	only := Header{Links: h.Links, Kinds: h.Kinds, Delay: h.Delay}
	only.Scenario.Algorithm, only.Scenario.Variant, only.Scenario.IDs = s.Algorithm, s.Variant, s.IDs
	only.Scenario.Priorities, only.Scenario.Params = s.Priorities, s.Params
	line, err := appendHeader(nil, &only)
	return string(line[:max(len(line)-1, 0)]), err
}
