package main

import (
	"cmp"
	"fmt"
	"os"
	"slices"
	"strings"
)

// table returns results as a table in Markdown.
func table(results []*result) string {
	var b strings.Builder
	b.WriteString("| fault | n | Dir | trials | no leader, ms: min / median / max | changes of leader: " +
		"min / median " +
		"/ max | late | writes accepted / refused |\n|---|---|---|---|---|---|---|---|\n")
	for _, r := range results {
		if len(r.outcomes) == 0 {
			continue
		}
		kept := ""
		if r.durable {
			kept = "yes"
		}
		late := 0
		for _, o := range r.outcomes {
			if o.late {
				late++
			}
		}
		without := three(r.outcomes, func(o outcome) int64 { return o.vacant.Milliseconds() })
		changes := three(r.outcomes, func(o outcome) int64 { return int64(o.changes) })
		if r.fault.clash {
			without, changes = "two at once, each time", "-"
		}
		fmt.Fprintf(&b, "| %s | %d | %s | %d | %s | %s | %d | %d / %d |\n", r.fault.name, r.n, kept,
			len(r.outcomes), without, changes, late, r.accepted, r.refused)
	}
	return b.String()
}

// three returns the smallest, the median and the largest.
func three(all []outcome, of func(outcome) int64) string {
	sorted := slices.SortedFunc(slices.Values(all),
		func(a, b outcome) int { return cmp.Compare(of(a), of(b)) })
	return fmt.Sprintf("%d / %d / %d", of(sorted[0]), of(sorted[len(sorted)/2]), of(sorted[len(sorted)-1]))
}

// The marks of the part of a file that update writes.
const (
	beginMark = "<!-- begin of what make chaos writes -->\n"
	endMark   = "<!-- end -->\n"
)

// update writes the table of a file anew.
func update(path string, o *options, results []*result) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	head, rest, ok := strings.Cut(string(text), beginMark)
	_, foot, ended := strings.Cut(rest, endMark)
	if !ok || !ended {
		return fmt.Errorf("%s has not the marks between which the table goes", path)
	}
	about := fmt.Sprintf("A lease of %v, %d trials a cell, %d groups at once.\n\n", o.lease, o.trials,
		o.parallel)
	return os.WriteFile(path, []byte(head+beginMark+about+table(results)+endMark+foot), 0o644)
}
