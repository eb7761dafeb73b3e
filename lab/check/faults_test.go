package check_test

import (
	"fmt"
	"testing"

	"github.com/go-election/election"
	"github.com/go-election/election/internal/catalogtest"
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
	{n: 4, long: true}, {n: 5, long: true}, {n: 4, crashes: 1, long: true}, {n: 4, crashes: 2, long: true},
	{n: 3, crashes: 2, long: true},
	{n: 2, crashes: 2, recoveries: 2, long: true}, {n: 2, crashes: 2, restarts: 2, long: true},
	{n: 3, crashes: 1, recoveries: 1, long: true}, {n: 3, crashes: 1, restarts: 1, long: true},
}

// most is how many states of one election are visited. What has more is said to have been cut short.
const (
	mostStates     = 650_000
	mostFaultsLong = 5_000_000
)

// TestFaultsAreSurvived: algorithms for processes that crash, under the delays that they allow for.
func TestFaultsAreSurvived(t *testing.T) {
	const header = "algorithm | processes | start | crashes | come back without state | with state | " +
		"states | farthest | verdict"
	documented(t, "faults", header, survivors(t, false))
	if *long {
		printed(t, header, survivors(t, true))
	}
}

func survivors(t *testing.T, further bool) (rows []row) {
	for _, a := range catalogtest.Resting() {
		if a.Delay == 0 || a.Faults.Crash == election.NoCrash {
			continue
		}
		for _, o := range ordeals {
			if o.long == further && promised(a, o) {
				rows = append(rows, survivor(t, a, o))
			}
		}
	}
	return rows
}

// promised reports whether an algorithm promises to survive.
func promised(a *election.Algorithm, o ordeal) bool {
	if a.Sections > 0 {
		return o.recoveries == 0 && o.crashes < o.n // one that stays up answers with the Term
	}
	return true
}

// survivor returns the row of an algorithm and an ordeal.
func survivor(t *testing.T, a *election.Algorithm, o ordeal) row {
	what := fmt.Sprintf("%s | %d | %s | %d | %d | %d", a.Title(), o.n, either(o.alone, "1 alone", "all"),
		o.crashes, o.recoveries, o.restarts)
	return row{what, func() string {
		c := check.Config{Input: input(a, rising(o.n)), Delay: a.Delay, Nudge: a.Faults.Nudged,
			Crashes: o.crashes, Recoveries: o.recoveries, Restarts: o.restarts, MaxStates: mostStates}
		if o.long {
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
		return fmt.Sprintf("%d | %d | %s", r.States, r.Depth, howFar(r))
	}}
}
