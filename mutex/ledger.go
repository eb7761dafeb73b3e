package mutex

import (
	"math"
	"slices"
	"time"

	"github.com/go-election/election"
)

// ledger is what the arbiter keeps of its clients.
type ledger struct {
	ready    bool      // Grace is over
	count    uint32    // tokens of this reign
	accounts []account // by section
	queue    []ticket  // of all sections, in the order of arrival
	suspects []bool    // by port
}

// account is one section as the arbiter sees it.
type account struct {
	holder uint32 // a client
	stamp         // of its request
	// the holder has been granted the section in this reign, or has declared that it is inside
	confirmed bool
}

// ticket is a request that waits.
type ticket struct {
	client  uint32
	section uint8
	stamp
}

// The numbers of clients.
const (
	noClient uint32 = iota
	ownClient
	firstPeer // the first of them
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

// reset makes the tables, empty.
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

// enqueue queues a request. A newer one by the holder says that it is inside no longer: as a client it
// will give back what was granted before. Another waits: it may have come late, or be of a process
// that has come back and counts its requests anew (rule 2).
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

// declare notes a client that is inside by a grant of an earlier reign. It displaces a holder that this
// arbiter remembers from before: that one may have left meanwhile, and have given the grant back to
// another arbiter (rules 8 and 10).
func (n *arbiter) declare(e *election.Env, from uint32, section uint8, s stamp) {
	d := &n.accounts[section]
	switch {
	case d.holder == from && !d.less(s):
		// An older declaration of the same client must not set its stamp back.
		d.confirmed = d.confirmed || d.stamp == s
	case d.holder == noClient || d.holder == from || !d.confirmed:
		n.give(e, from, section, s)
	}
}

// release frees a section that was granted under this stamp (rule 6).
func (n *arbiter) release(e *election.Env, at time.Duration, from uint32, section uint8, s stamp) {
	if d := &n.accounts[section]; d.holder == from && d.stamp == s {
		n.free(e, section)
		n.serve(e, at, section)
	}
}

// expire frees a section whose lease has run out (rule 6).
func (n *arbiter) expire(e *election.Env, at time.Duration, section uint8) {
	if int(section) < len(n.accounts) {
		n.accounts[section].holder = noClient
		n.serve(e, at, section)
	}
}

// reclaim frees the sections of a client that is suspected or has gone: its Lease need not be waited
// for (rule 7).
func (n *arbiter) reclaim(e *election.Env, at time.Duration, from uint32) {
	for i := range n.accounts {
		if n.accounts[i].holder == from {
			n.free(e, uint8(i))
			n.serve(e, at, uint8(i))
		}
	}
}

// forget drops a request that waits.
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

// give notes the holder of a section. Its lease begins when the holder hears of it, and so ends a delay later
// than here; a delay more is for safety.
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
		// Pass over suspected clients, but keep their requests: the suspicion may be withdrawn.
		return t.section == section && (t.client == ownClient || !n.suspects[t.client-firstPeer])
	})
	if i < 0 {
		return
	}
	// Where the counts of a reign are used up another reign begins.
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

// mostCounts is the largest count of a reign: a token has 32 bits for place and count together.
func mostCounts(e *election.Env) uint32 { return math.MaxUint32 >> placeBits(e) }

// token returns a token larger than all before: the number of the reign, the place of this process, a count.
func (n *arbiter) token(e *election.Env) uint64 {
	return n.latest.number<<32 | place(e, election.Rank.Less)<<(32-placeBits(e)) | uint64(n.count)
}
