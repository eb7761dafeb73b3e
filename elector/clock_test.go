package elector_test

import (
	"context"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election/elector"
	"github.com/go-election/election/internal/suspend"
)

// TestSuspended: a lease ends while the machine is suspended, for the work, for the member and for the others.
func TestSuspended(t *testing.T) {
	inBubble(t, nil, func(t *testing.T, g group, m *member) {
		lease := elector.LAN().Lease
		before, _ := m.tenures()
		term := before[len(before)-1]
		require.True(t, term.Valid(0))
		suspend.Suspend(lease)
		require.False(t, term.Valid(0))
		require.LessOrEqual(t, term.Left(), time.Duration(0))
		require.Equal(t, elector.View{Term: term.Number, Why: elector.Lost, Members: m.Leader().Members}, m.Leader())
		time.Sleep(lease) // before that the guard of the work looks at the clock
		synctest.Wait()
		_, causes := m.tenures()
		require.Equal(t, []error{elector.ErrPaused}, causes)
		time.Sleep(2 * time.Second)
		after, _ := g.leader(t).tenures()
		require.Greater(t, after[len(after)-1].Number, term.Number)
	})
}

// TestStandingClock: while the Clock stands still, the guard of work that was asked to stop does not turn
// once a nanosecond, however short Drain is.
func TestStandingClock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const pause = 100 * time.Microsecond
		began := time.Now()
		var stands atomic.Int64 // at which time the clocks do; zero: they go
		var looks atomic.Int64
		g := startMembers(t, three, func(c *elector.Config) {
			c.Times.Drain = 1
			c.Clock = func() time.Duration {
				looks.Add(1)
				if at := stands.Load(); at > 0 {
					return time.Duration(at)
				}
				return time.Since(began)
			}
		}, func(string) func(context.Context, elector.Term) error {
			return func(ctx context.Context, _ elector.Term) error {
				<-ctx.Done()
				time.Sleep(pause)
				return nil
			}
		})
		time.Sleep(5 * time.Second)
		m := g.leader(t)
		stands.Store(int64(time.Since(began)))
		before := looks.Load()
		go func() { _ = m.Resign(t.Context()) }()
		time.Sleep(pause / 2)
		synctest.Wait()
		require.Less(t, looks.Load()-before, int64(100))
		stands.Store(0)
		time.Sleep(5 * time.Second)
		require.NotSame(t, m, g.leader(t))
	})
}
