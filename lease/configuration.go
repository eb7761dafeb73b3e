package lease

import (
	"github.com/go-election/election"
	"github.com/go-election/election/internal/portset"
	"github.com/go-election/election/internal/splitmix"
)

// voters is a set of processes that vote.
type voters struct {
	others portset.Set
	self   bool
	called bool // the program has named them by Change, not the lists of a majority
}

func (v *voters) len() int { return v.count(&v.others, true) }

// count returns how many of the voters are in a set of ports, and counts this process if it is a voter and own
// is true.
func (v *voters) count(in *portset.Set, own bool) int {
	n := v.others.Common(in)
	if v.self && own {
		n++
	}
	return n
}

// majority reports whether a set contains a majority of the voters.
func (v *voters) majority(in *portset.Set, own bool) bool { return 2*v.count(in, own) > v.len() }

// blocked reports whether there is no majority of the voters without the set.
func (v *voters) blocked(by *portset.Set, own bool) bool {
	return 2*(v.len()-v.count(by, own)) <= v.len()
}

func (v *voters) equal(o *voters) bool {
	return v.self == o.self && v.called == o.called && v.others.Equal(&o.others)
}

func (v *voters) assign(o *voters) {
	v.self, v.called = o.self, o.called
	v.others.Assign(&o.others)
}

func (v *voters) clear() {
	v.self, v.called = false, false
	v.others.Clear()
}

func (v *voters) state(s *election.State) {
	v.others.State(s)
	s.Bool(&v.self)
	s.Bool(&v.called)
}

// configuration is the set of voters whose grants decide, under a label (rule 14). While the voters change, it
// consists of two sets, and decisions need a majority of each (rule 18).
type configuration struct {
	label uint64 // zero: all processes vote, and nothing changes
	old   voters // the set before the change in progress; empty if there is none
	new   voters
	hash  uint64 // of the two sets
}

// Labels. The label of an agreed configuration is the Term of the leader that wrote it, times 2^stepBits, plus
// the number of its step in this Term. A wish, which is not agreed, has the largest bit and 63 bits of the hash
// of its set.
const (
	stepBits = 10
	lastStep = 1<<stepBits - 1
	wishBit  = 1 << 63
)

func isWish(label uint64) bool   { return label&wishBit != 0 }
func isAgreed(label uint64) bool { return label != 0 && !isWish(label) }

// newer reports whether an agreed label is larger than another label. A wish is smaller than all agreed labels;
// two wishes cannot be compared.
func newer(label, than uint64) bool {
	return isAgreed(label) && (isWish(than) || isAgreed(than) && label > than)
}

// admits reports whether a voter with this configuration accepts claims under a label (rule 15).
func (c *configuration) admits(label uint64) bool { return label == c.label || newer(label, c.label) }

func (c *configuration) isJoint() bool { return c.old.len() > 0 }

// quorum reports whether the set can decide. A group is founded by all voters of a wish (rule 16).
func (c *configuration) quorum(in *portset.Set, own bool) bool {
	if isWish(c.label) {
		return c.new.count(in, own) == c.new.len()
	}
	return c.new.majority(in, own) && (!c.isJoint() || c.old.majority(in, own))
}

// hopeless reports whether no quorum is left without the set.
func (c *configuration) hopeless(without *portset.Set, own bool) bool {
	if isWish(c.label) {
		return c.new.count(without, own) > 0
	}
	return c.new.blocked(without, own) || c.isJoint() && c.old.blocked(without, own)
}

// blocked reports whether each majority of either set contains a process of the given set, which does not
// include this process (rule 20).
func (c *configuration) blocked(by *portset.Set) bool {
	return c.new.blocked(by, false) && (!c.isJoint() || c.old.blocked(by, false))
}

// answered reports whether all voters except this process are in one of two sets.
func (c *configuration) answered(one, other *portset.Set) bool {
	for _, v := range [...]*voters{&c.old, &c.new} {
		for p := v.others.From(0); p != election.NoPort; p = v.others.From(p + 1) {
			if !one.Has(p) && !other.Has(p) {
				return false
			}
		}
	}
	return true
}

// has reports whether the process behind a port votes.
func (c *configuration) has(p election.Port) bool { return c.old.others.Has(p) || c.new.others.Has(p) }

// hasSelf reports whether this process votes.
func (c *configuration) hasSelf() bool { return c.old.self || c.new.self }

// others returns how many other processes vote.
func (c *configuration) others() int {
	return c.old.others.Len() + c.new.others.Len() - c.old.others.Common(&c.new.others)
}

// among returns how many other voters are in a set.
func (c *configuration) among(set *portset.Set) (n int) {
	for p := set.From(0); p != election.NoPort; p = set.From(p + 1) {
		if c.has(p) {
			n++
		}
	}
	return n
}

// size returns how many processes vote.
func (c *configuration) size() int {
	if c.hasSelf() {
		return c.others() + 1
	}
	return c.others()
}

// flags returns the flags of a voter's MEMBER: the sets that it belongs to. They are zero if it is no voter.
func (c *configuration) flags(p election.Port) uint8 {
	return c.flagsOf(c.old.others.Has(p), c.new.others.Has(p))
}

func (c *configuration) ownFlags() uint8 { return c.flagsOf(c.old.self, c.new.self) }

func (c *configuration) flagsOf(old, now bool) (flags uint8) {
	if old {
		flags |= flagOld
	}
	if now {
		flags |= flagNew
	}
	if flags != 0 && c.old.called {
		flags |= flagOldCalled
	}
	if flags != 0 && c.new.called {
		flags |= flagNewCalled
	}
	return flags
}

// add adds a voter to the sets of its flags, and reports whether it was not in a set before. NoPort is this
// process.
func (c *configuration) add(p election.Port, id election.ID, flags uint8) bool {
	if p == election.NoPort && c.hasSelf() || p != election.NoPort && c.has(p) {
		return false
	}
	if flags&flagOld != 0 {
		c.old.add(p)
	}
	if flags&flagNew != 0 {
		c.new.add(p)
	}
	c.old.called, c.new.called = flags&flagOldCalled != 0, flags&flagNewCalled != 0
	c.hash += hashOf(id, flags)
	return true
}

func (v *voters) add(p election.Port) {
	if p == election.NoPort {
		v.self = true
		return
	}
	v.others.Add(p)
}

// hashOf returns what a voter adds to the hash of its configuration.
func hashOf(id election.ID, flags uint8) uint64 {
	return splitmix.Mix(splitmix.Mix(uint64(id)) + uint64(flags))
}

// rehash computes the hash after the sets have changed.
func (c *configuration) rehash(e *election.Env) {
	c.hash = 0
	if flags := c.ownFlags(); flags != 0 {
		c.hash += hashOf(e.Self().ID, flags)
	}
	for p := range election.Port(e.Ports()) {
		if flags := c.flags(p); flags != 0 {
			c.hash += hashOf(e.Peer(p).ID, flags)
		}
	}
}

func (c *configuration) assign(o *configuration) {
	c.label, c.hash = o.label, o.hash
	c.old.assign(&o.old)
	c.new.assign(&o.new)
}

func (c *configuration) clear() {
	c.label, c.hash = 0, 0
	c.old.clear()
	c.new.clear()
}

func (c *configuration) state(s *election.State) {
	s.Uint64(&c.label)
	s.Uint64(&c.hash)
	c.old.state(s)
	c.new.state(s)
}
