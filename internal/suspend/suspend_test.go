package suspend_test

import (
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election/internal/suspend"
)

// TestAsleep: the answer does not shrink by more than the two clocks are read apart, does not grow while the
// machine is awake, and fits into the time that the machine has been up for.
func TestAsleep(t *testing.T) {
	first := suspend.Asleep()
	require.GreaterOrEqual(t, first, time.Duration(0))
	least, most := first, first
	for range 1000 {
		at := suspend.Asleep()
		least, most = min(least, at), max(most, at)
	}
	// The reads are apart by microseconds, and the largest answer is that of two that were next to each
	// other.
	require.LessOrEqual(t, most-suspend.Asleep(), time.Minute)
	if runtime.GOOS != "linux" {
		require.Zero(t, most)
		return
	}
	b, err := os.ReadFile("/proc/uptime")
	require.NoError(t, err)
	up, err := time.ParseDuration(strings.Fields(string(b))[0] + "s")
	require.NoError(t, err)
	require.Less(t, most, up+time.Second)
}
