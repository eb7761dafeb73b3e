package electortest

import (
	"context"
	"maps"
	"slices"
	"strings"
	"testing/synctest"
	"time"

	"github.com/go-election/election/elector"
)

// newcomers is the number of names that are in no list when a run with Lists begins.
const newcomers = 2

// lists are the lists of members in a run whose members change.
//
// Members without memory must not found a second group, so at least one member of each list must remember the
// first one. If a quorum of an agreed configuration forgets it, the group may ignore it. With a Dir, members do not
// forget. Without a Dir, the run restarts no member that must not forget at that moment.
type lists struct {
	plan      []string            // the list that most members have when they start
	last      []string            // all members have it in the end; nil before
	of        map[string][]string // the list of each member that was started, the last one
	away      map[string]bool     // members that do not come back before they are told to
	remembers map[string]bool     // members that remember an agreed configuration, and vote if they are members
}

// changes reports whether lists change.
func (r *run) changes() bool { return r.Faults&Lists != 0 }

// durable reports whether a member has a Dir.
func (r *run) durable(name string) bool {
	return r.Durable && !(r.mixed && slices.Index(r.order, name)%2 == 1)
}

// listOf returns the list with which a member starts: most often the plan, sometimes another one.
func (r *run) listOf(name string) []string {
	list := r.plan
	if r.last == nil && r.founded() && r.dice.IntN(5) == 0 {
		list = r.drawList()
		r.judge.notes("%s has the list %s", name, strings.Join(list, " "))
	}
	r.of[name] = r.anchored(list)
	return r.of[name]
}

// drawList returns a random list.
func (r *run) drawList() (list []string) {
	for _, i := range r.dice.Perm(len(r.order))[:1+r.dice.IntN(len(r.order))] {
		list = append(list, r.order[i])
	}
	slices.Sort(list)
	return list
}

// founded reports whether a member remembers the group. Lists that change before that may stop a founding: members
// keep the list by which they have agreed to found the group.
func (r *run) founded() bool {
	r.remember()
	for name := range r.remembers {
		if r.remembers[name] {
			return true
		}
	}
	return false
}

// anchored returns the list, and with it a member that remembers the group if none of the list does.
func (r *run) anchored(list []string) []string {
	r.remember()
	var anchors []string
	for _, name := range r.order {
		if r.remembers[name] {
			anchors = append(anchors, name)
		}
	}
	if len(anchors) == 0 {
		anchors = r.order[:1] // no group was founded, or the first member is about to found one
	}
	if slices.ContainsFunc(list, func(name string) bool { return slices.Contains(anchors, name) }) {
		return list
	}
	list = append(slices.Clone(list), anchors[r.dice.IntN(len(anchors))])
	slices.Sort(list)
	return list
}

// remember records which members remember the group.
func (r *run) remember() {
	synctest.Wait()
	var answers []string // members that the leader hears
	if leader, _ := r.judge.leader(); leader != nil && r.up[leader.Name] == leader {
		answers = append(answers, leader.Name)
		for _, names := range leader.Elector.Members().Lists {
			answers = append(answers, names...)
		}
	}
	for name, m := range r.up {
		switch {
		case m.Context.Err() != nil:
		case r.durable(name):
			r.remembers[name] = r.remembers[name] || len(m.Elector.Members().Agreed) > 0
		// A round lasts for less than a lease, so the leader does not mean an earlier member of the name.
		case r.now() > m.started+2*r.Times.Lease && slices.Contains(answers, name):
			r.remembers[name] = true
		}
	}
}

// mayForget reports whether a member may lose its memory, if it has no Dir.
func (r *run) mayForget(name string) bool {
	if !r.changes() || r.durable(name) {
		return true
	}
	r.remember()
	remembers := func(other string) bool { return other != name && r.remembers[other] }
	founded := false
	for _, m := range r.up {
		all := m.Elector.Members()
		for _, set := range [][]string{all.Agreed, all.Next} {
			founded = founded || len(set) > 0
			if n := countOf(set, remembers); len(set) > 0 && 2*(len(set)-n) > len(set) {
				return false // a majority would have forgotten
			}
		}
	}
	for other := range r.up {
		if founded && other != name && !r.remembers[other] && countOf(r.of[other], remembers) == 0 {
			return false // the members of its list could found a group
		}
	}
	return true
}

// forgets records that a member is about to lose its memory, if it has no Dir.
func (r *run) forgets(name string) {
	if r.changes() && !r.durable(name) {
		r.remembers[name] = false
	}
}

func countOf(list []string, is func(string) bool) (n int) {
	for _, name := range list {
		if is(name) {
			n++
		}
	}
	return n
}

// change changes lists.
func (r *run) change() {
	if !r.founded() {
		return
	}
	switch r.dice.IntN(8) {
	case 0, 1, 2:
		r.roll()
	case 3:
		if m := r.one(); m != nil {
			r.restart(m.Name)
		}
	case 4:
		r.leave()
	default:
		r.callMembers()
	}
}

// roll plans another list, starts its members, and restarts all members that are up, in any order or all together.
func (r *run) roll() {
	r.plan = r.anchored(r.drawList())
	most := []float64{0, 4, 12}[r.dice.IntN(3)]
	r.judge.notes("the plan is %s, within %v leases", strings.Join(r.plan, " "), most)
	for _, i := range r.dice.Perm(len(r.order)) {
		name := r.order[i]
		switch {
		case r.up[name] != nil:
			r.mendIn(r.leases(0, most), func() {
				if r.last == nil {
					r.restart(name)
				}
			})
		case slices.Contains(r.plan, name):
			delete(r.away, name)
			r.mendIn(r.leases(0, 2), func() { r.comeBack(name) })
		}
	}
}

// restart restarts a member by a signal or a crash.
func (r *run) restart(name string) {
	m := r.up[name]
	if m == nil || m.Context.Err() != nil || !r.mayForget(name) {
		return
	}
	if r.dice.IntN(2) == 0 {
		r.crash(m, r.leases(0, 1))
		return
	}
	r.signal(m)
}

// leave stops a member, which does not come back before a plan contains it.
func (r *run) leave() {
	name := r.order[r.dice.IntN(len(r.order))]
	if r.up[name] == nil || !r.mayForget(name) {
		return
	}
	r.judge.notes("%s is to leave", name)
	r.away[name] = true
	r.signal(r.up[name])
}

// callMembers calls SetMembers at the leader with a random list.
func (r *run) callMembers() {
	m, _ := r.judge.leader()
	if m == nil || r.up[m.Name] != m {
		return
	}
	r.call(m, r.drawList(), r.leases(0.5, 6))
}

// call calls SetMembers, and gives up after a while.
func (r *run) call(m *Member, list []string, while time.Duration) {
	r.judge.notes("%s is asked to set the members %s", m.Name, strings.Join(list, " "))
	go func() {
		ctx, cancel := context.WithTimeout(m.Context, while)
		defer cancel()
		if err := m.Elector.SetMembers(ctx, addresses(list)); err != nil {
			r.judge.notes("%s has not set the members: %v", m.Name, err)
		}
	}()
}

// addresses returns a list in the form of elector.Config.
func addresses(list []string) map[string]string {
	all := make(map[string]string)
	for _, name := range list {
		all[name] = ""
	}
	return all
}

// decide chooses the list that all members have in the end.
func (r *run) decide() {
	if !r.changes() {
		return
	}
	r.away = make(map[string]bool)
	if !r.founded() {
		r.last = r.plan
		return
	}
	list := r.drawList()
	if !r.Durable || r.mixed {
		list = r.order[:min(len(r.order), 3)] // a smaller group could not be restarted
	}
	r.last = r.anchored(list)
	r.plan = r.last
	r.judge.notes("the last list is %s", strings.Join(r.last, " "))
}

// converge gives all members one list when all faults have ended, and waits until the group has these members.
func (r *run) converge() bool {
	for _, name := range r.order {
		r.comeBack(name)
	}
	pause := r.leases(0, 2)
	for _, i := range r.dice.Perm(len(r.order)) {
		name := r.order[i]
		if slices.Equal(r.of[name], r.last) {
			continue
		}
		// Without a Dir, the others have to remember first.
		if !r.wait(r.now()+r.within(), func() bool { return r.mayForget(name) }) {
			return false
		}
		if m := r.up[name]; m != nil && r.mayForget(name) {
			r.signal(m)
		}
		if !r.wait(r.now()+pause, nil) {
			return false
		}
	}
	if !r.wait(r.now()+r.patience()+2*r.Times.Lease, r.allUp) {
		return false
	}
	if !r.wait(r.now()+r.within(), r.judge.agree) {
		return false
	}
	leader, _ := r.judge.leader()
	kept := slices.ContainsFunc(r.order, func(name string) bool { return !slices.Equal(r.of[name], r.last) })
	// Lists do not change what SetMembers has set, and too few may have the last list without a Dir.
	if leader != nil && (kept || leader.Elector.Members().Called) {
		r.call(leader, r.last, r.within())
	}
	if !r.wait(r.now()+r.within(), r.converged) {
		return false
	}
	if !r.converged() {
		r.judge.fails("within %v of the start of all members with the list %s they have not become the members: %s",
			r.within(), strings.Join(r.last, " "), r.judge.memberships())
		return false
	}
	return true
}

// within is how long a group may take to get the members that all wish.
func (r *run) within() time.Duration { return 20 * r.Times.Lease }

// converged reports whether there is a leader, the agreed members are the last list, and every process knows
// whether it is one of them.
func (r *run) converged() bool {
	if !r.allUp() || !r.judge.agree() {
		return false
	}
	labels := make(map[string]bool)
	for m := range maps.Values(r.up) {
		all := m.Elector.Members()
		is := all.Role == elector.Member
		if !slices.Contains(r.last, m.Name) {
			is = all.Role == elector.Learner || all.Role == elector.Removed
		}
		if !slices.Equal(r.of[m.Name], r.last) {
			is = true // it could not be restarted, because it was the only member that remembers the group
		}
		if !is || !slices.Equal(all.Agreed, r.last) || len(all.Next) > 0 {
			return false
		}
		labels[all.Label()] = true
	}
	return len(labels) == 1
}
