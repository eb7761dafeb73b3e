package detect

import (
	"time"

	"github.com/go-election/election"
	"github.com/go-election/election/params"
)

// Deadline suspects a process after a fixed time of silence. A crash is suspected between Timeout - Interval
// and Timeout after it, plus the delay of the last beat.
//
// If each beat is lost independently with probability p, delays vary by much less than Interval, and Timeout is
// between k and k+1 Intervals, then a live process is suspected (1-p)·p^k/Interval times per second. The best
// Timeout is halfway between two multiples of Interval, where jitter has the least effect.
type Deadline struct {
	// Interval is the period of beats; if zero, Delay, or a tenth of a second.
	Interval time.Duration
	// Timeout is how long a process may be silent; if zero, 2*Interval + Delay, or 9.5*Interval if there is no
	// Delay. It must be longer than Interval + Delay.
	Timeout time.Duration
	// Delay is the maximum delay of a message: if no message takes longer, no live process is suspected. If
	// zero, the Delay of the algorithm or, if it has none, the delay that Interval and Timeout allow for.
	Delay time.Duration

	words params.Wording
}

func (d Deadline) plan(delay time.Duration) (*plan, error) {
	if err := checkTimes(d.params(), d.words); err != nil {
		return nil, err
	}
	if d.Delay == 0 {
		d.Delay = delay
	}
	d.Interval = orDefault(d.Interval, d.Delay)
	switch {
	case d.Timeout > 0:
	case d.Delay > 0:
		d.Timeout = 2*d.Interval + d.Delay
	default:
		d.Timeout = 9*d.Interval + d.Interval/2
	}
	if d.Timeout <= d.Interval+d.Delay {
		return nil, d.words.Errorf("timeout", "%v is not longer than {interval} + {delay}, %v: beats may be "+
			"that far apart", d.Timeout, d.Interval+d.Delay)
	}
	if d.Delay == 0 {
		d.Delay = d.Timeout - d.Interval - 1
	}
	return &plan{name: "deadline", interval: d.Interval, delay: d.Delay, first: d.Timeout, judge: d}, nil
}

// hear postpones the deadline (rule 4).
func (d Deadline) hear(p *peer, at time.Duration, _ *election.Message, _ bool) {
	p.until = at + d.Timeout
}

// params returns the parameters, which are stored in d.
func (d *Deadline) params() params.Table {
	return params.Table{intervalParam(&d.Interval),
		{Name: "timeout", About: "how long a process may be silent", Default: "2 intervals and the delay",
			Positive: "zero leaves no time for a beat", To: params.Time(&d.Timeout)},
		delayParam(&d.Delay)}
}

func (d Deadline) table() params.Table { return d.params().Described() }

func (d Deadline) read(from func(params.Table) error) (Detector, error) {
	d.words = params.ForFiles
	err := from(d.params())
	return d, err
}
