package detect

import (
	"math"
	"time"

	"github.com/go-election/election/input"
)

// Requirements are the requirements of a service for a failure detector.
type Requirements struct {
	Detection    time.Duration // maximum time between a crash and its suspicion
	MistakeEvery time.Duration // minimum of the mean time between two wrong suspicions of one process
	MistakeFor   time.Duration // maximum of the mean duration of a wrong suspicion
}

// Network contains measurements of the links. Beats are assumed to be lost and delayed independently.
type Network struct {
	Loss      float64       // probability that a beat is lost
	Mean      time.Duration // mean delay
	Deviation time.Duration // standard deviation of the delay
}

// mostBeats is the maximum number of beats within a detection time. If a hundred are not enough, the delays
// vary by more than the detection may take, and more beats hardly help.
const mostBeats = 100

// pieceSteps is the number of steps into which the search divides a piece of the range of intervals.
const pieceSteps = 200

// FromQoS returns the detector that meets the requirements with the fewest beats, by the procedure of Chen,
// Toueg and Aguilera (2002, section 5.3). It uses only the mean and deviation of delays, so the detector does
// much better on most networks. If a value is invalid or no detector meets the requirements, the error wraps
// election.ErrInput.
func FromQoS(r Requirements, n Network) (Chen, error) {
	// T: Detection counts from the crash, and the last beat needs time to arrive
	beyond := (r.Detection - n.Mean).Seconds()
	variance := n.Deviation.Seconds() * n.Deviation.Seconds()
	switch {
	case r.Detection <= 0:
		return Chen{}, input.Errorf("Detection: %v is not above 0", r.Detection)
	case r.MistakeEvery <= 0:
		return Chen{}, input.Errorf("MistakeEvery: %v is not above 0", r.MistakeEvery)
	case r.MistakeFor <= 0:
		return Chen{}, input.Errorf("MistakeFor: %v is not above 0", r.MistakeFor)
	case !(n.Loss >= 0 && n.Loss < 1): // written so that it also rejects NaN
		return Chen{}, input.Errorf("Loss: %v is not a probability below 1", n.Loss)
	case n.Mean < 0:
		return Chen{}, input.Errorf("Mean: %v is below 0", n.Mean)
	case n.Deviation < 0:
		return Chen{}, input.Errorf("Deviation: %v is below 0", n.Deviation)
	case beyond <= 0:
		return Chen{}, input.Errorf("Detection: %v is not longer than the mean delay, %v", r.Detection,
			n.Mean)
	}
	q := quality{beyond: beyond, variance: variance, loss: n.Loss}
	gamma := (1 - n.Loss) * beyond * beyond / (variance + beyond*beyond)
	// Use nine tenths, where the paper uses the whole: an interval as long as the detection time leaves no
	// margin.
	longest := min(gamma*r.MistakeFor.Seconds(), 0.9*beyond)
	interval := q.longestInterval(longest, math.Log(r.MistakeEvery.Seconds()))
	c := Chen{Interval: time.Duration(interval * float64(time.Second))}
	c.Margin = r.Detection - n.Mean - c.Interval
	// Margin needs no check: Interval is below beyond by more than the rounding to a whole nanosecond.
	if c.Interval == 0 {
		return Chen{}, input.Errorf("no detector suspects a crash within %v and makes a mistake every %v on "+
			"such a network, by %d beats a detection", r.Detection, r.MistakeEvery, mostBeats)
	}
	return c, nil
}

// quality computes bounds on the mistakes of a detector with a given detection time.
type quality struct{ beyond, variance, loss float64 }

// mistakeEvery returns the logarithm of the minimum mean time between two mistakes, in seconds, for a given
// interval of beats. It is a product over the beats that would all have to be late or lost.
func (q *quality) mistakeEvery(interval float64) float64 {
	sum := math.Log(interval)
	for j := 1; j < int(math.Ceil(q.beyond/interval)); j++ {
		left := q.beyond - float64(j)*interval
		above, below := q.variance+left*left, q.variance+q.loss*left*left
		if below == 0 { // a network without loss and jitter: no beat is ever missed
			return math.Inf(1)
		}
		sum += math.Log(above / below)
	}
	return sum
}

// longestInterval returns the largest interval that causes no more mistakes than allowed, or zero if there is
// none. The bound jumps whenever one more beat fits into the detection time, so a bisection of the whole range
// may miss the largest interval: search piece by piece, from above.
func (q *quality) longestInterval(longest, every float64) float64 {
	for beats := 1; beats <= mostBeats; beats++ {
		top, bottom := min(q.beyond/float64(beats), longest), q.beyond/float64(beats+1)
		if bottom >= longest {
			continue
		}
		for step := range pieceSteps {
			low := top - (top-bottom)*float64(step)/pieceSteps
			if q.mistakeEvery(low) >= every {
				low, _ = bisect(low, top, func(middle float64) bool { return q.mistakeEvery(middle) < every })
				return low
			}
		}
	}
	return 0
}

// bisect narrows a range until no number lies between its ends. The condition holds at the upper end only.
func bisect(low, high float64, holds func(float64) bool) (float64, float64) {
	for {
		middle := (low + high) / 2
		switch {
		case middle == low || middle == high:
			return low, high
		case holds(middle):
			high = middle
		default:
			low = middle
		}
	}
}
