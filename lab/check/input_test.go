package check_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/lab/check"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lab/topology"
	"github.com/go-election/election/lcr"
)

// wheel returns a graph of 1024 processes in a ring, with some links more across it.
func wheel(count int) topology.Topology {
	const n = 1 << 10
	var links [][2]int
	for i := range count {
		links = append(links, [2]int{i % n, (i + 1 + i/n) % n})
	}
	g, err := topology.New(election.Graph, n, links)
	if err != nil {
		panic(err)
	}
	return g
}

// TestBoundsOfInput: the largest that fits into a state is checked, one more is refused.
func TestBoundsOfInput(t *testing.T) {
	overlay, err := lcr.Participant().OverComplete()
	require.NoError(t, err)
	for _, b := range []struct {
		most  int
		shape election.Shape
		set   func(c *check.Config, n int)
		want  string // of one more
	}{
		{1 << 10, election.Ring, func(c *check.Config, n int) { c.IDs = rising(n) },
			"ids: 1025 processes, at most 1024 can be checked"},
		{64, election.Complete, func(c *check.Config, n int) { c.IDs = rising(n) },
			"topology: 4160 ends of links, at most 4096 can be checked"},
		{0, election.Graph, func(c *check.Config, more int) {
			c.IDs, c.Topology = rising(1<<10), wheel(1<<11+more)
		}, "topology: 4098 ends of links, at most 4096 can be checked"},
		{12, election.Complete, func(c *check.Config, n int) { c.IDs, c.Cuts = rising(n), 1 },
			"cuts: 13 processes, at most 12 can be divided"},
		{64, election.Complete, func(c *check.Config, n int) {
			c.Algorithm, c.IDs, c.Crashes = overlay, rising(n), 1
		}, "crashes: 65 processes, at most 64 can be checked with a failure detector"},
		{64, election.Complete, func(c *check.Config, n int) { c.Algorithm.Sections = n },
			"algorithm: 65 sections, at most 64 can be checked"},
		{1 << 10, election.Complete, func(c *check.Config, n int) { c.Losses = n },
			"losses: 1025 is not between 0 and 1024"},
		{1 << 10, election.Complete, func(c *check.Config, n int) { c.Crashes, c.Restarts = 1, n },
			"restarts: 1025 is not between 0 and 1024"},
		{250, election.Complete, func(c *check.Config, n int) { c.Delay, c.Tick = ticks(n), second },
			"tick: 1 units are too few for a delay of 251 and a window of 0, of at most 250 ticks"},
		{250, election.Complete, func(c *check.Config, n int) { c.Delay, c.Window = second, ticks(n) },
			"tick: 1 units are too few for a delay of 1 and a window of 251, of at most 250 ticks"},
		{250, election.Complete, func(c *check.Config, n int) { c.Delay, c.Until = second, ticks(n) },
			"until: 251 units are more than 250 ticks"},
	} {
		for more := range 2 {
			c := toys(b.shape, 2, nil)
			b.set(&c, b.most+more)
			if err := c.Check(); more == 0 {
				require.NoError(t, err, b.want)
			} else {
				require.EqualError(t, err, election.ErrInput.Error()+": "+b.want)
			}
		}
	}
}

// TestDown: processes come back only where some are down, by a crash or from the beginning.
func TestDown(t *testing.T) {
	for _, b := range []struct {
		adjust func(c *check.Config)
		ok     bool
	}{
		{func(c *check.Config) { c.Recoveries = 1 }, false},
		{func(c *check.Config) { c.Restarts = 1 }, false},
		{func(c *check.Config) { c.Recoveries, c.Crashes = 1, 1 }, true},
		{func(c *check.Config) { c.Restarts, c.Crashed = 1, ids(2) }, true},
		{func(c *check.Config) { c.Crashed = ids(2) }, true},
	} {
		c := toys(election.Complete, 2, nil)
		b.adjust(&c)
		if err := c.Check(); b.ok {
			require.NoError(t, err)
		} else {
			require.EqualError(t, err, election.ErrInput.Error()+
				": recoveries, restarts: no process is ever down, so none returns")
		}
	}
}

// TestLongestRun: time passes for as many ticks as fit into a byte of a state, and no further.
func TestLongestRun(t *testing.T) {
	for _, n := range []int{250, 251} {
		c := toys(election.Complete, 1, func(_ *toy, e *election.Env, ev *election.Event) {
			if ev.Op == election.Start {
				e.SetTimer(1, ticks(n), ticks(n))
			}
		})
		c.Delay = second
		if r := run(t, c); n == 250 {
			require.NoError(t, r.Err())
		} else {
			require.ErrorIs(t, r.Err(), check.ErrTooLarge)
		}
	}
}

func ticks(n int) time.Duration { return time.Duration(n) * second }

// TestNotOfACheck: what an Input says of single moments and draws is refused, as a check tries them all.
func TestNotOfACheck(t *testing.T) {
	one, moments := time.Duration(1), "crash_at, recover_at, restart_at, pause_at: "+
		"a check lets processes crash at every moment; give the number of crashes"
	for i, b := range []struct {
		adjust func(c *check.Config)
		want   string
	}{
		{func(c *check.Config) { c.StartTimes = []time.Duration{one} },
			"start_times: a check starts each process at every moment"},
		{func(c *check.Config) { c.CrashAt = []scenario.At{{ID: 1, Time: one}} }, moments},
		{func(c *check.Config) {
			c.CrashAt = []scenario.At{{ID: 1, Time: one}}
			c.RecoverAt = []scenario.At{{ID: 1, Time: 2 * one}}
		}, moments},
		{func(c *check.Config) { c.PauseAt = []scenario.Pause{{ID: 1, From: one, Until: 2 * one}} }, moments},
		{func(c *check.Config) { c.Pauses = 1 },
			"pauses: without a delay, time is not modelled and a pause is the same as a slow message"},
		{func(c *check.Config) { c.SuspectAfter = one },
			"suspect_after: a check lets each process notice a crash at every moment"},
		{func(c *check.Config) {
			c.ClockRates = []scenario.ClockRate{{ID: 1, Rate: 1.5}}
		}, "clock_rates: without a delay, time is not modelled"},
		{func(c *check.Config) { c.Losses = -2 }, "losses: -2 is not between 0 and 1024"},
		{func(c *check.Config) { c.Duplicates = -1 }, "duplicates: -1 is not between 0 and 1024"},
	} {
		c := toys(election.Complete, 1, nil)
		c.Algorithm.Faults.Crash = election.MayRecover
		b.adjust(&c)
		require.EqualError(t, c.Check(), election.ErrInput.Error()+": "+b.want, i)
	}
}
