package check_test

import (
	"errors"
	"fmt"
	"hash/fnv"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/cost"
	"github.com/go-election/election/lab/check"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lab/sim"
	"github.com/go-election/election/lab/verdict"
)

// draw is a sequence of numbers that is the same for ever. (A generator of the standard library may change.)
type draw uint64

// of returns a number below n.
func (d *draw) of(n int) int {
	*d = *d*6364136223846793005 + 1442695040888963407
	return int(uint64(*d)>>33) % n
}

// oneIn reports true once in n times.
func (d *draw) oneIn(n int) bool { return d.of(n) == 0 }

// TestPinnedToys: what a check of Nodes without any sense comes to. They do, and their descriptions and
// Configs say, what no algorithm of the catalogue has in this combination.
func TestPinnedToys(t *testing.T) {
	var b strings.Builder
	for seed := range 1000 {
		d := draw(seed)
		c := drawnCheck(&d)
		allowed := freedoms(&d, &c)
		fmt.Fprintf(&b, "%d: %s: %s\n", seed, strings.Join(allowed, ", "), drawnOutcome(t, c))
	}
	asWritten(t, filepath.Join("testdata", "pinned-toys.txt"), b.String())
}

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
	a.LongLived, a.Leaderless, a.TwoWay = d.oneIn(2), d.oneIn(2), true
	if !a.Leaderless {
		a.Winner = []*election.Winner{nil, election.LargestOfAll, election.LargestOfInitiators,
			election.LargestOfLive}[d.of(4)]
	}
	if d.oneIn(5) {
		a.Sections = 1
	}
	if a.Leases = a.LongLived && d.oneIn(4); a.Leases {
		c.Delay = scenario.Unit
	}
	if d.oneIn(2) {
		a.Faults = election.Faults{Crash: true, Recover: d.oneIn(2), Restart: d.oneIn(2),
			Reported: d.oneIn(2), Returns: d.oneIn(4)}
	}
	a.Faults.Loss, a.Faults.Copies = d.oneIn(2), d.oneIn(2)
	a.Faults.Pause, a.Faults.Cut = d.oneIn(2), d.oneIn(2)
	if a.Faults.Crash && d.oneIn(3) {
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

// drawnOutcome says what a check comes to, and how it is reported.
func drawnOutcome(t *testing.T, c check.Config) string {
	t.Helper()
	r, err := check.Run(t.Context(), c)
	if err != nil {
		return err.Error()
	}
	h := fnv.New32a()
	for _, v := range r.Properties {
		fmt.Fprintln(h, v)
	}
	fmt.Fprintln(h, r.Collision, r.StatesInWords(), c.LinksInWords(), c.TimeInWords(r.Tick),
		c.BudgetsInWords(), c.Several(), c.Outside(), r.Tick, r.Exhausted)
	text := fmt.Sprintf("%d states, %d steps, %d deep, longest %d, %d messages, %d reduced, %08x", r.States,
		r.Transitions, r.Depth, r.Longest, r.Messages, r.Reduced, h.Sum32())
	if err := r.Err(); errors.Is(err, check.ErrLimit) {
		text += "; cut short"
	} else if err != nil {
		text += fmt.Sprintf("; %v", err)
	}
	x := r.Counterexample
	if x == nil {
		return text
	}
	h.Reset()
	for _, s := range x.Steps {
		fmt.Fprintf(h, "%v %d %d %d %d %v", s.Do, s.Process, s.Port, s.Nth, s.Timer, s.Choices)
		if s.At != nil {
			fmt.Fprint(h, *s.At)
		}
	}
	return text + fmt.Sprintf("; after %d steps, %08x, to %d; %s", len(x.Steps), h.Sum32(), x.Cycle,
		rejudgedAll(t, c, x))
}

// rejudgedAll says what Judges find in the simulator where it takes the steps of a counterexample: one of its
// property, and one of all.
func rejudgedAll(t *testing.T, c check.Config, x *check.Trail) (text string) {
	t.Helper()
	require.NoError(t, c.Input.Check())
	for _, property := range []verdict.Property{x.Property, ""} {
		r, err := check.Judge(t.Context(), c.Input, x.Steps, property)
		if err != nil {
			return err.Error()
		}
		run, err := sim.New(sim.Config{Input: c.Input, Steps: x.Steps})
		if err != nil {
			return err.Error()
		}
		err = run.Run(t.Context())
		switch {
		case r.Broken == x.Property && r.Reason.Error() == x.Reason.Error() && err == nil:
			text += "the same; "
		default:
			text += fmt.Sprintf("%v: %q: %v; ", err, r.Broken, r.Reason)
		}
	}
	return strings.TrimSuffix(text, "; ")
}
