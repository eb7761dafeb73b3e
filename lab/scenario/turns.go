package scenario

import (
	"cmp"
	"math"
	"slices"
	"time"

	"github.com/go-election/election"
	"github.com/go-election/election/input"
	"github.com/go-election/election/internal/order"
	"github.com/go-election/election/observe"
)

// Turn is a crash or a return of a process.
type Turn struct {
	At
	Do    observe.What // Crash, Recover or Restart
	place int          // in its list
}

// Turns returns all crashes and returns in the order in which drivers let them happen: at one instant
// crashes first.
func (in *Input) Turns() []Turn {
	all := make([]Turn, 0, len(in.CrashAt)+len(in.RecoverAt)+len(in.RestartAt))
	for _, list := range []struct {
		do observe.What
		at []At
	}{{observe.Crash, in.CrashAt}, {observe.Recover, in.RecoverAt}, {observe.Restart, in.RestartAt}} {
		for i, at := range list.at {
			all = append(all, Turn{at, list.do, i})
		}
	}
	// A crash and a return at the same time: the crash comes first, and so the process is up afterwards.
	order.Stable(all, func(a, b Turn) int {
		return cmp.Or(cmp.Compare(a.Time, b.Time), cmp.Compare(a.rank(), b.rank()))
	})
	return all
}

// rank orders crashes before returns.
func (t *Turn) rank() int {
	if t.Do == observe.Crash {
		return 0
	}
	return 1
}

// downInTheEnd returns the processes that are down after all crashes and returns.
func (in *Input) downInTheEnd() map[election.ID]bool {
	down := make(map[election.ID]bool)
	for _, id := range in.Crashed {
		down[id] = true
	}
	for _, t := range in.Turns() {
		down[t.ID] = t.Do == observe.Crash
	}
	return down
}

// Disturbed reports whether processes are to crash, to come back or to pause in the course of the run,
// or have clocks that are wrong.
func (in *Input) Disturbed() bool {
	return len(in.CrashAt)+len(in.RecoverAt)+len(in.RestartAt)+len(in.PauseAt)+len(in.ClockRates) > 0
}

// CheckTurns returns an error that wraps [election.ErrInput] if a process is to crash that is down then,
// or to come back that is up. Drivers pass over both, so that a plan that is drawn at random may hold
// them.
func (in *Input) CheckTurns() error {
	down := make(map[election.ID]bool)
	for _, id := range in.Crashed {
		down[id] = true
	}
	for _, t := range in.Turns() {
		crash := t.Do == observe.Crash
		switch {
		case !crash && !down[t.ID]:
			return input.Errorf("%v_at[%d]: %d is not down at %s", t.Do, t.place, t.ID, InUnits(t.Time))
		case crash && down[t.ID]:
			return input.Errorf("%v_at[%d]: %d is already down at %s", t.Do, t.place, t.ID, InUnits(t.Time))
		}
		down[t.ID] = crash
	}
	return nil
}

// Absence is a time for which a process is down.
type Absence struct {
	ID          election.ID
	From, Until time.Duration // Until is the largest Duration if it stays down
}

// Absences returns when each process is down, in the order in which that begins.
func (in *Input) Absences() []Absence {
	var all []Absence
	last := make(map[election.ID]int) // of those that are down: the place in all
	for _, id := range in.Crashed {
		last[id] = len(all)
		all = append(all, Absence{id, 0, math.MaxInt64})
	}
	for _, t := range in.Turns() {
		i, down := last[t.ID]
		switch crash := t.Do == observe.Crash; {
		case !crash && down:
			all[i].Until = t.Time
			delete(last, t.ID)
		case crash && !down:
			last[t.ID] = len(all)
			all = append(all, Absence{t.ID, t.Time, math.MaxInt64})
		}
	}
	return all
}

// Prompt is what a failure detector reports to a process: Suspect or Trust, of the process behind a port.
type Prompt struct {
	At   time.Duration
	To   int // the place of the process
	Port election.Port
	Op   election.Op
}

// Prompts returns all reports of a perfect failure detector, in order of time. Those that have a link with a
// process get a Suspect a time of SuspectAfter after it has crashed, if it is still down then. They get a
// Trust as long after it has come back, if it is still up. A process that was down at the time of a Suspect
// gets it as long after its own return. There are none if SuspectAfter is zero.
//
// What arrives from a process that is suspected is not held back: SuspectAfter should be as long as a
// message may take.
func (in *Input) Prompts() []Prompt {
	if in.SuspectAfter <= 0 {
		return nil
	}
	absences := in.Absences()
	of := make(map[election.ID][]Absence) // each process
	for _, a := range absences {
		of[a.ID] = append(of[a.ID], a)
	}
	where := in.Positions()
	var prompts []Prompt
	for _, a := range absences {
		reported, back := in.reportTime(a.From), in.reportTime(a.Until)
		// A short absence ends before the detector notices it.
		if reported >= a.Until {
			continue
		}
		trusted := back < math.MaxInt64 && !slices.ContainsFunc(of[a.ID],
			func(b Absence) bool { return a.Until < b.From && b.From <= back })
		p := where[a.ID]
		for port := range election.Port(in.Topology.Ports(p)) {
			q, end, ok := in.Topology.Link(p, port)
			if !ok || q == p {
				continue
			}
			prompts = append(prompts, Prompt{reported, q, end, election.Suspect})
			for _, b := range of[in.IDs[q]] {
				// The receiver was down at the time of the report. It hears of it after its own return, if it
				// is still true.
				if again := in.reportTime(b.Until); reported < b.Until && again < a.Until {
					prompts = append(prompts, Prompt{again, q, end, election.Suspect})
				}
			}
			if trusted {
				prompts = append(prompts, Prompt{back, q, end, election.Trust})
			}
		}
	}
	order.Stable(prompts, func(a, b Prompt) int { return cmp.Compare(a.At, b.At) })
	return prompts
}

// reportTime returns when others hear of a crash or return.
func (in *Input) reportTime(at time.Duration) time.Duration {
	return at + min(in.SuspectAfter, math.MaxInt64-at)
}

// maxPrompts bounds the reports of a failure detector in a run.
const maxPrompts = 1 << 24

// checkPrompts rejects reports that would come before their crash, and more of them than maxPrompts.
func (in *Input) checkPrompts() error {
	switch {
	case in.SuspectAfter < 0:
		return input.Errorf("suspect_after: %s is less than 0", InUnits(in.SuspectAfter))
	case in.SuspectAfter == 0:
		return nil
	}
	where := in.Positions()
	var count int
	for _, a := range in.Absences() {
		// Estimate from above, two Suspects and a Trust for each link: computing them exactly would take the
		// memory that this bound protects.
		if count += 3 * in.Topology.Ports(where[a.ID]); count > maxPrompts {
			return input.Errorf("suspect_after: more than %d reports of the failure detector", maxPrompts)
		}
	}
	return nil
}
