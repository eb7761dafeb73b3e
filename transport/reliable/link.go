package reliable

import (
	"math"
	"time"

	"github.com/go-election/election"
)

const (
	// never is a time that does not come.
	never = time.Duration(math.MaxInt64)
	// patience is how often in a row a link expires without progress before the time between retransmissions
	// grows. On a bad network, several packets or acks in a row may be lost.
	patience = 8
	// longest is how often that time doubles.
	longest = 4
	// ports is the number of links that a peer may open.
	ports = 64
)

// link is the sender of the link to a process, and the receiver of the link from it with the same port. The two
// have nothing else in common.
type link struct {
	peer    election.ID
	port    election.Port
	out     sender
	in      receiver
	due     time.Duration // when out expires; never if it waits for nothing
	waiting int           // packets of in that are in the inbox
	listed  bool          // in Transport.turns
}

// link returns a link, and makes it if there is none. The caller holds t.mu.
func (t *Transport) link(peer election.ID, port election.Port) *link {
	l := t.links[peer][port]
	if l == nil {
		l = &link{peer: peer, port: port, out: sender{stream: draw(), first: 1}, due: never}
		if t.links[peer] == nil {
			t.links[peer] = make(map[election.Port]*link)
		}
		t.links[peer][port] = l
	}
	return l
}

// enlist makes the writer look at a link. The caller holds t.mu.
func (t *Transport) enlist(l *link) {
	if !l.listed {
		l.listed = true
		t.turns.push(l)
		signal(t.wake)
	}
}

// set sets when a link expires. The caller holds t.mu.
func (t *Transport) set(l *link, due time.Duration) {
	l.due = due
	t.due = min(t.due, due)
}

func (t *Transport) now() time.Duration { return time.Since(t.began) }

// receive handles the packets of the inner transport until an error occurs.
func (t *Transport) receive() {
	defer close(t.read)
	for {
		p, err := t.inner.Recv(t.ctx)
		t.mu.Lock()
		if err != nil {
			if !t.closing {
				t.end(err)
			}
			t.cancel() // nothing is acknowledged any more
			t.mu.Unlock()
			return
		}
		t.handle(&p)
		t.mu.Unlock()
	}
}

// handle handles a packet. The caller holds t.mu.
func (t *Transport) handle(p *election.Packet) {
	l := t.links[p.From][p.Port]
	if p.Seq > 0 {
		if l == nil && len(t.links[p.From]) >= ports {
			return
		}
		l = t.link(p.From, p.Port)
		l.in.receive(p, draw)
		t.deliver(l)
		t.enlist(l)
		return
	}
	if l == nil {
		return
	}
	soon := t.now() + t.config.Resend
	switch p.Msg.Kind {
	case kindAck:
		count, progress := l.out.ack(p.Incarnation, p.Msg.Term, p.Msg.Value)
		t.unacked -= count
		switch {
		case l.out.sent == 0:
			l.due = never
		case count > 0:
			t.set(l, soon)
		case progress:
			t.set(l, min(l.due, soon))
		}
	case kindOffer:
		if l.out.rename(p.Incarnation, p.Msg.Value) {
			l.due = never
		}
	}
	t.enlist(l)
}

// deliver moves packets that are next into the inbox, and reports whether there were any. The caller holds t.mu.
func (t *Transport) deliver(l *link) (any bool) {
	for t.err != nil || l.waiting < t.config.Queue {
		p, ok := l.in.deliver()
		if !ok {
			break
		}
		any = true
		if t.err != nil {
			continue // nobody receives: drop the packet, so that its sender does not wait
		}
		l.waiting++
		t.inbox.push(p)
		signal(t.news)
	}
	return any
}

// transmit sends packets until the transport is closed and no packet waits for an acknowledgement.
func (t *Transport) transmit() {
	defer close(t.wrote)
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		p, ok, wait := t.next()
		switch {
		case ok:
			// An error is a loss like any other.
			_ = t.inner.Send(t.ctx, p)
			continue
		case wait == 0:
			return
		case wait == never:
			timer.Stop()
		default:
			timer.Reset(wait)
		}
		select {
		case <-t.wake:
		case <-timer.C:
		case <-t.ctx.Done():
			return
		}
	}
}

// next returns the next packet to send. If there is none, it returns how long to wait, possibly
// [never], or zero to end.
func (t *Transport) next() (p election.Packet, ok bool, wait time.Duration) {
	t.mu.Lock()
	defer t.mu.Unlock()
	now := t.now()
	t.expire(now)
	for t.turns.len() > 0 {
		l := *t.turns.at(0)
		t.turns.drop(1)
		if p, ok := t.of(l, now); ok {
			t.turns.push(l) // there may be more; other links come first
			return p, true, 0
		}
		l.listed = false
	}
	switch {
	case t.closing && t.unacked == 0 || t.ctx.Err() != nil:
		return p, false, 0
	case t.due == never:
		return p, false, never
	}
	return p, false, max(1, t.due-now)
}

// of returns the next packet of a link. The caller holds t.mu.
func (t *Transport) of(l *link, now time.Duration) (election.Packet, bool) {
	if p, ok := l.in.reply(); ok {
		p.From, p.To, p.Port = t.config.Self, l.peer, l.port
		return p, true
	}
	p, ok := l.out.next()
	if ok && l.due == never {
		t.set(l, now+t.config.Resend)
	}
	return p, ok
}

// expire makes links retransmit if they are due. The caller holds t.mu.
func (t *Transport) expire(now time.Duration) {
	if now < t.due {
		return
	}
	t.due = never
	for _, links := range t.links {
		for _, l := range links {
			if l.due <= now {
				l.out.expire()
				l.due = now + t.config.Resend<<min(max(l.out.expired, patience)-patience, longest)
				t.enlist(l)
			}
			t.due = min(t.due, l.due)
		}
	}
}
