package soakcmd

import (
	"fmt"
	"unicode/utf8"

	"github.com/go-election/election"
	"github.com/go-election/election/cmd/elect/internal/console"
	"github.com/go-election/election/cmd/elect/internal/exit"
	"github.com/go-election/election/cmd/elect/internal/terminal"
	"github.com/go-election/election/internal/prose"
	"github.com/go-election/election/lab/report"
	"github.com/go-election/election/lab/sim"
)

// soakTable reports on many algorithms: one row for each, and then a full report on each that failed.
type soakTable struct {
	a      *console.Console
	width  int // of titles
	of     int // the number of algorithms to be soaked
	done   int
	runs   uint64
	failed []*soaking
}

// row writes a row; the speed only if it is wanted.
func (t *soakTable) row(title, runs, failed, units, speed string) error {
	text := fmt.Sprintf("%-*s  %11s  %s  %15s", t.width, title, runs, failed, units)
	if t.a.Verbose {
		text += fmt.Sprintf("  %9s", speed)
	}
	_, err := fmt.Fprintln(t.a.Stdout, text)
	return exit.Failed(err)
}

// newSoakTable writes the head of a table.
func newSoakTable(a *console.Console, algorithms []*election.Algorithm) (*soakTable, error) {
	t := &soakTable{a: a, of: len(algorithms), width: len("algorithm")}
	for _, alg := range algorithms {
		t.width = max(t.width, utf8.RuneCountInString(alg.Title()))
	}
	return t, t.row("ALGORITHM", "RUNS", "FAILED", "SIMULATED UNITS", "RUNS/S")
}

// add writes the row of an algorithm.
func (t *soakTable) add(k *soaking) error {
	t.done++
	t.runs += k.Result.Runs
	fails := t.a.Paint(terminal.Green, fmt.Sprintf("%6d", 0))
	if k.Failure != nil {
		// Reports of failures follow the table, or they would tear it apart.
		t.failed = append(t.failed, k)
		fails = t.a.Paint(terminal.Red, fmt.Sprintf("%6d", 1))
	}
	return t.row(k.title, prose.Grouped(k.Result.Runs), fails, prose.Grouped(uint64(k.Simulated/sim.Unit)),
		prose.Grouped(uint64(report.RunsPerSecond(k.Result))))
}

// end writes the reports on failures, and the sum.
func (t *soakTable) end() error {
	if t == nil {
		return nil
	}
	for _, k := range t.failed {
		fmt.Fprintln(t.a.Stdout)
		if err := reportSoak(t.a, k); err != nil {
			return err
		}
	}
	if len(t.failed) > 0 {
		fmt.Fprintln(t.a.Stdout)
	}
	soaked := prose.Plural(t.of, "algorithm")
	if t.done < t.of {
		soaked = fmt.Sprintf("%d of %s", t.done, soaked)
	}
	_, err := fmt.Fprintf(t.a.Stdout, "%s, %s, %d failed\n", soaked, prose.Plural(int(t.runs), "run"),
		len(t.failed))
	return exit.Failed(err)
}
