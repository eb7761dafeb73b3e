package treeelect

import (
	"math/bits"

	"github.com/go-election/election"
)

// ports is a set of ports. A word holds the first 64, which is all that most processes have.
type ports struct {
	low  uint64
	high []uint64 // the others, 64 a word, up to the largest in the set
}

func (s *ports) add(port election.Port) {
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

func (s *ports) len() uint32 {
	n := bits.OnesCount64(s.low)
	for _, w := range s.high {
		n += bits.OnesCount64(w)
	}
	return uint32(n)
}

// from returns the first port of the set that is not less than another, or nowhere.
func (s *ports) from(port election.Port) election.Port {
	word, skip := int(port/64), port%64
	for ; word <= len(s.high); word++ {
		if w := s.word(word) >> skip << skip; w != 0 {
			return election.Port(64*word + bits.TrailingZeros64(w))
		}
		skip = 0
	}
	return nowhere
}

func (s *ports) word(i int) uint64 {
	if i == 0 {
		return s.low
	}
	return s.high[i-1]
}

func (s *ports) state(st *election.State) {
	st.Uint64(&s.low)
	election.VisitSlice(st, &s.high, (*election.State).Uint64)
}
