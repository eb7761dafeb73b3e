package suspend

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// The clocks by their numbers in clock_gettime(2).
const (
	clockRealtime  = 0
	clockMonotonic = 1
	clockBoottime  = 7
)

// machine is a kernel whose clocks show the time of a bubble. To the package it is a system without bubbles, in
// a year in which no time has a monotonic reading.
type machine struct {
	began   time.Time
	slept   time.Duration // how long it has been suspended
	pause   time.Duration // how long the program stops after it has read a clock
	set     time.Duration // what is added to the time of day, for one read
	refuses bool          // the program may not read the boot time
}

// simulate replaces the kernel until the test ends.
func simulate(t *testing.T) *machine {
	m := &machine{began: time.Now().Add(-time.Hour)}
	real := read
	t.Cleanup(func() { read = real })
	read = m.read
	return m
}

// read returns the time of a clock, and then stops its caller for a while.
func (m *machine) read(clock uintptr) (now time.Duration, ok bool) {
	switch clock {
	case clockRealtime:
		now = time.Duration(time.Now().UnixNano()) + m.set
		m.set = 0
	case clockMonotonic:
		now = time.Since(m.began)
	case clockBoottime:
		now = time.Since(m.began) + m.slept
	}
	time.Sleep(m.pause)
	return now, !m.refuses || clock != clockBoottime
}

// TestPausedWhileReading: a goroutine that stops while it reads the clock gets a time between the call and the
// return, and later calls return no earlier time.
func TestPausedWhileReading(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := simulate(t)
		m.slept = time.Hour // before the program began
		now, began := Clock(), time.Now()
		var last time.Duration
		for i := range 40 {
			called := time.Since(began)
			m.pause = time.Duration(i*7%10) * 100 * time.Millisecond
			at := now()
			require.GreaterOrEqual(t, at, last)
			require.GreaterOrEqual(t, at, called)
			require.LessOrEqual(t, at, time.Since(began))
			last = at
		}
		m.pause = 0
		require.Equal(t, time.Since(began), now())
		m.slept += time.Minute
		require.Equal(t, time.Since(began)+time.Minute, now())
	})
}

// TestTimeIsSet: a change of the system's time, while the package finds out whether it is in a bubble, is not
// taken for one.
func TestTimeIsSet(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := simulate(t)
		m.set = time.Hour
		now := Clock()
		require.Zero(t, m.set)
		m.slept += time.Minute
		require.Equal(t, time.Minute, now())
	})
}

// TestRefused: a program that may not read the boot time has the clock of package time.
func TestRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := simulate(t)
		m.refuses = true
		now := Clock()
		m.slept += time.Minute
		time.Sleep(time.Second)
		require.Equal(t, time.Second, now())
	})
}

// TestSystem: outside of bubbles a clock of the system is read, in one system call without an allocation.
func TestSystem(t *testing.T) {
	real := read
	t.Cleanup(func() { read = real })
	reads := 0
	now := Clock()
	read = func(clock uintptr) (time.Duration, bool) {
		reads++
		require.EqualValues(t, clockBoottime, clock)
		return real(clock)
	}
	require.Positive(t, now())
	require.Equal(t, 1, reads)
	read = real
	require.Zero(t, testing.AllocsPerRun(100, func() { now() }))
}
