// Package parse reads the values of flags: numbers, lists, processes, times, faults, sizes. Every error names
// the flag and the value that is wrong.
package parse

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/go-election/election"
	"github.com/go-election/election/input"
	"github.com/go-election/election/lab/sim"
)

// Number reads one whole number that is not negative.
func Number(where, text string) (uint64, error) {
	n, err := strconv.ParseUint(strings.TrimSpace(text), 10, 64)
	switch {
	case err == nil:
		return n, nil
	case errors.Is(err, strconv.ErrRange):
		return 0, input.Errorf("%s: %s is above the largest number there is, %d", where, text,
			uint64(math.MaxUint64))
	case strings.TrimSpace(text) == "":
		return 0, input.Errorf("%s: a number is missing", where)
	}
	// ParseUint calls a negative number a syntax error; this finds out that it is a number.
	if _, err := strconv.ParseInt(strings.TrimSpace(text), 10, 64); err == nil || errors.Is(err,
		strconv.ErrRange) {
		return 0, input.Errorf("%s: %s is negative", where, text)
	}
	return 0, input.Errorf("%s: %.60q is not a whole number", where, text)
}

// Count reads a whole number, also as 1e6. The caller refuses one that is negative or too large.
func Count(where, text string) (float64, error) {
	n, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
	// As a float, so that 1e6 is a number, and one that is out of range is refused by its size and not as a
	// text.
	if math.IsNaN(n) || err != nil && !errors.Is(err, strconv.ErrRange) || n != math.Trunc(n) {
		return 0, input.Errorf("%s: %.60q is not a whole number", where, text)
	}
	return n, nil
}

// List reads a list with commas, and each element by one.
func List[T any](flag, text string, one func(where, text string) (T, error)) ([]T, error) {
	if strings.TrimSpace(text) == "" {
		return nil, input.Errorf("%s: the list is empty", flag)
	}
	list := make([]T, 0, strings.Count(text, ",")+1)
	for part := range strings.SplitSeq(text, ",") {
		v, err := one(fmt.Sprintf("%s[%d]", flag, len(list)), part)
		if err != nil {
			return nil, err
		}
		list = append(list, v)
	}
	return list, nil
}

// Numbers reads a list of whole numbers.
func Numbers(flag, text string) ([]uint64, error) { return List(flag, text, Number) }

// IDs reads a list of processes.
func IDs(flag, text string) ([]election.ID, error) { return List(flag, text, ID) }

// ID reads one process.
func ID(where, text string) (election.ID, error) {
	n, err := Number(where, text)
	return election.ID(n), err
}

// Times reads a list of times, in units.
func Times(flag, text string) ([]time.Duration, error) { return List(flag, text, Time) }

// longest bounds times, in units, as scenarios do.
const longest = int64(sim.LongestDelay / sim.Unit)

// Time reads a time in units.
func Time(where, text string) (time.Duration, error) {
	units, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
	switch {
	case err != nil && !errors.Is(err, strconv.ErrRange) || math.IsNaN(units):
		return 0, input.Errorf("%s: %.60q is not a time", where, text)
	case units < 0:
		return 0, input.Errorf("%s: %s is before the beginning", where, text)
	case units > float64(longest):
		return 0, input.Errorf("%s: %s is longer than %d units", where, text, longest)
	}
	return time.Duration(math.Round(units * float64(sim.Unit))), nil
}

// RealTime reads a time that passes on a clock.
func RealTime(flag, text string) (time.Duration, error) {
	d, err := time.ParseDuration(text)
	switch {
	case err != nil && isTime(text):
		return 0, input.Errorf("%s: %.60s is too long", flag, text)
	case err != nil:
		return 0, input.Errorf("%s: %.60q is not a time, as in 20ms or 1.5s", flag, text)
	case d <= 0:
		return 0, input.Errorf("%s: %s is not above 0", flag, text)
	}
	return d, nil
}

// isTime reports whether a text is a time of any length. No error of time.ParseDuration says that a time is
// only too long, so it reads the same text with zeros for digits. They stand behind 0s, since 0 alone is a
// time, but 7 is not.
func isTime(text string) bool {
	zeros := strings.Map(func(r rune) rune {
		if '0' <= r && r <= '9' {
			return '0'
		}
		return r
	}, strings.TrimPrefix(text, "+"))
	_, err := time.ParseDuration("0s" + zeros)
	return err == nil && zeros != ""
}

// Delay reads the shortest and the longest delay, in units.
func Delay(flag, text string) (sim.Delay, error) {
	times, err := Times(flag, text)
	switch {
	case err != nil:
		return sim.Delay{}, err
	case len(times) != 2:
		return sim.Delay{}, input.Errorf("%s: %.60q is not a shortest and a longest delay", flag, text)
	case times[1] < 1 || times[0] > times[1]:
		return sim.Delay{}, input.Errorf("%s: %.60q is not a range of delays above 0", flag, text)
	}
	return sim.Delay{Min: max(times[0], 1), Max: times[1]}, nil
}

// Whole reads a whole number from least to most.
func Whole(flag, text, of string, least, most int) (int, error) {
	n, err := Count(flag, text)
	switch {
	case err != nil:
		return 0, err
	case n < float64(least) && least == 1:
		return 0, input.Errorf("%s: %s %s, at least one is needed", flag, text, of)
	case n < float64(least):
		return 0, input.Errorf("%s: %s %s, at least %d are needed", flag, text, of, least)
	case n > float64(most):
		return 0, input.Errorf("%s: %s %s, at most %d can be", flag, text, of, most)
	}
	return int(n), nil
}
