package tcp

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"slices"
	"sync"
	"time"

	"github.com/go-election/election"
)

const (
	// firstPause and lastPause are the pauses between two attempts to connect, from first to last.
	firstPause = 10 * time.Millisecond
	lastPause  = time.Second
	// leastPause is how soon after the last attempt there may be another one.
	leastPause = 5 * time.Millisecond
	// attempts is how many attempts to connect to members may be in progress, and how many to observers. Where many
	// processes of one machine start together, more would slow each other down until all of them take longer
	// than Timeout, again and again.
	attempts = 8
)

// peer is another process that this one connects to.
type peer struct {
	net      *Network
	id       election.ID
	addr     string
	observes bool          // it is dialled only while it is connected to this process
	turns    chan struct{} // holds one for each attempt to connect to this peer and others
	// wanted and near have one if the pause between two attempts to connect is to end: soon, as
	// something is sent to the peer, and at once, as the peer has connected to this process.
	wanted, near chan struct{}

	mu       sync.Mutex
	lanes    map[uint64]*lane        // by the number of the group
	dirty    []*lane                 // that have something to write
	out      *conn                   // dialled by this process, or nil
	in       *conn                   // dialled by the peer, or nil
	absent   bool                    // the last attempt to connect has failed, or there may be none
	stranger bool                    // the last attempt was refused since this process is no member there
	began    time.Duration           // when the present attempt did
	cancel   context.CancelCauseFunc // of the present attempt, until the peer has accepted
	said     string                  // the last trouble that was logged
	hidden   bool                    // the last attempt to connect has hung; of the goroutine that dials
}

// send puts a packet into a lane, or returns a channel that is closed when there is room.
func (p *peer) send(l *lane, packet *election.Packet) (room <-chan struct{}, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case p.lanes[l.number] != l || l.closing:
		return nil, l.group.gone()
	case !l.put(packet, p.net.now()):
		if l.room == nil {
			l.room = make(chan struct{})
		}
		return l.room, nil
	}
	p.mark(l)
	return nil, nil
}

// mark lets the writer look at a lane. Without a connection, one is made soon.
func (p *peer) mark(l *lane) {
	if !l.dirty {
		l.dirty = true
		p.dirty = append(p.dirty, l)
	}
	if p.out == nil {
		signal(p.wanted)
		return
	}
	p.out.notify()
	if l.queue.end-l.next > uint64(p.net.config.Queue)/2 {
		signal(p.out.urgent) // or the queue may be full before Linger is over
	}
}

// signal puts one into a channel that has room for one, unless there is one already.
func signal(c chan<- struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// join adds the lane of a new group.
func (p *peer) join(l *lane) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.lanes[l.number] = l
	p.mark(l)
}

// leave closes a lane: what waits is written first, if the peer takes it.
func (p *peer) leave(l *lane) {
	p.mu.Lock()
	defer p.mu.Unlock()
	l.closing = true
	l.signal()
	if p.absent || l.away || l.empty() && (p.out == nil || l.state == laneDown) {
		p.cut(l)
		return
	}
	p.mark(l)
}

// cut ends a lane. p.mu is held.
func (p *peer) cut(l *lane) {
	if p.lanes[l.number] != l {
		return
	}
	if p.out != nil && l.known {
		p.out.answer(func(b []byte) []byte { return appendHead(b, kindLeave, l.number) })
	}
	delete(p.lanes, l.number)
	p.dirty = slices.DeleteFunc(p.dirty, func(o *lane) bool { return o == l })
	close(l.gone)
}

// drop ends a lane at once.
func (p *peer) drop(l *lane) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.cut(l)
}

// collect codes what the lanes have to write, as much as fits into one write.
func (p *peer) collect(c *conn, b []byte) (_ []byte, more bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.out != c {
		return b, false
	}
	now := p.net.now()
	done := 0
	// The space of the list is used again: no allocation for a packet.
	defer func() { p.dirty = slices.Delete(p.dirty, 0, done) }()
	for ; done < len(p.dirty); done++ {
		if len(b) > bufferSize-maxFrame {
			return b, true
		}
		l := p.dirty[done]
		if l.state == laneDown {
			a := announcement{[]byte(l.group.name), l.group.config.Hello, l.group.config.Reliable}
			b = a.append(b, l.number)
			l.state, l.known = laneAnnounced, true
		}
		if l.state == laneOpen {
			whole := false
			if b, whole = l.take(b, bufferSize, now); !whole {
				return b, true
			}
		}
		l.dirty = false
		if l.closing && (l.empty() || l.state == laneRefused) {
			b = appendHead(b, kindLeave, l.number)
			delete(p.lanes, l.number)
			c.left = append(c.left, l)
		}
	}
	return b, false
}

// answered deals with a frame of the peer on the connection that this process has dialled.
func (p *peer) answered(c *conn, kind int, group uint64, r *reader) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	l := p.lanes[group] // may be gone already
	if p.out != c {
		l = nil
	}
	switch kind {
	case kindOpen:
		o := r.opening()
		if l == nil || r.short || r.err != nil {
			return r.err
		}
		return p.opened(c, l, &o)
	case kindRefuse:
		f := r.refusal()
		if l == nil || r.short || r.err != nil {
			return r.err
		}
		return p.refused(l, &f)
	case kindAck:
		taken := r.number()
		if l == nil || r.short || r.err != nil {
			return r.err
		}
		err := l.ack(taken)
		p.mark(l)
		return err
	}
	return fmt.Errorf("%w: kind %d from the side that was dialled", errFrame, kind)
}

// opened begins to send to a group of the peer.
func (p *peer) opened(c *conn, l *lane, o *opening) error {
	if l.state == laneDown {
		return fmt.Errorf("%w: group %d was not announced", errFrame, l.number)
	}
	if err := l.group.judge(p.id, o.hello, l.group.config.Reliable); err != nil {
		p.net.refuseGroup(l.group, p.id, err, o.hello)
		l.state = laneRefused
		p.setUp(l, false)
		return nil
	}
	if err := l.open(c.incarnation, o); err != nil {
		return err
	}
	l.away, l.stranger = false, false
	p.net.admitGroup(l.group, p.id)
	p.setUp(l, true)
	p.mark(l)
	return nil
}

// refused notes that a group of the peer is closed, or not for this process.
func (p *peer) refused(l *lane, f *refusal) error {
	p.setUp(l, false)
	switch {
	case len(f.reason) > 0:
		p.net.refuseGroup(l.group, p.id, fmt.Errorf("process %s: %s", p.called(), f.reason), f.hello)
		l.state, l.away, l.stranger = laneRefused, true, f.stranger
	case l.state == laneOpen:
		// The peer may open the group again. It is announced anew, so that packets that are on their way
		// to the group that was closed are not taken for the other's.
		l.state, l.away = laneDown, true
		if err := l.rewind(f.received); err != nil {
			return err
		}
	default:
		return nil // the peer will answer again when it opens the group
	}
	if l.closing {
		p.cut(l)
		return nil
	}
	p.mark(l)
	return nil
}

// setUp notes whether packets can reach a group of the peer.
func (p *peer) setUp(l *lane, up bool) {
	if l.up.Swap(up) != up {
		l.group.watch.changed(l)
	}
}

// lost notes that there is no connection any more.
func (p *peer) lost() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.out, p.absent = nil, p.observes
	for _, l := range p.lanes {
		l.state, l.known, l.stranger = laneDown, false, false
		p.setUp(l, false)
		if l.queue.len() > 0 {
			p.mark(l)
		}
	}
}

// failed notes that an attempt to connect has failed. It is logged if it is another trouble than before.
func (p *peer) failed(err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.absent, p.stranger = true, isStranger(err)
	for _, l := range p.lanes {
		if l.closing { // whose Close waits for nothing
			p.cut(l)
		}
	}
	last := p.said
	if p.said = kindOf(err); p.said != last && p.net.first(fmt.Sprintf("no connection %d %s", p.id, p.said)) {
		p.net.log.Warn("no connection", "peer", p.called(), "address", p.addr, "err",
			err)
	}
}

// kindOf returns what an error says, without the ports, which differ each time.
func kindOf(err error) string {
	var op *net.OpError
	if errors.As(err, &op) {
		return op.Op + " " + op.Err.Error()
	}
	return err.Error()
}

// adopt makes c the connection on which this process sends.
func (p *peer) adopt(c *conn) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.said != "" {
		p.net.log.Info("connected", "peer", p.called())
	}
	p.out, p.absent, p.stranger, p.said = c, false, false, ""
	for _, l := range p.lanes {
		l.state, l.known = laneDown, false
		p.mark(l)
	}
}

// run keeps a connection to the peer until ctx ends.
func (p *peer) run(ctx context.Context) {
	pause, longest := firstPause, lastPause
	if p.net.config.observes() {
		// A hundred observers that cannot connect, as the members are too busy for their handshakes, must not
		// keep the members busy.
		longest *= 8
	}
	for p.expected(ctx) {
		most := longest
		c, err := p.connect(ctx)
		if err == nil {
			began := p.net.now()
			err = p.serve(ctx, c)
			p.lost()
			if p.net.now()-began > lastPause {
				pause = firstPause
			}
			most = lastPause / 8 // the peer is there; but it may not like what it gets, and close each connection soon
			p.net.ended(p, err)
		} else if ctx.Err() == nil && err != errHeard {
			p.failed(err)
		}
		pause = min(pause, most)
		// Many members that have lost one peer at the same time should not dial it at the same time.
		if !p.rest(ctx, pause/2+rand.N(pause/2+1)) {
			return
		}
		pause = min(2*pause, longest)
	}
}

// expected waits until the peer may be dialled, and returns false when ctx has ended.
func (p *peer) expected(ctx context.Context) bool {
	for p.observes && p.inbound() == nil {
		select {
		case <-p.near:
		case <-ctx.Done():
			return false
		}
	}
	return ctx.Err() == nil
}

// rest waits until the next attempt to connect is due, and returns false if there is none: after a
// pause; at once if the peer connects to this process; much sooner than after the pause if something is
// sent to the peer.
func (p *peer) rest(ctx context.Context, pause time.Duration) bool {
	p.mu.Lock()
	since := p.net.now() - p.began
	p.mu.Unlock()
	// No timers: the race detector of Go 1.26 crashes when two goroutines of one synctest bubble read timers
	// that ran out before (golang/go#78156), and these may have.
	longest, stop := context.WithTimeout(ctx, pause)
	defer stop()
	soon, stop := context.WithTimeout(longest, pause/8)
	defer stop()
	least, stop := context.WithTimeout(ctx, leastPause-since)
	defer stop()
	<-least.Done()
	select {
	case <-p.near:
		return ctx.Err() == nil
	case <-soon.Done():
	}
	select {
	case <-p.near:
	case <-p.wanted:
	case <-longest.Done():
	}
	return ctx.Err() == nil
}

// connect makes a connection.
func (p *peer) connect(ctx context.Context) (*conn, error) {
	// An attempt that hangs, since the machine of the peer is gone, must not keep others waiting.
	if !p.hidden {
		select {
		case p.turns <- struct{}{}:
			defer func() { <-p.turns }()
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
	ctx, cancel := context.WithTimeout(ctx, p.net.config.Timeout)
	defer cancel()
	nc, err := p.dial(ctx)
	if p.hidden = err != nil && ctx.Err() != nil; err != nil {
		return nil, err
	}
	return p.net.introduce(ctx, nc, p)
}

// dial opens a connection, unless the peer opens one first.
func (p *peer) dial(ctx context.Context) (net.Conn, error) {
	dialling, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	p.mu.Lock()
	p.began, p.cancel = p.net.now(), stop
	p.mu.Unlock()
	p.net.stats.dials.Add(1)
	nc, err := p.net.config.Dial(dialling, p.addr)
	p.mu.Lock()
	p.cancel = nil
	p.mu.Unlock()
	if err != nil && context.Cause(dialling) == errHeard {
		err = errHeard
	}
	return nc, err
}

// errHeard: the peer is there, and an attempt to connect that began before it was may wait in vain.
var errHeard = errors.New("the peer has connected to this process")

// heard ends the pause between two attempts to connect, since the peer has connected to this process.
func (p *peer) heard() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.out != nil {
		return
	}
	if p.cancel != nil && p.net.now()-p.began > 5*leastPause {
		p.cancel(errHeard)
	}
	signal(p.near)
}

// serve runs a connection, and those that replace it before it ends.
func (p *peer) serve(ctx context.Context, c *conn) error {
	for {
		p.adopt(c)
		ended := make(chan error, 1)
		go func() { ended <- c.run() }()
		next, err := p.outlive(ctx, c, ended)
		if next == nil {
			return err
		}
		// The peer has closed the old connection when it accepted the next one: that says how far it has
		// read.
		c.close(errReplaced)
		<-ended
		c = next
	}
}

// outlive returns the connection that replaces c in time, or nil when c has ended.
func (p *peer) outlive(ctx context.Context, c *conn, ended <-chan error) (next *conn, err error) {
	for age := c.age(); ; age = lastPause {
		renew, stop := context.WithTimeout(ctx, age) // no timer, as in rest
		select {
		case err := <-ended:
			stop()
			return nil, err
		case <-renew.Done():
			stop()
		}
		if ctx.Err() != nil {
			c.end()
			return nil, <-ended
		}
		next, err := p.connect(ctx)
		if err == nil {
			return next, nil
		}
		p.net.log.Warn("the connection is not renewed", "peer", p.called(), "err", err)
	}
}

// called returns what the peer is called in errors and in the log.
func (p *peer) called() string { return p.net.config.called(p.id) }
