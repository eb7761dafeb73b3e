package verdict

import (
	"fmt"
	"time"

	"github.com/go-election/election"
)

// Leases watches leases from outside: which process holds one, and until when. All times are by one
// clock, that of the judge. The zero value is ready for use.
type Leases struct {
	held map[election.ID]Lease
	term uint64 // the largest of all leases
}

// Lease is a lease as it was published last.
type Lease struct {
	Term  uint64
	Until time.Duration // by the clock of the judge, before that of the holder shows Outcome.Until
}

// Note notes what a process believes from now on; until is when its lease ends, if it leads. If that
// must not be it returns which property forbids it, [OneLease] or [LaterTerms], and why.
func (l *Leases) Note(process election.ID, o election.Outcome, now, until time.Duration) (Property, error) {
	mine, had := l.held[process]
	if o.Role != election.Leader || until <= now {
		delete(l.held, process)
		return "", nil
	}
	for other, lease := range l.held {
		if other != process && now < lease.Until {
			return OneLease, BothHold(process, o.Term, other, lease.Term)
		}
	}
	fresh := !had || mine.Term != o.Term || now >= mine.Until
	if fresh && o.Term <= l.term {
		return LaterTerms, SmallerTerm(process, o.Term, l.term)
	}
	if l.held == nil {
		l.held = make(map[election.ID]Lease)
	}
	l.held[process], l.term = Lease{o.Term, until}, max(l.term, o.Term)
	return "", nil
}

// Crash notes that a process has crashed, and its lease with it.
func (l *Leases) Crash(process election.ID) { delete(l.held, process) }

// BothHold returns the error of two leases that are valid at once.
func BothHold(p election.ID, term uint64, q election.ID, other uint64) error {
	return fmt.Errorf("process %d leads in Term %d while the lease of process %d in Term %d is valid", p,
		term,
		q, other)
}

// SmallerTerm returns the error of a lease whose Term is not larger than that of another one before.
func SmallerTerm(p election.ID, term, before uint64) error {
	return fmt.Errorf("process %d begins to lead in Term %d, after a lease in Term %d", p, term, before)
}
