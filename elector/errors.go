package elector

import (
	"fmt"

	"github.com/go-election/election/input"
)

// prefix begins the text of each error of this package.
const prefix = "elector: "

// refusal is an error with the prefix of this package, and of no other package that has found it.
type refusal struct{ err error }

func (r *refusal) Error() string { return prefix + r.Reason() }

// Reason returns the text without prefixes, for a command line, see [input.Reason].
func (r *refusal) Reason() string { return input.Reason(r.err) }
func (r *refusal) Unwrap() error  { return r.err }

// refuse returns an error that wraps [election.ErrInput].
func refuse(format string, args ...any) error { return &refusal{input.Errorf(format, args...)} }

// prefixed returns err with the prefix of this package, or nil.
func prefixed(err error) error {
	if err == nil {
		return nil
	}
	return &refusal{err}
}

// about returns an error about a field of the Config.
func about(field string, err error) error { return fmt.Errorf("%s: %w", field, err) }
