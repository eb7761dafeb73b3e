package detect

import (
	"math"
	"time"

	"github.com/go-election/election"
	"github.com/go-election/election/params"
)

// Phi suspects a process when its silence has become improbable: φ is -log10 of the probability that the next
// beat arrives even later, given the intervals between the last beats. The process is suspected when φ reaches
// Threshold.
//
// By default the intervals are assumed to be normally distributed around their mean plus Pause (Hayashibara et
// al. 2004, as in Akka, with the exact tail of the distribution). With Exponential they are assumed to be
// exponentially distributed (as in Cassandra): φ then grows with the silence alone, and Deviation and Pause
// have no effect.
//
// At the default Threshold, a process is suspected after a silence of at most 18.4 mean intervals with
// Exponential, and mean + Pause + 5.6·deviation otherwise.
type Phi struct {
	// Interval is the period of beats; if zero, Delay, or a tenth of a second.
	Interval time.Duration
	// Threshold is the φ at which a process is suspected, up to 300; if zero, 8.
	Threshold uint64
	// Window is the number of recent intervals that are used, up to 16,384; if zero, 100.
	Window uint64
	// Deviation is the minimum standard deviation of the intervals: on a quiet network they hardly deviate, and
	// without a minimum the first late beat would cause a suspicion. If zero, a tenth of Interval.
	Deviation time.Duration
	// Pause is a silence that is always accepted in addition to the mean interval; if zero, 3*Interval, or
	// Delay if it is longer. It must not be less than Delay.
	Pause       time.Duration
	Exponential bool
	// Delay is the maximum delay of a message: if no message takes longer, no live process is suspected. If
	// zero, the Delay of the algorithm or, if it has none, the delay that the other durations allow for.
	Delay time.Duration

	words    params.Wording
	quantile float64 // of Threshold: in deviations, or in means
}

// Defaults and limits of a Phi.
const (
	defaultThreshold = 8
	defaultWindow    = 100
	mostThreshold    = 300       // the tail of the distribution still has all digits of a float64
	leastTail        = 0x1p-1022 // smaller values are raised to it, or φ would be infinite
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
	// No mean is below Interval. With this Delay, the silence of a live process stays below what the threshold
	// allows for, whatever the window contains.
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

// hear records the interval since the last beat, and computes when φ will reach the threshold (rule 5).
func (d Phi) hear(p *peer, at time.Duration, m *election.Message, learn bool) {
	switch {
	case !p.heard || m.Flags&flagFirst != 0:
		p.history.clear()
		d.seed(&p.history)
	case !learn:
	// Cassandra omits long intervals: an exponential distribution has no deviation that could absorb them.
	case d.Exponential && at-p.last > 2*d.Interval:
	// Akka omits an interval in which the process was suspected. A detector that mistakes each lost beat for a
	// crash then never learns that beats are lost. But the duration of a whole partition is not an interval
	// between beats: one such sample would blind the detector for as long as the window contains it.
	case p.suspected:
		p.history.add(min(at-p.last, 2*d.silence(&p.history)), d.Window)
	default:
		p.history.add(at-p.last, d.Window)
	}
	p.until = at + d.silence(&p.history)
}

// seed fills an empty window with a guess, so that the first beats decide nothing: with a wide normal
// distribution, or a long exponential one.
func (d Phi) seed(h *history) {
	if d.Exponential {
		h.add(2*d.Interval, d.Window)
		return
	}
	h.add(d.Interval-d.Interval/4, d.Window)
	h.add(d.Interval+d.Interval/4, d.Window)
}

// silence returns the duration without beats after which φ reaches the threshold.
func (d Phi) silence(h *history) time.Duration {
	// A process does not beat more often. A smaller mean results from beats that were delayed and arrive
	// together.
	mean := max(h.mean(), d.Interval)
	if d.Exponential {
		return clamped(float64(mean) * d.quantile)
	}
	spread := clamped(float64(max(h.deviation(), d.Deviation)) * d.quantile)
	return min(mean+d.Pause+spread, params.MaxTimeout)
}

// clamped converts nanoseconds to a duration, at most the longest time-out.
func clamped(t float64) time.Duration {
	if t < float64(params.MaxTimeout) {
		return time.Duration(t)
	}
	return params.MaxTimeout
}

// normalPhi returns φ for a beat that is late by y standard deviations.
func normalPhi(y float64) float64 {
	return -math.Log10(max(math.Erfc(y/math.Sqrt2)/2, leastTail))
}

// normalQuantile returns the number of standard deviations by which a beat is late when φ reaches a threshold.
// It does not use the standard library's inverse of erfc, which computes 1-x first and so loses all digits from
// a φ of 16 on.
func normalQuantile(phi float64) float64 {
	// At this upper bound of y, φ is above every threshold.
	_, y := bisect(0, mostThreshold, func(y float64) bool { return normalPhi(y) >= phi })
	return y
}

// params returns the parameters, which are stored in d.
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
