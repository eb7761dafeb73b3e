package check_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/cost"
	"github.com/go-election/election/lab/check"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lab/verdict"
	"github.com/go-election/election/lcr"
	"github.com/go-election/election/observe"
)

// TestInWords: what a check may do, in the words of its report.
func TestInWords(t *testing.T) {
	for want, c := range map[string]check.Config{
		"links keep the order":                             {},
		"links keep no order":                              {Unordered: true},
		"links keep the order, any message may be lost":    {Losses: check.Unlimited},
		"links keep the order, 1 message may be lost":      {Losses: 1},
		"links keep no order, 2 messages may be lost":      {Losses: 2, Unordered: true},
		"links keep the order, 1 message may arrive twice": {Duplicates: 1},
		"links keep no order, any message may be lost, 3 messages may arrive twice": {Losses: check.Unlimited,
			Duplicates: 3, Unordered: true},
	} {
		require.Equal(t, want, c.LinksInWords())
	}
	for want, c := range map[string]check.Config{
		"messages and timers take any time":     {},
		"messages take up to 1":                 {Delay: second},
		"messages take up to 2, in ticks of 1":  {Delay: 2 * second},
		"messages take up to 1, starts until 3": {Delay: second, Window: 3 * second},
		"messages take up to 1, the end at 20":  {Delay: second, Until: 20 * second},
	} {
		require.Equal(t, want, c.TimeInWords(min(c.Delay, second)))
	}
	shortest := check.Config{Delay: 1, Window: 1, Until: 1}
	require.Equal(t, "messages take up to 0.000000001, starts until 0.000000001, the end at 0.000000001",
		shortest.TimeInWords(1))
	shortest.Delay = 2
	require.Contains(t, shortest.TimeInWords(1), ", in ticks of 0.000000001,")
	require.Equal(t, "messages take up to 1", (&check.Config{Delay: second}).TimeInWords(time.Duration(0)))
	for want, c := range map[string]check.Config{
		"":        {},
		"1 crash": {Crashes: 1},
		"2 crashes, 1 return without state, 3 returns with state": {Crashes: 2, Recoveries: 1, Restarts: 3},
		"2 returns without state, 1 return with state":            {Recoveries: 2, Restarts: 1},
		"1 pause, 2 cuts of the network":                          {Pauses: 1, Cuts: 2},
		"2 pauses, 1 cut of the network":                          {Pauses: 2, Cuts: 1},
		"1 crash, in the end processes without a leader start":    {Crashes: 1, Nudge: true},
	} {
		require.Equal(t, want, c.BudgetsInWords())
	}
	for want, faults := range map[string]election.Faults{
		"": {},
		"followers eventually notice that their leader is down": {Crash: election.StaysDown},
		"a detector that is never wrong reports each":           {Crash: election.StaysDown, Reported: true},
	} {
		c := check.Config{Crashes: 1}
		c.Algorithm = &election.Algorithm{Faults: faults}
		require.Equal(t, want, c.NoticesInWords())
		c.Crashes = 0
		require.Empty(t, c.NoticesInWords())
		c.After = []scenario.Step{{Do: observe.Crash, Process: 1}}
		require.Equal(t, want, c.NoticesInWords())
	}
	down := check.Config{Crashes: 1}
	down.Crashed = []election.ID{1, 2}
	require.Equal(t, "2 down from the beginning, 1 crash", down.BudgetsInWords())

	require.Equal(t, "1,234", (&check.Result{States: 1234, Exhausted: true}).StatesInWords())
	require.Equal(t, "12, not all", (&check.Result{States: 12}).StatesInWords())
	require.Equal(t, "12, 5 of them without the steps that make no difference",
		(&check.Result{States: 12, Reduced: 5, Exhausted: true}).StatesInWords())
	require.Equal(t, "12, up to the violation",
		(&check.Result{States: 12, Counterexample: &check.Trail{}}).StatesInWords())
}

// TestSeveral: several elections are counted together where a process may start after one has ended.
func TestSeveral(t *testing.T) {
	of := func(adjust func(c *check.Config)) bool {
		c := check.Config{Input: input(lcr.Max(), rising(2))}
		adjust(&c)
		return c.Several()
	}
	require.True(t, of(func(*check.Config) {}))
	require.True(t, of(func(c *check.Config) { c.Delay, c.Window = 1, 1 }))
	for _, adjust := range []func(c *check.Config){
		func(c *check.Config) { c.Started = true }, func(c *check.Config) { c.NoAnnouncement = true },
		func(c *check.Config) { c.Initiators = rising(1) }, func(c *check.Config) { c.Delay = 1 },
	} {
		require.False(t, of(adjust))
	}
}

// TestViolatedFirst: what does not hold comes first, in the order in which it was judged.
func TestViolatedFirst(t *testing.T) {
	r := check.Result{Properties: []check.Verdict{
		{Property: verdict.Sound, Known: true, Holds: true}, {Property: verdict.OneLeader, Known: true},
		{Property: verdict.Ends}, {Property: verdict.Served, Known: true},
	}}
	var order []verdict.Property
	for _, v := range r.ViolatedFirst() {
		order = append(order, v.Property)
	}
	require.Equal(t, []verdict.Property{verdict.OneLeader, verdict.Served, verdict.Sound, verdict.Ends},
		order)
}

// TestBoundOfOrder: a bound that counts on the order of messages is judged where links keep it, and only
// there.
func TestBoundOfOrder(t *testing.T) {
	a := *lcr.Max()
	a.Worst = cost.Bound{Count: func(int) float64 { return 100 }, Ordered: true}
	for unordered, judged := range map[bool]bool{false: true, true: false} {
		c := check.Config{Input: input(&a, rising(2)), Started: true, Unordered: unordered}
		bounded := false
		for _, v := range holds(t, c).Properties {
			bounded = bounded || v.Property == verdict.Bounded
		}
		require.Equal(t, judged, bounded)
	}
}
