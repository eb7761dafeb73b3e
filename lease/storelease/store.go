package storelease

import "github.com/go-election/election"

// keeper is the store of a simulation. Real stores are in package store.
type keeper struct {
	stored   election.Message // VALUE, or the zero message if nothing is stored
	previous election.Message // what was stored before
	last     uint32           // the last revision
	stale    uint32           // how many reads have returned previous
	failed   uint32           // how many requests have failed
}

func (k *keeper) state(s *election.State) {
	s.Message(&k.stored)
	s.Message(&k.previous)
	for _, v := range [...]*uint32{&k.last, &k.stale, &k.failed} {
		s.Uint32(v)
	}
}

// begin is the first step of a store. If it has lost its data, it continues with revisions that it has not used.
func (k *keeper) begin(e *election.Env, incarnation uint64) {
	if k.last == 0 {
		k.last = first(incarnation)
	}
	k.announce(e)
}

// serve returns the answer to a request (rule 1).
func (k *keeper) serve(e *election.Env, c *Config, m *election.Message) election.Message {
	// 0: the request does not fail; 1: it fails; 2: it is carried out, and its answer is OPEN.
	fails := 0
	if k.failed < c.Fails {
		if fails = e.Choose(3); fails != 0 {
			k.failed++
		}
	}
	answer := Answer(KindOpen, m.Round, 0)
	switch {
	case fails == 1:
	case m.Kind == KindPut:
		answer = k.replace(e, m)
	case k.stale < c.Stale && e.Choose(2) == 1:
		k.stale++
		answer = shown(k.previous, m.Round)
	default:
		answer = shown(k.stored, m.Round)
	}
	if fails != 0 {
		return Answer(KindOpen, m.Round, 0)
	}
	return answer
}

// replace carries out a PUT.
func (k *keeper) replace(e *election.Env, m *election.Message) election.Message {
	revision, r := Read(m)
	if revision != revisionOf(&k.stored) {
		return Answer(KindConflict, m.Round, 0)
	}
	k.last++
	k.previous, k.stored = k.stored, Value(0, k.last, r)
	e.Save()
	k.announce(e)
	return Answer(KindWritten, m.Round, k.last)
}

// shown returns what is stored, as the answer to a request.
func shown(stored election.Message, number uint32) election.Message {
	if stored.Kind == 0 {
		return Answer(KindAbsent, number, 0)
	}
	stored.Round = number
	return stored
}

// announce publishes the owner of the record, so that a simulation can compare what the processes believe.
func (k *keeper) announce(e *election.Env) {
	if k.stored.Kind == 0 || e.Ports() == 0 {
		return
	}
	if _, r := Read(&k.stored); r.Owner == 0 {
		e.Withdraw(r.Term)
	} else {
		e.DecideIn(r.Term, rankOf(e, r.Owner))
		e.Done()
	}
}

// rankOf returns the Rank of a process.
func rankOf(e *election.Env, id election.ID) election.Rank {
	for port := range election.Port(e.Ports()) {
		if peer := e.Peer(port); peer.ID == id {
			return peer
		}
	}
	return election.Rank{ID: id}
}

// first returns the number before the first one of an incarnation: a late answer to an earlier incarnation has another
// number.
func first(incarnation uint64) uint32 { return uint32(incarnation-1) << 16 }
