package check

import (
	"errors"
	"fmt"
	"time"

	"github.com/go-election/election/lab/scenario"
)

// inTicks runs a search, which returns why it has stopped. Only the search finds a timer that runs out
// between two ticks. Where the tick is ours, it begins again.
func inTicks(c Config, search func(Config) error) {
	given := c.Tick != 0
	if !given {
		c.Tick = c.tickOf()
	}
	for {
		var m *misfit
		if stopped := search(c); given || !errors.As(stopped, &m) {
			return
		}
		c.Tick = gcd(m.tick, m.timer) // as coarse as it may be
		if c.checkTime() != nil {
			return
		}
	}
}

func gcd(a, b time.Duration) time.Duration {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// tickOf returns a tick that has a Delay and the times of the steps before as multiples; zero, for the
// default, where it would be too small.
func (c *Config) tickOf() time.Duration {
	if len(c.After) == 0 || c.Delay <= 0 {
		return 0
	}
	tick, at := c.Delay, -scenario.Unit
	for i := range c.After {
		at = c.After[i].When(at)
		tick = gcd(tick, at)
	}
	finer := *c
	if finer.Tick = tick; finer.checkTime() != nil {
		return 0
	}
	return tick
}

// timerTicks returns a bound of a timer in ticks, no more than there can be. One between two ticks ends the
// search: with either of them something else might hold.
func (m *model) timerTicks(d time.Duration) time.Duration {
	// What runs out after the end of every run is all the same.
	d = min(d, (maxTicks+1)*m.config.Tick)
	switch rest := d % m.config.Tick; {
	case rest == 0:
	case m.config.Until > 0 && d > m.config.Until:
		d += m.config.Tick - rest // after the end as well
	default:
		var err error = &misfit{timer: d, tick: m.config.Tick}
		m.large.CompareAndSwap(nil, &err)
	}
	return m.ticks(d)
}

// afterTicks returns after how many ticks the clock of a process has gone on by d.
func (m *model) afterTicks(p int, d time.Duration) time.Duration {
	d = min(d, (maxTicks+1)*m.config.Tick)
	return (m.clocks.After(p, d) + m.config.Tick - 1) / m.config.Tick
}

// ErrTick is wrapped by what stops a search at a timer that runs out between two ticks.
var ErrTick = errors.New("check: a timer runs out between two ticks")

// misfit is such a timer.
type misfit struct{ timer, tick time.Duration }

func (e *misfit) Unwrap() error { return ErrTick }

func (e *misfit) Error() string {
	return fmt.Sprintf("check: a timer of %v units runs out between ticks of %v; give a tick that divides it",
		scenario.InUnits(e.timer), scenario.InUnits(e.tick))
}

// ticks returns a time in ticks.
func (m *model) ticks(d time.Duration) time.Duration { return d / m.config.Tick }
