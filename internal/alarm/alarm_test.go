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

// rung returns what was rung by now.
func rung(rings chan alarm.Ring) (all []alarm.Ring) {
	synctest.Wait()
	for len(rings) > 0 {
		all = append(all, <-rings)
	}
	return all
}

func TestClock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var c alarm.Clock
		rings := make(chan alarm.Ring, 10)
		ring := func(r alarm.Ring) { rings <- r }

		require.Zero(t, c.Set(one, time.Second, time.Second, ring))
		<-time.After(time.Second - 1)
		require.Empty(t, rung(rings))
		<-time.After(1)
		r := rung(rings)
		require.Len(t, r, 1)
		require.Equal(t, one, r[0].Key)
		require.True(t, c.Answer(r[0]))
		require.False(t, c.Answer(r[0]), "it rings once")

		// Set anew and stopped while its ring lies unheard.
		c.Set(one, 1, 1, ring)
		<-time.After(1)
		old := rung(rings)
		require.Zero(t, c.Set(one, time.Second, time.Second, ring), "that ring is under way")
		require.False(t, c.Answer(old[0]))
		require.Equal(t, 1, c.Set(one, 1, 1, ring), "that ring is spared")
		<-time.After(1)
		old = rung(rings)
		require.Len(t, old, 1)
		require.Zero(t, c.Stop(one))
		require.False(t, c.Answer(old[0]))

		// Layers are apart.
		for _, k := range []alarm.Key{one, two, above} {
			c.Set(k, 1, 1, ring)
		}
		require.Equal(t, 2, c.StopLayer(0))
		<-time.After(time.Second)
		r = rung(rings)
		require.Len(t, r, 1)
		require.Equal(t, above, r[0].Key)
		require.Zero(t, c.StopAll())
		c.Set(two, time.Hour, time.Hour, ring)
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
	} {
		synctest.Test(t, func(t *testing.T) {
			var c alarm.Clock
			for range 50 {
				begin := time.Now()
				rang := make(chan time.Duration)
				c.Set(one, tt.min, tt.max, func(alarm.Ring) { rang <- time.Since(begin) })
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
