package main

import (
	"fmt"
	"io"
)

// report is what became of the mutants of one package.
type report struct {
	name  string
	all   int // how many there are
	count map[fate]int
}

// add counts a mutant, and shows it if it has survived, or has run out of time: that can be wrong on a
// busy machine.
func (r *report) add(w io.Writer, m *mutant, f fate) {
	r.count[f]++
	if f == survived || f == byTime {
		fmt.Fprintf(w, "%s: %v\n", f, m)
	}
}

// tried is how many met the tests.
func (r *report) tried() int {
	n := 0
	for _, of := range r.count {
		n += of
	}
	return n
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
	fmt.Fprintf(w, "\n| package | mutants | tried | %s | %s | %s | %s | %s | kill rate |\n"+
		"|---|--:|--:|--:|--:|--:|--:|--:|--:|\n", byTests, byChecker, byOthers, byTime, survived)
	if len(reports) > 1 {
		reports = append(reports, sum)
	}
	for _, r := range reports {
		rate := "-"
		if r.tried() > 0 {
			rate = fmt.Sprintf("%.1f %%", 100*(1-float64(r.count[survived])/float64(r.tried())))
		}
		fmt.Fprintf(w, "| %s | %d | %d | %d | %d | %d | %d | %d | %s |\n", r.name, r.all, r.tried(),
			r.count[byTests], r.count[byChecker], r.count[byOthers], r.count[byTime], r.count[survived], rate)
	}
}
