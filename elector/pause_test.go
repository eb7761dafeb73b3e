package elector_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election/elector"
)

// TestPause: a member whose work returns a Pause hands over immediately, and does not lead before the Pause is over,
// even if no other member does.
func TestPause(t *testing.T) {
	const pause = time.Minute
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		var mu sync.Mutex
		led := make(map[string][]time.Duration) // when each member began to lead
		g := startWith(t, func(name string) func(context.Context, elector.Term) error {
			return func(context.Context, elector.Term) error {
				mu.Lock()
				defer mu.Unlock()
				led[name] = append(led[name], time.Since(start))
				return fmt.Errorf("the work fails: %w", elector.Pause(pause))
			}
		})
		time.Sleep(pause / 2)
		synctest.Wait()
		mu.Lock()
		for name := range g {
			require.Len(t, led[name], 1, "each leads once")
			require.Less(t, led[name][0], 2*time.Second, "one after another")
		}
		mu.Unlock()
		time.Sleep(10 * pause)
		synctest.Wait()
		mu.Lock()
		defer mu.Unlock()
		for name := range g {
			require.Greater(t, len(led[name]), 5)
			for i, at := range led[name][1:] {
				require.GreaterOrEqual(t, at-led[name][i], pause)
			}
		}
	})
}

// TestShortPause: a Pause shorter than a lease lasts for a lease, however short or negative it is.
func TestShortPause(t *testing.T) {
	for _, pause := range []time.Duration{time.Millisecond, 0, -1} {
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			led := 0 // by a group of one, which waits for no other
			require.NoError(t, alone(t, nil).Run(ctx, func(context.Context, elector.Term) error {
				if led++; led > 1000 {
					cancel() // a loop without a break would never end
				}
				return elector.Pause(pause)
			}))
			require.InDelta(t, int(time.Minute/elector.LAN().Lease), led, 5, pause)
		})
	}
}

// TestFastClock: work is asked to stop before the lease expires by the Clock, even if that is faster than the timers
// by Drift and Stop is short.
func TestFastClock(t *testing.T) {
	times := elector.Times{Lease: 100 * time.Millisecond, Stop: 100 * time.Millisecond / 12, Drift: 0.45}
	for _, rate := range []float64{1 - times.Drift, 1, 1 + times.Drift} {
		synctest.Test(t, func(t *testing.T) {
			began, left := time.Now(), make(chan time.Duration, 10)
			g := startMembers(t, three, func(c *elector.Config) {
				c.Times = times
				c.Clock = func() time.Duration { return time.Duration(float64(time.Since(began)) * rate) }
			}, func(string) func(context.Context, elector.Term) error {
				return func(ctx context.Context, term elector.Term) error {
					<-ctx.Done()
					left <- term.Left()
					return nil
				}
			})
			time.Sleep(5 * time.Second)
			m := g.leader(t)
			m.network.cut(true)
			require.InDelta(t, times.Stop, <-left, float64(time.Microsecond), rate)
			for _, m := range g {
				m.end(t)
			}
		})
	}
}
