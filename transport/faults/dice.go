package faults

import "math/bits"

// dice are the random numbers of one packet. They depend on the seed, the link and the number of packets sent
// over the link before. They do not depend on the time or on other links.
type dice uint64

func throw(seed uint64, l link, sent uint64) dice {
	d := dice(seed)
	for _, x := range [...]uint64{uint64(l.from), uint64(l.to), uint64(l.port), sent} {
		d = dice(d.next() ^ x)
	}
	return d
}

// next returns the next random number, by a counter and a mixing function (SplitMix64).
func (d *dice) next() uint64 {
	*d += 0x9e3779b97f4a7c15
	x := uint64(*d)
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// chance reports whether an event with this probability happens.
func (d *dice) chance(probability float64) bool {
	return float64(d.next()>>11)/(1<<53) < probability
}

// below returns a random number less than n, or any number if n is zero.
func (d *dice) below(n uint64) uint64 {
	x := d.next()
	if n == 0 {
		return x
	}
	high, _ := bits.Mul64(x, n)
	return high
}
