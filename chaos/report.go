package main

import (
	"cmp"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
)

// table returns results as a table in Markdown.
func table(results []*result) string {
	var b strings.Builder
	b.WriteString("| fault | n | Dir | TLS | trials | no leader, ms: min / median / max | " +
		"changes of leader: min / median / max | late | busy | writes accepted / refused |\n" +
		"|---|---|---|---|---|---|---|---|---|---|\n")
	yes := map[bool]string{true: "yes"}
	for _, r := range results {
		trials := strconv.Itoa(len(r.outcomes))
		if r.err != nil {
			trials += ", then **failed**"
		}
		without, changes := "-", "-"
		switch {
		case r.fault.clash:
			without = "two at once, each time"
		case len(r.outcomes) > 0:
			without = three(r.outcomes, func(o outcome) int64 { return o.Vacant.Milliseconds() })
			changes = three(r.outcomes, func(o outcome) int64 { return int64(o.Changes) })
		}
		fmt.Fprintf(&b, "| %s | %d | %s | %s | %s | %s | %s | %d | %d | %d / %d |\n", r.fault.name, r.n,
			yes[r.durable], yes[r.secure], trials, without, changes,
			r.count(func(o outcome) bool { return o.Late }), r.count(func(o outcome) bool { return o.Busy }),
			r.accepted, r.refused)
	}
	return b.String()
}

// count returns how many trials are so.
func (r *result) count(so func(outcome) bool) (n int) {
	for _, o := range r.outcomes {
		if so(o) {
			n++
		}
	}
	return n
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
func update(path string, own setup, results []*result) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	head, rest, ok := strings.Cut(string(text), beginMark)
	_, foot, ended := strings.Cut(rest, endMark)
	if !ok || !ended {
		return fmt.Errorf("%s has not the marks between which the table goes", path)
	}
	about := fmt.Sprintf("A lease of %v, %d trials a cell, %d groups at once, %d processors", own.Lease,
		own.Trials, own.Parallel, runtime.NumCPU())
	if own.Commit != "" {
		about += ", commit " + own.Commit
	}
	return os.WriteFile(path, []byte(head+beginMark+about+".\n\n"+table(results)+endMark+foot), 0o644)
}
