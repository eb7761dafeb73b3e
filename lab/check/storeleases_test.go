package check_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/lab/check"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lease"
	"github.com/go-election/election/lease/storelease"
)

// deposit is what goes wrong while members of a store, process 1, take leases of two ticks of the clock.
type deposit struct {
	members, ticks                                int
	absent                                        bool // nothing is stored in the beginning; otherwise the lease is released
	renews, resigns, returns                      bool
	durable                                       bool
	stale, fails                                  uint32
	fast                                          election.ID // its clock is twice as fast as the others
	pauses, crashes, recoveries, restarts, copies int
	long                                          bool
}

var deposits = []deposit{
	{members: 1, ticks: 4}, {members: 2, ticks: 3}, {members: 2, ticks: 3, absent: true},
	{members: 3, ticks: 2}, {members: 2, ticks: 3, renews: true}, {members: 2, ticks: 2, resigns: true},
	{members: 2, ticks: 2, stale: 1}, {members: 2, ticks: 3, absent: true, fails: 1},
	{members: 2, ticks: 2, copies: 1}, {members: 2, ticks: 3, pauses: 1},
	{members: 2, ticks: 2, crashes: 1, restarts: 1, returns: true, durable: true},
	{members: 2, ticks: 3, fast: 2}, {members: 2, ticks: 3, fast: 3},

	{members: 2, ticks: 5, long: true}, {members: 3, ticks: 3, long: true},
	{members: 2, ticks: 4, renews: true, stale: 1, long: true},
	{members: 2, ticks: 3, resigns: true, stale: 1, long: true},
	{members: 2, ticks: 4, absent: true, fails: 2, stale: 1, long: true},
	{members: 2, ticks: 3, copies: 1, stale: 1, long: true},
	{members: 2, ticks: 3, crashes: 1, restarts: 1, returns: true, durable: true, long: true},
	{members: 2, ticks: 3, crashes: 1, restarts: 1, returns: true, resigns: true, durable: true, fast: 2, long: true},
}

// TestFaultsOfStoreLeases: no two processes hold a lease over a store at once, and Terms increase, whatever goes wrong. A
// message may take as long as the run, so requests and answers are lost, or requests are carried out late.
func TestFaultsOfStoreLeases(t *testing.T) {
	const header = "members | begins with | fast clock | stale reads | failed requests | copies | pauses | crashes | " +
		"come back | ticks | states | farthest | verdict"
	documented(t, "store-leases", header, depositRows(t, false))
	if *long {
		printed(t, header, depositRows(t, true))
	}
}

func depositRows(t *testing.T, further bool) (rows []row) {
	for _, o := range deposits {
		if o.long != further {
			continue
		}
		what := fmt.Sprintf("%s | %s | %s | %d | %d | %d | %d | %d | %d | %d", o, either(o.absent, "nothing", "a release"),
			either(o.fast > 0, fmt.Sprint(o.fast), "none"), o.stale, o.fails, o.copies, o.pauses, o.crashes, o.restarts,
			o.ticks)
		rows = append(rows, row{what, func() string {
			r := run(t, o.config(t))
			require.Nil(t, r.Counterexample, "%+v", o)
			return fmt.Sprintf("%d | %d | %s", r.States, r.Depth, howFar(r))
		}})
	}
	return rows
}

// String returns what the members do.
func (o deposit) String() string {
	words := []string{fmt.Sprint(o.members)}
	for _, w := range []struct {
		is   bool
		word string
	}{{o.durable, "durable"}, {o.renews, "renew every tick"}, {o.resigns, "resign at any moment"},
		{o.returns, "take leases again after a return"}} {
		if w.is {
			words = append(words, w.word)
		}
	}
	return strings.Join(words, ", ")
}

// withRecord starts the store with a record, if it is not absent.
func withRecord(a *election.Algorithm, absent bool) *election.Algorithm {
	copied := *a
	copied.New = func(s election.Setup) election.Node { return &storedNode{a.New(s), s.Self.ID == 1 && !absent} }
	return &copied
}

type storedNode struct {
	election.Node
	fills bool
}

func (n *storedNode) Step(e *election.Env, ev *election.Event) {
	n.Node.Step(e, ev)
	if n.fills && ev.Op == election.Init && ev.Msg.Value == 1 {
		n.Node.Step(e, &election.Event{Op: election.Recv, Msg: storelease.Put(0, 0, storelease.Record{Term: 1})})
	}
}

func (o deposit) config(t *testing.T) check.Config {
	t.Helper()
	s := storelease.Config{Lease: 2 * second, Renew: 2 * second, Delay: second, Drift: -1, Stagger: -1,
		Poll: 8 * second, Patience: 8 * second, Stale: o.stale, Fails: o.fails, Durable: o.durable}
	if o.fast > 0 {
		s.Drift = 1. / 3
	}
	if o.renews {
		s.Renew = second
	}
	a, err := storelease.New(s)
	require.NoError(t, err)
	a = withRecord(a, o.absent)
	var returning []election.ID
	if o.returns {
		returning = rising(1 + o.members)[1:]
	}
	switch {
	case o.resigns:
		a = busy(a, lease.Resign(0, 0), returning)
	case o.returns:
		a = busy(a, election.Message{}, returning)
	}
	in := input(a, rising(1+o.members))
	in.Initiators = rising(1 + o.members)[1:]
	c := check.Config{Input: in, Unordered: true, NoAnnouncement: true, Delay: 100 * second, Tick: second,
		Until: time.Duration(o.ticks) * second, Pauses: o.pauses, Crashes: o.crashes, Recoveries: o.recoveries,
		Restarts: o.restarts, Duplicates: o.copies, MaxStates: mostStates}
	for _, id := range in.IDs {
		rate := scenario.ClockRate{ID: id, Rate: 1}
		if id == o.fast {
			rate.Rate = 2
		}
		if o.fast > 0 {
			c.ClockRates = append(c.ClockRates, rate)
		}
	}
	if o.long {
		c.MaxStates = mostLeasesLong
	}
	return c
}
