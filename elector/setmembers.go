package elector

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"time"

	"github.com/go-election/election/input"
)

// Errors of SetMembers.
var (
	// ErrNotReady: some members that are needed for the change do not answer the leader.
	ErrNotReady = errors.New("elector: members do not answer")
	// ErrBusy: another change is in progress.
	ErrBusy = errors.New("elector: the members are changing already")
)

// Role is the part of a process in its group.
type Role uint8

// The roles.
const (
	Learner  Role = iota // is not a member, or not yet: follows the leader without a vote
	Member               // has a vote
	Leaving              // has a vote, but its own list does not contain it
	Removed              // had a vote
	Observer             // is an observer
)

// String returns the role in lower case, as in the status.
func (r Role) String() string {
	names := [...]string{"learner", "member", "leaving", "removed", "observer"}
	if int(r) < len(names) {
		return names[r]
	}
	return fmt.Sprintf("role(%d)", uint8(r))
}

// Members is what a member knows about the members of its group.
type Members struct {
	// Agreed are the members whose votes count, in order. It is empty before the group is founded.
	Agreed []string
	// Next is empty unless the members change. It replaces Agreed when the change is completed; until then, decisions
	// need a majority of both.
	Next []string
	// Term and Step are the label of the configuration: the leader of this Term has written it in this step.
	Term uint64
	Step int
	// Called means that the members were named by SetMembers, and differ from the lists of the members.
	Called bool
	Since  time.Time // since when this member knows Agreed
	Role   Role      // of this member
	// Lists are the lists of members that are connected, as names separated by spaces, and the members that have each.
	Lists map[string][]string
	// Waits is why the members do not change although lists differ, or why the group is not founded yet; or empty. At
	// followers it is empty unless the group is not founded.
	Waits string
	// BlockedBy are the members whose lists or answers are missing for a change, at the leader.
	BlockedBy []string
}

// Label returns the label of the configuration in the form of the log, such as "17.2", or "".
func (m Members) Label() string {
	if m.Term == 0 {
		return ""
	}
	return fmt.Sprintf("%d.%d", m.Term, m.Step)
}

// Members returns what this member knows about the members of its group. An observer knows only the list in its
// Config, and the result then contains nothing else. With a Store there is no list, and the result is empty.
func (e *Elector) Members() Members {
	m := e.members
	m.mu.Lock()
	defer m.mu.Unlock()
	if e.link != nil {
		return Members{Role: Member}
	}
	out := Members{Role: m.role(), Lists: grouped(m.wishes()), Waits: m.plan.reason}
	if !m.now.Agreed {
		out.Waits = m.unfounded()
		return out
	}
	out.Term, out.Step, out.Called, out.Since = m.now.Term(), m.now.Step(), m.now.Called, m.since
	if out.Agreed = slices.Clone(m.now.agreed()); m.now.Joint {
		out.Next = slices.Clone(m.now.new)
	}
	if out.BlockedBy = slices.Clone(m.plan.blockedBy); !m.now.Leads {
		out.Waits, out.BlockedBy = "", nil
	}
	return out
}

// role returns the role of this member. The caller holds mu.
func (m *membership) role() Role {
	self := m.config.Self
	listed := slices.Contains(m.wish, self)
	switch votes := m.isVoter(self); {
	case m.config.observes():
		return Observer
	case !m.leases, votes && listed:
		return Member
	case votes && m.now.Agreed:
		return Leaving
	case m.was && !listed:
		return Removed
	}
	return Learner
}

// wishes returns the lists of members that are connected, and of this one. The caller holds mu.
func (m *membership) wishes() map[string][]string {
	all := make(map[string][]string)
	if !m.config.observes() {
		all[m.config.Self] = m.wish
	}
	for name, h := range m.hellos {
		if !h.Observer && m.connected(name) {
			all[name] = h.Members
		}
	}
	return all
}

// unfounded returns whom this member waits for to found the group, or "". The caller holds mu.
func (m *membership) unfounded() string {
	if !m.leases || m.config.observes() || m.now.Agreed {
		return ""
	}
	list := m.now.new // the list to which this member is bound, if it is
	if len(list) == 0 {
		list = m.wish
	}
	var waits []string
	for _, name := range list {
		h, met := m.hellos[name]
		switch {
		case name == m.config.Self:
		case !met:
			waits = append(waits, name+" was never connected")
		case !slices.Equal(h.Members, list):
			waits = append(waits, fmt.Sprintf("%s has the list %s", name, spaced(h.Members)))
		case !m.connected(name) && m.up != nil:
			waits = append(waits, name+" is not connected")
		}
	}
	if len(waits) == 0 {
		return ""
	}
	bound := ""
	if m.now.Bound && !slices.Equal(list, m.wish) {
		bound = fmt.Sprintf("; this member has agreed to found it by the list %s, and keeps that unless its Dir is "+
			"deleted", spaced(list))
	}
	return fmt.Sprintf("the group is not founded as far as this member knows: that needs all of %s, and %s%s",
		spaced(list), commas(waits), bound)
}

// votes reports whether a process is a member whose vote counts.
func (m *membership) votes(name string) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if !m.now.Agreed {
		return slices.Contains(m.wish, name)
	}
	return m.isVoter(name)
}

// agreedNames returns the agreed members for the View.
func (m *membership) agreedNames() string {
	m.mu.Lock()
	defer m.mu.Unlock()
	if !m.now.Agreed {
		return ""
	}
	return spaced(m.now.agreed())
}

// call is one call of SetMembers.
type call struct {
	list  []string
	asked bool       // the process was asked to begin; it ignores that while it cannot
	begun bool       // the process has begun
	why   verdict    // why it was not asked
	done  chan error // has room for one
}

// SetMembers changes the members of the group, whatever the lists in the Configs contain, and waits until the change
// is agreed. The new members must be running: a majority of them and of the present members must answer the leader.
// An address may be empty if the member is known, or Resolve knows it. If ctx ends first, the change may still
// happen if it has begun; if not, the error wraps [ErrNotReady] and names the members that do not answer. It wraps
// [ErrNotLeader] if this member does not lead, [ErrBusy] while another change is in progress, and
// [errors.ErrUnsupported] with a Store.
//
// The members then remain although lists differ, until enough processes have a list that was neither in effect before
// nor the list of a process at the time of the call, or SetMembers is called again. So adjust the lists soon.
func (e *Elector) SetMembers(ctx context.Context, members map[string]string) error {
	if err := e.checkList(members); err != nil {
		return err
	}
	if e.leading() == nil {
		return ErrNotLeader
	}
	m, c := e.members, &call{list: sortedNames(members), done: make(chan error, 1)}
	m.mu.Lock()
	if m.call != nil || m.now.Joint {
		m.mu.Unlock()
		return ErrBusy
	}
	for name, address := range members {
		m.know(name, address)
	}
	m.call = c
	m.mu.Unlock()
	m.poke()
	var err error
	select {
	case err = <-c.done:
		return err
	case <-e.ended:
		err = ErrNotLeader
	case <-ctx.Done():
		err = context.Cause(ctx)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.call == c {
		m.call = nil
	}
	if !c.asked && ctx.Err() != nil {
		return fmt.Errorf("%w: %s: %w", ErrNotReady, c.why.reason, err)
	}
	return err
}

// Wish replaces the list of this member, as a restart with other Members would, without a restart: the leader changes
// the members when enough members have the new list. An address may be empty if the member is known, or Resolve knows
// it. The address of this member cannot change, and before the group is founded the list cannot change either: then
// Wish returns an error that wraps [election.ErrInput], and the member must be restarted.
func (e *Elector) Wish(members map[string]string) error {
	if err := e.checkList(members); err != nil {
		return err
	}
	self := e.config.Self
	was, is := e.config.Members[self], members[self]
	m := e.members
	m.mu.Lock()
	defer m.mu.Unlock()
	switch {
	case e.config.observes():
		return refuse("members: %.60q is one of the Observers, whose Members do not change: restart it", self)
	case was != "" && is != "" && was != is:
		return refuse("members: the address of this member, %.60q, changes from %s to %s: restart it", self, was, is)
	case !m.now.Agreed:
		return refuse("members: the group is not founded as far as this member knows: restart it with the new list")
	}
	for name, address := range members {
		m.know(name, address)
	}
	m.wish = sortedNames(members)
	m.poke()
	return nil
}

// checkList returns an error if a list of members is not valid.
func (e *Elector) checkList(members map[string]string) error {
	switch {
	case !e.leases:
		return ErrNoLease
	case e.link != nil:
		return fmt.Errorf(prefix+"%w: with a Store there is no list of members", errors.ErrUnsupported)
	case len(members) == 0:
		return refuse("members: the list is empty")
	case len(members) > mostMembers:
		return refuse("members: the list has %d names, at most %d", len(members), mostMembers)
	}
	for name, address := range members {
		if !isName(name) {
			return refuse("members: %.60q is not a name: it must be printable UTF-8 and not empty", name)
		}
		if _, observes := e.config.Observers[name]; observes {
			return refuse("members: %.60q is one of the Observers", name)
		}
		if _, _, err := net.SplitHostPort(address); address != "" && err != nil {
			return &refusal{about("members", input.Errorf("%.60q: %w", name, err))}
		}
	}
	return nil
}
