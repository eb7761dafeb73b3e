package main

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/go-election/election"
	"github.com/go-election/election/lab/sim"
)

// parseNumber reads one whole number that is not negative.
func parseNumber(where, text string) (uint64, error) {
	n, err := strconv.ParseUint(strings.TrimSpace(text), 10, 64)
	switch {
	case err == nil:
		return n, nil
	case errors.Is(err, strconv.ErrRange):
		return 0, usage("%s: %s is above the largest number there is, %d", where, text, uint64(math.MaxUint64))
	case strings.TrimSpace(text) == "":
		return 0, usage("%s: a number is missing", where)
	}
	if _, err := strconv.ParseInt(strings.TrimSpace(text), 10, 64); err == nil || errors.Is(err, strconv.ErrRange) {
		return 0, usage("%s: %s is negative", where, text)
	}
	return 0, usage("%s: %q is not a whole number", where, text)
}

// parseCount reads a whole number of things, 1e6 as well; it may be negative, or far too large.
func parseCount(where, text string) (float64, error) {
	n, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
	if math.IsNaN(n) || err != nil && !errors.Is(err, strconv.ErrRange) || n != math.Trunc(n) {
		return 0, usage("%s: %q is not a whole number", where, text)
	}
	return n, nil
}

// parseList reads a list with commas, one thing by one.
func parseList[T any](flag, text string, one func(where, text string) (T, error)) ([]T, error) {
	if strings.TrimSpace(text) == "" {
		return nil, usage("%s: the list is empty", flag)
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

func parseNumbers(flag, text string) ([]uint64, error) { return parseList(flag, text, parseNumber) }

func parseIDs(flag, text string) ([]election.ID, error) { return parseList(flag, text, parseID) }

func parseID(where, text string) (election.ID, error) {
	n, err := parseNumber(where, text)
	return election.ID(n), err
}

func parseTimes(flag, text string) ([]time.Duration, error) { return parseList(flag, text, parseTime) }

// longest bounds times, in units, as scenarios do.
const longest = int64(sim.LongestDelay / sim.Unit)

// parseTime reads a time in units.
func parseTime(where, text string) (time.Duration, error) {
	units, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
	switch {
	case err != nil && !errors.Is(err, strconv.ErrRange) || math.IsNaN(units):
		return 0, usage("%s: %q is not a time", where, text)
	case units < 0:
		return 0, usage("%s: %s is before the beginning", where, text)
	case units > float64(longest):
		return 0, usage("%s: %s is longer than %d units", where, text, longest)
	}
	return time.Duration(math.Round(units * float64(sim.Unit))), nil
}

// parseDelay reads the shortest and the longest delay, in units.
func parseDelay(flag, text string) (sim.Delay, error) {
	times, err := parseTimes(flag, text)
	switch {
	case err != nil:
		return sim.Delay{}, err
	case len(times) != 2:
		return sim.Delay{}, usage("%s: %q is not a shortest and a longest delay", flag, text)
	case times[1] < 1 || times[0] > times[1]:
		return sim.Delay{}, usage("%s: %q is not a range of delays above 0", flag, text)
	}
	return sim.Delay{Min: max(times[0], 1), Max: times[1]}, nil
}
