package check_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/lab/check"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lab/verdict"
	"github.com/go-election/election/lease"
)

// tenancy is what goes wrong while two of three processes claim leases of two ticks of the clock.
type tenancy struct {
	ticks                                 int // until the end
	inOrder                               bool
	alone                                 bool // one of them claims
	renews, resigns, returns, durable     bool
	early                                 bool // one renewal, at any moment
	short                                 bool // a lease is one tick
	pauses, crashes, recoveries, restarts int
	long                                  bool
}

var tenancies = []tenancy{
	{ticks: 3}, {ticks: 3, alone: true, renews: true},
	{ticks: 3, alone: true, early: true}, {ticks: 2, early: true, inOrder: true},
	{ticks: 3, alone: true, resigns: true}, {ticks: 1, resigns: true, inOrder: true},
	{ticks: 2, resigns: true, inOrder: true},
	{ticks: 1, crashes: 1, recoveries: 1, returns: true, resigns: true, inOrder: true},
	{ticks: 2, pauses: 1},
	{ticks: 3, crashes: 1, inOrder: true},
	{ticks: 2, crashes: 1, recoveries: 1, inOrder: true},
	{ticks: 2, crashes: 1, restarts: 1, durable: true, inOrder: true},
	{ticks: 3, crashes: 1, recoveries: 1, alone: true, returns: true, resigns: true, inOrder: true},
	{ticks: 4, alone: true, short: true}, {ticks: 2, short: true, inOrder: true},
	{ticks: 3, crashes: 2, recoveries: 2, alone: true, returns: true, inOrder: true},

	{ticks: 4, inOrder: true, long: true}, {ticks: 4, long: true},
	{ticks: 2, renews: true, inOrder: true, long: true},
	{ticks: 3, renews: true, inOrder: true, long: true},
	{ticks: 3, crashes: 1, recoveries: 1, long: true},
	{ticks: 3, crashes: 1, restarts: 1, durable: true, long: true},
	{ticks: 2, crashes: 2, recoveries: 2, long: true},
	{ticks: 4, crashes: 1, recoveries: 1, returns: true, inOrder: true, long: true},
	{ticks: 3, crashes: 1, recoveries: 1, returns: true, resigns: true, inOrder: true, long: true},
	{ticks: 3, crashes: 2, restarts: 2, returns: true, durable: true, inOrder: true, long: true},
	{ticks: 3, crashes: 2, recoveries: 2, long: true},
	{ticks: 3, alone: true, short: true, crashes: 1, recoveries: 1, returns: true, long: true},
}

// mostLeasesLong is how many states of one election the long run visits.
const mostLeasesLong = 40_000_000

// TestFaultsOfLeases: no two processes hold a lease at once, and Terms increase, whatever goes
// wrong. A message may take as long as the run, which is longer than any lease.
func TestFaultsOfLeases(t *testing.T) {
	const header = "candidates | links keep the order | pauses | crashes | come back without state | " +
		"with state | ticks | states | farthest | verdict"
	documented(t, "leases", header, leaseRows(t, false))
	if *long {
		printed(t, header, leaseRows(t, true))
	}
}

func leaseRows(t *testing.T, further bool) (rows []row) {
	for _, o := range tenancies {
		if o.long == further {
			what := fmt.Sprintf("%s | %s | %d | %d | %d | %d | %d", o, either(o.inOrder, "yes", "no"),
				o.pauses,
				o.crashes, o.recoveries, o.restarts, o.ticks)
			rows = append(rows, row{what, func() string {
				r := run(t, o.config(t))
				require.Nil(t, r.Counterexample, "%+v", o)
				return fmt.Sprintf("%d | %d | %s", r.States, r.Depth, howFar(r))
			}})
		}
	}
	return rows
}

// String returns what the candidates do.
func (o tenancy) String() string {
	words := []string{either(o.alone, "1", "2")}
	for _, w := range []struct {
		is   bool
		word string
	}{{o.durable, "durable"}, {o.renews, "renew once"}, {o.early, "renew once, at any moment"},
		{o.resigns, "resign at any moment"},
		{o.returns, "claim again after a return"}, {o.short, "leases of one tick"}} {
		if w.is {
			words = append(words, w.word)
		}
	}
	return strings.Join(words, ", ")
}

func (o tenancy) config(t *testing.T) check.Config {
	settings := twoTicks
	settings.Durable = o.durable
	if o.short {
		settings.Lease, settings.Renew, settings.Delay = second, second, second
	}
	if o.renews {
		settings.Renew = second
	}
	a := leases(t, settings)
	switch {
	case o.early:
		a = busy(a, lease.Renew(), nil)
	case o.resigns && o.returns:
		a = busy(a, lease.Resign(0, 0), rising(2))
	case o.resigns:
		a = busy(a, lease.Resign(0, 0), nil)
	case o.returns:
		a = busy(a, election.Message{}, rising(2))
	}
	c := leaseCheck(a, o.ticks, second)
	if o.alone {
		c.Initiators = rising(1)
	}
	c.Unordered = !o.inOrder
	c.Pauses, c.Crashes, c.Recoveries, c.Restarts = o.pauses, o.crashes, o.recoveries, o.restarts
	if c.MaxStates = mostStates; o.long {
		c.MaxStates = mostLeasesLong
	}
	return c
}

// twoTicks are leases of two seconds, which are not renewed. A candidate whose claim was refused claims no
// more before the end.
var twoTicks = lease.Config{Lease: 2 * second, Renew: 2 * second, Delay: 2 * second, Drift: -1, Stagger: -1,
	Cold: -1, Eager: true}

func leases(t *testing.T, c lease.Config) *election.Algorithm {
	t.Helper()
	a, err := lease.New(c)
	require.NoError(t, err)
	return a
}

// leaseCheck lets 1 and 2 of three processes claim. Messages have no age.
func leaseCheck(a *election.Algorithm, ticks int, tick time.Duration) check.Config {
	in := input(a, rising(3))
	in.Initiators = rising(2)
	return check.Config{Input: in, Unordered: true, NoAnnouncement: true, Delay: 100 * tick, Tick: tick,
		Until: time.Duration(ticks) * tick}
}

// busy returns an algorithm with what is left to commands and to the driver: a process gets a command
// once, at any moment after its start, unless its Kind is 0, and those that return are candidates again as soon
// as they are back.
func busy(a *election.Algorithm, command election.Message, returning []election.ID) *election.Algorithm {
	copied := *a
	copied.New = func(s election.Setup) election.Node {
		return &busyNode{a.New(s), command, slices.Contains(returning, s.Self.ID)}
	}
	return &copied
}

type busyNode struct {
	election.Node
	command election.Message
	returns bool
}

func (n *busyNode) Step(e *election.Env, ev *election.Event) {
	const timer = 9 // unlike those of the Node
	if ev.Op == election.Timeout && ev.Timer == timer {
		n.Node.Step(e, &election.Event{Op: election.Command, At: ev.At, Msg: n.command})
		return
	}
	n.Node.Step(e, ev)
	returned := n.returns && ev.Op == election.Rejoin
	if returned {
		n.Node.Step(e, &election.Event{Op: election.Start, At: ev.At})
	}
	if n.command.Kind != 0 && (returned || ev.Op == election.Start) {
		e.SetTimer(timer, 0, time.Hour)
	}
}

// drifting has clocks of these rates. A tick is as long as a lease by a clock that is a fifth too slow takes,
// and as a grant by one that is a fifth too fast, divided by two: so both end at a tick, the same.
func drifting(t *testing.T, rates ...float64) check.Config {
	settings := twoTicks
	settings.Drift = 0.2
	require.Equal(t, 3*second, settings.GrantTime())
	c := leaseCheck(leases(t, settings), 3, second*5/4)
	for i, rate := range rates {
		c.ClockRates = append(c.ClockRates, scenario.ClockRate{ID: election.ID(i + 1), Rate: rate})
	}
	return c
}

// TestLeasesDrift: clocks may be wrong by as much as Drift says, each in either direction.
func TestLeasesDrift(t *testing.T) {
	var rows []row
	for i := range 8 {
		rate := func(p int) float64 { return 0.8 + 0.4*float64(i>>p&1) }
		rows = append(rows, row{fmt.Sprintf("%.1f | %.1f | %.1f", rate(0), rate(1), rate(2)), func() string {
			r := holds(t, drifting(t, rate(0), rate(1), rate(2)))
			return fmt.Sprintf("%d | %d | %s", r.States, r.Depth, howFar(r))
		}})
	}
	documented(t, "drift", "clock of 1, a candidate | clock of 2, a candidate | clock of 3 | states | "+
		"farthest | verdict", rows)
}

// TestLeasesBeyondDrift: with a clock that is a little slower than that, two hold a lease at once. The
// checker finds it.
func TestLeasesBeyondDrift(t *testing.T) {
	r := run(t, drifting(t, 0.799, 1.2, 1.2))
	require.NotNil(t, r.Counterexample)
	require.Equal(t, verdict.OneLease, r.Counterexample.Property)
	require.Equal(t, "process 2 leads in Term 2 while the lease of process 1 in Term 1 is valid",
		r.Counterexample.Reason.Error())
	settings := twoTicks // whose Drift is none
	c := leaseCheck(leases(t, settings), 3, second)
	c.ClockRates = []scenario.ClockRate{{ID: 1, Rate: 0.8}}
	require.Equal(t, verdict.OneLease, run(t, c).Counterexample.Property)
}

// unequal returns an algorithm with a Lease of three seconds at process 1, and of two at the others, which know that if
// they are told.
func unequal(t *testing.T, durable, told bool) *election.Algorithm {
	settings := twoTicks
	settings.Durable = durable
	short := leases(t, settings)
	settings.Lease, settings.Renew = 3*second, 3*second
	long := leases(t, settings)
	copied := *short
	copied.New = func(s election.Setup) election.Node {
		if s.Self.ID == 1 {
			return long.New(s)
		}
		return &toldNode{short.New(s), told}
	}
	return &copied
}

type toldNode struct {
	election.Node
	told bool
}

func (n *toldNode) Step(e *election.Env, ev *election.Event) {
	n.Node.Step(e, ev)
	if ev.Op == election.Init && n.told {
		// No process has the ID 9: they have known the Lease for long.
		n.Node.Step(e, &election.Event{Op: election.Command, At: ev.At, Msg: lease.LendFor(3*second, 9)})
	}
}

// TestLeasesDiffer: no two processes hold leases at the same time although the Leases differ, if voters grant for the longest.
// If they grant for their own, two do.
func TestLeasesDiffer(t *testing.T) {
	for name, change := range map[string]func(c *check.Config){
		"":                                      func(*check.Config) {},
		"a pause":                               func(c *check.Config) { c.Pauses, c.Unordered = 1, false },
		"a voter comes back without its memory": func(c *check.Config) { c.Crashes, c.Recoveries, c.Unordered = 1, 1, false },
		"a voter comes back with its memory":    func(c *check.Config) { c.Crashes, c.Restarts, c.Unordered = 1, 1, false },
	} {
		t.Run(name, func(t *testing.T) {
			for _, told := range []bool{true, false} {
				c := leaseCheck(unequal(t, name == "a voter comes back with its memory", told), 3, second)
				change(&c)
				c.MaxStates = mostStates
				if r := run(t, c); told {
					require.Nil(t, r.Counterexample)
				} else {
					require.NotNil(t, r.Counterexample)
					require.Equal(t, verdict.OneLease, r.Counterexample.Property)
				}
			}
		})
	}
}
