package scenario

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/go-election/election"
	"github.com/go-election/election/internal/prose"
	"github.com/go-election/election/lab/verdict"
	"github.com/go-election/election/observe"
)

// What a [Judge] adds to an error.
var (
	// ErrMidway: the steps of the run end before its election does.
	ErrMidway = errors.New("the steps end before the election does")
	// ErrUntold: a process has crashed, and no failure detector has reported it to the others, which only
	// go on after such a report. See [Input.SuspectAfter].
	ErrUntold = errors.New("no failure detector has reported the crash")
)

// Judge judges whether a run of an Input came out right. If the run takes Steps, or the algorithm guards critical
// sections, the driver must report to [Judge.Observe].
type Judge struct {
	Input  *Input
	Steps  []Step  // everything that happens, if not nil
	Acts   []Act   // what a hand does
	Hand   bool    // nothing else happens
	Expect *Expect // what must come out; if nil, what the algorithm promises

	sections verdict.Sections
	waiting  map[election.ID]bool // has asked for entry, and has not entered or crashed since
	entries  []verdict.Entry
	broken   error // the first thing that was wrong with a section
	where    map[election.ID]int
	to       map[uint64]election.ID // the receiver of a message, by its number
	copies   map[uint64]int         // of a message in flight
	down     map[election.ID]bool
	observed bool
}

// Observe takes what a simulator reports.
func (j *Judge) Observe(o *observe.Occurrence) {
	// Made at the first event, as the zero Judge is ready for use.
	if !j.observed {
		j.observed, j.where = true, j.Input.Positions()
		j.waiting, j.down = make(map[election.ID]bool), make(map[election.ID]bool)
		j.to, j.copies = make(map[uint64]election.ID), make(map[uint64]int)
	}
	switch o.What {
	case observe.Step:
		j.step(o)
	case observe.Lose:
		j.copies[o.Message]--
	case observe.Duplicate:
		j.copies[o.Message]++
	case observe.Crash:
		j.down[o.Process] = true
		delete(j.waiting, o.Process)
		j.sections.Crash(o.Process)
	case observe.Recover, observe.Restart:
		j.down[o.Process] = false
	}
}

// step takes what a process has done.
func (j *Judge) step(o *observe.Occurrence) {
	j.copies[o.Message]--
	for i := range o.Effects.Sends {
		if q, _, ok := j.Input.Topology.Link(j.where[o.Process], o.Effects.Sends[i].Port); ok {
			number := o.First + uint64(i)
			j.to[number] = j.Input.IDs[q]
			j.copies[number]++
		}
	}
	if o.Event.Op == election.Start && !o.Effects.Refused() {
		j.waiting[o.Process] = true
	}
	for i := range o.Effects.Signals {
		s := &o.Effects.Signals[i]
		if s.Down {
			continue
		}
		if m := &s.Event.Msg; s.Event.Op == election.Entered {
			delete(j.waiting, o.Process)
			j.entries = append(j.entries, verdict.Entry{At: o.At, ID: o.Process, Section: m.Flags, Token: m.Value})
		}
		// Note every event even after the first violation, which alone is reported.
		if _, err := j.sections.Note(o.Process, &s.Event); j.broken == nil {
			j.broken = err
		}
	}
}

// Entries returns the entries into critical sections so far.
func (j *Judge) Entries() []verdict.Entry { return j.entries }

// UnderWay returns the number of messages that the run leaves on links to processes that are up.
func (j *Judge) UnderWay() (n int) {
	for number, to := range j.to {
		if !j.down[to] {
			n += j.copies[number]
		}
	}
	return n
}

// Expects reports whether a file says what must come out.
func (j *Judge) Expects() bool {
	return j.Expect != nil && (j.Expect.Leader != nil || j.Expect.counts())
}

// counts reports whether anything but the leader is expected.
func (e *Expect) counts() bool {
	return e.Messages != nil || e.ByKind != nil || e.Time != nil || e.Tree != nil || e.EntryOrder != nil ||
		e.Entries != nil
}

// Err returns why the run failed, or nil if its election was done and right. The time is as for
// [Expect.Compare]. An expectation that names the leader decides alone.
func (j *Judge) Err(r *verdict.Result, at *time.Duration) error {
	if e := j.Expect; e != nil {
		if err := e.Compare(r, at); err != nil || e.Leader != nil {
			return err
		}
	}
	if j.Input.Algorithm.Sections > 0 {
		if j.broken != nil {
			return j.broken
		}
		if err := j.served(r); err != nil {
			return j.untold(r, err)
		}
	}
	if j.Input.Algorithm.Elects == election.NoLeader {
		return nil
	}
	if err := r.Err(); err != nil {
		return j.midway(j.untold(r, err))
	}
	if err := j.leader().Judge(r.Leader); err != nil {
		return fmt.Errorf("leader: %w", err)
	}
	return nil
}

// leader returns which process must lead.
func (j *Judge) leader() verdict.Rightful {
	switch {
	case j.Steps != nil:
		return j.Input.ExpectedOf(j.Steps)
	case j.Hand:
		return j.Input.ExpectedOf(stepsOf(j.Acts))
	case slices.ContainsFunc(j.Acts, func(a Act) bool { return !hastens(a.Do) }):
		return verdict.Rightful{} // some processes may be up, or have started, that no plan names
	}
	return j.Input.Expected()
}

// stepsOf returns what a hand does, where that is all that happens.
func stepsOf(acts []Act) []Step {
	steps := make([]Step, len(acts))
	for i := range acts {
		steps[i] = acts[i].Step
	}
	return steps
}

// hastens reports whether an act changes no more than when something happens.
func hastens(do observe.What) bool {
	return do == observe.Deliver || do == observe.Delay || do == observe.Timeout
}

// still reports whether nothing happens but what the steps or acts say.
func (j *Judge) still() bool { return j.Steps != nil || j.Hand }

// midway wraps [ErrMidway] where the steps leave messages in flight and nothing is expected of them.
func (j *Judge) midway(err error) error {
	if left := j.UnderWay(); j.still() && !j.Expects() && left > 0 {
		return fmt.Errorf("%w, with %s in flight: %w", ErrMidway, prose.Plural(left, "message"), err)
	}
	return err
}

// untold wraps [ErrUntold] where processes that need a report of a crash have had none. In an election,
// processes with heartbeats need none.
func (j *Judge) untold(r *verdict.Result, err error) error {
	in := j.Input
	heeds := in.Algorithm.Sections > 0 || in.Algorithm.Faults.Unaided() && !in.Algorithm.Heartbeats
	acted := func(do observe.What) bool {
		return slices.ContainsFunc(j.Acts, func(a Act) bool { return a.Do == do })
	}
	crashed := (len(in.Crashed)+len(in.CrashAt) > 0 || acted(observe.Crash)) && r.Live > 0
	if !heeds || !crashed || in.SuspectAfter > 0 || acted(observe.Suspect) || j.still() {
		return err
	}
	return fmt.Errorf("%w; %w", err, ErrUntold)
}

// served returns an error if a process has asked for entry to a critical section, has been up ever since, and
// has not entered. Steps that leave messages in flight may end before it enters, and where counts are
// expected they decide.
func (j *Judge) served(r *verdict.Result) error {
	if j.Expect != nil && j.Expect.counts() || j.still() && j.UnderWay() > 0 {
		return nil
	}
	err := verdict.Unserved(slices.Sorted(maps.Keys(j.waiting)))
	if err != nil && j.Input.Algorithm.Elects != election.NoLeader && r.Leader == 0 {
		return fmt.Errorf("%w: no arbiter was elected", err)
	}
	return err
}
