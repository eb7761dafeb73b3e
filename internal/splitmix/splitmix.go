// Package splitmix has the generator SplitMix64. A seed yields the same numbers on every machine and in every
// version of Go.
package splitmix

import "math/bits"

// Source is a generator of random numbers; its value is the seed.
type Source uint64

// Next returns the next number.
func (s *Source) Next() uint64 {
	*s += 0x9e3779b97f4a7c15
	return Mix(uint64(*s))
}

// Below returns a number from 0 to n-1, or zero if n is zero. The probabilities of two numbers differ by less than n in
// 2^64.
func (s *Source) Below(n uint64) uint64 {
	// The upper half of the product needs no division and no second number.
	high, _ := bits.Mul64(s.Next(), n)
	return high
}

// Mix returns a number that looks random and is different for each x.
func Mix(x uint64) uint64 {
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
