// Package portset has a set of ports, for Nodes that remember some of their links.
package portset

import (
	"math/bits"

	"github.com/go-election/election"
)

// Set is a set of ports. One word contains the first 64 ports, which is enough for most processes. The zero
// value is empty.
type Set struct {
	low  uint64
	high []uint64 // the others, 64 a word, up to the largest in the set
}

// Add puts a port into the set.
func (s *Set) Add(port election.Port) {
	// Most processes have at most 64 ports and need no slice.
	if port < 64 {
		s.low |= 1 << port
		return
	}
	word := int(port/64) - 1
	for len(s.high) <= word {
		s.high = append(s.high, 0)
	}
	s.high[word] |= 1 << (port % 64)
}

// Remove takes a port out of the set.
func (s *Set) Remove(port election.Port) {
	if port < 64 {
		s.low &^= 1 << port
	} else if s.Has(port) {
		s.high[port/64-1] &^= 1 << (port % 64)
	}
}

// Has reports whether a port is in the set.
func (s *Set) Has(port election.Port) bool { return s.word(int(port/64))>>(port%64)&1 == 1 }

// Len returns how many ports are in the set.
func (s *Set) Len() int {
	n := bits.OnesCount64(s.low)
	for _, w := range s.high {
		n += bits.OnesCount64(w)
	}
	return n
}

// Common returns how many ports are in both sets.
func (s *Set) Common(o *Set) int {
	n := bits.OnesCount64(s.low & o.low)
	for i := range min(len(s.high), len(o.high)) {
		n += bits.OnesCount64(s.high[i] & o.high[i])
	}
	return n
}

// Equal reports whether two sets contain the same ports.
func (s *Set) Equal(o *Set) bool {
	n := s.Len()
	return n == o.Len() && n == s.Common(o)
}

// Assign makes s equal to another set.
func (s *Set) Assign(o *Set) {
	s.low = o.low
	s.high = append(s.high[:0], o.high...)
}

// Clear makes the set empty, and keeps its room.
func (s *Set) Clear() { s.low, s.high = 0, s.high[:0] }

// From returns the first port of the set that is not less than another, or NoPort.
func (s *Set) From(port election.Port) election.Port {
	word, skip := int(port/64), port%64
	for ; word <= len(s.high); word++ {
		// Shifting there and back clears the ports below the first one.
		if w := s.word(word) >> skip << skip; w != 0 {
			return election.Port(64*word + bits.TrailingZeros64(w))
		}
		skip = 0
	}
	return election.NoPort
}

// word returns the ports from 64*i on.
func (s *Set) word(i int) uint64 {
	switch {
	case i == 0:
		return s.low
	case i <= len(s.high):
		return s.high[i-1]
	}
	return 0
}

// State visits the set.
func (s *Set) State(st *election.State) {
	st.Uint64(&s.low)
	election.VisitSlice(st, &s.high, (*election.State).Uint64)
}
