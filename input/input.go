// Package input creates the errors for invalid input. All of them wrap [Err], which package election exports as
// ErrInput, and contain the field and the invalid value. [Reason] returns the text of any error of this module
// in the form that commands print.
package input

import (
	"fmt"
)

// Err is election.ErrInput.
var Err = Sentinel("election", "bad input")

// refusal is an error that wraps Err.
type refusal struct{ reason error }

func (r *refusal) Error() string   { return Err.Error() + ": " + r.reason.Error() }
func (r *refusal) Reason() string  { return Reason(r.reason) }
func (r *refusal) Unwrap() []error { return []error{Err, r.reason} }

// Errorf formats an error that wraps [Err]. Its text is the text of Err followed by the formatted text.
func Errorf(format string, args ...any) error {
	return &refusal{fmt.Errorf(format, args...)}
}

// located is an error about one place of the input.
type located struct {
	where string
	err   error
}

func (l *located) Error() string { return l.where + ": " + Reason(l.err) }
func (l *located) Unwrap() error { return l.err }

// At returns an error that wraps [Err] and adds where, the place in the input, to the reason of err.
func At(where string, err error) error { return &refusal{&located{where, err}} }
