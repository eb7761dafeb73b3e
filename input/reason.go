package input

import "strings"

// sentinel is an error that stands for one kind of failure.
type sentinel struct{ pkg, reason string }

// Sentinel returns an error for errors.Is to find. Its text is that of errors.New(pkg + ": " + reason), and
// [Reason] of it is the reason.
func Sentinel(pkg, reason string) error { return &sentinel{pkg, reason} }

func (s *sentinel) Error() string  { return s.pkg + ": " + s.reason }
func (s *sentinel) Reason() string { return s.reason }

// Reason returns the text of err without the names of Go packages, for a reader at a command line.
// An error that has a method Reason gives its own; in the text of any other, the reason of each error that it
// wraps takes the place of that error's text.
func Reason(err error) string {
	if r, ok := err.(interface{ Reason() string }); ok {
		return r.Reason()
	}
	text := err.Error()
	for _, inner := range wrapped(err) {
		// Only once: the same text may also be part of a name that the error quotes.
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
