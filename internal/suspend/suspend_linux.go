package suspend

import (
	"syscall"
	"time"
	"unsafe"
)

// The clocks of clock_gettime.
const (
	realtime = 0
	boottime = 7
)

// system returns the clock of the system. It returns nil if the caller is in a bubble of testing/synctest, or
// if the system does not allow it to read that clock.
func system() func() time.Duration {
	if _, ok := read(boottime); !ok || inBubble() {
		return nil
	}
	// One clock is read, once. The difference of two clocks would go back when the program is stopped
	// between the two reads.
	return shared
}

// shared returns the time since the machine was booted.
func shared() time.Duration {
	now, _ := read(boottime)
	return now
}

// inBubble reports whether the caller is in a bubble of testing/synctest, which has a time of its own.
func inBubble() bool {
	// More than once, since the system's time may be set between two of the reads.
	for range 3 {
		before, _ := read(realtime)
		now := time.Now()
		after, _ := read(realtime)
		// A time with a monotonic reading is not from a bubble. Until 2157 that is each time of the system.
		at := time.Duration(now.UnixNano())
		if now != now.Round(0) || before <= at && at <= after {
			return false
		}
	}
	return true
}

// read returns the time of a clock; tests replace it.
var read = gettime

func gettime(clock uintptr) (now time.Duration, ok bool) {
	var t syscall.Timespec
	// Package syscall has no function for it, and the system call of 32-bit systems takes the same struct.
	_, _, errno := syscall.RawSyscall(syscall.SYS_CLOCK_GETTIME, clock, uintptr(unsafe.Pointer(&t)), 0)
	return time.Duration(t.Nano()), errno == 0
}
