package elector_test

import (
	"fmt"
	"math"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/elector"
)

// mostStop returns the largest Stop with which these Times are accepted; none if there is none.
func mostStop(times elector.Times) (most time.Duration, ok bool) {
	least, refused := time.Duration(1), times.Lease/2+1
	if times.Stop = least; times.Check() != nil {
		return 0, false
	}
	for refused-least > 1 {
		if times.Stop = (least + refused) / 2; times.Check() == nil {
			least = times.Stop
		} else {
			refused = times.Stop
		}
	}
	return least, true
}

// TestKeepsLease: with Times at the limit that New accepts, no lease is lost on a network in which each message takes
// exactly Delay, also with clocks that are Drift too fast.
func TestKeepsLease(t *testing.T) {
	const ms = time.Millisecond
	for _, drift := range []float64{-1, 0.1, 0.45} {
		tried := 0
		for _, times := range []elector.Times{
			{Renew: 375 * ms}, {Renew: 375 * ms, Delay: 100 * ms}, {Renew: 375 * ms, Delay: 150 * ms},
			{Renew: 300 * ms, Delay: 20 * ms}, {Renew: 200 * ms, Delay: 180 * ms},
			{Renew: 187 * ms, Delay: 187 * ms}, {Renew: 100 * ms, Delay: 100 * ms},
			{Renew: 20 * ms, Delay: 20 * ms},
		} {
			times.Lease, times.Drift = 750*ms, drift
			times = times.Complete()
			stop, ok := mostStop(times)
			if !ok {
				continue
			}
			tried++
			times.Stop = stop
			t.Run(fmt.Sprintf("%+v", times), func(t *testing.T) { keepsLease(t, times) })
		}
		require.GreaterOrEqual(t, tried, 4, drift)
	}
}

func keepsLease(t *testing.T, times elector.Times) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		rate := 1 + max(times.Drift, 0)
		g := start(t, three, func(c *elector.Config) {
			c.Times = times
			c.Transport.(*gate).delay = times.Delay
			c.Clock = func() time.Duration { return time.Duration(float64(time.Since(began)) * rate) }
		})
		time.Sleep(time.Minute)
		led := 0
		for _, m := range g {
			terms, causes := m.tenures()
			led += len(terms)
			require.Empty(t, causes)
		}
		require.Equal(t, 1, led)
	})
}

// TestLosesLease: Times that leave no time for a renewal are refused, and the error names each part.
func TestLosesLease(t *testing.T) {
	const ms = time.Millisecond
	for _, c := range []struct {
		times elector.Times
		want  string
	}{
		{elector.Times{Renew: 375 * ms, Stop: 365 * ms}, "with Renew 375ms, Delay 7.5ms, Stop 365ms " +
			"and Drift 0.001 it is 802.2596"},
		{elector.Times{Delay: 187 * ms}, "Delay 187ms, Stop 187.5ms and Drift 0.001 it is 772.99"},
		{elector.Times{Renew: 7 * ms}, "Times.Renew: 7ms is less than a Delay of 7.5ms"},
		{elector.Times{Lease: 100 * ms, Drift: 0.45, Renew: 40 * ms, Stop: 50 * ms}, "and Drift 0.45 it is"},
	} {
		err := c.times.Check()
		require.ErrorIs(t, err, election.ErrInput)
		require.ErrorContains(t, err, c.want)
	}
	for _, times := range []elector.Times{{}, elector.LAN(), elector.Cloud(), elector.WAN(),
		elector.Suggest(1), elector.Suggest(80 * ms), elector.Suggest(math.MaxInt64)} {
		require.NoError(t, times.Check())
	}
}
