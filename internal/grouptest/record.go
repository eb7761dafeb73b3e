package grouptest

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/go-election/election/lab/cluster"
)

// Kinds of reports.
const (
	renewed = "renewed" // a lease has begun, or was renewed
	ended   = "ended"   // the work has returned
	wrote   = "wrote"   // the work has written to the register
	follows = "follows" // the member knows a leader
)

// report is a line from a member. All members write to one pipe, so the reports of all are in the order in which they
// were written.
type report struct {
	Member string
	Kind   string
	Term   uint64
	At     time.Duration // by package suspend, which all processes of a machine share
	Until  time.Duration // if renewed: when the lease expires
}

// record is what members have reported, and the register to which the leaders write: it refuses a token smaller than
// one that it has seen.
type record struct {
	leases          []cluster.Lease
	ended           map[uint64]bool
	follows         map[string]uint64 // the last Term of a leader that each member knows
	token           uint64            // the largest in the register
	writes, refused int
	wrote           time.Duration // when the leader wrote last
	pause           time.Duration // the longest time between two writes of a leader since calm
}

func newRecord() record {
	return record{ended: make(map[uint64]bool), follows: make(map[string]uint64)}
}

// last returns the lease that began last, or none.
func (r *record) last() (l cluster.Lease) {
	if n := len(r.leases); n > 0 {
		l = r.leases[n-1]
	}
	return l
}

// find returns a lease, or nil.
func (r *record) find(member string, term uint64) *cluster.Lease {
	for i := range r.leases {
		if l := &r.leases[i]; l.Member == member && l.Term == term {
			return l
		}
	}
	return nil
}

// add adds a report. It returns an error if the register refuses a write of the member whose lease began last.
func (r *record) add(line []byte) error {
	var p report
	if err := json.Unmarshal(line, &p); err != nil {
		return fmt.Errorf("grouptest: %w: %q", err, line)
	}
	l := r.find(p.Member, p.Term)
	switch p.Kind {
	case renewed:
		switch {
		case p.Until <= p.At: // it has expired meanwhile
		case l == nil:
			r.leases = append(r.leases, cluster.Lease{Member: p.Member, Term: p.Term, From: p.At, Until: p.Until})
		case !r.ended[p.Term]:
			l.Until = max(l.Until, p.Until)
		}
	case ended:
		r.ended[p.Term] = true
		if l != nil {
			l.Until = min(l.Until, p.At)
		}
	case follows:
		r.follows[p.Member] = p.Term
	case wrote:
		r.writes++
		if p.Term >= r.token {
			if p.Term == r.token {
				r.pause = max(r.pause, p.At-r.wrote)
			}
			r.token, r.wrote = p.Term, p.At
			return nil
		}
		r.refused++
		if last := r.last(); last.Member == p.Member && last.Term == p.Term {
			return fmt.Errorf("grouptest: the register refuses token %d of the leader %s after token %d", p.Term, p.Member,
				r.token)
		}
	}
	return nil
}

// judge returns an error if two leases were valid simultaneously, or if a Term was not larger than all before.
func (r *record) judge() error {
	return (&cluster.Summary{Leases: r.leases}).Err()
}
