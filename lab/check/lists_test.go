package check_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/internal/rolling"
	"github.com/go-election/election/lab/check"
	"github.com/go-election/election/lab/verdict"
)

// turnover is a change of the list of voters while two candidates claim leases, and what goes wrong
// meanwhile.
type turnover struct {
	rolling.Change
	other     election.ID // claims, besides process 1
	durable   bool
	returns   bool // the candidates claim again after a return
	unordered bool
	restarts  int // of processes, at any moments, also at once
	ticks     int
	long      bool
}

var turnovers = []turnover{
	{Change: rolling.Change{Before: 3, After: 4}, other: 3, restarts: 1, ticks: 2, unordered: true},
	{Change: rolling.Change{Before: 3, After: 4}, other: 4, restarts: 1, ticks: 2},
	{Change: rolling.Change{Before: 3, After: 4}, other: 2, restarts: 1, ticks: 3, returns: true},
	{Change: rolling.Change{Before: 3, After: 4}, other: 3, restarts: 1, ticks: 2, durable: true},
	{Change: rolling.Change{Before: 4, After: 3}, other: 3, restarts: 2, ticks: 2},
	{Change: rolling.Change{Before: 2, After: 3}, other: 3, restarts: 2, ticks: 3},
	{Change: rolling.Change{Before: 3, After: 2}, other: 2, restarts: 1, ticks: 3},
	{Change: rolling.Change{Before: 3, After: 2}, other: 3, restarts: 1, ticks: 3, durable: true},
	{Change: rolling.Change{Before: 4, After: 5}, other: 3, restarts: 1, ticks: 2},
	{Change: rolling.Change{Before: 5, After: 4}, other: 3, restarts: 1, ticks: 2},

	{Change: rolling.Change{Before: 3, After: 4}, other: 3, restarts: 2, ticks: 2, long: true},
	{Change: rolling.Change{Before: 3, After: 4}, other: 3, restarts: 2, ticks: 2, durable: true, long: true},
	{Change: rolling.Change{Before: 4, After: 3}, other: 3, restarts: 1, ticks: 3, long: true},
	{Change: rolling.Change{Before: 3, After: 2}, other: 3, restarts: 2, ticks: 3, durable: true, long: true},
}

func (o turnover) config(t *testing.T) check.Config {
	settings := twoTicks
	settings.Stagger = second // a larger candidate claims first: else both do, at the beginning
	settings.Durable = o.durable
	a := o.Of(leases(t, settings))
	if o.returns {
		a = busy(a, election.Message{}, rising(2))
	}
	c := leaseCheck(a, o.ticks, second)
	c.IDs, c.Initiators = rising(int(max(o.Before, o.After))), []election.ID{1, o.other}
	c.Unordered, c.Crashes = o.unordered, o.restarts
	if c.Recoveries = o.restarts; o.durable {
		c.Recoveries, c.Restarts = 0, o.restarts
	}
	if c.MaxStates = mostStates; o.long {
		c.MaxStates = mostLeasesLong
	}
	return c
}

// TestFaultsWhereListsDiffer: while some processes know one list of voters, and others one with a voter
// more or less, leases and Terms are as right as ever.
func TestFaultsWhereListsDiffer(t *testing.T) {
	const header = "voters before | after | candidates | links keep the order | crashes and returns | " +
		"memory | " +
		"ticks | states | farthest | verdict"
	documented(t, "lists", header, turnoverRows(t, false))
	if *long {
		printed(t, header, turnoverRows(t, true))
	}
}

func turnoverRows(t *testing.T, further bool) (rows []row) {
	for _, o := range turnovers {
		if o.long == further {
			what := fmt.Sprintf("%d | %d | 1 and %d%s | %s | %d | %s | %d", o.Before, o.After, o.other,
				either(o.returns, ", claim again after a return", ""), either(o.unordered, "no", "yes"),
				o.restarts, either(o.durable, "durable", "lost"), o.ticks)
			rows = append(rows, row{what, func() string {
				r := run(t, o.config(t))
				require.Nil(t, r.Counterexample, "%+v", o)
				return fmt.Sprintf("%d | %d | %s", r.States, r.Depth, howFar(r))
			}})
		}
	}
	return rows
}

// TestListsThatDifferTooMuch: lists that differ by two voters have majorities without a voter in common.
// And of three voters that become two, one that has lost its memory cannot read from the third.
func TestListsThatDifferTooMuch(t *testing.T) {
	for _, c := range []struct {
		turnover
		breaks verdict.Property
		why    string
	}{
		{turnover{Change: rolling.Change{Before: 3, After: 5}, other: 4, restarts: 1, ticks: 2},
			verdict.OneLease,
			"process 4 leads in Term 1 while the lease of process 1 in Term 1 is valid"},
		{turnover{Change: rolling.Change{Before: 3, After: 2}, other: 3, restarts: 1, ticks: 2},
			verdict.LaterTerms, "process 1 begins to lead in Term 1, after a lease in Term 1"},
	} {
		trail := fails(t, c.config(t), c.breaks)
		require.Equal(t, c.why, trail.Reason.Error())
	}
}
