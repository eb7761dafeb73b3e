package topology

import (
	"errors"
	"fmt"
)

// ErrTopology is wrapped by every error about links that cannot be.
var ErrTopology = errors.New("topology")

// refusal is an error about links that is no [LinkError].
type refusal struct{ why error }

func refuse(format string, args ...any) error { return &refusal{fmt.Errorf(format, args...)} }

func (r *refusal) Error() string   { return ErrTopology.Error() + ": " + r.Reason() }
func (r *refusal) Unwrap() []error { return []error{ErrTopology, r.why} }

// Reason is for input.Reason.
func (r *refusal) Reason() string { return r.why.Error() }

// LinkError names the link of a list that is not allowed, and the reason. A caller whose processes have names
// can word the error with these.
type LinkError struct {
	Why   Why
	Link  int // its index in the list; -1 if a link is missing
	A, B  int // the processes that it joins, or that nothing joins
	First int // the place of the link that joins them already

	n int
}

// Why is the reason for which a link is not allowed.
type Why uint8

// What may be wrong with a link.
const (
	OutOfRange Why = iota + 1 // it joins a process that is none
	ToItself                  // it joins a process to itself
	Twice                     // the two are joined already
	Cycle                     // it closes a cycle, which a tree has not
	Apart                     // no path joins the two
)

func (e *LinkError) Error() string { return ErrTopology.Error() + ": " + e.Reason() }

// Reason returns the text of the error without the name of the package.
func (e *LinkError) Reason() string {
	switch e.Why {
	case OutOfRange:
		return fmt.Sprintf("link %d joins %d and %d, of %d processes", e.Link, e.A, e.B, e.n)
	case ToItself:
		return fmt.Sprintf("link %d joins %d to itself", e.Link, e.A)
	case Twice:
		return fmt.Sprintf("link %d joins %d and %d again, as link %d does", e.Link, e.A, e.B, e.First)
	case Cycle:
		return fmt.Sprintf("link %d, of %d and %d, closes a cycle, which a tree has not", e.Link, e.A, e.B)
	}
	return fmt.Sprintf("process %d is not connected to process %d", e.B, e.A)
}

// Unwrap returns [ErrTopology].
func (e *LinkError) Unwrap() error { return ErrTopology }
