package main

import (
	"cmp"
	"fmt"
	"io"
	"slices"
)

// report is what became of the mutants of one package.
type report struct {
	name  string
	all   int // how many there are
	count map[fate]int
	left  []*mutant
}

func (r *report) add(m *mutant, f fate) {
	if r.count == nil {
		r.count = make(map[fate]int)
	}
	r.count[f]++
	if f == survived {
		r.left = append(r.left, m)
	}
}

// tried is how many there were that compile.
func (r *report) tried() int {
	return r.count[byChecker] + r.count[byTests] + r.count[byTime] + r.count[survived]
}

// survivors lists those that no test has noticed.
func (r *report) survivors(w io.Writer) {
	slices.SortFunc(r.left, func(a, b *mutant) int {
		return cmp.Or(cmp.Compare(a.file, b.file), cmp.Compare(a.from, b.from))
	})
	for _, m := range r.left {
		fmt.Fprintf(w, "%s:%d: %s\n\t- %s\n\t+ %s\n", m.file, m.line, m.what, m.was, m.is)
	}
	fmt.Fprintf(w, "%s: %d of %d killed, %d survive\n", r.name, r.tried()-r.count[survived], r.tried(),
		r.count[survived])
}

// table writes the kill rates.
func table(w io.Writer, reports []*report) {
	sum := &report{name: "all", count: make(map[fate]int)}
	for _, r := range reports {
		sum.all += r.all
		for f, n := range r.count {
			sum.count[f] += n
		}
	}
	fmt.Fprintf(w, "\n| package | mutants | tried | killed by the checker | by the package's tests | by "+
		"time | survived | kill rate |\n|---|--:|--:|--:|--:|--:|--:|--:|\n")
	for _, r := range append(reports, sum) {
		rate := "-"
		if r.tried() > 0 {
			rate = fmt.Sprintf("%.1f %%", 100*(1-float64(r.count[survived])/float64(r.tried())))
		}
		fmt.Fprintf(w, "| %s | %d | %d | %d | %d | %d | %d | %s |\n", r.name, r.all, r.tried(),
			r.count[byChecker], r.count[byTests], r.count[byTime], r.count[survived], rate)
	}
}
