// Package verdict holds the result of a run, and decides whether it is right.
//
// Each condition that must hold is a [Property], with an identifier for programs and a sentence for people. Tools
// that watch a run report to [Decisions] and [Sections] what processes do, and compare the end with
// [Result.Broken]. [ByRule] determines which process must lead. The model checker judges states in ways of its own,
// with the errors of this package.
package verdict

import (
	"fmt"
	"time"

	"github.com/go-election/election"
	"github.com/go-election/election/input"
	"github.com/go-election/election/observe"
)

// ErrNoLeader: the run came to rest and the processes do not all know one leader.
var ErrNoLeader = input.Sentinel("election", "no leader that all agree on")

// Result is the result of an election, whichever driver ran it.
type Result struct {
	// Live is the number of processes that are up at the end.
	Live int
	// Leader is the process that all live processes name as leader, or zero if they do not agree.
	Leader election.ID
	// Claimants is the number of live processes that believe they lead.
	Claimants int
	// Agreed: all live processes name the same leader.
	Agreed bool
	// Terminated: every live process knows that the election has ended.
	Terminated bool
	// Groups: the algorithm promises only a leader a group ([election.GroupLeaders]). Grouped: each live
	// process leads, or follows a live process that leads in the same Term.
	Groups, Grouped bool

	Messages uint64              // including messages to processes that were down
	ByKind   []observe.KindCount // the kinds that occurred, in the algorithm's order
	Bits     uint64              // what the messages carried, kind and Term aside
	Chain    uint64              // the longest chain of messages of which each caused the next

	// Tree are the links of the tree that was built in the last Term, rising, the smaller end first; of
	// algorithms with a kind of message that [election.Kind].Joins.
	Tree    [][2]election.ID
	Entries []Entry // into critical sections, in order; of simulations only
}

// Entry is the entry of a process into a critical section.
type Entry struct {
	At      time.Duration
	ID      election.ID
	Section uint8
	Token   uint64
}

// Count returns how many messages of a kind were sent.
func (r *Result) Count(kind string) uint64 {
	for _, k := range r.ByKind {
		if k.Kind == kind {
			return k.Count
		}
	}
	return 0
}

// Claims returns in words how many processes believe that they lead.
func (r *Result) Claims() string {
	switch r.Claimants {
	case 0:
		return "no process believes it leads"
	case 1:
		return "1 process believes it leads"
	}
	return fmt.Sprintf("%d processes believe they lead", r.Claimants)
}

// Err returns an error that wraps [ErrNoLeader] unless there is one leader, known to all, and all
// know that the election has ended.
func (r *Result) Err() error {
	switch {
	case r.Live == 0:
		return fmt.Errorf("%w: no process is up", ErrNoLeader)
	case r.Agreed && r.Claimants == 0:
		return fmt.Errorf("%w: all name %d, which does not lead", ErrNoLeader, r.Leader)
	}
	switch r.Broken(Rightful{}) {
	case InGroups:
		return fmt.Errorf("%w: not every process leads a group or follows its leader, %s", ErrNoLeader,
			r.Claims())
	case Agreement:
		return fmt.Errorf("%w: %s", ErrNoLeader, r.Claims())
	case Terminated:
		return fmt.Errorf("%w: not every process knows that the election has ended", ErrNoLeader)
	}
	return nil
}

// Broken returns the first of [Agreement], [RightAtEnd] and [Terminated] that does not hold at the end of an
// election that must have this leader. It returns "" if all three hold. If a leader a group is promised,
// [InGroups] replaces the first two.
func (r *Result) Broken(must Rightful) Property {
	switch {
	case r.Groups && !r.Grouped:
		return InGroups
	case !r.Groups && (!r.Agreed || r.Claimants != 1):
		return Agreement
	case must.Judge(r.Leader) != nil:
		return RightAtEnd
	case !r.Terminated:
		return Terminated
	}
	return ""
}

// Elected returns [Result.Err], or else an error if another process leads than must.
func (r *Result) Elected(must Rightful) error {
	if err := r.Err(); err != nil {
		return err
	}
	return must.Judge(r.Leader)
}

// Beliefs adds up what the live processes of a run believe.
type Beliefs struct {
	Groups bool // [Result.Groups] of the Result
	groups map[group]bool

	live, decided, ended, leaders int
	leader                        election.ID
	split                         bool
}

// Add adds the belief of one live process, and whether it knows that its election has ended.
func (b *Beliefs) Add(o election.Outcome, ended bool) {
	b.live++
	if ended {
		b.ended++
	}
	if o.Role == election.Leader {
		b.leaders++
	}
	if o.Role == election.Undecided {
		return
	}
	// The first decision sets the leader to compare with.
	if b.decided++; b.decided > 1 && b.leader != o.Leader.ID {
		b.split = true
	}
	b.leader = o.Leader.ID
	if b.Groups {
		b.addGroup(group{o.Leader.ID, o.Term}, o.Role == election.Leader)
	}
}

// group is the number of a group: its leader, and the Term in which that leads.
type group struct {
	leader election.ID
	term   uint64
}

// addGroup adds a member of a group, which perhaps leads it.
func (b *Beliefs) addGroup(of group, leads bool) {
	if b.groups == nil {
		b.groups = make(map[group]bool)
	}
	b.groups[of] = b.groups[of] || leads
}

// grouped reports whether each process leads a group, or follows one that leads it.
func (b *Beliefs) grouped() bool {
	for _, led := range b.groups {
		if !led {
			return false
		}
	}
	return b.decided == b.live
}

// Fill writes the verdict into r.
func (b *Beliefs) Fill(r *Result) {
	r.Live, r.Claimants = b.live, b.leaders
	// A process without a decision does not agree, even if all others do.
	r.Agreed = b.decided == b.live && !b.split && b.leader != 0
	r.Groups, r.Grouped = b.Groups, b.Groups && b.grouped()
	r.Terminated = b.live > 0 && b.ended == b.live
	if r.Agreed {
		r.Leader = b.leader
	}
}
