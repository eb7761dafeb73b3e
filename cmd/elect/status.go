package main

import (
	"errors"
	"fmt"
	"strings"
	"unicode"

	"github.com/go-election/election"
	"github.com/go-election/election/topology"
)

// The exit statuses that are not zero.
const (
	statusFailed      = 1
	statusUsage       = 2
	statusInterrupted = 130
)

// errInterrupted is what becomes of every error once the user has had enough.
var errInterrupted = errors.New("interrupted")

// failures are the elections that failed, one error each.
type failures []error

func (f failures) Error() string   { return errors.Join(f...).Error() }
func (f failures) Unwrap() []error { return f }

// failed says that err is about an election, not about how it was asked for.
func failed(err error) error { return failures{err} }

// usage says that what was asked for cannot be.
func usage(format string, args ...any) error {
	return fmt.Errorf("%w: %s", election.ErrInput, fmt.Sprintf(format, args...))
}

// verdict tells apart what a driver returns: what cannot be run as it was asked for, and what
// went wrong while it ran.
func verdict(err error) error {
	for _, wrong := range []error{election.ErrPanic, election.ErrPort} {
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

func status(err error) int {
	_, fail := errors.AsType[failures](err)
	switch {
	case err == nil:
		return 0
	case errors.Is(err, errInterrupted):
		return statusInterrupted
	case fail:
		return statusFailed
	}
	return statusUsage
}

// lines returns what to tell of err: one line for every election that failed, otherwise one.
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
var packages = []string{election.ErrInput.Error() + ": ", "election: ", "scenario: ", "sim: ", "local: "}

// oneLine makes an error fit for a line of its own, whatever names it quotes.
func oneLine(text string) string {
	for _, p := range packages {
		text = strings.TrimPrefix(text, p)
		text = strings.ReplaceAll(text, ": "+p, ": ")
	}
	text = strings.ReplaceAll(strings.TrimSpace(text), "\n", "; ")
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return '?'
		}
		return r
	}, text)
}
