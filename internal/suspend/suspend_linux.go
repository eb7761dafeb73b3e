package suspend

import (
	"syscall"
	"time"
	"unsafe"
)

// The clocks of clock_gettime. Both count from the start of the machine; boottime goes on while it sleeps.
const (
	monotonic = 1
	boottime  = 7
)

// asleep compares two clocks instead of reading one: only their difference is missing from package time,
// and a test that runs in virtual time sees none.
func asleep() time.Duration {
	before, ok := read(boottime)
	if !ok {
		return 0
	}
	now, ok := read(monotonic)
	if !ok {
		return 0
	}
	// A thread that pauses between the two reads shows a difference that is too small, never one that is too
	// large by more than the grain of the clocks.
	return max(before-now, 0)
}

// shared reads the clock that package time measures by, which that package does not show.
func shared() time.Duration {
	t, _ := read(monotonic) // no Linux is without it
	return t
}

// read returns the time of a clock.
func read(clock uintptr) (time.Duration, bool) {
	var t syscall.Timespec
	// Package syscall has no function for it, and the system call of 32-bit systems takes the same struct.
	_, _, errno := syscall.RawSyscall(syscall.SYS_CLOCK_GETTIME, clock, uintptr(unsafe.Pointer(&t)), 0)
	return time.Duration(t.Nano()), errno == 0
}
