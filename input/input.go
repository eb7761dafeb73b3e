// Package input makes the errors that refuse an input. All of them wrap [Err], which package
// election exports as ErrInput, and name the field and the value that was wrong.
package input

import (
	"errors"
	"fmt"
)

// Err is election.ErrInput.
var Err = errors.New("election: bad input")

// refusal is an error that wraps Err.
type refusal struct{ reason error }

func (r *refusal) Error() string   { return Err.Error() + ": " + r.reason.Error() }
func (r *refusal) Unwrap() []error { return []error{Err, r.reason} }

// Errorf returns an error that wraps [Err], with the text of fmt.Errorf behind that of Err.
func Errorf(format string, args ...any) error {
	return &refusal{fmt.Errorf(format, args...)}
}

// At returns an error that wraps [Err] and says where in the input the reason of err stands.
func At(where string, err error) error {
	if r, ok := errors.AsType[*refusal](err); ok {
		err = r.reason
	}
	return Errorf("%s: %w", where, err)
}
