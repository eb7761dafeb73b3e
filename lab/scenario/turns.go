package scenario

import (
	"cmp"
	"math"
	"slices"
	"time"

	"github.com/go-election/election"
	"github.com/go-election/election/input"
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
	slices.SortStableFunc(all, func(a, b Turn) int {
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

// Disturbed reports whether processes are to crash, to come back or to pause in the course of the run.
func (in *Input) Disturbed() bool {
	return len(in.CrashAt)+len(in.RecoverAt)+len(in.RestartAt)+len(in.PauseAt) > 0
}

// CheckTurns returns an error that wraps [election.ErrInput] if somebody is to crash who is down then, or to
// come back who is up. Drivers pass over both, so that a plan that is drawn at random may hold them.
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
			return input.Errorf("%v_at[%d]: %d is down already at %s", t.Do, t.place, t.ID, InUnits(t.Time))
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

// Absences returns when who is down, in the order in which it begins.
func (in *Input) Absences() []Absence {
	var all []Absence
	last := make(map[election.ID]int) // of those who are down: in all
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

// Word is what a failure detector says to a process: Suspect or Trust, of whom is behind a port.
type Word struct {
	At   time.Duration
	To   int // the place of the process
	Port election.Port
	Op   election.Op
}

// Words returns all that a perfect failure detector says, in order of time: Suspect, SuspectAfter after a
// crash, to everybody who has a link with the process, if that is still down then; Trust, as long after it
// has come back, if it is still up; and Suspect, as long after somebody has come back, of those who
// were down already when the others were told. Who is down when it should be told is not. There are
// none if SuspectAfter is zero.
//
// What arrives from a process that is suspected is not held back: SuspectAfter should be as long as a
// message may take.
func (in *Input) Words() []Word {
	if in.SuspectAfter <= 0 {
		return nil
	}
	absences := in.Absences()
	of := make(map[election.ID][]Absence) // each process
	for _, a := range absences {
		of[a.ID] = append(of[a.ID], a)
	}
	where := in.Positions()
	var words []Word
	for _, a := range absences {
		told, back := in.reportTime(a.From), in.reportTime(a.Until)
		if told >= a.Until {
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
			words = append(words, Word{told, q, end, election.Suspect})
			for _, b := range of[in.IDs[q]] {
				if again := in.reportTime(b.Until); told < b.Until && again < a.Until {
					words = append(words, Word{again, q, end, election.Suspect})
				}
			}
			if trusted {
				words = append(words, Word{back, q, end, election.Trust})
			}
		}
	}
	slices.SortStableFunc(words, func(a, b Word) int { return cmp.Compare(a.At, b.At) })
	return words
}

// reportTime returns when others hear of a crash or return.
func (in *Input) reportTime(at time.Duration) time.Duration {
	return at + min(in.SuspectAfter, math.MaxInt64-at)
}

// maxWords bounds what a failure detector says in a run.
const maxWords = 1 << 24

// checkWords wants words not to come before what they tell of, and not to be too many.
func (in *Input) checkWords() error {
	if in.SuspectAfter == 0 {
		return nil
	}
	if in.SuspectAfter < 0 {
		return input.Errorf("suspect_after: %s is less than 0", InUnits(in.SuspectAfter))
	}
	where := in.Positions()
	count := 0
	for _, a := range in.Absences() {
		if count += 3 * in.Topology.Ports(where[a.ID]); count > maxWords {
			return input.Errorf("suspect_after: more than %d words of the failure detector", maxWords)
		}
	}
	return nil
}
