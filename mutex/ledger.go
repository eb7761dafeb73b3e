package mutex

import (
	"math"
	"slices"
	"time"

	"github.com/go-election/election"
)

// ledger is the arbiter's record of its clients.
type ledger struct {
	ready    bool      // Grace has ended
	count    uint32    // number of tokens in this reign
	accounts []account // by section
	queue    []ticket  // of all sections, in order of arrival
	suspects []bool    // by port
}

// account is the arbiter's record of one section.
type account struct {
	holder uint32 // a client
	stamp         // of the holder's request
	// the holder has been granted the section in this reign, or has declared that it is inside
	confirmed bool
}

// ticket is a waiting request.
type ticket struct {
	client  uint32
	section uint8
	stamp
}

// Numbers of clients.
const (
	noClient uint32 = iota
	ownClient
	firstPeer // the first peer
)

func peerClient(port election.Port) uint32 { return firstPeer + uint32(port) }

func (o *ledger) visit(s *election.State) {
	s.Bool(&o.ready)
	s.Uint32(&o.count)
	election.VisitSlice(s, &o.accounts, func(s *election.State, d *account) {
		s.Uint32(&d.holder)
		d.stamp.visit(s)
		s.Bool(&d.confirmed)
	})
	election.VisitSlice(s, &o.queue, func(s *election.State, t *ticket) {
		s.Uint32(&t.client)
		s.Uint8(&t.section)
		t.stamp.visit(s)
	})
	election.VisitSlice(s, &o.suspects, (*election.State).Bool)
}

// reset creates empty tables.
func (o *ledger) reset(e *election.Env, sections int) {
	if len(o.accounts) != sections {
		o.accounts = make([]account, sections)
	}
	if len(o.suspects) != e.Ports() {
		o.suspects = make([]bool, e.Ports())
	}
	clear(o.suspects)
	o.clearTables()
}

// clearTables empties the tables.
func (o *ledger) clearTables() {
	o.ready, o.queue = false, o.queue[:0]
	clear(o.accounts)
}

// enqueue queues a request. If the holder itself sends a newer request, it is not inside any more: its client
// will return the earlier grant. The newer request waits, because it may be a late one, or come from a process
// that has recovered and numbers its requests from the beginning (rule 2).
func (n *arbiter) enqueue(e *election.Env, at time.Duration, from uint32, section uint8, s stamp) {
	d := &n.accounts[section]
	if d.holder == from && d.less(s) {
		n.free(e, section)
	}
	i := slices.IndexFunc(n.queue, func(t ticket) bool { return t.client == from && t.section == section })
	switch {
	case i < 0:
		n.queue = append(n.queue, ticket{client: from, section: section, stamp: s})
	case n.queue[i].less(s):
		n.queue[i].stamp = s
	}
	n.serve(e, at, section)
}

// declare records a client that is inside by a grant of an earlier reign. The client displaces a holder that
// this arbiter remembers from an earlier reign, which may have left in the meantime and returned its grant to
// another arbiter (rules 8 and 10).
func (n *arbiter) declare(e *election.Env, from uint32, section uint8, s stamp) {
	d := &n.accounts[section]
	switch {
	case d.holder == from && !d.less(s):
		// An older declaration of the same client must not reset its stamp.
		d.confirmed = d.confirmed || d.stamp == s
	case d.holder == noClient || d.holder == from || !d.confirmed:
		n.give(e, from, section, s)
	}
}

// release frees a section that was granted with this stamp (rule 6).
func (n *arbiter) release(e *election.Env, at time.Duration, from uint32, section uint8, s stamp) {
	if d := &n.accounts[section]; d.holder == from && d.stamp == s {
		n.free(e, section)
		n.serve(e, at, section)
	}
}

// expire frees a section whose lease has expired (rule 6).
func (n *arbiter) expire(e *election.Env, at time.Duration, section uint8) {
	if int(section) < len(n.accounts) {
		n.accounts[section].holder = noClient
		n.serve(e, at, section)
	}
}

// reclaim frees the sections of a client that is suspected or has left, without waiting for its Lease (rule 7).
func (n *arbiter) reclaim(e *election.Env, at time.Duration, from uint32) {
	for i := range n.accounts {
		if n.accounts[i].holder == from {
			n.free(e, uint8(i))
			n.serve(e, at, uint8(i))
		}
	}
}

// forget removes a waiting request.
func (n *arbiter) forget(from uint32, section uint8) {
	n.queue = slices.DeleteFunc(n.queue, func(t ticket) bool {
		return t.client == from &&
			t.section == section
	})
}

func (n *arbiter) free(e *election.Env, section uint8) {
	n.accounts[section].holder = noClient
	e.StopTimer(timerLease + section)
}

// give records the holder of a section. Its lease starts when the holder receives the grant, and so ends up to
// one Delay later than here; another Delay is added for safety.
func (n *arbiter) give(e *election.Env, from uint32, section uint8, s stamp) {
	d := &n.accounts[section]
	d.holder, d.stamp, d.confirmed = from, s, true
	lease := n.config.Lease + 2*n.config.Delay
	e.SetTimer(timerLease+section, lease, lease)
}

func (n *arbiter) serveAll(e *election.Env, at time.Duration) {
	for section := range n.accounts {
		n.serve(e, at, uint8(section))
	}
}

// serve grants a free section to the first client in the queue that is not suspected.
func (n *arbiter) serve(e *election.Env, at time.Duration, section uint8) {
	d := &n.accounts[section]
	if n.location != localArbiter || !n.ready || d.holder != noClient {
		return
	}
	i := slices.IndexFunc(n.queue, func(t ticket) bool {
		// Skip suspected clients, but keep their requests: the suspicion may be withdrawn.
		return t.section == section && (t.client == ownClient || !n.suspects[t.client-firstPeer])
	})
	if i < 0 {
		return
	}
	// If the counts of a reign are used up, start another reign.
	if n.count == mostCounts(e) {
		n.claimReign(e)
		return
	}
	n.count++ // rule 3
	t := n.queue[i]
	n.queue = slices.Delete(n.queue, i, i+1)
	n.give(e, t.client, section, t.stamp)
	if t.client == ownClient {
		n.seats[section].enter(e, at, section, n.token(e), n.config.stay())
		return
	}
	m := n.message(kindGrant, section, t.stamp)
	m.Value = n.token(e)
	e.Send(election.Port(t.client-firstPeer), m)
}

// mostCounts is the largest count of a reign: place and count share 32 bits of a token.
func mostCounts(e *election.Env) uint32 { return math.MaxUint32 >> placeBits(e) }

// token returns a token larger than all earlier ones: the number of the reign, the place of this process, and a
// count.
func (n *arbiter) token(e *election.Env) uint64 {
	return n.latest.number<<32 | place(e, election.Rank.Less)<<(32-placeBits(e)) | uint64(n.count)
}
