package lease

import (
	"time"

	"github.com/go-election/election"
)

// Wish returns one of the commands that name the voters which the operator of this process wants: voter i of n,
// counted from zero. They follow Init. If the process knows no agreed configuration, and has not granted a
// claim under another wish, it takes part in founding the group by its wish. A process without a wish
// belongs to a group in which all processes vote, and whose voters never change.
func Wish(id election.ID, i, n int) election.Message { return listed(commandWish, id, i, n) }

// Change returns one of the commands to change the voters: voter i of n, counted from zero. A process ignores
// the last of them unless it leads, its configuration is confirmed and not joint, and a quorum of the joint
// configuration has granted its last round. The configuration contains the mark called, for the policy of the
// program; a change of the mark alone is a change like any other.
func Change(id election.ID, i, n int, called bool) election.Message {
	m := listed(commandChange, id, i, n)
	if called {
		m.Flags = flagNewCalled
	}
	return m
}

// Complete returns the command to complete a change that another leader has begun. TakeBack returns the command
// to return to the voters before the change. A process ignores them unless it leads and rule 18 permits the
// step.
func Complete() election.Message { return election.Message{Kind: commandComplete} }

// TakeBack returns the command to return to the voters before a change in progress; see [Complete].
func TakeBack() election.Message { return election.Message{Kind: commandTakeBack} }

// commands describes the commands that need nothing but a list of processes.
var commands = []election.CommandKind{
	commandResign - 1: {Name: "resign"}, commandRenew - 1: {Name: "renew"},
	commandSitDown - 1: {Name: "sit down"}, commandLapse - 1: {Name: "lapse"},
	commandAbandon - 1: {Name: "abandon"}, commandWish - 1: {Name: "wish", Listed: true, Wish: true},
	commandChange - 1: {Name: "change", Listed: true}, commandComplete - 1: {Name: "complete"},
	commandTakeBack - 1: {Name: "take back"},
}

// BasicCommands describes the commands that package storelease has as well, with the same numbers.
func BasicCommands() []election.CommandKind { return commands[:commandPrefer] }

func listed(kind uint8, id election.ID, i, n int) election.Message {
	return election.Message{Kind: kind, Rank: election.Rank{ID: id}, Value: uint64(i), Round: uint32(n)}
}

// listed adds a voter to the list that the program is naming, and acts when the list is complete.
func (n *process) listed(e *election.Env, now time.Duration, m *election.Message) {
	if m.Value == 0 {
		n.list.clear()
	}
	port, ok := portOf(e, m.Rank.ID)
	if !ok {
		return
	}
	n.list.add(port)
	n.list.called = m.Flags&flagNewCalled != 0
	if uint32(n.list.len()) != m.Round {
		return
	}
	if m.Kind == commandWish {
		n.wish(e)
	} else {
		n.change(e, now)
	}
	n.list.clear()
}

// portOf returns the port of a process, or NoPort for this process itself.
func portOf(e *election.Env, id election.ID) (port election.Port, ok bool) {
	if id == e.Self().ID {
		return election.NoPort, true
	}
	for p := range election.Port(e.Ports()) {
		if e.Peer(p).ID == id {
			return p, true
		}
	}
	return 0, false
}

// wish makes the list this process's wish, unless it knows more, or is bound to an earlier wish (rule 16).
func (n *process) wish(e *election.Env) {
	if isAgreed(n.voting.label) || n.bound {
		return
	}
	n.voting.clear()
	n.voting.new.assign(&n.list)
	n.voting.rehash(e)
	n.voting.label = wishBit | n.voting.hash>>1
}

// accepts reports whether the label of a CLAIM permits this voter to grant it (rules 15 and 17). If not, it
// reports whether that is because the voter lacks the configuration.
func (n *process) accepts(e *election.Env, m *election.Message) (ok, unknown bool) {
	label, renewal := uint64(m.Rank.ID), m.Flags&flagLeads != 0
	switch {
	case label == n.voting.label:
		// Two groups with the same name, or a voter that has lost its memory: refuse.
		return !isAgreed(label) || !renewal || m.Rank.Priority == n.voting.hash, false
	case !newer(label, n.voting.label):
		return false, false
	case !renewal:
		// The claim may fail, and then nothing may depend on its label: keep the configuration.
		return true, false
	case m.Rank.Priority != n.voting.hash || n.phase >= claiming:
		return false, n.phase < claiming
	}
	n.voting.label, n.bound = label, false // the same voters under a new label
	n.save(e)
	return true, false
}

// step saves a configuration under the next label, sends it, and renews under it immediately (rule 18).
func (n *process) step(e *election.Env, now time.Duration) {
	n.voting.label++ // rule 14
	n.voting.rehash(e)
	n.confirmed = false
	n.forgetPrior() // its grants were given under the configuration before
	n.save(e)
	for port := range election.Port(e.Ports()) {
		n.sendVoters(e, port)
	}
	n.sendClaim(e, now)
}

// mayStep reports whether the leader may take another step in its Term. After the last one it resigns.
func (n *process) mayStep(e *election.Env, now time.Duration) bool {
	if n.phase != leading || n.voting.label>>stepBits != n.mine {
		return false
	}
	if n.voting.label&lastStep == lastStep {
		n.leave(e, now)
		return false
	}
	return true
}

// change begins to replace the voters by the list (rule 18).
func (n *process) change(e *election.Env, now time.Duration) {
	if !n.confirmed || n.voting.isJoint() || n.list.len() == 0 || n.list.equal(&n.voting.new) {
		return
	}
	// A voter that cannot grant would stop the leader in the middle of the change.
	granted := func(v *voters) bool { return v.majority(&n.yes, true) || v.majority(&n.ready, true) }
	if !granted(&n.list) || !granted(&n.voting.new) || !n.mayStep(e, now) {
		return
	}
	n.voting.old.assign(&n.voting.new)
	n.voting.new.assign(&n.list)
	n.begun = true
	n.step(e, now)
}

// complete leaves the old voters (rule 18).
func (n *process) complete(e *election.Env, now time.Duration) {
	if n.confirmed && n.voting.isJoint() && n.mayStep(e, now) {
		n.voting.old.clear()
		n.begun = false
		n.step(e, now)
	}
}

// takeBack returns to the old voters (rule 18). If another leader has begun the change, that leader may have
// completed it, unless the joint configuration has been confirmed in this Term.
func (n *process) takeBack(e *election.Env, now time.Duration) {
	if (n.confirmed || n.begun) && n.voting.isJoint() && n.mayStep(e, now) {
		n.voting.new.assign(&n.voting.old)
		n.voting.old.clear()
		n.begun = false
		n.step(e, now)
	}
}

// confirm notes that a quorum has stored the configuration (rule 18), and takes the next step.
func (n *process) confirm(e *election.Env, now time.Duration) {
	n.confirmed = true
	switch {
	case n.voting.isJoint() && n.begun:
		n.complete(e, now)
	case !n.voting.isJoint() && !n.voting.hasSelf(): // rule 21
		n.leave(e, now)
	}
}

// leave hands over the lead, unless the program does that.
func (n *process) leave(e *election.Env, now time.Duration) {
	if !n.config.Stays {
		n.resigned = now + n.config.Lease
		n.resign(e, 0)
	}
}

// relabel puts the same voters under the first label of the leader's Term, before its first renewal (rule 17).
func (n *process) relabel(e *election.Env) {
	if n.voting.label == 0 || n.voting.label>>stepBits == n.mine {
		return
	}
	n.voting.label, n.bound = n.mine<<stepBits, false
	n.confirmed, n.begun = false, false
	n.save(e)
}

// teach sends the label to a process whose label is smaller (rule 19). Most often the sets are the same: the process
// asks for them if they are not.
func (n *process) teach(e *election.Env, to election.Port, label uint64) {
	if newer(n.voting.label, label) {
		e.Send(to, election.Message{Kind: kindMember, Value: n.voting.label, Round: uint32(n.voting.size()),
			Rank: election.Rank{Priority: n.voting.hash}})
	}
}

// sendVoters sends the configuration: a MEMBER for each voter.
func (n *process) sendVoters(e *election.Env, to election.Port) {
	m := election.Message{Kind: kindMember, Value: n.voting.label, Round: uint32(n.voting.size()),
		Rank: election.Rank{Priority: n.voting.hash}}
	if m.Flags = n.voting.ownFlags(); m.Flags != 0 {
		m.Rank.ID = n.me.ID
		e.Send(to, m)
	}
	for port := range election.Port(e.Ports()) {
		if m.Flags = n.voting.flags(port); m.Flags != 0 {
			m.Rank.ID = e.Peer(port).ID
			e.Send(to, m)
		}
	}
}

// recvMember adds a voter to the configuration with the largest label heard of, or takes the label if the sets are its
// own (rule 19).
func (n *process) recvMember(e *election.Env, from election.Port, m *election.Message) {
	flags := m.Flags & (flagOld | flagNew | flagOldCalled | flagNewCalled)
	port, known := portOf(e, m.Rank.ID)
	if m.Rank.ID == 0 && newer(m.Value, n.voting.label) && !n.hasNews() {
		n.clearNews() // the process that has sent a part of it may be down, and no other may know it
	}
	switch {
	case !newer(m.Value, n.voting.label) || m.Value < n.news.label:
		return
	case m.Rank.ID == 0 && m.Rank.Priority == n.voting.hash:
		n.news.assign(&n.voting)
		n.news.label, n.newsHash, n.expected = m.Value, n.voting.hash, uint32(n.voting.size())
		return
	case m.Rank.ID == 0:
		e.Send(from, *n.read(0))
		return
	case flags&(flagOld|flagNew) == 0 || !known:
		return
	}
	if m.Value != n.news.label || m.Rank.Priority != n.newsHash || m.Round != n.expected {
		n.news.clear()
		n.news.label, n.newsHash, n.expected = m.Value, m.Rank.Priority, m.Round
	}
	n.news.add(port, m.Rank.ID, flags)
	if n.news.size() == int(n.expected) && !n.hasNews() { // one of them was wrong: begin again
		n.clearNews()
	}
}

// hasNews reports whether all MEMBERs of a newer configuration have arrived.
func (n *process) hasNews() bool {
	return n.news.label != 0 && n.news.hash == n.newsHash && n.news.size() == int(n.expected) && n.news.new.len() > 0
}

func (n *process) clearNews() {
	n.news.clear()
	n.newsHash, n.expected = 0, 0
}

// learn adopts a newer configuration that has arrived completely.
func (n *process) learn(e *election.Env, now time.Duration) {
	if n.memory == quarantined || n.phase == leading || !n.hasNews() {
		return
	}
	if newer(n.news.label, n.voting.label) { // rule 19
		// An attempt under an older label would be refused.
		asks := n.phase == probing && n.memory == intact
		if n.phase > probing {
			n.giveUp(e)
		}
		n.voting.assign(&n.news)
		n.bound = false
		if n.memory == intact {
			n.save(e)
		} else {
			n.recollect(e, now)
		}
		switch {
		case asks && n.voting.hasSelf():
			n.newRound()
			n.probe(e, now)
		case asks:
			n.giveUp(e)
		}
	}
	n.clearNews()
}

// recvHolds records that the configuration which another voter remembers is not newer than the one of this
// process. Its MEMORY counts from then on (rule 20).
func (n *process) recvHolds(e *election.Env, now time.Duration, from election.Port, m *election.Message) {
	if n.memory != recovering || m.Rank.Priority != n.nonce() || m.Flags&flagCold != 0 ||
		m.Value != n.voting.label && !newer(n.voting.label, m.Value) {
		return
	}
	n.holds.Add(from)
	if n.told.Has(from) {
		n.sure.Add(from)
	}
	n.recollect(e, now)
}

// recollected reports whether a voter whose group may change has read enough (rule 20).
func (n *process) recollected(now time.Duration) bool {
	c := &n.voting
	if c.answered(&n.sure, &n.blank) {
		return true
	}
	if isWish(c.label) {
		return false
	}
	cold := func(v *voters) bool { return 2*(v.count(&n.sure, true)+v.count(&n.blank, false)) > v.len() }
	return c.blocked(&n.sure) ||
		n.config.Cold > 0 && now >= n.cold && cold(&c.new) && (!c.isJoint() || cold(&c.old))
}
