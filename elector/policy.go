package elector

import (
	"cmp"
	"fmt"
	"hash/fnv"
	"maps"
	"slices"
	"strings"
	"time"
)

// policy decides when the leader changes the members. It is asked whenever something has changed, also when a renewal
// has been granted, and at the time that its last verdict contains. The zero value is ready for use, and remains in use
// from Term to Term: it remembers which changes have failed. Safety does not depend on it, because package lease takes
// no step that is not safe.
//
// C are the agreed members, and N is a list that processes wish.
//
//  1. Wish. The members become N if a majority of N wishes N, and if the processes of C and N that wish N are more than
//     half as many as C has, and include a member of C. Members of C count even if they are not in N. A majority of C
//     and a majority of N must have granted the last round of renewals.
//  2. Return. A list that was in effect before is spent. It must also be the wish of a majority of C.
//  3. Call. SetMembers makes N the members as soon as majorities of C and N have granted the last round. N is called
//     then: C and all lists that processes wish at that time are spent, and no spent list replaces N. This ends when a
//     majority of N wishes N; or when another call or a list that is not spent replaces N.
//  4. Take back. A change that is not confirmed in half of the time that is left of the lease is taken back. The other
//     half is left to renew the lease by the votes of C. The leader tries the same list again after 2, 4, 8 ... 64
//     leases.
//  5. Inherit. A leader that finds a change in progress completes it if N is called, or if rules 1 and 2 still permit
//     it. Otherwise it takes the change back, but first it waits for a lease if processes that have not connected yet
//     may wish N.
//  6. Resign. A voter that has granted the same or a larger Term to a candidate that has crashed refuses this leader as
//     long as it leads. Once for each list that has waited for grants for 8 leases, or that was taken back three times,
//     the leader resigns: the next one has a larger Term. By rule 1, the processes that should grant are connected.
//
// While the wishes stay the same, the members do not change back and forth: after a change by rule 1, a majority of the
// members wishes what they have, so rule 2 permits no spent list. At most one change to a spent list is followed by
// changes to lists that never were in effect, one for each. Two such lists can satisfy rule 1 at the same time, each by
// processes that are not in C; the method better orders them.
type policy struct {
	term    uint64        // the Term of longest, trying, giveUp and since
	longest time.Duration // the longest time for which the lease was still valid
	trying  uint64        // key of the change that this leader has begun, or zero
	giveUp  time.Duration // when to take it back
	since   time.Duration // when the leader could have completed the change that it found in progress
	found   bool          // there is such a change

	failed   uint64        // key of the last change that was taken back, or zero
	failures int           // how often in a row
	failedAt time.Duration // the last time
	lacking  uint64        // key of the change that waits for grants, or zero
	lacked   time.Duration // since when
	resigned uint64        // key of the last change for which this leader resigned, or zero
	leaving  uint64        // the Term in which it did
}

const (
	longestPause = 6 // a list waits for at most 2^6 leases before it is tried again
	mostLacking  = 8 // leases for which a list waits for grants before the leader resigns
	mostFailures = 3 // so often a list is tried before the leader resigns
)

// situation is what the leader knows. Names are sorted.
type situation struct {
	now       time.Duration
	until     time.Duration // when the work is asked to stop, unless the lease is renewed
	lease     time.Duration // Times.Lease
	term      uint64
	old, new  []string            // old is empty unless a change is in progress
	called    bool                // new was named by SetMembers
	confirmed bool                // see lease.Configuration
	begun     bool                // see lease.Configuration
	granted   map[string]bool     // who has granted the last round, the leader included
	wishes    map[string][]string // the list of each connected process and of the leader
	spent     []uint64            // hashes of the lists that were in effect before
}

// move is what the leader does with the members.
type move uint8

const (
	stay     move = iota // nothing
	begin                // lease.Change
	complete             // lease.Complete
	takeBack             // lease.TakeBack
	resign               // stop the work, and then lease.Resign
)

// verdict is what the policy decides. If it does nothing without a reason, nothing is to be done.
type verdict struct {
	move      move
	list      []string      // the new members, if move is begin
	called    bool          // they are called, if move is begin
	spend     []uint64      // hashes of lists that are spent from now on; store them before the move
	reason    string        // for the log and the status; the same text as long as nothing has changed
	blockedBy []string      // the processes whose wishes or grants are missing
	watch     bool          // ask again when the grants change
	again     time.Duration // ask again at this time at the latest, unless zero
}

// judge returns what the leader should do.
func (p *policy) judge(s *situation) verdict {
	p.note(s)
	switch {
	case len(s.old) > 0 && !s.confirmed:
		return p.hurry(s)
	case len(s.old) > 0 && s.begun:
		return verdict{} // lease completes it
	case len(s.old) > 0:
		return p.inherit(s)
	}
	best, same := s.best(), supporters(s, s.new, s.new)
	switch {
	case best != nil && best.enough:
		return p.begin(s, best.list, false, best.String())
	case s.called && 2*len(same.by) > len(s.new): // rule 3
		return p.begin(s, s.new, false, same.String()+", as SetMembers has named")
	}
	p.lacking = 0
	if best == nil {
		return verdict{}
	}
	return verdict{reason: best.explain(s), blockedBy: best.without}
}

// call returns what the leader should do when SetMembers asks for a list: begin; or stay, without a reason if the list
// is in effect by an earlier call, and with the reason why it cannot be yet.
func (p *policy) call(s *situation, list []string) verdict {
	p.note(s)
	switch {
	case len(s.old) > 0:
		return verdict{reason: "a change to " + spaced(s.new) + " is in progress", watch: true,
			blockedBy: missing(s.granted, s.old, s.new)}
	case s.called && slices.Equal(s.new, list):
		return verdict{}
	}
	v := p.begin(s, list, true, "SetMembers names "+spaced(list))
	if v.move == begin { // rule 3
		for _, wish := range s.wishes {
			if !slices.Equal(wish, list) {
				v.spend = append(v.spend, hashOf(wish))
			}
		}
		slices.Sort(v.spend)
		v.spend = slices.Compact(v.spend)
	}
	return v
}

// note compares the situation with the one before.
func (p *policy) note(s *situation) {
	if p.term != s.term {
		p.fail(s) // the lease ended during a change
		p.term, p.longest, p.giveUp, p.lacking, p.found = s.term, 0, 0, 0, false
	}
	p.longest = max(p.longest, s.until-s.now)
	if len(s.old) > 0 {
		return
	}
	p.found = false
	if s.confirmed {
		p.trying = 0
		if p.failed == keyOf(s.new, s.called) {
			p.failed, p.failures = 0, 0
		}
	}
}

// fail records that the change which this leader has begun was not confirmed.
func (p *policy) fail(s *situation) {
	if p.trying == 0 {
		return
	}
	if p.failed != p.trying {
		p.failed, p.failures = p.trying, 0
	}
	p.failures++
	p.failedAt, p.trying = s.now, 0
}

// rested returns when the leader may try a list again (rule 4). Another list has to wait, too: if two lists became the
// wish of enough in turn, the leader would change the members without a pause.
func (p *policy) rested(s *situation, key uint64) time.Duration {
	switch {
	case p.failures == 0:
		return 0
	case p.failed != key:
		return p.failedAt + 2*s.lease
	}
	return p.failedAt + s.lease<<min(p.failures, longestPause)
}

// begin begins to change the members if they can (rule 1). Why is the reason to change them.
func (p *policy) begin(s *situation, list []string, called bool, why string) verdict {
	key, lacking := keyOf(list, called), missing(s.granted, s.new, list)
	switch {
	case !s.confirmed, s.term == p.leaving && !called:
		return verdict{reason: why, blockedBy: lacking, watch: true}
	case len(lacking) > 0:
		v := verdict{reason: why + "; begins when " + ready(s.granted, s.new, list), blockedBy: lacking, watch: true}
		if called || p.resigned == key {
			p.lacking = 0
			return v
		}
		if p.lacking != key {
			p.lacking, p.lacked = key, s.now
		}
		if v.again = p.lacked + mostLacking*s.lease; s.now >= v.again {
			return p.resign(s, key, list, "waits for "+commas(lacking))
		}
		return v
	}
	p.lacking = 0
	if at := p.rested(s, key); s.now < at && !called {
		return verdict{reason: why + "; waits because a change was taken back", again: at}
	}
	if p.failed == key && p.failures >= mostFailures && p.resigned != key && !called {
		return p.resign(s, key, list, "was taken back again and again")
	}
	// Shortly before the next renewal, half of what is left may be less than a round trip.
	left := s.until - s.now
	if left < p.longest*3/4 {
		return verdict{reason: why, watch: true, again: s.now + max(left/2, 1)}
	}
	p.trying, p.giveUp = key, s.now+left/2
	v := verdict{move: begin, list: list, called: called, reason: why, again: p.giveUp}
	if !slices.Equal(list, s.new) {
		v.spend = []uint64{hashOf(s.new)} // rule 2
	}
	return v
}

// resign makes the leader resign for a list (rule 6).
func (p *policy) resign(s *situation, key uint64, list []string, why string) verdict {
	p.resigned, p.leaving, p.lacking = key, s.term, 0
	return verdict{move: resign, reason: "a larger Term may help: the change to " + spaced(list) + " " + why,
		blockedBy: missing(s.granted, s.new, list)}
}

// hurry waits until a change is confirmed, and takes it back if that takes too long (rule 4).
func (p *policy) hurry(s *situation) verdict {
	v := verdict{reason: "the change to " + spaced(s.new) + " is in progress", watch: true,
		blockedBy: missing(s.granted, s.old, s.new)}
	if !s.begun {
		return v // the leader could not renew its lease if there were no quorum
	}
	if v.again = p.giveUp; s.now >= p.giveUp {
		p.fail(s)
		v.move, v.again, v.watch = takeBack, 0, false
		v.reason = "the change to " + spaced(s.new) + " is not confirmed"
		if len(v.blockedBy) > 0 {
			v.reason += ": it waits for " + commas(v.blockedBy)
		}
	}
	return v
}

// inherit completes a change that another leader has begun, or takes it back (rule 5).
func (p *policy) inherit(s *situation) verdict {
	if !p.found {
		p.found, p.since = true, s.now
	}
	now := supporters(s, s.old, s.new)
	why := "the change to " + spaced(s.new) + " was in progress; " + now.String()
	switch {
	case s.called, now.enough:
		return verdict{move: complete, reason: why}
	case s.now < p.since+s.lease && s.hoping(s.new).enough:
		return verdict{reason: why + "; it is taken back if this does not change", blockedBy: now.without,
			again: p.since + s.lease}
	}
	return verdict{move: takeBack, reason: why, blockedBy: now.without}
}

// hoping returns the support that a change in progress has if all processes that are not connected wish it.
func (s *situation) hoping(list []string) *support {
	more := *s
	more.wishes = maps.Clone(s.wishes)
	for _, name := range union(s.old, list) {
		if _, ok := more.wishes[name]; !ok {
			if more.wishes == nil {
				more.wishes = make(map[string][]string)
			}
			more.wishes[name] = list
		}
	}
	return supporters(&more, s.old, list)
}

// support is how many processes wish a list.
type support struct {
	list    []string
	by      []string // the processes of C or N that wish it
	without []string // the others
	members int      // how many members of C wish it
	spent   bool     // it was in effect before
	enough  bool     // rules 1 to 3 permit the change, except for the grants
	ready   bool     // there are enough grants
}

// supporters returns the support for the change from one list to another.
func supporters(s *situation, from, list []string) *support {
	n := &support{list: list, spent: slices.Contains(s.spent, hashOf(list))}
	wishes := func(name string) bool { return slices.Equal(s.wishes[name], list) }
	for _, name := range union(from, list) {
		if wishes(name) {
			n.by = append(n.by, name)
		} else {
			n.without = append(n.without, name)
		}
	}
	n.members = count(from, wishes)
	n.enough = majority(list, wishes) && 2*len(n.by) > len(from) && n.members > 0 // rule 1
	if n.spent {
		n.enough = n.enough && majority(from, wishes) && !(s.called && len(s.old) == 0) // rules 2 and 3
	}
	n.ready = len(missing(s.granted, from, list)) == 0
	return n
}

// best returns the support of the list with which the leader should replace the members, or of the list that needs the
// least until it can, or nil if no process of C or N wishes another list than C.
func (s *situation) best() (best *support) {
	seen := make(map[string]bool)
	for _, name := range slices.Sorted(maps.Keys(s.wishes)) {
		list := s.wishes[name]
		if seen[spaced(list)] || len(list) == 0 || slices.Equal(list, s.new) {
			continue
		}
		seen[spaced(list)] = true
		if n := supporters(s, s.new, list); len(n.by) > 0 && (best == nil || n.better(best)) {
			best = n
		}
	}
	return best
}

// better orders lists so that all leaders with the same knowledge choose the same list. Of two equal ones, best chooses
// the list of the process with the smaller name.
func (n *support) better(than *support) bool {
	switch {
	case n.enough != than.enough:
		return n.enough
	case n.ready != than.ready:
		return n.ready
	}
	return cmp.Or(cmp.Compare(n.members, than.members), cmp.Compare(len(n.by), len(than.by))) > 0
}

// String returns how many wish the list.
func (n *support) String() string {
	return fmt.Sprintf("%d of %d wish %s", len(n.by), len(n.by)+len(n.without), spaced(n.list))
}

// explain returns why the list does not become the members yet.
func (n *support) explain(s *situation) string {
	text := n.String()
	if n.spent && s.called {
		text += ", but SetMembers has named " + spaced(s.new)
	} else if n.spent {
		text += "; it was in effect before, so a majority of " + spaced(s.new) + " must wish it"
	}
	others := make(map[string][]string)
	var unknown []string
	for _, name := range n.without {
		if list, ok := s.wishes[name]; ok {
			others[name] = list
		} else {
			unknown = append(unknown, name)
		}
	}
	var waits []string
	by := grouped(others)
	for _, list := range slices.Sorted(maps.Keys(by)) {
		waits = append(waits, commas(by[list])+plural(by[list], " has", " have")+" the list "+list)
	}
	if len(unknown) > 0 {
		waits = append(waits, commas(unknown)+plural(unknown, " is", " are")+" not connected")
	}
	if len(waits) > 0 {
		text += "; waits: " + strings.Join(waits, "; ")
	}
	return text
}

func count(list []string, is func(string) bool) (n int) {
	for _, name := range list {
		if is(name) {
			n++
		}
	}
	return n
}

func majority(list []string, is func(string) bool) bool { return 2*count(list, is) > len(list) }

// lacks returns who of a list has not granted, and how many of them a majority needs.
func lacks(granted map[string]bool, list []string) (who []string, need int) {
	for _, name := range list {
		if !granted[name] {
			who = append(who, name)
		}
	}
	return who, len(list)/2 + 1 - (len(list) - len(who))
}

// missing returns the members that have not granted, from each list that lacks a majority of grants.
func missing(granted map[string]bool, lists ...[]string) (all []string) {
	for _, list := range lists {
		if who, need := lacks(granted, list); need > 0 {
			all = union(all, who)
		}
	}
	return all
}

// ready returns which grants are missing, for a sentence that ends with it.
func ready(granted map[string]bool, lists ...[]string) string {
	var texts []string
	for _, list := range lists {
		who, need := lacks(granted, list)
		text := commas(who) + plural(who, " is ready", " are ready")
		switch {
		case need <= 0:
			continue
		case need < len(who):
			text = fmt.Sprintf("%d of %s are ready", need, commas(who))
			if need == 1 {
				text = fmt.Sprintf("one of %s is ready", commas(who))
			}
		}
		if !slices.Contains(texts, text) {
			texts = append(texts, text)
		}
	}
	return strings.Join(texts, " and ")
}

func union(a, b []string) []string {
	all := slices.Concat(a, b)
	slices.Sort(all)
	return slices.Compact(all)
}

// hashOf returns the hash by which members remember a list. It is part of what members tell each other.
func hashOf(list []string) uint64 {
	h := fnv.New64a()
	for _, name := range list {
		_, _ = h.Write(append([]byte(name), 0)) // a hash returns no errors
	}
	return h.Sum64()
}

// keyOf returns a number for a change, and a different one if it is a call.
func keyOf(list []string, called bool) uint64 {
	if called {
		return hashOf(list) + 1
	}
	return hashOf(list)
}

// grouped returns who has each list.
func grouped(wishes map[string][]string) map[string][]string {
	by := make(map[string][]string)
	for _, name := range slices.Sorted(maps.Keys(wishes)) {
		list := spaced(wishes[name])
		by[list] = append(by[list], name)
	}
	return by
}

func spaced(list []string) string { return strings.Join(list, " ") }

func commas(list []string) string { return strings.Join(list, ", ") }

func plural(list []string, one, more string) string {
	if len(list) == 1 {
		return one
	}
	return more
}
