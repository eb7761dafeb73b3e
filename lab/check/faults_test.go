package check_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/go-election/election"
	"github.com/go-election/election/catalog"
	"github.com/go-election/election/lab/check"
)

// ordeal is what goes wrong, each at any moment, while messages take up to their longest delay.
type ordeal struct {
	n, crashes, recoveries, restarts int
	alone                            bool // the smallest starts alone
	long                             bool
}

var ordeals = []ordeal{
	{n: 2}, {n: 3},
	{n: 2, crashes: 1}, {n: 2, crashes: 2},
	{n: 2, crashes: 1, recoveries: 1}, {n: 2, crashes: 2, recoveries: 1},
	{n: 2, crashes: 1, restarts: 1}, {n: 2, crashes: 2, restarts: 1},
	{n: 3, crashes: 1}, {n: 3, crashes: 2},
	{n: 4, alone: true}, {n: 4, crashes: 1, alone: true}, {n: 4, crashes: 2, alone: true},
	{n: 4, crashes: 1, alone: true, long: true}, {n: 4, crashes: 2, alone: true, long: true},
	{n: 4, long: true}, {n: 5, long: true}, {n: 4, crashes: 1, long: true}, {n: 4, crashes: 2, long: true}, {n: 3, crashes: 2, long: true},
	{n: 2, crashes: 2, recoveries: 2, long: true}, {n: 2, crashes: 2, restarts: 2, long: true},
	{n: 3, crashes: 1, recoveries: 1, long: true}, {n: 3, crashes: 1, restarts: 1, long: true},
}

// most is how many states of one election are visited. What has more is said to have been cut short.
const (
	mostStates     = 450_000
	mostFaultsLong = 5_000_000
)

// TestFaultsAreSurvived: algorithms for processes that crash, under the delays that they allow for.
func TestFaultsAreSurvived(t *testing.T) {
	var b strings.Builder
	b.WriteString("| algorithm | processes | start | crashes | come back without state | with state | states | farthest | verdict |\n|---|---|---|---|---|---|---|---|---|\n")
	for _, a := range catalog.All() {
		if a.Delay == 0 {
			continue
		}
		for _, o := range ordeals {
			if o.long == *long && promised(a, o) {
				survive(t, &b, a, o)
			}
		}
	}
	document(t, "faults", b.String())
}

// promised reports whether an algorithm promises to survive.
func promised(a *election.Algorithm, o ordeal) bool {
	if a.Sections > 0 {
		return o.recoveries == 0 && o.crashes < o.n // one stays up, and who comes back knows the Term
	}
	return true
}

func survive(t *testing.T, b *strings.Builder, a *election.Algorithm, o ordeal) {
	c := check.Config{Input: input(a, rising(o.n)), Delay: a.Delay, Nudge: a.Variant == "halting",
		Crashes: o.crashes, Recoveries: o.recoveries, Restarts: o.restarts, MaxStates: mostStates}
	if *long {
		c.MaxStates = mostFaultsLong
	}
	if o.alone {
		c.Initiators = rising(1)
	}
	r := run(t, c)
	if x := r.Counterexample; x != nil {
		t.Errorf("%s %+v: %s: %v", a.Title(), o, x.Property, x.Reason)
		for _, s := range x.Steps {
			t.Log(s.Do, s.Process, "port", s.Port, "nth", s.Nth, "timer", s.Timer, s.At)
		}
	}
	row := fmt.Sprintf("| %s | %d | %s | %d | %d | %d | %d | %d | %s |\n", a.Title(), o.n, either(o.alone, "1 alone", "all"), o.crashes, o.recoveries, o.restarts, r.States, r.Depth, howFar(r))
	b.WriteString(row)
	if *long {
		t.Log(row) // it takes its time
	}
}
