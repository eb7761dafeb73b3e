package reliable

import (
	"math/bits"

	"github.com/go-election/election"
)

// This file has the protocol: two state machines without clock, goroutine or randomness. The rules are in the
// package comment.

// window is how far a sender may be ahead of the packets that are acknowledged in order: an ack has one bit for
// each of the next packets.
const window = 64

// The kinds of control packets, whose Seq is 0. Incarnation is the stream that they answer.
const (
	// An ack counts the packets that were delivered (Msg.Term), and has a bit for each of the next packets that
	// the receiver keeps (Msg.Value).
	kindAck = 1
	// An offer has another name for the stream (Msg.Value).
	kindOffer = 2
)

// sender is the sender of a link.
type sender struct {
	stream  uint64                // its name
	queue   ring[election.Packet] // packets that are not acknowledged in order
	first   uint64                // the number of the first packet in queue
	sent    int                   // packets at the front of queue that were sent in this stream
	has     uint64                // bit i: the receiver keeps packet i of queue
	again   uint64                // bit i: packet i of queue must be sent again
	expired uint                  // calls of expire since the last progress
}

// next returns the next packet to send, if there is one.
func (s *sender) next() (p election.Packet, ok bool) {
	i := s.sent
	switch {
	case s.again != 0: // rule 3
		i = bits.TrailingZeros64(s.again)
		s.again &= s.again - 1
	case s.sent < min(s.queue.len(), window): // rule 2
		s.sent++
	default:
		return p, false
	}
	p = *s.queue.at(i)
	p.Incarnation, p.Seq = s.stream, s.first+uint64(i)
	return p, true
}

// expire requests that packets are sent again.
func (s *sender) expire() { // rule 3
	missing := (1<<s.sent - 1) &^ s.has
	switch {
	case s.sent == 0:
		return
	case missing == 0:
		// The receiver has no room. Its next ack would announce room, but may be lost.
		missing = 1
	case s.expired > 0:
		missing &= -missing // the receiver may be absent
	}
	s.again = missing
	s.expired++
}

// ack handles an ack, and returns how many packets leave the queue and whether anything is new.
func (s *sender) ack(stream, delivered, has uint64) (count int, progress bool) {
	// This also refuses an ack that is out of date, because the difference is then huge, and one that counts
	// packets that were never sent.
	n := delivered - (s.first - 1)
	if stream != s.stream || n > uint64(s.sent) {
		return 0, false // rule 6
	}
	count = int(n) // rule 4
	s.queue.drop(count)
	s.first += n
	s.sent -= count
	s.again >>= n
	before := s.has >> n
	s.has = before | has&(1<<s.sent-1)
	s.again &^= s.has
	if progress = count > 0 || s.has != before; progress {
		s.expired = 0
	}
	return count, progress
}

// rename handles an offer, and reports whether it was for this stream.
func (s *sender) rename(stream, name uint64) bool {
	if stream != s.stream || name == 0 {
		return false // rule 6
	}
	s.stream, s.first, s.sent, s.has, s.again, s.expired = name, 1, 0, 0, 0, 0 // rule 5
	return true
}

// receiver is the receiver of a link.
type receiver struct {
	stream  uint64            // the stream that it delivers; zero if there is none yet
	next    uint64            // the number of the next packet to deliver
	has     uint64            // bit i: packet next+i is kept
	kept    []election.Packet // packets by number modulo window
	asked   uint64            // the stream that the last offer was for
	offered uint64            // the name that was offered last; zero if it is in use
	answer  uint8             // the kind of control packet that is due, or zero
}

// receive handles a packet of any stream. draw returns a new name.
func (r *receiver) receive(p *election.Packet, draw func() uint64) {
	switch p.Incarnation {
	case 0: // never the name of a stream
		return
	case r.offered: // rule 8
		r.stream, r.next, r.has = r.offered, 1, 0
		r.asked, r.offered = 0, 0
	case r.stream:
	default: // rule 9
		if r.asked != p.Incarnation {
			r.asked, r.offered = p.Incarnation, draw()
		}
		r.answer = kindOffer
		return
	}
	r.answer = kindAck // rule 7; also if the packet is a duplicate, because the ack may have been lost
	if i := p.Seq - r.next; i < window {
		if r.kept == nil {
			r.kept = make([]election.Packet, window)
		}
		r.kept[p.Seq%window] = *p
		r.has |= 1 << i
	}
}

// deliver returns the next packet in order, if it has arrived.
func (r *receiver) deliver() (p election.Packet, ok bool) { // rule 7
	if r.has&1 == 0 {
		return p, false
	}
	p = r.kept[r.next%window]
	r.next++
	r.has >>= 1
	r.answer = kindAck
	return p, true
}

// reply returns the control packet that is due, if there is one.
func (r *receiver) reply() (p election.Packet, ok bool) {
	p.Msg.Kind, r.answer = r.answer, 0
	switch p.Msg.Kind {
	case kindAck:
		p.Incarnation, p.Msg.Term, p.Msg.Value = r.stream, r.next-1, r.has
	case kindOffer:
		p.Incarnation, p.Msg.Value = r.asked, r.offered
	default:
		return p, false
	}
	return p, true
}

// ring is a queue that grows as needed.
type ring[T any] struct {
	items []T // their number is a power of two
	begin int
	count int
}

func (r *ring[T]) len() int { return r.count }

// at returns item i from the front.
func (r *ring[T]) at(i int) *T { return &r.items[(r.begin+i)&(len(r.items)-1)] }

// push adds an item to the end.
func (r *ring[T]) push(item T) {
	if r.count == len(r.items) {
		larger := make([]T, max(4, 2*r.count))
		for i := range r.count {
			larger[i] = *r.at(i)
		}
		r.items, r.begin = larger, 0
	}
	r.count++
	*r.at(r.count - 1) = item
}

// drop removes items from the front.
func (r *ring[T]) drop(count int) {
	r.begin = (r.begin + count) & (len(r.items) - 1)
	r.count -= count
}
