// Package suspend provides clocks that include the time for which the machine is suspended. The monotonic
// clock of package time stands still meanwhile on Linux, and so would a lease that is measured by it.
package suspend

import (
	"sync/atomic"
	"time"
)

// Clock returns a function that returns the time since the call of Clock. The time never goes back.
//
// On Linux, the function reads CLOCK_BOOTTIME. On other systems it reads the monotonic clock of package time,
// which may stop while the machine is suspended. If Clock is called in a bubble of testing/synctest, the
// function returns the time of the bubble plus the durations passed to [Suspend].
func Clock() func() time.Duration {
	if now := system(); now != nil {
		began := now()
		return func() time.Duration { return now() - began }
	}
	began, before := time.Now(), suspended.Load()
	return func() time.Duration { return time.Since(began) + time.Duration(suspended.Load()-before) }
}

// suspended is the sum of what Suspend has added.
var suspended atomic.Int64

// Suspend simulates that the machine is suspended for d: it advances all clocks that were made in bubbles of
// testing/synctest, but no timer. Only tests that do not run in parallel may call it.
func Suspend(d time.Duration) { suspended.Add(int64(d)) }

// Now returns the time since a moment that all programs on this machine share, also in a bubble of
// testing/synctest. On Linux it returns CLOCK_BOOTTIME, the time since the machine was booted. On other
// systems it returns the time since 1970, which jumps when the system's time is set.
func Now() time.Duration { return shared() }
