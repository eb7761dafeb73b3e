package faults

import "github.com/go-election/election/internal/splitmix"

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

// next returns the next random number.
func (d *dice) next() uint64 { return (*splitmix.Source)(d).Next() }

// chance reports whether an event with this probability happens.
func (d *dice) chance(probability float64) bool {
	return float64(d.next()>>11)/(1<<53) < probability
}

// below returns a random number less than n, or any number if n is zero.
func (d *dice) below(n uint64) uint64 {
	if n == 0 {
		return d.next()
	}
	return (*splitmix.Source)(d).Below(n)
}
