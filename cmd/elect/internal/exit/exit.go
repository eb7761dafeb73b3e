// Package exit gives every error an exit status and a line on standard error.
package exit

import (
	"errors"
	"strings"

	"github.com/go-election/election"
	"github.com/go-election/election/input"
	"github.com/go-election/election/internal/prose"
	"github.com/go-election/election/lab/topology"
	"github.com/go-election/election/observe"
)

// The exit statuses that are not zero.
const (
	StatusFailed      = 1
	StatusUsage       = 2
	StatusUnfinished  = 3
	StatusInterrupted = 130
)

// ErrInterrupted replaces every error once the user has interrupted the command.
var ErrInterrupted = errors.New("interrupted")

// Failures are the elections that failed or could not be run, one error each.
type Failures []error

// Error returns all of them.
func (f Failures) Error() string { return errors.Join(f...).Error() }

// Unwrap returns them.
func (f Failures) Unwrap() []error { return f }

// Err returns nil if there are none.
func (f Failures) Err() error {
	if len(f) == 0 {
		return nil
	}
	return f
}

// failure is an error of an election, not of its command line.
type failure struct{ error }

func (f failure) Unwrap() error { return f.error }

// Failed returns an error for the status 1: an election failed, while the command line is right. For nil it
// returns nil.
func Failed(err error) error {
	if err == nil {
		return nil
	}
	return failure{err}
}

// incomplete is an error about work that was not done to its end.
type incomplete struct{ error }

func (i incomplete) Unwrap() error { return i.error }

// Unfinished says why the work has not come to its end. Its results so far are reported.
func Unfinished(err error) error { return incomplete{err} }

// IsUnfinished reports whether err is made by [Unfinished].
func IsUnfinished(err error) bool {
	_, ok := errors.AsType[incomplete](err)
	return ok
}

// ended is an error with an exit status of its own.
type ended struct {
	error
	status int
}

func (e ended) Unwrap() error { return e.error }

// WithStatus returns an error for any status.
func WithStatus(status int, err error) error { return ended{err, status} }

// Classify separates the errors of a driver: those that refuse an input, and those of a run.
func Classify(err error) error {
	// First: such an error may wrap an input error of the Node, but the input of the user is not to blame.
	for _, wrong := range []error{observe.ErrPanic, observe.ErrPort} {
		if errors.Is(err, wrong) {
			return Failed(err)
		}
	}
	for _, asked := range []error{
		nil, election.ErrInput, election.ErrNeedsFIFO, election.ErrLateStart,
		election.ErrNotInitiator, topology.ErrTopology,
	} {
		if errors.Is(err, asked) {
			return err
		}
	}
	return Failed(err)
}

// Reword returns err, with its status, in the words of the command line: flags in place of fields.
func Reword(err error, words *strings.Replacer) error {
	return WithStatus(Status(err), errors.New(words.Replace(input.Reason(err))))
}

// Status returns the exit status for err, the largest of those for several.
func Status(err error) int {
	if all, ok := err.(Failures); ok {
		worst := 0
		for _, e := range all {
			worst = max(worst, Status(e))
		}
		return worst
	}
	_, fail := errors.AsType[failure](err)
	own, hasOwn := errors.AsType[ended](err)
	switch {
	case err == nil:
		return 0
	case hasOwn:
		return own.status
	case errors.Is(err, ErrInterrupted):
		return StatusInterrupted
	case IsUnfinished(err):
		return StatusUnfinished
	case fail:
		return StatusFailed
	}
	return StatusUsage
}

// Lines returns one line for every election that failed or could not be run.
func Lines(err error) []string {
	all, ok := err.(Failures)
	switch {
	case err == nil:
		return nil
	case !ok:
		all = Failures{err}
	}
	lines := make([]string, 0, len(all))
	for _, e := range all {
		lines = append(lines, prose.Short(prose.OneLine(input.Reason(e))))
	}
	return lines
}
