package parse

import (
	"errors"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/go-election/election/input"
	"github.com/go-election/election/lab/fault"
	"github.com/go-election/election/lab/scenario"
)

// At reads a process and a time: 4@3.5.
func At(where, text string) (at scenario.At, err error) {
	id, when, ok := strings.Cut(text, "@")
	if !ok {
		return at, input.Errorf("%s: %.60q is not a process and a time, as in 4@3.5", where, text)
	}
	if at.ID, err = ID(where, id); err != nil {
		return at, err
	}
	at.Time, err = Time(where, when)
	return at, err
}

// Ats reads a list of processes and times: 4@3.5,2@7.
func Ats(flag, text string) ([]scenario.At, error) { return List(flag, text, At) }

// Pauses reads a list of processes and two times: 3@2-6,4@9-12.
func Pauses(flag, text string) ([]scenario.Pause, error) { return List(flag, text, Pause) }

// Pause reads a process and two times: 3@2-6.
func Pause(where, text string) (pause scenario.Pause, err error) {
	id, when, ok := strings.Cut(text, "@")
	from, until, isRange := cutRange(when)
	if !ok || !isRange {
		return pause, input.Errorf("%s: %.60q is not a process and two times, as in 3@2-6", where, text)
	}
	if pause.ID, err = ID(where, id); err != nil {
		return pause, err
	}
	pause.From, pause.Until, err = timeRange(where, from, until)
	return pause, err
}

// cutRange splits a range at the hyphen between its two times, which is neither a sign nor part of an
// exponent.
func cutRange(text string) (from, until string, ok bool) {
	for i := 1; i < len(text); i++ {
		// A minus behind an e belongs to an exponent: 1e-3-2 is the range from 1e-3 to 2.
		if text[i] == '-' && text[i-1] != 'e' && text[i-1] != 'E' {
			return text[:i], text[i+1:], true
		}
	}
	return text, "", false
}

// timeRange reads two times, of which the second is later.
func timeRange(where, from, until string) (first, last time.Duration, err error) {
	if first, err = Time(where, from); err != nil {
		return 0, 0, err
	}
	if last, err = Time(where, until); err != nil {
		return 0, 0, err
	}
	if last <= first {
		return 0, 0, input.Errorf("%s: %s is not after %s", where, until, from)
	}
	return first, last, nil
}

// Probability reads a probability, from 0 to 1.
func Probability(flag, text string) (float64, error) {
	p, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
	if err != nil && !errors.Is(err, strconv.ErrRange) || math.IsNaN(p) || p < 0 || p > 1 {
		return 0, input.Errorf("%s: %.60q is not a probability, from 0 to 1", flag, text)
	}
	return math.Abs(p), nil // -0 is 0
}

// Partition parses groups and a range of times: 1,2|3,4@3-9. Without an end the partition does not end.
// Without times it begins with the run.
func Partition(flag, text string) (cut fault.Partition, err error) {
	groups, when, timed := strings.Cut(text, "@")
	sign := "|"
	if cut.OneWay = strings.Contains(groups, ">"); cut.OneWay {
		sign = ">"
	}
	if cut.OneWay && strings.Contains(groups, "|") {
		return cut, input.Errorf("%s: %.60q cuts links one way and both", flag, text)
	}
	for part := range strings.SplitSeq(groups, sign) {
		group, err := List(flag, part, ID)
		if err != nil {
			return cut, err
		}
		cut.Groups = append(cut.Groups, group)
	}
	if !timed {
		return cut, nil
	}
	from, until, ends := cutRange(when)
	if !ends {
		cut.From, err = Time(flag, from)
		return cut, err
	}
	cut.From, cut.Until, err = timeRange(flag, from, until)
	return cut, err
}
