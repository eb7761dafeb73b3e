// Package input makes the errors that refuse an input. All of them wrap [Err], which package
// election exports as ErrInput, and name the field and the value that was wrong. [Reason] gives the text of
// any error of this module as a command shows it.
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

// Errorf returns an error that wraps [Err], with the text of fmt.Errorf behind that of Err.
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

// At returns an error that wraps [Err] and says where in the input the reason of err stands.
func At(where string, err error) error { return &refusal{&located{where, err}} }
