package lease

import (
	"time"

	"github.com/go-election/election"
)

// Configuration is what a process holds about the voters of its group. It is comparable, and changes only in a
// step of the process.
type Configuration struct {
	Label     uint64 // see rule 14; use Term and Step
	Agreed    bool   // false: the process holds its wish, or all processes vote
	Joint     bool   // a change is in progress
	Called    bool   // the program has named the new voters by Change
	Bound     bool   // the process has granted a claim under its wish (rule 16)
	Recovered bool   // the process grants claims: its Quarantine is over and it has read what it needs
	Leads     bool
	Confirmed bool // it leads, and a quorum has stored the configuration
	Begun     bool // it leads, and has begun the change in progress
}

// Term returns the Term of the leader that wrote an agreed configuration.
func (c Configuration) Term() uint64 { return c.Label >> stepBits }

// Step returns the number of an agreed configuration in its Term.
func (c Configuration) Step() int { return int(c.Label & lastStep) }

// LastStep is the largest step of a Term.
const LastStep = lastStep

// Inspect returns the configuration of a Node of this package. Call it between steps.
func Inspect(node election.Node) Configuration {
	n := node.(*process)
	c := Configuration{Label: n.voting.label, Agreed: isAgreed(n.voting.label), Joint: n.voting.isJoint(),
		Called: n.voting.new.called, Bound: n.bound, Recovered: n.memory == intact, Leads: n.phase == leading}
	c.Confirmed, c.Begun = c.Leads && n.confirmed, c.Leads && n.begun && c.Joint
	return c
}

// Voter is the part of one process in the configuration of another.
type Voter struct {
	Old, New bool // is one of the voters before, or after, a change in progress; without one, Old is false
	Granted  bool // has granted this leader's last round, or the round before
	Read     bool // has answered READ, so far as this process waits for answers
}

// VoterAt returns the part of the process behind a port, or of the Node's own process for [election.NoPort].
func VoterAt(node election.Node, port election.Port) Voter {
	n := node.(*process)
	if port == election.NoPort {
		return Voter{Old: n.voting.old.self, New: n.voting.new.self, Granted: n.phase == leading}
	}
	return Voter{Old: n.voting.old.others.Has(port), New: n.voting.new.others.Has(port),
		Granted: n.phase == leading && (n.yes.Has(port) || n.ready.Has(port)),
		Read:    n.sure.Has(port) || n.blank.Has(port)}
}

// Answers reports whether a message is the answer of a voter about its vote, and whether that voter has lost its
// memory.
func Answers(m *election.Message) (answers, lost bool) {
	return m.Kind == kindMemory, m.Kind == kindMemory && m.Flags&flagCold != 0
}

// Collides reports whether a message shows that its sender has a configuration with the same label as a Node, but
// with other voters: two groups have the same name, or a voter has lost what it had saved.
func Collides(node election.Node, m *election.Message) bool {
	n := node.(*process)
	var label uint64
	switch {
	case m.Kind == kindClaim && m.Flags&flagLeads != 0:
		label = uint64(m.Rank.ID)
	case m.Kind == kindMember:
		label = m.Value
	}
	return isAgreed(label) && label == n.voting.label && m.Rank.Priority != n.voting.hash
}

// Grant is the vote that a process has lent. The zero value means that the vote is free.
type Grant struct {
	Owner election.ID
	Term  uint64
	Until time.Duration // by the clock of the voter
}

// GrantOf returns the live grant of a Node at a time of its clock, and the zero Grant for a Node of another package.
// Call it between steps.
func GrantOf(node election.Node, now time.Duration) Grant {
	n, ok := node.(*process)
	if !ok || !n.isLent() || n.grant.until <= now {
		return Grant{}
	}
	return Grant{n.grant.owner.id, n.grant.term, n.grant.until}
}
