package detect

import (
	"math"
	"time"

	"github.com/go-election/election"
	"github.com/go-election/election/params"
)

// Phi suspects a process when its silence has become improbable: φ = -log10 of the probability that a beat
// comes later still, by the intervals between its last beats. It is suspected when φ reaches Threshold.
//
// By default intervals count as normally distributed, around their mean and Pause (Hayashibara et al.
// 2004, as in Akka, with the exact tail of the distribution). With Exponential they count as
// exponentially distributed (as in Cassandra): then φ grows with the silence alone, and Deviation and
// Pause have no effect.
//
// At most 18.4 mean intervals pass with Exponential, at the default Threshold. Otherwise
// mean + Pause + 5.6·deviation pass.
type Phi struct {
	// Interval is how often beats are sent; if zero, Delay, or a tenth of a second.
	Interval time.Duration
	// Threshold is the φ at which a process is suspected, up to 300; if zero, 8.
	Threshold uint64
	// Window is the number of intervals that count, the last ones, up to 16,384; if zero, 100.
	Window uint64
	// Deviation is the least standard deviation of the intervals: on a quiet network they hardly deviate, and
	// the first late beat would be a suspicion. If zero, a tenth of Interval.
	Deviation time.Duration
	// Pause is a silence that is always accepted, besides the mean interval; if zero, 3*Interval, or Delay if
	// that is more. Not less than Delay.
	Pause       time.Duration
	Exponential bool
	// Delay is the longest that a message takes: within it no process that is up is suspected. If zero, the
	// Delay of the algorithm or, where that has none, what the other times allow for.
	Delay time.Duration

	words    params.Wording
	quantile float64 // of Threshold: in deviations, or in means
}

// The defaults of a Phi.
const (
	defaultThreshold = 8
	defaultWindow    = 100
	mostThreshold    = 300       // where the tail of the distribution still has all digits of a float64
	leastTail        = 0x1p-1022 // a smaller one counts as that, or φ would be infinite
)

func (d Phi) plan(delay time.Duration) (*plan, error) {
	if err := checkTimes(d.params(), d.words); err != nil {
		return nil, err
	}
	if d.Threshold == 0 {
		d.Threshold = defaultThreshold
	}
	if d.Window == 0 {
		d.Window = defaultWindow
	}
	switch {
	case d.Threshold > mostThreshold:
		return nil, d.words.Errorf("threshold", "%d is not between 1 and %d", d.Threshold, mostThreshold)
	case d.Window > mostSamples:
		return nil, d.words.Errorf("window", "%d is not between 1 and %d", d.Window, mostSamples)
	}
	if d.Delay == 0 {
		d.Delay = delay
	}
	d.Interval = orDefault(d.Interval, d.Delay)
	if d.Deviation == 0 {
		d.Deviation = d.Interval / 10
	}
	if d.Pause == 0 {
		d.Pause = max(3*d.Interval, d.Delay)
	}
	// No mean is below Interval. Within this Delay the silence of a process that is up stays below what the
	// threshold allows for, whatever the window holds.
	allowed := d.Pause
	name := "phi"
	d.quantile = normalQuantile(float64(d.Threshold))
	if d.Exponential {
		name, d.quantile = "exponential phi", float64(d.Threshold)*math.Ln10
		allowed = clamped(float64(d.Interval)*(d.quantile-1)) - 1
	}
	switch {
	case d.Delay > allowed && d.Exponential:
		return nil, d.words.Errorf("delay", "%v is longer than %v, which this {threshold} allows for",
			d.Delay, allowed)
	case d.Delay > allowed:
		return nil, d.words.Errorf("pause", "%v is less than {delay}, %v, by which a beat may be late",
			d.Pause, d.Delay)
	case d.Delay == 0:
		d.Delay = allowed
	}
	first := history{}
	d.seed(&first)
	return &plan{name: name, interval: d.Interval, delay: d.Delay, first: d.silence(&first), judge: d}, nil
}

// hear notes how long ago the last beat came, and when φ will reach the threshold (rule 5).
func (d Phi) hear(p *peer, at time.Duration, m *election.Message, learn bool) {
	switch {
	case !p.heard || m.Flags&flagFirst != 0:
		p.history.clear()
		d.seed(&p.history)
	case !learn:
	// Cassandra leaves out long intervals: an exponential distribution has no deviation to put them into.
	case d.Exponential && at-p.last > 2*d.Interval:
	// Akka leaves out an interval in which the process was suspected. Then a detector that takes each
	// lost beat for a crash never learns that beats are lost. But a whole cut is no interval between two
	// beats: one such sample would blind the detector for as long as the window remembers it.
	case p.suspected:
		p.history.add(min(at-p.last, 2*d.silence(&p.history)), d.Window)
	default:
		p.history.add(at-p.last, d.Window)
	}
	p.until = at + d.silence(&p.history)
}

// seed fills an empty window with a guess, so that the first beats decide nothing: of the normal distribution
// a wide one, of the exponential a long one.
func (d Phi) seed(h *history) {
	if d.Exponential {
		h.add(2*d.Interval, d.Window)
		return
	}
	h.add(d.Interval-d.Interval/4, d.Window)
	h.add(d.Interval+d.Interval/4, d.Window)
}

// silence returns for how long no beat may come, until φ reaches the threshold.
func (d Phi) silence(h *history) time.Duration {
	// A process does not beat more often. A smaller mean comes of beats that were held up and arrive
	// together.
	mean := max(h.mean(), d.Interval)
	if d.Exponential {
		return clamped(float64(mean) * d.quantile)
	}
	spread := clamped(float64(max(h.deviation(), d.Deviation)) * d.quantile)
	return min(mean+d.Pause+spread, params.MaxTimeout)
}

// clamped returns a number of nanoseconds as a time, or the longest time-out.
func clamped(t float64) time.Duration {
	if t < float64(params.MaxTimeout) {
		return time.Duration(t)
	}
	return params.MaxTimeout
}

// normalPhi returns φ where a beat is late by y standard deviations.
func normalPhi(y float64) float64 {
	return -math.Log10(max(math.Erfc(y/math.Sqrt2)/2, leastTail))
}

// normalQuantile returns by how many standard deviations a beat is late where φ reaches a threshold. The
// standard library's inverse of erfc takes 1-x first, and so has no digits left from a φ of 16 on.
func normalQuantile(phi float64) float64 {
	// A y as large as that has a φ above every threshold.
	_, y := bisect(0, mostThreshold, func(y float64) bool { return normalPhi(y) >= phi })
	return y
}

// params returns the parameters, whose values go to d.
func (d *Phi) params() params.Table {
	return params.Table{intervalParam(&d.Interval),
		{Name: "threshold", About: "the φ at which a process is suspected", Default: "8",
			Positive: "φ is zero as soon as a beat has come", To: params.Count(&d.Threshold)},
		{Name: "window", About: "how many of the last intervals count", Default: "100",
			Positive: "no interval would count", To: params.Count(&d.Window)},
		{Name: "deviation", About: "the least standard deviation of intervals", Default: "interval/10",
			To: params.Time(&d.Deviation)},
		{Name: "pause", About: "a silence that is always accepted", Default: "3 intervals",
			To: params.Time(&d.Pause)},
		{Name: "exponential", About: "whether intervals are exponentially distributed", Default: "no",
			To: params.Truth(&d.Exponential)},
		delayParam(&d.Delay)}
}

func (d Phi) table() params.Table { return d.params().Described() }

func (d Phi) read(from func(params.Table) error) (Detector, error) {
	d.words = params.ForFiles
	err := from(d.params())
	return d, err
}
