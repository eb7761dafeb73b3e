package main

import (
	"fmt"
	"io"
	"strings"
)

// report is what became of the mutants of one package.
type report struct {
	name  string
	all   int // how many there are
	count map[fate]int
	wrong []string // the keys of those that are noticed, though equal.txt says that they change nothing
}

// add counts a mutant, and shows it if it has survived, or has run out of time: that can be wrong on a
// busy machine.
func (r *report) add(w io.Writer, m *mutant, f fate) {
	reason, same := equal[m.key()]
	switch {
	case same && f == survived:
		r.count[sameAnyway]++
		fmt.Fprintf(w, "%s: %v: %s\n", sameAnyway, m, reason)
		return
	case same:
		r.wrong = append(r.wrong, m.key())
	}
	r.count[f]++
	if f == survived || f == byTime {
		fmt.Fprintf(w, "%s: %v\n", f, m)
	}
}

// wrongReasons returns an error if a mutant that changes nothing was noticed.
func wrongReasons(reports []*report) error {
	for _, r := range reports {
		if len(r.wrong) > 0 {
			return fmt.Errorf("a test notices what equal.txt says nothing can: %s",
				strings.Join(r.wrong, "; "))
		}
	}
	return nil
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
	fmt.Fprintf(w, "\n| package | mutants | tried | %s | %s | %s | %s | %s | %s | kill rate |\n"+
		"|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n", byTests, byChecker, byOthers, byTime, sameAnyway,
		survived)
	if len(reports) > 1 {
		reports = append(reports, sum)
	}
	for _, r := range reports {
		rate := "-"
		if real := r.tried() - r.count[sameAnyway]; real > 0 {
			rate = fmt.Sprintf("%.1f %%", 100*(1-float64(r.count[survived])/float64(real)))
		}
		fmt.Fprintf(w, "| %s | %d | %d | %d | %d | %d | %d | %d | %d | %s |\n", r.name, r.all, r.tried(),
			r.count[byTests], r.count[byChecker], r.count[byOthers], r.count[byTime], r.count[sameAnyway],
			r.count[survived], rate)
	}
}
