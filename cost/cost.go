// Package cost says what elections cost: how many messages an election takes as a function of the
// number of processes, the orders of processes that attain those bounds, and how many bits the
// quantities in a message need. Descriptions of algorithms are written with it.
package cost

import (
	"math"
	"math/bits"
)

// Widths are the numbers of bits that the quantities of one run need.
type Widths struct {
	ID, Priority uint64 // of the largest ID and Priority
	N            uint64 // of the number of processes: a count of hops
	LogN         uint64 // of the logarithm of the number of processes: a phase
	Weight       uint64 // of the largest weight of a link
}

// NewWidths returns the widths for n processes whose IDs and priorities are not larger than
// these.
func NewWidths(n int, id, priority uint64) Widths {
	w := Widths{ID: uint64(bits.Len64(id)), Priority: uint64(bits.Len64(priority)),
		N: uint64(bits.Len(uint(n)))}
	w.LogN = uint64(bits.Len64(w.N))
	return w
}

// Rank returns the bits of a Rank.
func (w Widths) Rank() uint64 { return w.ID + w.Priority }

// Bound is how many messages an election takes, as a function of the number of processes.
type Bound struct {
	// Formula is for people; n > 1, and K is the binary logarithm of n, rounded up. Empty where
	// no closed form is known.
	Formula string
	// When is the case of the Formula, if it is not that all processes start, or the one that may.
	When string
	// Also is what is known of other cases, for people.
	Also string
	// Count is exact to 2^53, for n = 1 too; nil where no closed form is known.
	Count func(n int) float64
	// CountPorts takes the place of Count where it depends on the links, too: on how many ports there are in
	// all, two for each link of a graph. They are M in the Formula.
	CountPorts func(n, ports int) float64
	// Loose: the bound is never exceeded, and need not be attained.
	Loose bool
	// Ordered: it holds on links that keep the order. On others there may be more messages.
	Ordered bool
	// Arrange returns an arrangement of 1..n, in clockwise order, that takes the fewest (the
	// most) messages of all: as many as Count says, unless that is loose. It is nil, or returns
	// nil, where none is known.
	Arrange func(n int) []uint64
}

// String returns the bound for people: "≤ k*M + n-1 where k start". It is a dash where no formula is known.
func (b Bound) String() string {
	switch {
	case b.Formula == "":
		return "-"
	case b.Loose:
		return "≤ " + b.Formula + b.Where()
	}
	return b.Formula + b.Where()
}

// Words returns the bound with what is known of other cases; nothing if nothing is known.
func (b Bound) Words() string {
	switch {
	case b.Formula == "":
		return b.Also
	case b.Also == "":
		return b.String()
	}
	return b.String() + "; " + b.Also
}

// Where returns what stands behind the Formula: " where k start"; nothing if [Bound.When] is empty.
func (b Bound) Where() string {
	if b.When == "" {
		return ""
	}
	return " where " + b.When
}

// At returns the messages among n processes that have this number of ports in all, NaN where no closed form
// is known.
func (b *Bound) At(n, ports int) float64 {
	switch {
	case b.Count != nil:
		return b.Count(n)
	case b.CountPorts != nil:
		return b.CountPorts(n, ports)
	}
	return math.NaN()
}
