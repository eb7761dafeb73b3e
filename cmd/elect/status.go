package main

import (
	"errors"
	"strings"
	"unicode"

	"github.com/go-election/election"
	"github.com/go-election/election/internal/input"
	"github.com/go-election/election/lab/topology"
	"github.com/go-election/election/observe"
)

// The exit statuses that are not zero.
const (
	statusFailed      = 1
	statusUsage       = 2
	statusUnfinished  = 3
	statusInterrupted = 130
)

// errInterrupted is what becomes of every error once the user has had enough.
var errInterrupted = errors.New("interrupted")

// failures are the elections that failed or could not be run, one error each.
type failures []error

func (f failures) Error() string   { return errors.Join(f...).Error() }
func (f failures) Unwrap() []error { return f }

// err returns nil if there are none.
func (f failures) err() error {
	if len(f) == 0 {
		return nil
	}
	return f
}

// failure is an error about an election, not about how it was asked for.
type failure struct{ error }

func (f failure) Unwrap() error { return f.error }

func failed(err error) error { return failure{err} }

// unfinished says why a check has not come to its end.
type unfinished struct{ error }

func (u unfinished) Unwrap() error { return u.error }

// usage says that what was asked for cannot be.
func usage(format string, args ...any) error {
	return input.Errorf(format, args...)
}

// judged tells apart what a driver returns: what cannot be run as it was asked for, and what
// went wrong while it ran.
func judged(err error) error {
	for _, wrong := range []error{observe.ErrPanic, observe.ErrPort} {
		if errors.Is(err, wrong) {
			return failed(err)
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
	return failed(err)
}

// status returns the exit status for err, the largest of those for several.
func status(err error) int {
	if all, ok := err.(failures); ok {
		worst := 0
		for _, e := range all {
			worst = max(worst, status(e))
		}
		return worst
	}
	_, fail := errors.AsType[failure](err)
	_, open := errors.AsType[unfinished](err)
	switch {
	case err == nil:
		return 0
	case errors.Is(err, errInterrupted):
		return statusInterrupted
	case open:
		return statusUnfinished
	case fail:
		return statusFailed
	}
	return statusUsage
}

// lines returns what to tell of err: one line for every election that failed or could not be run.
func lines(err error) []string {
	all, ok := err.(failures)
	switch {
	case err == nil:
		return nil
	case !ok:
		all = failures{err}
	}
	told := make([]string, 0, len(all))
	for _, e := range all {
		told = append(told, oneLine(e.Error()))
	}
	return told
}

// packages are the prefixes of errors that say nothing to somebody at a command line.
var packages = []string{election.ErrInput.Error() + ": ", "election: ", "scenario: ", "sim: ", "local: ", "check: ", "soak: ", "trace: "}

// oneLine makes an error fit for a line of its own, whatever names it quotes.
func oneLine(text string) string {
	text = strings.ReplaceAll(strings.TrimSpace(text), "\n", "; ")
	for _, p := range packages {
		text = strings.TrimPrefix(text, p)
		for _, before := range []string{": ", "; ", ", and ", ", "} {
			text = strings.ReplaceAll(text, before+p, before)
		}
	}
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return '?'
		}
		return r
	}, text)
}
