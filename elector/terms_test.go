package elector_test

import (
	"context"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election/elector"
)

// TestConfirmAsksAgain: Confirm counts no answers to a renewal that was sent before it was called: it takes a
// whole round trip, and another one if such a renewal is in flight.
func TestConfirmAsksAgain(t *testing.T) {
	const delay = 50 * time.Millisecond
	inBubble(t, func(c *elector.Config) {
		c.Times.Delay = delay
		c.Transport.(*gate).delay = delay
	}, func(t *testing.T, _ group, m *member) {
		terms, _ := m.tenures()
		longer := 0
		for range 100 { // at any time between two renewals
			time.Sleep(elector.LAN().Renew + 7*time.Millisecond)
			began := time.Now()
			require.NoError(t, terms[0].Confirm(t.Context()))
			took := time.Since(began)
			require.GreaterOrEqual(t, took, 2*delay)
			require.Less(t, took, 4*delay)
			if took > 2*delay {
				longer++
			}
		}
		require.Positive(t, longer, "a renewal was in flight")
	})
}

// TestWorkNeedsLease: work does not begin under a lease that has ended by the clock, although no goroutine has
// noticed that yet.
func TestWorkNeedsLease(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		var jump atomic.Int64
		e := alone(t, func(c *elector.Config) {
			c.Clock = func() time.Duration { return time.Since(began) + time.Duration(jump.Load()) }
			// Before the View names this member.
			c.Renewed = func(elector.Term) { jump.CompareAndSwap(0, int64(time.Hour)) }
		})
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		begun := 0
		require.NoError(t, e.Run(ctx, func(ctx context.Context, term elector.Term) error {
			begun++
			require.True(t, term.Valid(0))
			<-ctx.Done()
			return nil
		}))
		require.Equal(t, 1, begun)
		require.NotZero(t, jump.Load())
	})
}
