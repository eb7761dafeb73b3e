package topology

import (
	"errors"
	"fmt"
)

// ErrTopology is wrapped by every error about links that cannot be.
var ErrTopology = errors.New("topology")

// LinkError says which link of a list cannot be, and why. Who knows its processes by other names
// than their numbers can say it in those.
type LinkError struct {
	Why   Why
	Link  int // its place in the list; -1 where one is missing
	A, B  int // the processes that it joins, or that nothing joins
	First int // the place of the link that joins them already

	n int
}

// Why says what is wrong with a link.
type Why uint8

// What may be wrong with a link.
const (
	OutOfRange Why = iota + 1 // it joins a process that is none
	ToItself                  // it joins a process to itself
	Twice                     // the two are joined already
	Cycle                     // it closes a cycle, which a tree has not
	Apart                     // no path joins the two
)

func (e *LinkError) Error() string {
	var what string
	switch e.Why {
	case OutOfRange:
		what = fmt.Sprintf("link %d joins %d and %d, of %d processes", e.Link, e.A, e.B, e.n)
	case ToItself:
		what = fmt.Sprintf("link %d joins %d to itself", e.Link, e.A)
	case Twice:
		what = fmt.Sprintf("link %d joins %d and %d again, as link %d does", e.Link, e.A, e.B, e.First)
	case Cycle:
		what = fmt.Sprintf("link %d, of %d and %d, closes a cycle, which a tree has not", e.Link, e.A, e.B)
	default:
		what = fmt.Sprintf("process %d is not connected to process %d", e.B, e.A)
	}
	return ErrTopology.Error() + ": " + what
}

// Unwrap returns [ErrTopology].
func (e *LinkError) Unwrap() error { return ErrTopology }
