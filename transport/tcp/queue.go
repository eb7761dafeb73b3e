package tcp

import (
	"sync/atomic"
	"time"

	"github.com/go-election/election"
)

// item is a packet that waits.
type item struct {
	packet election.Packet
	at     time.Duration // when it came, by the network's clock
}

// queue is a queue of items that grows as needed.
type queue struct {
	items      []item // a ring, whose size is a power of two
	base, size int
}

func (q *queue) get(i int) *item { return &q.items[(q.base+i)&(len(q.items)-1)] }

func (q *queue) full() bool { return q.size == len(q.items) }

func (q *queue) push(p *election.Packet, at time.Duration) {
	if q.full() {
		items := make([]item, max(4, 2*len(q.items)))
		for i := range q.size {
			items[i] = *q.get(i)
		}
		q.items, q.base = items, 0
	}
	q.size++
	*q.get(q.size - 1) = item{*p, at}
}

// pop removes the first item, which stays valid until the next push.
func (q *queue) pop() *item {
	first := q.get(0)
	q.base++
	q.size--
	return first
}

// lane carries the packets of one group to one peer. The mutex of the peer guards it.
type lane struct {
	group  *Group
	peer   *peer
	box    *inbox // for what the peer sends
	number uint64 // of the group

	queue   queue
	dirty   bool          // in peer.dirty
	joined  bool          // in peer.lanes, until it is ended
	ended   bool          // it is not in peer.lanes any more, and never will be
	closing bool          // the group is closed: nothing is added
	gone    chan struct{} // closed when the peer has been told that the group is closed, or never will be

	// The state of the present connection.
	announced *greeting // which the peer knows; nil if it does not know the group
	accepted  bool      // the peer has accepted it
	theirs    uint64    // the peer's number of the group, if the peer has opened it; or 0
	judged    *greeting // by which the peer's hello was judged last
	welcome   bool      // and accepted
	reply     *answer   // to the peer's announcement, not written yet
	away      bool      // the peer has closed the group, or one of the two refuses the other; kept without a connection
	out, in   vector    // the last packets

	up atomic.Bool
}

// open reports whether packets can reach the group at the peer.
func (l *lane) open() bool { return l.accepted && l.theirs != 0 && l.welcome }

// newLane returns a lane that has not joined its peer.
func newLane(g *Group, p *peer) *lane {
	return &lane{group: g, peer: p, box: new(inbox), number: g.number, gone: make(chan struct{})}
}

// put appends a packet. If the queue is full, the oldest packet is dropped.
func (l *lane) put(p *election.Packet, now time.Duration) {
	q, n := &l.queue, l.group.net
	if q.full() { // a packet that is too old would not be written, and is no reason to grow
		for q.size > 0 && now-q.get(0).at > n.config.MaxAge {
			q.pop()
			n.stats.expired.Add(1)
		}
	}
	if q.size >= n.config.Queue {
		q.pop()
		n.stats.dropped.Add(1)
	}
	q.push(p, now)
}

// take appends the packets that wait to b, until it has bufferSize bytes. It returns false if not all of them fit.
func (l *lane) take(b []byte, now time.Duration) ([]byte, bool) {
	n := l.group.net
	for l.queue.size > 0 {
		if len(b) > bufferSize-maxPacket {
			return b, false
		}
		it := l.queue.pop()
		if now-it.at > n.config.MaxAge {
			n.stats.expired.Add(1)
			continue
		}
		b = appendPacket(b, l.theirs, &it.packet, &l.out)
		n.stats.packetsOut.Add(1)
	}
	return b, true
}
