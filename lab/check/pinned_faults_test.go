package check_test

import (
	"errors"
	"fmt"
	"hash/fnv"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/bully"
	"github.com/go-election/election/catalog"
	"github.com/go-election/election/lab/check"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lab/sim"
)

// TestPinnedFaults: how many states there are with each of the things that a Config allows for, and how the
// counterexample ends where there is one.
func TestPinnedFaults(t *testing.T) {
	var b strings.Builder
	for _, a := range manners(t) {
		for _, o := range liberties() {
			for n := 1; n <= 3; n++ {
				c := check.Config{Input: input(a, falling(n)), Delay: a.Delay, MaxStates: 300, Workers: 1}
				if a.NeverQuiesces {
					c.Until = 6 * a.Delay
				}
				o.allow(&c)
				fmt.Fprintf(&b, "%s, %s%s, %d, %s: %s\n", a.Title(), a.Topology,
					either(a.NeverQuiesces, " with heartbeats", ""), n, o.name, outcome(t, c))
			}
		}
	}
	asWritten(t, filepath.Join("testdata", "pinned-faults.txt"), b.String())
}

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
		{"all that can be", func(c *check.Config) {
			timed(c)
			c.Started, c.Nudge = true, true
			c.Losses, c.Duplicates, c.Crashes, c.Recoveries, c.Restarts, c.Pauses, c.Cuts = 1, 1, 2, 1, 1, 1,
				1
		}},
	}
}

// outcome says what a check comes to.
func outcome(t *testing.T, c check.Config) string {
	t.Helper()
	r, err := check.Run(t.Context(), c)
	if err != nil {
		return err.Error()
	}
	text := fmt.Sprintf("%d states, %d steps, %d deep, longest %d, %d messages", r.States, r.Transitions,
		r.Depth,
		r.Longest, r.Messages)
	if r.Reduced > 0 {
		text += fmt.Sprintf(", %d reduced", r.Reduced)
	}
	if err := r.Err(); errors.Is(err, check.ErrLimit) {
		text += "; cut short"
	} else if err != nil {
		text += fmt.Sprintf("; %v", err)
	}
	if x := r.Counterexample; x != nil {
		h := fnv.New32a()
		for _, s := range x.Steps {
			fmt.Fprintf(h, "%v %d %d %d %d %v", s.Do, s.Process, s.Port, s.Nth, s.Timer, s.Choices)
			if s.At != nil {
				fmt.Fprint(h, *s.At)
			}
		}
		text += fmt.Sprintf(", after %d steps, %08x, to %d; %s", len(x.Steps), h.Sum32(), x.Cycle,
			rejudged(t, c.Input, x))
	}
	return text
}

// rejudged says what a Judge finds in the simulator where it takes the steps of a counterexample.
func rejudged(t *testing.T, in scenario.Input, x *check.Trail) string {
	t.Helper()
	require.NoError(t, in.Check())
	s, err := x.Scenario(&in)
	if err != nil {
		return err.Error()
	}
	r, err := check.Judge(t.Context(), in, s.Steps, s.Property)
	if err != nil {
		return err.Error()
	}
	run, err := sim.New(sim.Config{Input: in, Steps: s.Steps})
	require.NoError(t, err)
	err = run.Run(t.Context())
	return fmt.Sprintf("replayed: %v: %q: %v", err, r.Broken, r.Reason)
}
