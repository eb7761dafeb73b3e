package mutex

import (
	"math"
	"slices"
	"time"

	"github.com/go-election/election"
	"github.com/go-election/election/params"
)

// ledger is what the arbiter keeps of its clients.
type ledger struct {
	ready      bool      // Grace is over
	reelecting bool      // another election has been asked for, to make the Term known
	reign      uint64    // the Term that tokens carry
	count      uint32    // tokens of this Term
	accounts   []account // by section
	suspects   []bool    // by port
}

// account is one section as the arbiter sees it.
type account struct {
	holder uint32 // a client
	stamp         // of its request
	queue  []ticket
}

// ticket is a request that waits.
type ticket struct {
	client uint32
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
	s.Bool(&o.reelecting)
	s.Uint64(&o.reign)
	s.Uint32(&o.count)
	election.VisitSlice(s, &o.accounts, func(s *election.State, d *account) {
		s.Uint32(&d.holder)
		d.stamp.visit(s)
		election.VisitSlice(s, &d.queue, func(s *election.State, t *ticket) {
			s.Uint32(&t.client)
			t.stamp.visit(s)
		})
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
	o.ready, o.reelecting = false, false
	for i := range o.accounts {
		d := &o.accounts[i]
		d.holder, d.stamp, d.queue = noClient, stamp{}, d.queue[:0]
	}
}

// startGrace begins the time in which clients send their requests again. Tokens carry the Term in
// which this process was elected: all have heard of that, and the process elected next will have
// a larger one. Bully adopts larger Terms without an announcement to all. If that happens before the
// first grant, others may have had arbiters of such Terms, and it takes another election to be
// announced to all in the largest; later it does not matter.
func (n *arbiter) startGrace(e *election.Env, at time.Duration, already, grown bool) {
	switch {
	case already && n.ready:
		return
	case already && grown && n.config.Election.LongLived && !n.config.overlay && !n.reelecting:
		n.reelecting = true
		e.Lower(election.Event{Op: election.Start, At: at})
	default:
		n.reelecting = false
		if n.term > n.reign {
			n.reign, n.count = n.term, 0
		}
	}
	grace := n.config.Grace
	if n.config.slow { // the announcement passes all, and then their requests come
		grace = min(n.config.Delay, params.MaxTimeout/time.Duration(e.Ports()+2)) * time.Duration(e.Ports()+2)
	}
	e.SetTimer(timerGrace, grace, grace)
}

// trust notes that a process is up.
func (o *ledger) trust(port election.Port) {
	if port < election.Port(len(o.suspects)) {
		o.suspects[port] = false
	}
}

// enqueue queues a request. A newer one by the holder says that it is inside no longer: as a client it
// will give back what was granted before. Another waits: it may have come late, or be of a process
// that has come back and counts its requests anew.
func (n *arbiter) enqueue(e *election.Env, at time.Duration, from uint32, section uint8, s stamp) {
	d := &n.accounts[section]
	if d.holder == from && s.compare(d.stamp) > 0 {
		n.free(e, section)
	}
	i := slices.IndexFunc(d.queue, func(t ticket) bool { return t.client == from })
	switch {
	case i < 0:
		d.queue = append(d.queue, ticket{client: from, stamp: s})
	case d.queue[i].compare(s) < 0:
		d.queue[i].stamp = s
	}
	n.serve(e, at, section)
}

// declare notes a client that holds a grant of an earlier arbiter.
func (n *arbiter) declare(e *election.Env, from uint32, section uint8, s stamp) {
	d := &n.accounts[section]
	if d.holder == noClient || d.holder == from && d.compare(s) < 0 {
		n.give(e, from, section, s)
	}
}

// release frees a section that was granted under this stamp.
func (n *arbiter) release(e *election.Env, at time.Duration, from uint32, section uint8, s stamp) {
	if d := &n.accounts[section]; d.holder == from && d.stamp == s {
		n.free(e, section)
		n.serve(e, at, section)
	}
}

// expire frees a section whose lease has run out.
func (n *arbiter) expire(e *election.Env, at time.Duration, section uint8) {
	if int(section) < len(n.accounts) {
		n.accounts[section].holder = noClient
		n.serve(e, at, section)
	}
}

// forget drops a request that waits.
func (n *arbiter) forget(from uint32, section uint8) {
	d := &n.accounts[section]
	d.queue = slices.DeleteFunc(d.queue, func(t ticket) bool { return t.client == from })
}

func (n *arbiter) free(e *election.Env, section uint8) {
	n.accounts[section].holder = noClient
	e.StopTimer(timerLease + section)
}

// give notes the holder of a section. Its lease begins when the holder hears of it, and so ends a delay later
// than here; a delay more is for safety.
func (n *arbiter) give(e *election.Env, from uint32, section uint8, s stamp) {
	d := &n.accounts[section]
	d.holder, d.stamp = from, s
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
	i := slices.IndexFunc(d.queue, func(t ticket) bool {
		return t.client == ownClient ||
			!n.suspects[t.client-firstPeer]
	})
	if i < 0 {
		return
	}
	token, ok := n.token(e, at)
	if !ok {
		return
	}
	t := d.queue[i]
	d.queue = slices.Delete(d.queue, i, i+1)
	n.give(e, t.client, section, t.stamp)
	if t.client == ownClient {
		n.seats[section].enter(e, at, section, token, n.stay())
		return
	}
	m := n.message(kindGrant, section, t.stamp)
	m.Value = token
	e.Send(election.Port(t.client-firstPeer), m)
}

// token returns a token larger than all before: Term, place, count. Where the counts of a Term are
// used up there must be another Term.
func (n *arbiter) token(e *election.Env, at time.Duration) (uint64, bool) {
	before, width := position(e, election.Rank.Less)
	if n.reign > math.MaxUint32 {
		e.Refuse(election.ErrTermExhausted)
		return 0, false
	}
	if n.count == math.MaxUint32>>width {
		n.ready = false
		e.Lower(election.Event{Op: election.Start, At: at})
		return 0, false
	}
	n.count++
	return n.reign<<32 | before<<(32-width) | uint64(n.count), true
}
