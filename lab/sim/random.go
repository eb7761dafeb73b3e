package sim

import (
	"math"
	"math/bits"
	"time"

	"github.com/go-election/election/lab/scenario"
)

// random generates numbers from a seed: a counter with a constant increment, mixed as in SplitMix64 but with
// a single multiplier. A seed gives the same numbers in every Go release. Copying a random copies its state.
type random struct{ counter uint64 }

func (r *random) next() uint64 {
	r.counter += 0x9e3779b97f4a7c15
	x := r.counter
	x = (x ^ x>>32) * 0xd6e8feb86659fd93
	x = (x ^ x>>32) * 0xd6e8feb86659fd93
	return x ^ x>>32
}

// uintN returns a number from 0 to n-1. Some are more probable than others by n in 2^64, which no run shows.
func (r *random) uintN(n uint64) uint64 {
	hi, _ := bits.Mul64(r.next(), n)
	return hi
}

// float returns a number above 0, up to 1.
func (r *random) float() float64 { return float64(r.next()>>11+1) / (1 << 53) }

// Shuffle puts n things in an order drawn from seed.
func Shuffle(seed uint64, n int, swap func(i, j int)) {
	r := random{seed}
	for done := range n {
		left := n - done
		swap(left-1, int(r.uintN(uint64(left))))
	}
}

// ln returns the natural logarithm of x > 0. Unlike math.Log it gives the same bits on every
// machine: the conversions keep compilers from fusing operations.
func ln(x float64) float64 {
	fraction, exponent := math.Frexp(x)
	z := (fraction - 1) / (fraction + 1) // at least -1/3
	square := float64(z * z)
	sum, power := z, z
	for k := 3.0; k < 40; k += 2 {
		power = float64(power * square)
		sum += float64(power / k)
	}
	return float64(2*sum) + float64(float64(exponent)*math.Ln2)
}

// delay returns how long a message takes under a random schedule.
func (r *random) delay(d *scenario.Delay) time.Duration {
	if d.Distribution == scenario.Exponential {
		x := min(-ln(r.float()), scenario.LongestMeans)
		return max(time.Duration(float64(x*float64(d.Mean))), 1)
	}
	return d.Min + time.Duration(r.uintN(uint64(d.Max-d.Min)+1))
}
