package input

import "strings"

// sentinel is an error that stands for one kind of failure.
type sentinel struct{ pkg, reason string }

// Sentinel returns an error for use with errors.Is. Its text equals that of errors.New(pkg + ": " + reason),
// and its [Reason] is the reason.
func Sentinel(pkg, reason string) error { return &sentinel{pkg, reason} }

func (s *sentinel) Error() string  { return s.pkg + ": " + s.reason }
func (s *sentinel) Reason() string { return s.reason }

// Reason returns the text of err without the names of Go packages, for commands. If an error has a method
// Reason, Reason returns its result. Otherwise, it replaces the text of each wrapped error by the reason of
// that error.
func Reason(err error) string {
	if r, ok := err.(interface{ Reason() string }); ok {
		return r.Reason()
	}
	text := err.Error()
	for _, inner := range wrapped(err) {
		// Replace only once: the same text may also be part of a name that the error quotes.
		text = strings.Replace(text, inner.Error(), Reason(inner), 1)
	}
	return text
}

// wrapped returns the errors that err wraps.
func wrapped(err error) []error {
	switch err := err.(type) {
	case interface{ Unwrap() []error }:
		return err.Unwrap()
	case interface{ Unwrap() error }:
		if inner := err.Unwrap(); inner != nil {
			return []error{inner}
		}
	}
	return nil
}
