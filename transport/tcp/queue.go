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

// queue holds items in order. It grows as needed; the first has the number base, the one after the last end.
type queue struct {
	items     []item // a ring, its size a power of two
	base, end uint64
}

func (q *queue) len() int { return int(q.end - q.base) }

// get returns an item by its number.
func (q *queue) get(i uint64) *item { return &q.items[i&uint64(len(q.items)-1)] }

func (q *queue) full() bool { return q.len() == len(q.items) }

// push puts a packet at the end.
func (q *queue) push(p *election.Packet, at time.Duration) {
	if q.full() {
		larger := queue{items: make([]item, max(4, 2*len(q.items))), base: q.base, end: q.end}
		for i := q.base; i != q.end; i++ {
			*larger.get(i) = *q.get(i)
		}
		*q = larger
	}
	*q.get(q.end) = item{*p, at}
	q.end++
}

// lane is the way of one group to one peer: what the group has sent and the peer has not got. Its peer's lock
// guards it.
type lane struct {
	group    *Group
	peer     *peer
	number   uint64 // of the group; the same on every connection
	dirty    bool   // in peer.dirty
	up       atomic.Bool
	away     bool // the peer has closed the group, or refuses it
	closing  bool // the group is closed: nothing is added
	stranger bool // the group refuses this process since it is no member; peer.mu

	queue queue
	next  uint64        // the number in queue of the packet to write next; those before it were written
	room  chan struct{} // closed when there is room, if a sender waits for that

	// The stream is all that was written to one instance of the group at the peer, over any number of
	// connections. The peer counts what arrives of it, so that a new connection begins where the last
	// one broke.
	incarnation, instance uint64 // of the peer's process and its group
	written, acked        uint64 // packets of the stream
	window                uint64

	state laneState
	known bool          // announced on this connection
	last  vector        // of this connection
	gone  chan struct{} // closed when the end of the group has been written to the peer, or never will be
}

// laneState is how far a lane is on the present connection.
type laneState uint8

const (
	laneDown      laneState = iota // no connection, or not announced yet
	laneAnnounced                  // the peer has not answered, or not opened the group
	laneOpen
	laneRefused
)

// put takes a packet in and returns true, or false if a reliable group has no room.
func (l *lane) put(p *election.Packet, now time.Duration) bool {
	n, q := l.group.net, &l.queue
	if l.group.config.Reliable && q.len() >= n.config.Queue {
		return false
	}
	if q.full() {
		// What was written is kept for the case that the connection breaks, and what is too old would not be written
		// to a peer that comes back. Both are no reason to grow.
		for q.len() > 0 && now-q.get(q.base).at > n.config.MaxAge && !l.group.config.Reliable {
			if q.base == l.next {
				l.next++
				n.stats.expired.Add(1)
			}
			q.base++
		}
	}
	if q.len() >= n.config.Queue {
		if q.base == l.next {
			l.next++
			n.stats.dropped.Add(1)
		}
		q.base++
	}
	q.push(p, now)
	return true
}

// take codes what waits until b has limit bytes. It returns false if more is left than fits.
func (l *lane) take(b []byte, limit int, now time.Duration) ([]byte, bool) {
	n, q := l.group.net, &l.queue
	for l.next != q.end {
		it := q.get(l.next)
		switch {
		case len(b) > limit-maxPacket:
			return b, false
		case l.group.config.Reliable && l.written-l.acked >= l.window:
			return b, true // the next ack goes on
		case !l.group.config.Reliable && now-it.at > n.config.MaxAge:
			l.next++
			q.base = l.next
			n.stats.expired.Add(1)
			continue
		}
		b = appendPacket(b, l.number, &it.packet, &l.last)
		l.next++
		l.written++
		n.stats.packetsOut.Add(1)
	}
	return b, true
}

// open begins or resumes the stream.
func (l *lane) open(incarnation uint64, o *opening) error {
	if l.incarnation != incarnation || l.instance != o.instance {
		// What has arrived at a process or group that has ended may have been dealt with there. A second
		// delivery, to its successor, would be a message from the past.
		l.incarnation, l.instance = incarnation, o.instance
		l.queue.base = l.next
		l.written, l.acked = 0, 0
		l.signal()
	}
	l.window, l.last, l.state = o.window, vector{}, laneOpen
	return l.rewind(o.received)
}

// rewind goes back to where the peer has ceased to receive.
func (l *lane) rewind(received uint64) error {
	r := reader{}
	if received > l.written || received < l.acked {
		r.fail("%d packets have arrived of %d, and %d were taken", received, l.written, l.acked)
		return r.err
	}
	// A lane that is not reliable keeps what it has written for a while only, so there may be less than
	// is missing.
	l.next -= min(l.written-received, l.next-l.queue.base)
	l.written = received
	return nil
}

// ack notes how much of the stream was taken from the peer's queue.
func (l *lane) ack(taken uint64) error {
	r := reader{}
	if taken > l.written || taken < l.acked || !l.group.config.Reliable {
		r.fail("%d packets of %d are acknowledged, and %d were before", taken, l.written, l.acked)
		return r.err
	}
	l.queue.base += taken - l.acked
	l.acked = taken
	l.signal()
	return nil
}

// signal wakes the senders that wait for room.
func (l *lane) signal() {
	if l.room != nil {
		close(l.room)
		l.room = nil
	}
}

// empty reports whether all has been written.
func (l *lane) empty() bool { return l.next == l.queue.end }
