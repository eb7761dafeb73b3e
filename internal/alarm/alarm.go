// Package alarm manages the timers of one process. A timer that was stopped or set again never reports an old
// expiry, even one that was already waiting to be handled.
package alarm

import (
	"math/rand/v2"
	"time"
)

// Key names a timer of a process: which one, of which machine of a stack.
type Key struct{ Layer, Timer uint8 }

// Expiry is the value that an expiring timer sends. [Clock.Accept] reports whether it is still valid.
type Expiry struct {
	Key
	Seq uint32
}

// Clock holds the timers of one process. Its zero value has none. It is used by one goroutine;
// only the expiries come from others.
type Clock struct {
	running map[Key]running
	seq     uint32
}

type running struct {
	timer *time.Timer
	seq   uint32
}

// Set starts or restarts a timer, which calls expire in a goroutine of its own after a time between min and
// max. It returns the number of expiries that will no longer come.
func (c *Clock) Set(k Key, min, max time.Duration, expire func(Expiry)) (spared int) {
	// Do not use Reset: an expiry of the old setting may be in flight, and only a new number tells them
	// apart.
	spared = c.Stop(k)
	wait := draw(min, max)
	if c.running == nil {
		c.running = make(map[Key]running)
	}
	c.seq++
	r := Expiry{Key: k, Seq: c.seq}
	c.running[k] = running{timer: time.AfterFunc(wait, func() { expire(r) }), seq: r.Seq}
	return spared
}

// draw returns a time that is not less than least, nor more than most unless that is less.
func draw(least, most time.Duration) time.Duration {
	least = max(least, 0)
	return least + time.Duration(rand.Uint64N(uint64(max(least, most)-least)+1))
}

// Stop stops a timer. It returns 1 if that has spared an expiry, 0 if none was to come or it is
// already on its way.
func (c *Clock) Stop(k Key) (spared int) {
	r, ok := c.running[k]
	if !ok {
		return 0
	}
	delete(c.running, k)
	if r.timer.Stop() {
		return 1
	}
	return 0
}

// StopLayer stops every timer of one machine and returns how many expiries that has spared.
func (c *Clock) StopLayer(layer uint8) (spared int) {
	for k := range c.running {
		if k.Layer == layer {
			spared += c.Stop(k)
		}
	}
	return spared
}

// StopAll stops every timer and returns how many expiries that has spared.
func (c *Clock) StopAll() (spared int) {
	for k := range c.running {
		spared += c.Stop(k)
	}
	return spared
}

// Accept takes an expiry and reports whether it is valid: the timer was neither stopped nor set again after
// it expired.
func (c *Clock) Accept(r Expiry) bool {
	// A timer that does not run has seq zero, which no expiry has.
	if c.running[r.Key].seq != r.Seq {
		return false
	}
	delete(c.running, r.Key)
	return true
}
