package election

import "math/bits"

// NoPort is no port of any process.
const NoPort = ^Port(0)

// PortSet is a set of ports, for Nodes that must remember some of their links. A word holds the
// first 64, which is all that most processes have. Its zero value is empty.
type PortSet struct {
	low  uint64
	high []uint64 // the others, 64 a word, up to the largest in the set
}

// Add puts a port into the set.
func (s *PortSet) Add(port Port) {
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

// Has reports whether a port is in the set.
func (s *PortSet) Has(port Port) bool { return s.word(int(port/64))>>(port%64)&1 == 1 }

// Len returns how many ports are in the set.
func (s *PortSet) Len() int {
	n := bits.OnesCount64(s.low)
	for _, w := range s.high {
		n += bits.OnesCount64(w)
	}
	return n
}

// Clear makes the set empty, and keeps its room.
func (s *PortSet) Clear() { s.low, s.high = 0, s.high[:0] }

// From returns the first port of the set that is not less than another, or NoPort.
func (s *PortSet) From(port Port) Port {
	word, skip := int(port/64), port%64
	for ; word <= len(s.high); word++ {
		if w := s.word(word) >> skip << skip; w != 0 {
			return Port(64*word + bits.TrailingZeros64(w))
		}
		skip = 0
	}
	return NoPort
}

// word returns the ports from 64*i on.
func (s *PortSet) word(i int) uint64 {
	switch {
	case i == 0:
		return s.low
	case i <= len(s.high):
		return s.high[i-1]
	}
	return 0
}

// State visits the set.
func (s *PortSet) State(st *State) {
	st.Uint64(&s.low)
	VisitSlice(st, &s.high, (*State).Uint64)
}
