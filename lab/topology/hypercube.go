package topology

import (
	"fmt"
	"math/bits"

	"github.com/go-election/election"
)

// MaxDimension bounds hypercubes.
const MaxDimension = 25

type hypercube struct{ dimension int }

// Hypercube returns an oriented hypercube of 2^dimension processes. Port k-1 of process p leads to the
// process whose number differs from p in bit k-1 only. This link has the number k.
func Hypercube(dimension int) (Topology, error) {
	if dimension < 0 || dimension > MaxDimension {
		return nil, refuse("a hypercube of dimension %d, not 0 to %d", dimension,
			MaxDimension)
	}
	return hypercube{dimension}, nil
}

// Dimension returns the dimension of the hypercube of n processes, if there is one.
func Dimension(n int) (dimension int, ok bool) {
	if n < 1 || n&(n-1) != 0 || n > 1<<MaxDimension {
		return 0, false
	}
	return bits.TrailingZeros(uint(n)), true
}

func (h hypercube) Shape() election.Shape { return election.Hypercube }
func (h hypercube) String() string {
	return fmt.Sprintf("hypercube of dimension %d",
		h.dimension)
}
func (h hypercube) Len() int                            { return 1 << h.dimension }
func (h hypercube) OneWay() bool                        { return false }
func (h hypercube) Ports(int) int                       { return h.dimension }
func (h hypercube) Links() int                          { return h.dimension << h.dimension }
func (h hypercube) Index(p int, port election.Port) int { return p*h.dimension + int(port) }

func (h hypercube) Link(p int, port election.Port) (int, election.Port, bool) {
	// Both ends of a link differ in one bit, whose number is the port at either end.
	return p ^ 1<<port, port, port < election.Port(h.dimension)
}
