package main

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/go-election/election"
	"github.com/go-election/election/lab/scenario"
)

// served returns an error if somebody has asked for entry to a critical section, has been up ever
// since, and has not entered. Where steps are given that leave messages under way, or something is expected, that
// is not asked.
func (j *job) served(o *outcome) error {
	e := j.expect
	expects := e != nil && (e.Messages != nil || e.ByKind != nil || e.Time != nil || e.EntryOrder != nil || e.Entries != nil)
	midway := j.Steps != nil && o.virtual.left > 0
	if j.Algorithm.Sections == 0 || midway || expects {
		return nil
	}
	var left []string
	for _, id := range j.unserved(o) {
		left = append(left, fmt.Sprint(uint64(id)))
	}
	const most = 5
	more := len(left) - most
	if more > 0 {
		left = append(left[:most], fmt.Sprintf("%d more", more))
	}
	why := ""
	if !j.Algorithm.Leaderless && o.Leader == 0 {
		why = ": no arbiter was elected"
	}
	switch len(left) {
	case 0:
		return nil
	case 1:
		return fmt.Errorf("process %s asked and was never served%s", left[0], why)
	}
	return fmt.Errorf("processes %s and %s asked and were never served%s", strings.Join(left[:len(left)-1], ", "), left[len(left)-1], why)
}

// unserved returns who has asked and has not entered.
func (j *job) unserved(o *outcome) []election.ID {
	if j.Steps != nil { // they say who asks, and who crashes
		return slices.Sorted(maps.Keys(o.sections.waits))
	}
	entered := make(map[election.ID]bool)
	for _, entry := range o.Entries {
		entered[entry.ID] = true
	}
	return slices.DeleteFunc(j.asked(), func(id election.ID) bool { return entered[id] })
}

// asked returns who has asked and has been up from then to the end. A crash ends a request.
func (j *job) asked() []election.ID {
	until := j.Until
	if until == 0 {
		until = math.MaxInt64
	}
	away := make(map[election.ID][]scenario.Absence)
	for _, a := range j.Absences() {
		away[a.ID] = append(away[a.ID], a)
	}
	starters := j.Starters()
	if starters == nil {
		starters = j.IDs
	}
	var asked []election.ID
	for i, id := range starters {
		var at time.Duration
		if len(j.StartTimes) > 0 {
			at = j.StartTimes[i]
		}
		up := at <= until
		for _, a := range away[id] {
			up = up && (a.From > until || a.Until < at)
		}
		if up {
			asked = append(asked, id)
		}
	}
	return asked
}

// untold adds to an error that those who must know of a crash were not told. In an election, who has
// heartbeats finds out.
func (j *job) untold(o *outcome, err error) error {
	heeds := j.Algorithm.Sections > 0 || j.Algorithm.Faults.Unaided() && !j.Algorithm.NeverQuiesces
	crashed := len(j.Crashed)+len(j.CrashAt) > 0 && o.Live > 0
	if !heeds || !crashed || j.SuspectAfter > 0 || j.Steps != nil {
		return err
	}
	if j.label != "" {
		return fmt.Errorf("%w; nobody was told of the crash: see suspect_after", err)
	}
	return fmt.Errorf("%w; nobody was told of the crash: see --suspect-after", err)
}
