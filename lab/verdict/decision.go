package verdict

import (
	"fmt"
	"time"

	"github.com/go-election/election"
)

// Changed returns an error if a process takes back what it has decided in the same Term, which [NoChange]
// forbids.
func Changed(process election.ID, before, now election.Outcome) error {
	if before.Role == election.Undecided || before.Term != now.Term || before == now {
		return nil
	}
	return fmt.Errorf("in Term %d process %d was %v of %v, and now is %v of %v",
		now.Term, process, before.Role, before.Leader, now.Role, now.Leader)
}

// Started returns the Term of the election that a process begins in a step, if it begins one: on a Start, on
// a report of a failure detector, or on a message of an older Term. It is not asked of the process: one that
// is long-lived keeps its Terms where no driver sees them. A process that begins an election sends messages
// of its Term, or decides in it since it is alone. The election is that of the layer
// [election.Algorithm].Below. What is below it are failure detectors, whose time-outs are reports.
func Started(a *election.Algorithm, ev *election.Event, fx *election.Effects) (term uint64, ok bool) {
	if fx.Refused() || ev.Op == election.Timeout && ev.Layer >= a.Below {
		return 0, false
	}
	for i := range fx.Sends {
		// A CatchUp replies with the Term of an election that has begun. Other layers have other Terms.
		if m := &fx.Sends[i].Msg; m.Kind != election.CatchUp && m.Layer == a.Below {
			term, ok = max(term, m.Term), true
		}
	}
	// A failure detector may report two crashes in one step: then the process may send in the first election,
	// and be alone in the second.
	if fx.Decided() {
		term, ok = max(term, fx.Outcome.Term), true
	}
	return term, ok && (ev.Op != election.Recv || term > ev.Msg.Term)
}

// Decisions watches what processes decide: which process leads in a Term, and until when.
type Decisions struct {
	Algorithm *election.Algorithm
	// Returned: a process may have recovered, so it may lead in a Term that has had a leader. Apart: processes may
	// have been paused or cut off, so two may have led in a Term, but one after the other. Both concern algorithms
	// that are long-lived and have no leases. No other process leads in the Term of a leader that is up.
	Returned, Apart bool

	of      map[election.ID]decided
	leaders map[uint64]election.ID // by Term
	leases  leases
}

// decided is what a process has decided.
type decided struct {
	election.Outcome        // zero if the process is down
	down             bool   // has crashed and not returned
	group            uint64 // the largest Term in which it has led a group
}

// Note notes what a process decides at a time, and when its lease ends if it has one. All times are of one
// clock. If a property does not hold any more, Note returns it and why.
func (d *Decisions) Note(process election.ID, now election.Outcome, at, until time.Duration) (Property, error) {
	if d.of == nil {
		d.of, d.leaders = make(map[election.ID]decided), make(map[uint64]election.ID)
	}
	is, a := d.of[process], d.Algorithm
	before := is.Outcome
	is.Outcome = now
	defer func() { d.of[process] = is }()
	if a.Elects == election.LeaseHolders {
		if property, err := d.leases.note(process, now, at, until); err != nil {
			return property, err
		}
	}
	if a.Elects == election.NoLeader || now.Role == election.Undecided {
		return "", nil
	}
	if err := Changed(process, before, now); err != nil && !a.LongLived() {
		return NoChange, err
	}
	switch {
	case now.Role != election.Leader, now.Same(before):
		return "", nil
	case now.Leader.ID != process:
		return OneLeader, fmt.Errorf("process %d leads, and names %d as the leader", process, now.Leader.ID)
	case a.Elects != election.GroupLeaders:
		if err := d.lead(process, now.Term); err != nil {
			return OneLeader, err
		}
		return "", nil
	case now.Term <= is.group:
		return GroupsOnce, SecondGroup(process, now.Term, is.group)
	}
	is.group = max(is.group, now.Term)
	return "", nil
}

// lead notes that a process leads in a Term, and returns an error if another process must not have led in it.
func (d *Decisions) lead(process election.ID, term uint64) error {
	first, led := d.leaders[term]
	switch loose := d.Algorithm.LongLived() && d.Algorithm.Elects != election.LeaseHolders; {
	case loose && d.Returned:
		return nil
	case led && d.Algorithm.LongLived() && d.of[first].down:
		led = false // perhaps all processes that have heard of the Term are down as well
	case led && loose && d.Apart:
		led = d.of[first].Role == election.Leader && d.of[first].Term == term
	}
	d.leaders[term] = process
	if led && first != process {
		return BothLead(first, process, term)
	}
	return nil
}

// Crash notes that a process has crashed, and forgets what it has decided.
func (d *Decisions) Crash(process election.ID) {
	if d.of != nil {
		d.of[process] = decided{down: true, group: d.of[process].group}
	}
	delete(d.leases.held, process)
}

// Return notes that a process has recovered.
func (d *Decisions) Return(process election.ID) {
	if is, ok := d.of[process]; ok {
		is.down = false
		d.of[process] = is
	}
}

// BothLead is the error of two leaders of one Term.
func BothLead(first, second election.ID, term uint64) error {
	return fmt.Errorf("processes %d and %d both lead in Term %d", first, second, term)
}

// SecondGroup is the error of a group whose number is not larger than another of the same leader before,
// which [GroupsOnce] forbids.
func SecondGroup(process election.ID, term, before uint64) error {
	return fmt.Errorf("process %d leads a group of Term %d, after a group of Term %d", process, term, before)
}

// Outdated returns an error if a process follows a leader in a later Term than the leader's own, which
// [Agreement] forbids at the end: a process that has seen the later Term would ignore that leader.
func Outdated(leads election.Outcome, process election.ID, follows election.Outcome) error {
	if follows.Term <= leads.Term {
		return nil
	}
	return fmt.Errorf("process %d leads in Term %d, process %d follows it in Term %d",
		leads.Leader.ID, leads.Term, process, follows.Term)
}
