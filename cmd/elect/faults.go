package main

import (
	"errors"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/go-election/election/lab/fault"
	"github.com/go-election/election/lab/scenario"
)

// wrong reads the flags that say what goes wrong.
func (f *flags) wrong(in *scenario.Input) (err error) {
	if f.given("crashed") {
		if in.Crashed, err = parseIDs("--crashed", f.crashed); err != nil {
			return err
		}
	}
	for _, list := range []struct {
		flag, text string
		to         *[]scenario.At
	}{
		{"crash-at", f.crashAt, &in.CrashAt}, {"recover-at", f.recoverAt, &in.RecoverAt}, {"restart-at", f.restartAt, &in.RestartAt},
	} {
		if f.given(list.flag) {
			if *list.to, err = parseList("--"+list.flag, list.text, parseAt); err != nil {
				return err
			}
		}
	}
	if f.given("suspect-after") {
		if in.SuspectAfter, err = parseTime("--suspect-after", f.suspectAfter); err != nil {
			return err
		}
		if in.SuspectAfter == 0 {
			return usage("--suspect-after: %s is too early; without it nobody is told", f.suspectAfter)
		}
	}
	if f.given("pause-at") {
		if in.PauseAt, err = parseList("--pause-at", f.pauseAt, parsePause); err != nil {
			return err
		}
	}
	for _, chance := range []struct {
		flag, text string
		to         *float64
	}{
		{"loss", f.loss, &in.Faults.Loss}, {"duplicate", f.duplicate, &in.Faults.Duplicate}, {"reorder", f.reorder, &in.Faults.Reorder},
	} {
		if f.given(chance.flag) {
			if *chance.to, err = parseProbability("--"+chance.flag, chance.text); err != nil {
				return err
			}
		}
	}
	for _, text := range f.partitions {
		cut, err := parsePartition("--partition", text)
		if err != nil {
			return err
		}
		in.Faults.Partitions = append(in.Faults.Partitions, cut)
	}
	return nil
}

// parseAt reads a process and a time: 4@3.5.
func parseAt(where, text string) (at scenario.At, err error) {
	id, when, ok := strings.Cut(text, "@")
	if !ok {
		return at, usage("%s: %q is not a process and a time, as in 4@3.5", where, text)
	}
	if at.ID, err = parseID(where, id); err != nil {
		return at, err
	}
	at.Time, err = parseTime(where, when)
	return at, err
}

// parsePause reads a process and two times: 3@2-6.
func parsePause(where, text string) (pause scenario.Pause, err error) {
	id, when, ok := strings.Cut(text, "@")
	from, until, isRange := cutRange(when)
	if !ok || !isRange {
		return pause, usage("%s: %q is not a process and two times, as in 3@2-6", where, text)
	}
	if pause.ID, err = parseID(where, id); err != nil {
		return pause, err
	}
	pause.From, pause.Until, err = parseRange(where, from, until)
	return pause, err
}

// cutRange cuts a range where its two times meet: at a hyphen that is neither a sign nor that of
// an exponent.
func cutRange(text string) (from, until string, ok bool) {
	for i := 1; i < len(text); i++ {
		if text[i] == '-' && text[i-1] != 'e' && text[i-1] != 'E' {
			return text[:i], text[i+1:], true
		}
	}
	return text, "", false
}

// parseRange reads two times, of which the second is later.
func parseRange(where, from, until string) (first, last time.Duration, err error) {
	if first, err = parseTime(where, from); err != nil {
		return 0, 0, err
	}
	if last, err = parseTime(where, until); err != nil {
		return 0, 0, err
	}
	if last <= first {
		return 0, 0, usage("%s: %s is not after %s", where, until, from)
	}
	return first, last, nil
}

func parseProbability(flag, text string) (float64, error) {
	p, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
	if err != nil && !errors.Is(err, strconv.ErrRange) || math.IsNaN(p) || p < 0 || p > 1 {
		return 0, usage("%s: %q is not a probability, from 0 to 1", flag, text)
	}
	return math.Abs(p), nil // -0 is 0
}

// parsePartition reads groups and a range of times: 1,2|3,4@3-9. Where the end is missing there
// is none; without times it is there from the beginning.
func parsePartition(flag, text string) (cut fault.Partition, err error) {
	groups, when, timed := strings.Cut(text, "@")
	sign := "|"
	if cut.OneWay = strings.Contains(groups, ">"); cut.OneWay {
		sign = ">"
	}
	if cut.OneWay && strings.Contains(groups, "|") {
		return cut, usage("%s: %q cuts links one way and both", flag, text)
	}
	for part := range strings.SplitSeq(groups, sign) {
		group, err := parseList(flag, part, parseID)
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
		cut.From, err = parseTime(flag, from)
		return cut, err
	}
	cut.From, cut.Until, err = parseRange(flag, from, until)
	return cut, err
}
