package soak

import (
	"fmt"

	"github.com/go-election/election"
	"github.com/go-election/election/lab/verdict"
)

// judge returns what is wrong at the end, or nil.
func (y *play) judge() *Violation {
	wrong := func(property verdict.Property, format string, args ...any) *Violation {
		return &Violation{Property: property, Reason: fmt.Sprintf(format, args...), At: y.Now()}
	}
	started := false
	// Groups that look for each other must be one by now: nothing goes wrong any more.
	poll := verdict.Beliefs{Groups: y.Algorithm.Elects == election.GroupLeaders && !y.Algorithm.Heartbeats}
	for p := range y.is {
		is := &y.is[p]
		if is.down {
			continue
		}
		started = started || is.asked > 0 || is.outcome.Role != election.Undecided
		if is.waits() && y.guardsSections() {
			return wrong(verdict.Served, "%v", verdict.Unserved(y.IDs[p:p+1]))
		}
		poll.Add(is.outcome, y.Ended(p))
	}
	var r verdict.Result
	poll.Fill(&r)
	// Without a Start no election was held, and there is no leader to expect. A store never leads others.
	if y.Algorithm.Elects == election.NoLeader || !started || r.Live == 0 ||
		y.Algorithm.Store && r.Live < min(2, len(y.IDs)) {
		return nil
	}
	must := y.rightful(r.Leader)
	switch broken := r.Broken(must); {
	case broken == verdict.RightAtEnd:
		return wrong(broken, "%v", must.Judge(r.Leader))
	case broken == verdict.Agreement || broken == verdict.InGroups:
		return wrong(broken, "%s", y.beliefs())
	case broken == verdict.Terminated:
		return wrong(broken, "process %d does not know", y.firstUnaware())
	// the Terms of groups are judged already; the Term is that of an election below
	case r.Groups, y.guardsSections():
		return nil
	}
	lead := y.is[y.where[r.Leader]].outcome
	for p := range y.is {
		if is := &y.is[p]; !is.down {
			if err := verdict.Outdated(lead, y.IDs[p], is.outcome); err != nil {
				return wrong(verdict.Agreement, "%v", err)
			}
		}
	}
	return nil
}

// waits reports whether a process that is up has asked for entry to a critical section and has not entered.
func (is *participant) waits() bool { return !is.down && is.asked > 0 && is.entered == 0 }

// firstUnaware returns the first process that is up and does not know of the end, of which there must be one.
func (y *play) firstUnaware() election.ID {
	p := 0
	for y.is[p].down || y.Ended(p) {
		p++
	}
	return y.IDs[p]
}

// beliefs describes what the live processes believe.
func (y *play) beliefs() (text string) {
	for p := range y.is {
		is := &y.is[p]
		switch {
		case is.down:
			continue
		case text != "":
			text += ", "
		}
		switch is.outcome.Role {
		case election.Leader:
			text += fmt.Sprintf("process %d leads", y.IDs[p])
		case election.Follower:
			text += fmt.Sprintf("process %d follows %d", y.IDs[p], is.outcome.Leader.ID)
		default:
			text += fmt.Sprintf("process %d has no leader", y.IDs[p])
		}
	}
	return text
}

// rightful returns the process that must lead in the Term of the leader that there is.
func (y *play) rightful(leader election.ID) verdict.Rightful {
	up := func(p int) bool { return !y.is[p].down }
	return y.Winner(up, func(p int) bool {
		q, ok := y.where[leader]
		return ok && y.is[p].began > 0 && y.is[p].began == y.is[q].outcome.Term
	})
}
