package verdict

import (
	"fmt"

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
// is LongLived keeps its Terms where no driver sees them. A process that begins an election sends messages
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

// Leaders holds which process has led in each Term.
type Leaders map[uint64]election.ID

// Add notes that a process leads in a Term. It returns an error if another process has led in that Term,
// which [OneLeader] forbids.
func (l Leaders) Add(process election.ID, term uint64) error {
	first, ok := l[term]
	l[term] = process
	if ok && first != process {
		return BothLead(first, process, term)
	}
	return nil
}

// BothLead is the error of two leaders of one Term.
func BothLead(first, second election.ID, term uint64) error {
	return fmt.Errorf("processes %d and %d both lead in Term %d", first, second, term)
}

// SecondGroup is the error of a group whose number is not larger than another of the same leader before,
// which [GroupsOnce] forbids.
func SecondGroup(process election.ID, term, before uint64) error {
	return fmt.Errorf("process %d leads a group of Term %d, after one of Term %d", process, term, before)
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
