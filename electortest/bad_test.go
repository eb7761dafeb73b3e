package electortest

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election/bully"
	"github.com/go-election/election/elector"
)

// TestBadService: what is wrong with a service is found, and named.
func TestBadService(t *testing.T) {
	for name, c := range map[string]struct {
		service func(*Member) error
		wrong   string
	}{
		"no token": {wrong: "its write had no token to refuse", service: func(m *Member) error {
			return m.Run(func(ctx context.Context, term elector.Term) error {
				// it looks at its lease before each write, and may pause then
				for ctx.Err() == nil && term.Valid(0) {
					if err := m.Write(0); err != nil {
						return nil
					}
					sleep(ctx, 10*time.Millisecond)
				}
				return nil
			})
		}},
		"no token, after the end": {wrong: "its write had no token to refuse",
			service: func(m *Member) error {
				return m.Run(func(ctx context.Context, term elector.Term) error {
					_ = m.Write(term.Token())
					<-ctx.Done()
					time.AfterFunc(5*time.Second, func() { _ = m.Write(0) })
					return nil
				})
			}},
		"deaf until a write fails": {wrong: "has not returned although its context and its lease have ended",
			service: func(m *Member) error {
				return m.Run(func(_ context.Context, term elector.Term) error {
					// deaf to the lease, but not to the end of the member, which has an error of its own
					for m.Write(term.Token()) == nil && m.Context.Err() == nil {
						time.Sleep(time.Second)
					}
					return nil
				})
			}},
		"deaf member": {wrong: "has not returned 6.5s after its Context ended",
			service: func(m *Member) error {
				err := writer(m)
				time.Sleep(time.Hour)
				return err
			}},
		"invented token": {wrong: "no leader has had a Term larger than", service: func(m *Member) error {
			return m.Run(func(_ context.Context, term elector.Term) error {
				return m.Write(term.Token() +
					1)
			})
		}},
		"it never runs": {wrong: "not all members agree on a leader",
			service: func(*Member) error { return errors.New("no configuration") }},
		"only one takes part": {wrong: "not all members agree on a leader", service: func(m *Member) error {
			if m.Name == "a" {
				return writer(m)
			}
			<-m.Context.Done()
			return nil
		}},
	} {
		t.Run(name, func(t *testing.T) {
			var err error
			for seed := uint64(1); seed < 20 && err == nil; seed++ {
				err = once(t, Config{For: time.Minute}, seed, c.service)
			}
			require.ErrorContains(t, err, c.wrong)
			require.ErrorContains(t, err, "what had happened:\n")
		})
	}
}

// lingerer is a service that uses its lease to the end.
func lingerer(m *Member) error {
	return m.Run(func(ctx context.Context, term elector.Term) error {
		<-ctx.Done()
		for left := term.Left(); left > time.Millisecond; left = term.Left() {
			time.Sleep(left / 2) // the clock may be fast
		}
		return nil
	})
}

// TestClocksBeyondDrift: the judge sees two valid leases if clocks are worse than Times.Drift.
func TestClocksBeyondDrift(t *testing.T) {
	for _, c := range []Config{{drift: 0.15}, {drift: 0.3}} {
		c.For, c.Faults = time.Minute, Cuts|Holds|Crashes
		var err error
		for seed := uint64(1); seed < 200 && err == nil; seed++ {
			err = once(t, c, seed, lingerer)
		}
		require.ErrorContains(t, err, "two leases are valid")
		c.Times.Drift = c.drift
		for seed := uint64(1); seed < 4; seed++ {
			require.NoError(t, once(t, c, seed, lingerer))
		}
	}
}

// TestMemoryOfBefore: the judge sees smaller Terms if a majority restores an old state, as from a backup, and
// starts without the others. It sees smaller labels even before that.
func TestMemoryOfBefore(t *testing.T) {
	require.ErrorContains(t, restored(t, true), "after a leader in Term")
	require.ErrorContains(t, restored(t, false), "becomes smaller")
}

// restored returns what is wrong if a majority restores an old state. If forgets is true, the judge forgets which labels
// the members had.
func restored(t *testing.T, forgets bool) error {
	var calls int
	backup := make(map[string]string)
	restore := fate{do: func(r *run) {
		calls++
		switch {
		case calls == 2: // the first may come before any vote
			for name, m := range r.up {
				r.keep(m)
				backup[name] = r.dirs[name]
			}
		case calls < 6:
			r.handOver()
		case calls == 6:
			kept := r.order[0]
			c := make(cut)
			for _, name := range r.order[1:] {
				c[way{elector.ID(kept), elector.ID(name)}] = true
				if m := r.up[name]; m != nil {
					r.crash(m, r.Times.Lease)
					r.dirs[name] = backup[name]
				}
			}
			r.network.set(&c)
			if forgets {
				r.judge.mu.Lock()
				clear(r.judge.chain.labels)
				r.judge.mu.Unlock()
			}
		}
	}}
	return once(t, Config{For: 2 * time.Minute, Durable: true, fates: []fate{restore}}, 1, writer)
}

// TestClock: when is the inverse of at, to the nanosecond.
func TestClock(t *testing.T) {
	for _, rate := range []float64{1, 0.999, 1.001, 0.7, 1.3} {
		c := &clock{start: 100 * time.Hour, rate: rate}
		require.Zero(t, c.when(c.start))
		for shows := c.start + 1; shows < c.start+100*time.Hour; shows += 7*time.Hour + 1 {
			at := c.when(shows)
			require.GreaterOrEqual(t, c.at(at), shows)
			require.Less(t, c.at(at-1), shows)
		}
	}
}

// TestConfig: what cannot be tried is refused.
func TestConfig(t *testing.T) {
	for want, c := range map[string]Config{
		"Members: 27 is not between 1 and 26": {Members: 27},
		"For: -1s is not between":             {For: -time.Second},
		"Runs: -1 is negative":                {Runs: -1},
		"Faults: 0x80 is not one of them":     {Faults: 1 << 7},
	} {
		require.ErrorContains(t, c.complete(), want)
	}
	require.Equal(t, "^TestA$/^seed=3$", pattern("TestA/seed=3"))
}

// TestTwoLeaders: a service whose members elect by bully has two leaders in a partition, and the judge
// sees them.
func TestTwoLeaders(t *testing.T) {
	a, err := bully.Rules(bully.Config{Delay: 10 * time.Millisecond, Heartbeat: 100 * time.Millisecond,
		Patience: 1})
	require.NoError(t, err)
	err = once(t, Config{Faults: Cuts, Elector: func(c *elector.Config) { c.Algorithm = a }}, 1, writer)
	require.ErrorContains(t, err, "two leases are valid: ")
}
