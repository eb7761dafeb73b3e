package electortest

import (
	"sync"
	"time"
)

// clock is the clock of a member. The argument of its methods is the virtual time since the run began.
type clock struct {
	now   func() time.Duration
	start time.Duration // its value when the run begins
	rate  float64

	mu     sync.Mutex
	stands bool // the member is paused
	since  time.Duration
}

// at returns the value of the clock at time t, unless it stands still.
func (c *clock) at(t time.Duration) time.Duration { return c.start + time.Duration(float64(t)*c.rate) }

// rounding is more than the rounding error of a quotient of floats, within the times of a run.
const rounding = 4 * time.Nanosecond

// when returns the first time at which the clock shows at least the given value.
func (c *clock) when(shows time.Duration) time.Duration {
	// The quotient is rounded, and so is the result of at, so find the exact nanosecond step by step.
	t := max(time.Duration(float64(shows-c.start)/c.rate)-rounding, 0)
	for c.at(t) < shows {
		t++
	}
	return t
}

// read returns the value that the member sees.
func (c *clock) read() time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.stands {
		return c.at(c.since)
	}
	return c.at(c.now())
}

// pause stops the clock, or makes it jump to its current value.
func (c *clock) pause(on bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.stands, c.since = on, c.now()
}
