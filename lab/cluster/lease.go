package cluster

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"time"
)

// Lease is the time for which a member led. Times count from the start of the cluster.
type Lease struct {
	Member string        `json:"member"`
	Term   uint64        `json:"term"`
	From   time.Duration `json:"from_ns"`
	Until  time.Duration `json:"until_ns"` // when it ended, or ends unless it is renewed
	// After is the step that ended the previous lease by acting on its leader, such as kill, term or stop. It
	// is empty for the first lease, and if no step ended the lease.
	After string `json:"after,omitempty"`
	// Gap is the time from then on, or from the end of the lease before, until From.
	Gap   time.Duration `json:"gap_ns,omitempty"`
	ended bool
	// left is set if the process with this lease has ended. A new process of the same name does not lead by
	// it.
	left bool
}

// Summary is what has happened in a cluster.
type Summary struct {
	Members int           `json:"members"`
	Lease   time.Duration `json:"lease_ns"` // of Config.Times
	Took    time.Duration `json:"took_ns"`
	Leases  []Lease       `json:"leases"`
	Packets uint64        `json:"packets"` // that members have sent, as far as they have reported it
	Bytes   uint64        `json:"bytes"`
}

// Errors of [Summary.Err].
var (
	ErrTwoLeases = errors.New("cluster: two leases were valid at once")
	ErrEarlyTerm = errors.New("cluster: a later lease has a smaller Term")
	ErrNoLease   = errors.New("cluster: no member led")
)

// Err returns nil if members led, one at a time, each in a larger Term than all before.
func (s *Summary) Err() error {
	leases := slices.SortedFunc(slices.Values(s.Leases),
		func(a, b Lease) int { return cmp.Compare(a.From, b.From) })
	if len(leases) == 0 {
		return ErrNoLease
	}
	longest := leases[0]
	for _, l := range leases[1:] {
		if l.From < longest.Until {
			return fmt.Errorf("%w: %s in Term %d until %v, %s in Term %d from %v", ErrTwoLeases,
				longest.Member,
				longest.Term, longest.Until, l.Member, l.Term, l.From)
		}
		if l.Term <= longest.Term {
			return fmt.Errorf("%w: %s in Term %d, then %s in Term %d", ErrEarlyTerm, longest.Member,
				longest.Term,
				l.Member, l.Term)
		}
		longest = l
	}
	return nil
}
