package scenario

import (
	"slices"
	"time"

	"github.com/go-election/election"
)

// Timeless reports whether nothing is planned for a later time than the beginning, or left to links that
// fail, on which the outcome could depend.
func (in *Input) Timeless() bool {
	late := func(t time.Duration) bool { return t > 0 }
	return !in.Disturbed() && in.SuspectAfter == 0 && !in.Faults.Any() &&
		!slices.ContainsFunc(in.StartTimes, late)
}

// AllStart reports whether the bounds of the algorithm hold for this input: all processes are up and start
// at once, or the one that may does.
func (in *Input) AllStart() bool {
	all := in.Starts() == len(in.IDs) || in.Algorithm.SingleInitiator && in.Initiators == nil
	return all && in.Timeless() && len(in.Crashed) == 0
}

// Expected returns what a scenario expects of a run: everything if it runs as planned, else what does not
// depend on the schedule. Messages may overtake each other if it is unordered.
func (s *Scenario) Expected(in *Input, asPlanned, unordered bool) *Expect {
	if s.Expect == nil || asPlanned {
		return s.Expect
	}
	var e Expect
	if in.Timeless() {
		// Where any process may lead, the schedule decides which.
		if a := in.Algorithm; s.AnySchedule || a.Winner != nil || a.Elects == election.NoLeader {
			e.Leader = s.Expect.Leader
		}
		if s.AnySchedule && !unordered {
			e.Messages, e.ByKind = s.Expect.Messages, s.Expect.ByKind
		}
	}
	return &e
}
