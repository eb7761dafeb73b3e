// Package suspend says for how long this machine has slept. The clock of package time stands still meanwhile,
// and so would a lease that is measured by it.
package suspend

import "time"

// Asleep returns for how long the machine has been suspended since it was started. It is zero where the
// system does not say: elsewhere than on Linux.
func Asleep() time.Duration { return asleep() }

// Monotonic returns the time since a moment that all programs on this machine share. Elsewhere than on
// Linux that is a date, and the time jumps when the clock of the wall is set.
func Monotonic() time.Duration { return shared() }
