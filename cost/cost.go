// Package cost describes the message complexity of elections: the number of messages as a function of the
// number of processes, the orders of processes that attain the bounds, and the number of bits in a message.
// Descriptions of algorithms use it.
package cost

import (
	"math"
	"math/bits"
)

// Widths are the numbers of bits that the values of one run need.
type Widths struct {
	ID, Priority uint64 // largest ID and largest Priority
	N            uint64 // number of processes: a hop count
	LogN         uint64 // logarithm of the number of processes: a phase
	Weight       uint64 // largest weight of a link
}

// NewWidths returns the widths for n processes with IDs and priorities up to the given ones.
func NewWidths(n int, id, priority uint64) Widths {
	w := Widths{ID: uint64(bits.Len64(id)), Priority: uint64(bits.Len64(priority)),
		N: uint64(bits.Len(uint(n)))}
	w.LogN = uint64(bits.Len64(w.N))
	return w
}

// Rank returns the bits of a Rank.
func (w Widths) Rank() uint64 { return w.ID + w.Priority }

// Bound is the number of messages of an election as a function of the number of processes.
type Bound struct {
	// Formula is for people; n > 1, and K is the binary logarithm of n, rounded up. It is empty if no closed
	// form is known.
	Formula string
	// When is the case that the Formula describes, unless all processes start or the only one that may.
	When string
	// Also describes other cases, for people.
	Also string
	// Count is exact up to 2^53, including n = 1; nil if no closed form is known.
	Count func(n int) float64
	// CountPorts replaces Count if the number of messages also depends on the links: ports is the total number
	// of ports, two for each link of a graph. It is M in the Formula.
	CountPorts func(n, ports int) float64
	// Loose means that the bound is never exceeded, but may not be attained.
	Loose bool
	// Ordered means that the bound holds on links that deliver in order. On others there may be more messages.
	Ordered bool
	// Arrange returns an arrangement of 1..n, in clockwise order, that takes the fewest (the most) messages of
	// all: exactly Count, unless Loose is set. It is nil, or returns nil, if none is known.
	Arrange func(n int) []uint64
}

// String returns the bound for people: "≤ k*M + n-1 if k start". It returns a dash if no formula is known.
func (b Bound) String() string {
	switch {
	case b.Formula == "":
		return "-"
	case b.Loose:
		return "≤ " + b.Formula + b.Where()
	}
	return b.Formula + b.Where()
}

// Words returns the bound and the other known cases, or the empty string if nothing is known.
func (b Bound) Words() string {
	switch {
	case b.Formula == "":
		return b.Also
	case b.Also == "":
		return b.String()
	}
	return b.String() + "; " + b.Also
}

// Where returns the condition after the Formula, " if k start", or the empty string if [Bound.When] is
// empty.
func (b Bound) Where() string {
	if b.When == "" {
		return ""
	}
	return " if " + b.When
}

// At returns the number of messages among n processes that have ports ports in all, or NaN if no closed form is
// known.
func (b *Bound) At(n, ports int) float64 {
	switch {
	case b.Count != nil:
		return b.Count(n)
	case b.CountPorts != nil:
		return b.CountPorts(n, ports)
	}
	return math.NaN()
}
