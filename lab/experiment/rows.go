package experiment

import (
	"fmt"
	"iter"
	"strconv"
	"strings"
)

// Accounting explains which messages the counts of a [Complexity] include.
const Accounting = "n counts all processes, also the old coordinator, process n, which is down; i is the " +
	"one that notices. " +
	"Only in (1) and (2) the paper's own n, here n', counts just those that are up: n' = n-1. " +
	"Every message that is sent counts, also one to a process that is down. " +
	"Not counted are a refresh of the times, 3 for each process that gets them, and what it costs to " +
	"come back."

// ByEquation yields the rows of each equation.
func ByEquation(rows []Row) iter.Seq[[]Row] {
	return func(yield func([]Row) bool) {
		for len(rows) > 0 {
			end := 1
			for end < len(rows) && rows[end].Equation == rows[0].Equation {
				end++
			}
			if !yield(rows[:end]) {
				return
			}
			rows = rows[end:]
		}
	}
}

// Differing returns an error with the number of measured counts that differ from the corrected formula, and
// the first of them. It returns nil if there are none.
func Differing(rows []Row) error {
	count := 0
	var first *Row
	for i := range rows {
		if r := &rows[i]; r.Differs() {
			if count++; first == nil {
				first = r
			}
		}
	}
	if first == nil {
		return nil
	}
	return fmt.Errorf("%d of %d counts differ from the formula; the first: %s, modbully/%s, n=%d, "+
		"i=%d: %s, not %s",
		count, len(rows), first.Equation.Name, first.Equation.Variant, first.N, first.I,
		Exact(first.Measured), Exact(first.Formula))
}

// Exact writes a count with as many decimals as it needs, up to two.
func Exact(x float64) string {
	return strings.TrimSuffix(strings.TrimRight(strconv.FormatFloat(x, 'f', 2, 64), "0"), ".")
}

// MostShown is how many iterations of a [Redundancy] are shown one by one.
const MostShown = 20
