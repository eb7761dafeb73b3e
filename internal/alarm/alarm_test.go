package alarm_test

import (
	"math"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/go-election/election/internal/alarm"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var (
	one   = alarm.Key{Timer: 1}
	two   = alarm.Key{Timer: 2}
	above = alarm.Key{Layer: 1, Timer: 1}
)

// expired returns what was expired by now.
func expired(expiries chan alarm.Expiry) (all []alarm.Expiry) {
	synctest.Wait()
	for len(expiries) > 0 {
		all = append(all, <-expiries)
	}
	return all
}

func TestClock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var c alarm.Clock
		expiries := make(chan alarm.Expiry, 10)
		expire := func(r alarm.Expiry) { expiries <- r }

		require.Zero(t, c.Set(one, time.Second, time.Second, expire))
		<-time.After(time.Second - 1)
		require.Empty(t, expired(expiries))
		<-time.After(1)
		r := expired(expiries)
		require.Len(t, r, 1)
		require.Equal(t, one, r[0].Key)
		require.True(t, c.Accept(r[0]))
		require.False(t, c.Accept(r[0]), "it expires once")

		// Set again and stopped while its expiry waits.
		c.Set(one, 1, 1, expire)
		<-time.After(1)
		old := expired(expiries)
		require.Zero(t, c.Set(one, time.Second, time.Second, expire), "that expiry is under way")
		require.False(t, c.Accept(old[0]))
		require.Equal(t, 1, c.Set(one, 1, 1, expire), "that expiry is spared")
		<-time.After(1)
		old = expired(expiries)
		require.Len(t, old, 1)
		require.Zero(t, c.Stop(one))
		require.False(t, c.Accept(old[0]))

		// Layers are apart.
		for _, k := range []alarm.Key{one, two, above} {
			c.Set(k, 1, 1, expire)
		}
		require.Equal(t, 2, c.StopLayer(0))
		<-time.After(time.Second)
		r = expired(expiries)
		require.Len(t, r, 1)
		require.Equal(t, above, r[0].Key)
		require.Zero(t, c.StopAll())
		c.Set(two, time.Hour, time.Hour, expire)
		require.Equal(t, 1, c.StopAll())
	})
}

func TestBounds(t *testing.T) {
	for _, tt := range []struct{ min, max, from, to time.Duration }{
		{10, 20, 10, 20},
		{10, 5, 10, 10},
		{-5, 3, 0, 3},
		{-5, -3, 0, 0},
		{0, 0, 0, 0},
		{time.Hour, math.MaxInt64, time.Hour, math.MaxInt64},
		{math.MinInt64, math.MaxInt64, 0, math.MaxInt64},
		{1, math.MinInt64, 1, 1},
	} {
		synctest.Test(t, func(t *testing.T) {
			var c alarm.Clock
			for range 50 {
				begin := time.Now()
				rang := make(chan time.Duration)
				c.Set(one, tt.min, tt.max, func(alarm.Expiry) { rang <- time.Since(begin) })
				if tt.to == math.MaxInt64 {
					require.Equal(t, 1, c.StopAll()) // centuries from now
					continue
				}
				after := <-rang
				require.GreaterOrEqual(t, after, tt.from)
				require.LessOrEqual(t, after, tt.to)
			}
		})
	}
}
