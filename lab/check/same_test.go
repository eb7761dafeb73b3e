package check_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/dkr"
	"github.com/go-election/election/franklin"
	"github.com/go-election/election/lab/check"
	"github.com/go-election/election/lcr"
)

// comparable is what must be the same in every run.
func comparable(r *check.Result) check.Result {
	same := *r
	same.Wall, same.Bytes = 0, 0
	if x := r.Counterexample; x != nil {
		trail := *x
		trail.Reason = errors.New(x.Reason.Error())
		same.Counterexample = &trail
	}
	return same
}

// trials are checks of all kinds: that hold and that do not, with and without time and faults.
func trials(t *testing.T) map[string]check.Config {
	arbiter, halting := find(t, "mutex", "arbiter", rising(2), nil),
		find(t, "bully", "halting", rising(2), nil)
	started := check.Config{Input: input(dkr.Algorithm(), falling(8)), Started: true}
	reduced := started
	reduced.Reduce = true
	return map[string]check.Config{
		"holds":        {Input: input(lcr.Max(), falling(4))},
		"unordered":    {Input: input(franklin.Algorithm(), falling(3)), Unordered: true},
		"started":      started,
		"reduced":      reduced,
		"larger":       {Input: input(lcr.Participant(), falling(9)), NoAnnouncement: true},
		"wrong leader": {Input: input(dkr.Algorithm(), falling(4)), Unordered: true},
		"loss":         {Input: input(lcr.Participant(), falling(4)), Losses: 2},
		"without end":  {Input: toys(election.Complete, 3, pingPong(nil)).Input},
		"tokens":       {Input: input(arbiter, rising(2)), Delay: arbiter.Delay, Crashes: 1, Recoveries: 1},
		"crashes": {Input: input(halting, rising(2)), Delay: halting.Delay, Crashes: 1, Restarts: 1,
			Nudge: true},
		"crash, failed": {Input: input(halting, rising(3)), Delay: halting.Delay, Crashes: 2},
		"limited":       {Input: input(lcr.Participant(), falling(6)), MaxStates: 5000},
	}
}

// TestSameForAllWorkers: counts, verdicts and counterexamples depend neither on the workers nor on luck,
// nor on whether states are kept whole.
func TestSameForAllWorkers(t *testing.T) {
	others := []int{3}
	if *long {
		others = []int{1, 2, 3, 2}
	}
	for name, c := range trials(t) {
		c.Workers = 1
		want := comparable(run(t, c))
		for _, workers := range others {
			c.Workers = workers
			require.Equal(t, want, comparable(run(t, c)), "%s, %d workers", name, workers)
		}
		c.Exact = true
		exact := comparable(run(t, c))
		require.Zero(t, exact.Collision)
		require.Less(t, want.Collision, 1e-6)
		exact.Collision = want.Collision
		require.Equal(t, want, exact, name)
	}
}

// TestLimits: a search that stops early says so, and claims nothing.
func TestLimits(t *testing.T) {
	base := func() check.Config {
		return check.Config{Input: input(lcr.Participant(), falling(10)), NoAnnouncement: true}
	}
	c := base()
	c.MaxStates = 1000
	r := run(t, c)
	require.ErrorIs(t, r.Stopped, check.ErrLimit)
	require.False(t, r.Exhausted)
	require.GreaterOrEqual(t, r.States, uint64(1000))
	require.Less(t, r.States, uint64(58786))
	require.Equal(t, -1, r.Longest)
	require.ErrorIs(t, r.Err(), check.ErrLimit) // not even whether a process ever leads is decided
	for _, v := range r.Properties {
		require.False(t, v.Known, v.Property)
	}

	c = base()
	c.MaxBytes = 1 << 17
	c.SetHeap(func() int64 { return 1 << 40 }) // before the search as in it: the states alone decide
	r = run(t, c)
	require.ErrorIs(t, r.Stopped, check.ErrLimit)
	require.False(t, r.Exhausted)
	require.GreaterOrEqual(t, r.Bytes, c.MaxBytes)
	least := r.States

	heap := int64(1 << 40)
	c.SetHeap(func() int64 { heap += c.MaxBytes / 4; return heap }) // the heap reaches the limit before
	r = run(t, c)
	require.ErrorIs(t, r.Stopped, check.ErrLimit)
	require.Less(t, r.Bytes, c.MaxBytes)
	require.Less(t, r.States, least)

	ctx, cancel := context.WithCancelCause(t.Context())
	why := errors.New("enough")
	c = base()
	c.IDs, c.Topology = falling(12), nil
	c.Progress = func(p check.Progress) {
		if p.States > 1 {
			require.Greater(t, p.Elapsed, time.Duration(0))
			cancel(why)
		}
	}
	r, err := check.Run(ctx, c)
	require.NoError(t, err)
	require.ErrorIs(t, r.Stopped, why)
	require.False(t, r.Exhausted)
	require.Nil(t, r.Counterexample)

	r, err = check.Run(ctx, base()) // it has ended before
	require.NoError(t, err)
	require.ErrorIs(t, r.Stopped, why)
	require.Equal(t, uint64(1), r.States)
}

// TestRace is small enough for the race detector.
func TestRace(t *testing.T) {
	for _, c := range []check.Config{
		{Input: input(lcr.Max(), falling(3)), Unordered: true},
		{Input: input(dkr.Algorithm(), falling(7)), Started: true, Reduce: true},
		{Input: input(find(t, "bully", "rules", rising(3), nil), rising(3)), Delay: second},
	} {
		c.Workers = 3
		holds(t, c)
	}
}
