package suspend_test

import (
	"os"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election/internal/suspend"
)

// TestBubble: in a bubble the clock shows the time of the bubble, also when that has come to the present, and
// the time for which a test suspends the machine.
func TestBubble(t *testing.T) {
	present := time.Now()
	synctest.Test(t, func(t *testing.T) {
		for range 2 {
			now, began := suspend.Clock(), time.Now()
			require.Zero(t, now())
			time.Sleep(time.Hour)
			require.Equal(t, time.Hour, now())
			suspend.Suspend(time.Minute)
			require.Equal(t, time.Hour+time.Minute, now())
			require.Equal(t, time.Hour, time.Since(began))
			require.Zero(t, suspend.Clock()())
			time.Sleep(time.Until(present))
		}
	})
}

// TestNow: the time is the same for all programs of this machine.
func TestNow(t *testing.T) {
	if runtime.GOOS != "linux" {
		require.WithinDuration(t, time.Now(), time.Unix(0, int64(suspend.Now())), time.Minute)
		return
	}
	before := suspend.Now()
	b, err := os.ReadFile("/proc/uptime")
	require.NoError(t, err)
	after := suspend.Now()
	up, err := time.ParseDuration(strings.Fields(string(b))[0] + "s")
	require.NoError(t, err)
	const grain = 20 * time.Millisecond // it has two decimals
	require.LessOrEqual(t, before-grain, up)
	require.LessOrEqual(t, up, after+grain)
}

// BenchmarkClock compares the clock with the one of package time.
func BenchmarkClock(b *testing.B) {
	now, began := suspend.Clock(), time.Now()
	for name, read := range map[string]func() time.Duration{
		"suspend": now,
		"time":    func() time.Duration { return time.Since(began) },
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				read()
			}
		})
	}
}
