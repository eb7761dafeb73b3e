package scenario

import (
	"math"
	"time"

	"github.com/go-election/election"
	"github.com/go-election/election/input"
)

// ClockRate is the rate of the clock of a process: 1.01 is a second too fast in a hundred. Clocks that
// are not listed are right.
type ClockRate struct {
	ID   election.ID
	Rate float64
}

// million is what rates are counted in, so that equal inputs give equal times on every machine.
const million = 1_000_000

// Clocks are the clocks of the processes of a run. A nil one has clocks that are all right.
type Clocks struct{ rates []int64 } // by process, in millionths

// Clocks returns the clocks of the processes, nil if all are right.
func (in *Input) Clocks() *Clocks {
	if len(in.ClockRates) == 0 {
		return nil
	}
	c := &Clocks{rates: make([]int64, len(in.IDs))}
	for p := range c.rates {
		c.rates[p] = million
	}
	where := in.Positions()
	for _, r := range in.ClockRates {
		c.rates[where[r.ID]] = int64(math.Round(r.Rate * million))
	}
	return c
}

// WrongClocks reports whether any clock runs at another rate than time.
func (in *Input) WrongClocks() bool { return in.Drift() > 0 }

// Drift returns by how much the clock that is most wrong runs too fast or too slowly, as
// [election.Faults.Drift] has it.
func (in *Input) Drift() (most float64) {
	for _, r := range in.ClockRates {
		most = max(most, math.Abs(r.Rate-1))
	}
	return most
}

// Local returns what the clock of a process shows at a time.
func (c *Clocks) Local(p int, at time.Duration) time.Duration {
	if c == nil {
		return at
	}
	r := c.rates[p]
	// In two parts: the product of the whole would not fit.
	return at/million*time.Duration(r) + at%million*time.Duration(r)/million
}

// After returns how long it takes for the clock of a process to go on by d at least.
func (c *Clocks) After(p int, d time.Duration) time.Duration {
	if c == nil || d == 0 {
		return d
	}
	r := time.Duration(c.rates[p])
	// d/r*million + d%r*million/r, rounded up. A clock that is very slow may need longer than there is time.
	if d/r > math.MaxInt64/million-1 {
		return math.MaxInt64
	}
	return d/r*million + (d%r*million+r-1)/r
}

// When returns the time at which the clock of a process will show a time, or now if it shows that already. It
// is a nanosecond early, since clocks are rounded: what ends then has ended by any clock.
func (c *Clocks) When(p int, now, shows time.Duration) time.Duration {
	return now + max(c.After(p, shows-c.Local(p, now))-1, 0)
}

// checkClocks wants each rate to be one of a process, and above zero.
func (in *Input) checkClocks(where map[election.ID]int) error {
	seen := make(map[election.ID]bool)
	for i, r := range in.ClockRates {
		switch _, ok := where[r.ID]; {
		case !ok:
			return input.Errorf("clock_rates[%d]: %d is not a process", i, r.ID)
		case seen[r.ID]:
			return input.Errorf("clock_rates[%d]: %d is listed twice", i, r.ID)
		case !(r.Rate >= 0.1 && r.Rate <= 10):
			return input.Errorf("clock_rates[%d]: %v is not between 0.1 and 10", i, r.Rate)
		}
		seen[r.ID] = true
	}
	return nil
}

func (p *parser) clockRates() []ClockRate {
	all := []ClockRate{}
	p.list(MaxProcesses, func(int) {
		var r ClockRate
		p.tuple("a list [id, rate]", func() { r.ID = p.id() }, func() { r.Rate = p.number("a rate") })
		all = append(all, r)
	})
	return all
}
