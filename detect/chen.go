package detect

import (
	"time"

	"github.com/go-election/election"
	"github.com/go-election/election/params"
)

// Chen is NFD-E of Chen, Toueg and Aguilera (2002): beats are numbered, and the next beat is expected at a time
// that is estimated from the mean of the last ones. A process is suspected if no newer beat has arrived by
// Margin after that time.
//
// A crash is suspected at most Interval + Margin + the mean delay after it happens. Unlike a limit on the
// silence since the last beat, this does not depend on how late the last beat was. [FromQoS] computes Interval
// and Margin from the requirements of a service.
type Chen struct {
	// Interval is the period of beats; if zero, Delay, or a tenth of a second.
	Interval time.Duration
	// Margin is how late a beat may be; if zero, Interval + Delay, or 8.5*Interval if there is no Delay. It
	// must be longer than Delay.
	Margin time.Duration
	// Window is the number of recent beats that are used, up to 16,384; if zero, 100.
	Window uint64
	// Delay is the maximum delay of a message: if no message takes longer, no live process is suspected. If
	// zero, the Delay of the algorithm or, if it has none, the delay that Margin allows for.
	Delay time.Duration

	words params.Wording
}

func (d Chen) plan(delay time.Duration) (*plan, error) {
	if err := checkTimes(d.params(), d.words); err != nil {
		return nil, err
	}
	if d.Window == 0 {
		d.Window = defaultWindow
	}
	if d.Window > mostSamples {
		return nil, d.words.Errorf("window", "%d is not between 1 and %d", d.Window, mostSamples)
	}
	if d.Delay == 0 {
		d.Delay = delay
	}
	d.Interval = orDefault(d.Interval, d.Delay)
	switch {
	case d.Margin > 0:
	case d.Delay > 0:
		d.Margin = d.Interval + d.Delay
	default:
		d.Margin = 8*d.Interval + d.Interval/2
	}
	if d.Margin <= d.Delay {
		return nil, d.words.Errorf("margin", "%v is not longer than {delay}, %v, by which a beat may be late",
			d.Margin, d.Delay)
	}
	if d.Delay == 0 {
		d.Delay = d.Margin - 1
	}
	return &plan{name: "chen", interval: d.Interval, delay: d.Delay, first: d.Interval + d.Margin,
		numbered: true, judge: d}, nil
}

// hear records the difference between the arrival of a beat and the schedule that starts with the first beat
// (rule 6).
func (d Chen) hear(p *peer, at time.Duration, m *election.Message, learn bool) {
	late, known := d.lateness(p, at, m.Value)
	switch {
	case !p.heard || m.Flags&flagFirst != 0 || learn && !known:
		p.history.clear()
		p.base, p.first, p.newest = at, m.Value, m.Value
		p.history.add(0, d.Window)
	case m.Value <= p.newest: // overtaken by a newer beat, which is more informative
		return
	case !known: // this process was paused: wait for beats that reflect the network
		p.until = max(p.until, at+d.Interval+d.Margin)
		return
	default:
		p.newest = m.Value
		if learn {
			p.history.add(late, d.Window)
		}
	}
	expected := p.base + p.history.mean() + time.Duration(p.newest-p.first)*d.Interval
	p.until = expected + d.Interval + d.Margin
}

// lateness returns how much later than scheduled a beat arrived, and whether the beat belongs to the schedule:
// a process that has restarted counts from one again, and a process whose clock stood still stays behind.
func (d Chen) lateness(p *peer, at time.Duration, number uint64) (late time.Duration, known bool) {
	beats := int64(number - p.first)              // modulo 2^64, so that smaller numbers become negative
	most := int64(params.MaxTimeout / d.Interval) // with more beats, the product below may overflow
	late = at - p.base - time.Duration(beats)*d.Interval
	off := late - p.history.mean()
	limit := 2 * (d.Interval + d.Margin)
	return late, -most <= beats && beats <= most && -limit <= off && off <= limit
}

// params returns the parameters, which are stored in d.
func (d *Chen) params() params.Table {
	return params.Table{intervalParam(&d.Interval),
		{Name: "margin", About: "by how much a beat may be late", Default: "interval and delay",
			Positive: "every second beat is later than the mean", To: params.Time(&d.Margin)},
		{Name: "window", About: "how many of the last beats count", Default: "100",
			Positive: "no beat would count", To: params.Count(&d.Window)},
		delayParam(&d.Delay)}
}

func (d Chen) table() params.Table { return d.params().Described() }

func (d Chen) read(from func(params.Table) error) (Detector, error) {
	d.words = params.ForFiles
	err := from(d.params())
	return d, err
}
