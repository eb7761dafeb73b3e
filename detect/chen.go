package detect

import (
	"time"

	"github.com/go-election/election"
	"github.com/go-election/election/params"
)

// Chen is NFD-E of Chen, Toueg and Aguilera (2002): beats are numbered, and the next one is expected when the
// last ones say, on average. A process is suspected when no newer beat has come by Margin after that.
//
// A crash is suspected at most Interval + Margin after it, and the mean delay. Unlike the silence since the
// last beat, that does not depend on how late that beat was. [FromQoS] finds Interval and Margin for what a
// service asks.
type Chen struct {
	// Interval is how often beats are sent; if zero, Delay, or a tenth of a second.
	Interval time.Duration
	// Margin is by how much a beat may be late; if zero, Interval + Delay, or 8.5*Interval where no Delay is
	// given. It must be longer than Delay.
	Margin time.Duration
	// Window is the number of beats that count, the last ones, up to 16,384; if zero, 100.
	Window uint64
	// Delay is the longest that a message takes: within it no process that is up is suspected. If zero, the
	// Delay of the algorithm or, where that has none, what Margin allows for.
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

// hear notes by how much a beat differs from the schedule that begins with the first one (rule 6).
func (d Chen) hear(p *peer, at time.Duration, m *election.Message, learn bool) {
	late, known := d.lateness(p, at, m.Value)
	switch {
	case !p.heard || m.Flags&flagFirst != 0 || learn && !known:
		p.history.clear()
		p.base, p.first, p.newest = at, m.Value, m.Value
		p.history.add(0, d.Window)
	case m.Value <= p.newest: // overtaken by a newer one, which says more
		return
	case !known: // this process was paused: wait for beats that show the network as it is
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

// lateness returns how much later a beat came than by the schedule, and whether it can belong to that: a
// process that has come back counts from one again, and one whose clock stood still is behind for good.
func (d Chen) lateness(p *peer, at time.Duration, number uint64) (late time.Duration, known bool) {
	beats := int64(number - p.first)              // modulo 2^64, so that smaller numbers are negative
	most := int64(params.MaxTimeout / d.Interval) // of more, the product below may overflow
	late = at - p.base - time.Duration(beats)*d.Interval
	off := late - p.history.mean()
	limit := 2 * (d.Interval + d.Margin)
	return late, -most <= beats && beats <= most && -limit <= off && off <= limit
}

// params returns the parameters, whose values go to d.
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
