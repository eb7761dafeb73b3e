package verdict

import (
	"fmt"
	"time"

	"github.com/go-election/election"
)

// leases are the leases of a run.
type leases struct {
	held map[election.ID]lease
	term uint64 // the largest of all leases
}

// lease is a lease as it was published last.
type lease struct {
	term  uint64
	until time.Duration
}

// note notes what a process believes from now on, and when its lease ends if it leads.
func (l *leases) note(process election.ID, o election.Outcome, now, until time.Duration) (Property, error) {
	mine, had := l.held[process]
	if o.Role != election.Leader || until <= now {
		delete(l.held, process)
		return "", nil
	}
	for other, lease := range l.held {
		if other != process && now < lease.until {
			return OneLease, BothHold(process, o.Term, other, lease.term)
		}
	}
	fresh := !had || mine.term != o.Term || now >= mine.until
	if fresh && o.Term <= l.term {
		return LaterTerms, SmallerTerm(process, o.Term, l.term)
	}
	if l.held == nil {
		l.held = make(map[election.ID]lease)
	}
	l.held[process], l.term = lease{o.Term, until}, max(l.term, o.Term)
	return "", nil
}

// BothHold returns the error of two leases that are valid at the same time.
func BothHold(p election.ID, term uint64, q election.ID, other uint64) error {
	return fmt.Errorf("process %d leads in Term %d while the lease of process %d in Term %d is valid", p,
		term, q, other)
}

// SmallerTerm returns the error of a lease whose Term is not larger than the Term of a lease before.
func SmallerTerm(p election.ID, term, before uint64) error {
	return fmt.Errorf("process %d begins to lead in Term %d, after a lease in Term %d", p, term, before)
}
