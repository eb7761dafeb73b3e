// Package parse defines flags and reads their values: numbers, lists, processes, times, faults, sizes, words
// and files. Every error names the flag and the value.
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

// Count reads a whole number, which may be written as 1e6. The caller refuses one that is out of range.
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
		return 0, input.Errorf("%s: %s is less than 0", where, text)
	case units > float64(longest):
		return 0, input.Errorf("%s: %s is longer than %d units", where, text, longest)
	}
	return time.Duration(math.Round(units * float64(sim.Unit))), nil
}

// After0 reads a time in units that is not zero.
func After0(where, text string) (time.Duration, error) {
	t, err := Time(where, text)
	if err == nil && t == 0 {
		err = input.Errorf("%s: %s is not above 0", where, text)
	}
	return t, err
}

// Duration reads a real time, which is not zero.
func Duration(flag, text string) (time.Duration, error) {
	d, err := time.ParseDuration(text)
	switch {
	case err != nil:
		return 0, input.Errorf("%s: %.60q is not a time, as in 20ms or 1.5s", flag, text)
	case d <= 0:
		return 0, input.Errorf("%s: %s is not above 0", flag, text)
	}
	return d, nil
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

// Between returns a function that reads a whole number, which may be written as 1e6.
func Between[T int | uint64](least, most T) func(flag, text string) (T, error) {
	return func(flag, text string) (T, error) {
		n, err := Count(flag, text)
		if err == nil && (n < float64(least) || n > float64(most)) {
			err = input.Errorf("%s: %.60s is not between %d and %d", flag, text, least, most)
		}
		if err != nil {
			return 0, err
		}
		return T(n), nil
	}
}
