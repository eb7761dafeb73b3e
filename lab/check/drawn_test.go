package check_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/bully"
	"github.com/go-election/election/catalog"
	"github.com/go-election/election/cost"
	"github.com/go-election/election/lab/check"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lab/verdict"
)

// manners returns algorithms that differ in what they need, and in what they do.
func manners(t *testing.T) (all []*election.Algorithm) {
	t.Helper()
	for _, of := range [][2]string{{"lcr", "participant"}, {"lcr", "initiators"}, {"dkr"}, {"echo"},
		{"bully", "rules"},
		{"bully", "halting"}, {"modbully", "base"}, {"mutex", "ricartagrawala"}, {"mutex", "tokenring"},
		{"mutex", "arbiter"}} {
		a, err := catalog.Find(of[0], of[1])
		require.NoError(t, err)
		all = append(all, a)
	}
	ring, err := all[0].OverComplete()
	require.NoError(t, err)
	beating, err := bully.Rules(bully.Config{Heartbeat: 4 * scenario.Unit})
	require.NoError(t, err)
	return append(all, ring, beating)
}

// liberty is something that a Config allows for.
type liberty struct {
	name  string
	allow func(c *check.Config)
}

func liberties() []liberty {
	timed := func(c *check.Config) { c.Delay = max(c.Delay, scenario.Unit) }
	return []liberty{
		{"nothing", func(*check.Config) {}},
		{"started", func(c *check.Config) { c.Started = true }},
		{"unordered", func(c *check.Config) { c.Unordered = true }},
		{"a loss", func(c *check.Config) { c.Losses = 1 }},
		{"losses", func(c *check.Config) { c.Losses = check.Unlimited }},
		{"a copy", func(c *check.Config) { c.Duplicates, c.Started = 1, true }},
		{"copies, unordered", func(c *check.Config) { c.Duplicates, c.Unordered = 2, true }},
		{"a crash", func(c *check.Config) { c.Crashes = 1 }},
		{"a crash, nudged", func(c *check.Config) { c.Crashes, c.Nudge, c.Started = 1, true, true }},
		{"a return", func(c *check.Config) { c.Crashes, c.Recoveries, c.Started = 1, 1, true }},
		{"a return with the state", func(c *check.Config) { c.Crashes, c.Restarts, c.Started = 1, 1, true }},
		{"one is down", func(c *check.Config) { c.Crashed = ids(1) }},
		{"one is down, and returns", func(c *check.Config) { c.Crashed, c.Recoveries = ids(1), 1 }},
		{"a pause", func(c *check.Config) { timed(c); c.Pauses = 1 }},
		{"a cut", func(c *check.Config) { c.Cuts = 1 }},
		{"a cut, in time", func(c *check.Config) { timed(c); c.Cuts = 1 }},
		{"time", timed},
		{"time, late starts", func(c *check.Config) { timed(c); c.Window = 2 * c.Delay }},
		{"time, small ticks", func(c *check.Config) { timed(c); c.Tick = c.Delay / 2 }},
		{"time, an end", func(c *check.Config) { timed(c); c.Until = 2 * c.Delay }},
		{"time, unordered", func(c *check.Config) { timed(c); c.Unordered = true }},
		{"clocks", func(c *check.Config) {
			timed(c)
			c.ClockRates = []scenario.ClockRate{{ID: 1, Rate: 1.25}}
		}},
		{"reduced", func(c *check.Config) { c.Reduce = true }},
		{"reduced, in time", func(c *check.Config) { timed(c); c.Reduce = true }},
		{"exact", func(c *check.Config) { c.Exact, c.Initiators = true, ids(1) }},
		{"no announcement", func(c *check.Config) { c.NoAnnouncement = true }},
		{"priorities", func(c *check.Config) {
			c.Priorities, c.Started = []uint64{0, 2, 1}[:len(c.IDs)],
				true
		}},
		{"everything", func(c *check.Config) {
			timed(c)
			c.Started, c.Nudge = true, true
			c.Losses, c.Duplicates, c.Crashes, c.Recoveries, c.Restarts, c.Pauses, c.Cuts = 1, 1, 2, 1, 1, 1,
				1
		}},
	}
}

// draw is a sequence of numbers that is the same forever. (A generator of the standard library may change.)
type draw uint64

// of returns a number below n.
func (d *draw) of(n int) int {
	*d = *d*6364136223846793005 + 1442695040888963407
	return int(uint64(*d)>>33) % n
}

// oneIn reports true once in n times.
func (d *draw) oneIn(n int) bool { return d.of(n) == 0 }

// freedoms lets one to three things happen that a Config allows for, and returns their names.
func freedoms(d *draw, c *check.Config) (names []string) {
	all := liberties()
	for range 1 + d.of(3) {
		o := all[d.of(len(all))]
		o.allow(c)
		names = append(names, o.name)
	}
	if c.Delay > 0 && (c.Algorithm.NeverQuiesces || d.oneIn(2)) {
		c.Until = time.Duration(2+d.of(4)) * scenario.Unit
	}
	if c.Delay > 0 && d.oneIn(3) {
		c.Tick = c.Delay / time.Duration(1+d.of(3))
	}
	return names
}

// drawnCheck returns a check of toys by a table that is drawn.
func drawnCheck(d *draw) check.Config {
	shape := []election.Shape{election.Ring, election.Complete, election.Complete}[d.of(3)]
	c := toys(shape, 1+d.of(3), drawnToy(d))
	a := c.Algorithm
	longLived, leaderless := d.oneIn(2), d.oneIn(2)
	switch a.TwoWay = true; {
	case leaderless:
		a.Elects = election.NoLeader
	case longLived:
		a.Elects = election.Successors
	default:
		a.Elects = election.OneLeader
	}
	if !leaderless {
		a.Winner = []*election.Winner{nil, election.LargestOfAll, election.LargestOfInitiators,
			election.LargestOfLive}[d.of(4)]
	}
	if d.oneIn(5) {
		a.Sections = 1
	}
	if longLived && d.oneIn(4) {
		a.Elects, c.Delay = election.LeaseHolders, scenario.Unit
	}
	if d.oneIn(2) {
		recovers, restarts := d.oneIn(2), d.oneIn(2)
		a.Faults = election.Faults{Crash: election.StaysDown, Reported: d.oneIn(2)}
		switch must := d.oneIn(4); {
		case recovers:
			a.Faults.Crash = election.MayRecover
		case must:
			a.Faults.Crash = election.MustRestart
		case restarts:
			a.Faults.Crash = election.MayRestart
		}
	}
	a.Faults.Loss, a.Faults.Copies = d.oneIn(2), d.oneIn(2)
	a.Faults.Pause, a.Faults.Cut = d.oneIn(2), d.oneIn(2)
	if a.Faults.Crash != election.NoCrash && d.oneIn(3) {
		a.Faults.Down = func(n int) int { return n / 2 }
	}
	a.NeedsFIFO, a.StartSuspects, a.NeverQuiesces = d.oneIn(2), d.oneIn(4), d.oneIn(4)
	a.Delay = time.Duration(d.of(3)) * scenario.Unit
	a.Kinds[1].Announces = true
	if bound := d.of(8); bound > 0 {
		a.Worst = cost.Bound{Count: func(int) float64 { return float64(bound) }, Ordered: d.oneIn(2)}
	}
	c.Workers, c.MaxStates = 1, 100
	c.Reduce, c.Exact = d.oneIn(3), d.oneIn(4)
	if d.oneIn(3) {
		c.Initiators = rising(len(c.IDs))[:d.of(1+len(c.IDs))]
	}
	return drawnProperties(d, c)
}

// drawnProperties adds properties of each kind, now and then.
func drawnProperties(d *draw, c check.Config) check.Config {
	number := election.ID(1 + d.of(3))
	is := func(n election.ID) bool { return n == number }
	if d.oneIn(6) {
		c.Properties = append(c.Properties, believes(verdict.Sometimes, "at some time", is))
	}
	if d.oneIn(6) {
		c.Properties = append(c.Properties, believes(verdict.Finally, "at last", is))
	}
	if d.oneIn(6) {
		c.Properties = append(c.Properties, believes(verdict.Always, "never",
			func(n election.ID) bool { return n != number }))
	}
	return c
}

// drawnToy returns what a toy does: by the event, and by the number that it keeps, which may be 0 to 2.
func drawnToy(d *draw) toyStep {
	const states = 3
	deeds := make(map[election.Op][states][]toyStep)
	next := make(map[election.Op][states]uint64)
	onward := d.oneIn(2) // the number never falls, and the toy that has the largest comes to rest
	for _, op := range []election.Op{election.Start, election.Recv, election.Timeout, election.Rejoin,
		election.Suspect, election.Trust, election.Init} {
		var do [states][]toyStep
		var to [states]uint64
		for n := range states {
			if to[n] = uint64(d.of(states)); onward {
				to[n] = min(uint64(n)+1, states-1)
			}
			for range d.of(4) {
				if op != election.Init || d.oneIn(4) {
					do[n] = append(do[n], deed(d, op))
				}
			}
		}
		deeds[op], next[op] = do, to
	}
	return func(t *toy, e *election.Env, ev *election.Event) {
		n := t.n
		if onward && n == states-1 && ev.Op == election.Recv {
			return
		}
		t.n = next[ev.Op][n]
		for _, do := range deeds[ev.Op][n] {
			do(t, e, ev)
		}
	}
}

// deed returns something that a toy may do.
func deed(d *draw, op election.Op) toyStep {
	x, y, term := d.of(6), time.Duration(d.of(4))*scenario.Unit/2, uint64(d.of(3))
	switch d.of(16) {
	case 0, 1, 2, 3:
		return func(_ *toy, e *election.Env, _ *election.Event) {
			if ports := e.Ports(); ports > 0 {
				kind := uint8(1 + x%2)
				if x == 5 {
					kind = election.CatchUp
				}
				e.Send(election.Port(x%ports), election.Message{Kind: kind, Term: term})
			}
		}
	case 4, 5:
		return func(_ *toy, e *election.Env, _ *election.Event) {
			e.SetTimer(uint8(1+x%2), y, y+time.Duration(x/2)*scenario.Unit/2)
		}
	case 6:
		return func(_ *toy, e *election.Env, _ *election.Event) { e.StopTimer(uint8(1 + x%2)) }
	case 7, 8:
		return func(t *toy, e *election.Env, _ *election.Event) { e.DecideIn(term, t.self) }
	case 9:
		return func(_ *toy, e *election.Env, _ *election.Event) {
			e.DecideIn(term, election.Rank{ID: election.ID(1 + x/2)})
		}
	case 10:
		return func(_ *toy, e *election.Env, _ *election.Event) { e.Done() }
	case 11:
		return func(_ *toy, e *election.Env, _ *election.Event) { e.Save() }
	case 12:
		return func(_ *toy, e *election.Env, ev *election.Event) {
			m := election.Message{Value: term}
			e.Raise(election.Event{Op: election.Entered, Msg: m})
			if x > 1 {
				e.Raise(election.Event{Op: election.Exited, Msg: m})
			}
		}
	case 13:
		return func(t *toy, e *election.Env, _ *election.Event) { t.n = uint64(e.Choose(2)) }
	case 14:
		return func(_ *toy, e *election.Env, ev *election.Event) { e.Lease(term, ev.At+y) }
	}
	if op == election.Start && x > 2 {
		return func(_ *toy, e *election.Env, _ *election.Event) { e.Refuse(election.ErrLateStart) }
	}
	return func(_ *toy, e *election.Env, _ *election.Event) { e.Withdraw(term) }
}
