package detect

import (
	"math"
	"math/bits"
	"time"

	"github.com/go-election/election"
)

const (
	// mostSamples is the maximum size of a window: together with largestSample, it prevents overflow of the
	// sums below.
	mostSamples = 1 << 14
	// largestSample is three days. A longer sample is reduced to it.
	largestSample = time.Duration(1 << 48)
)

// history is a window over the last samples, with their sums. The sums are integers, so that they stay exact
// however many samples are added and removed.
type history struct {
	samples   []time.Duration
	next      uint32 // position of the next sample when the window is full
	sum       time.Duration
	high, low uint64 // sum of the squares
}

// add adds a sample. If the window is full, it drops the oldest.
func (h *history) add(sample time.Duration, window uint64) {
	sample = min(max(sample, -largestSample), largestSample)
	if uint64(len(h.samples)) < window {
		h.samples = append(h.samples, sample)
	} else {
		if h.next >= uint32(len(h.samples)) {
			h.next = 0
		}
		oldest := &h.samples[h.next]
		h.next++
		high, low := square(*oldest)
		var borrow uint64
		h.sum -= *oldest
		h.low, borrow = bits.Sub64(h.low, low, 0)
		h.high, _ = bits.Sub64(h.high, high, borrow)
		*oldest = sample
	}
	high, low := square(sample)
	var carry uint64
	h.sum += sample
	h.low, carry = bits.Add64(h.low, low, 0)
	h.high, _ = bits.Add64(h.high, high, carry)
}

func square(d time.Duration) (high, low uint64) {
	size := uint64(max(d, -d))
	return bits.Mul64(size, size)
}

// clear removes all samples.
func (h *history) clear() {
	*h = history{samples: h.samples[:0]}
}

// mean returns the mean of the samples, or zero if there are none.
func (h *history) mean() time.Duration {
	if len(h.samples) == 0 {
		return 0
	}
	return h.sum / time.Duration(len(h.samples))
}

// deviation returns the population standard deviation of the samples.
func (h *history) deviation() time.Duration {
	n := uint64(len(h.samples))
	if n == 0 {
		return 0
	}
	// n·Σx² - (Σx)² has at most 124 bits.
	high, low := bits.Mul64(h.low, n)
	high += h.high * n
	sumHigh, sumLow := square(h.sum)
	low, borrow := bits.Sub64(low, sumLow, 0)
	high, borrow = bits.Sub64(high, sumHigh, borrow)
	if borrow > 0 { // never negative for exact sums, but the sums of a corrupted state may be anything
		return 0
	}
	return time.Duration(math.Sqrt(float64(high)*0x1p64+float64(low)) / float64(n))
}

func (h *history) visit(s *election.State) {
	election.VisitSlice(s, &h.samples, (*election.State).Duration)
	s.Uint32(&h.next)
	s.Duration(&h.sum)
	s.Uint64(&h.high)
	s.Uint64(&h.low)
}
