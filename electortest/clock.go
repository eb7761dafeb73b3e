package electortest

import (
	"sync"
	"time"
)

// clock is the clock of a member. Its argument, and that of its methods, is the virtual time since the
// run began.
type clock struct {
	now   func() time.Duration
	start time.Duration // what it shows when the run begins
	rate  float64

	mu     sync.Mutex
	stands bool // the member is paused
	since  time.Duration
}

// at returns what the clock shows at a time, unless it stands still.
func (c *clock) at(t time.Duration) time.Duration { return c.start + time.Duration(float64(t)*c.rate) }

// rounding is more than what the quotient of two floats may be too large, in the times of a run.
const rounding = 4 * time.Nanosecond

// when returns the first time at which the clock shows at least that much.
func (c *clock) when(shows time.Duration) time.Duration {
	// The quotient is rounded, and so is what at returns: the exact nanosecond is found step by step.
	t := max(time.Duration(float64(shows-c.start)/c.rate)-rounding, 0)
	for c.at(t) < shows {
		t++
	}
	return t
}

// read returns what the member sees.
func (c *clock) read() time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.stands {
		return c.at(c.since)
	}
	return c.at(c.now())
}

// pause stops the clock, and lets it jump to where it would be.
func (c *clock) pause(on bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.stands, c.since = on, c.now()
}
