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

// The exit statuses that are not zero. An error without a status of its own has StatusUsage.
const (
	StatusFailed      = 1 // an election failed, while the command line is right
	StatusUsage       = 2
	StatusUnfinished  = 3 // not everything was checked
	StatusInterrupted = 130
)

// ErrInterrupted replaces every error after the user has interrupted the command.
var ErrInterrupted = WithStatus(StatusInterrupted, errors.New("interrupted"))

// Failures are the elections that failed or could not be run, one error each.
type Failures []error

// Error returns the errors, one on each line.
func (f Failures) Error() string { return errors.Join(f...).Error() }

// Unwrap returns the errors.
func (f Failures) Unwrap() []error { return f }

// Err returns nil if there are no errors.
func (f Failures) Err() error {
	if len(f) == 0 {
		return nil
	}
	return f
}

// ended is an error with an exit status.
type ended struct {
	error
	status int
}

func (e ended) Unwrap() error { return e.error }

// WithStatus gives an error an exit status. It returns nil for nil.
func WithStatus(status int, err error) error {
	if err == nil {
		return nil
	}
	return ended{err, status}
}

// Failed gives an error StatusFailed.
func Failed(err error) error { return WithStatus(StatusFailed, err) }

// Classify gives an error of a driver StatusFailed, unless the driver refuses its input.
func Classify(err error) error {
	// First: such an error may wrap an input error of the Node, but the input of the user is not to blame.
	for _, wrong := range []error{observe.ErrPanic, observe.ErrPort} {
		if errors.Is(err, wrong) {
			return Failed(err)
		}
	}
	for _, asked := range []error{
		election.ErrInput, election.ErrNeedsFIFO, election.ErrLateStart,
		election.ErrNotInitiator, topology.ErrTopology,
	} {
		if errors.Is(err, asked) {
			return err
		}
	}
	return Failed(err)
}

// Reword returns err, with its status, in the words of the command line: flags instead of fields.
func Reword(err error, words *strings.Replacer) error {
	return WithStatus(Status(err), errors.New(words.Replace(input.Reason(err))))
}

// Status returns the exit status for err, which is the largest one for several errors.
func Status(err error) int {
	if all, ok := err.(Failures); ok {
		worst := 0
		for _, e := range all {
			worst = max(worst, Status(e))
		}
		return worst
	}
	own, ok := errors.AsType[ended](err)
	switch {
	case err == nil:
		return 0
	case ok:
		return own.status
	}
	return StatusUsage
}

// Lines returns a line for every election that failed or could not be run.
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
