package tcp

import (
	"context"
	"errors"
	"fmt"
	"net"
	"time"
)

// dial connects to a peer and says hello.
func (n *Network) dial(ctx context.Context, p *peer) (*conn, error) {
	nc, err := n.config.Dial(ctx, p.addr)
	if err != nil {
		return nil, err
	}
	raw := counted{nc, &n.stats}
	// Whatever waits for the peer ends with ctx.
	done := context.AfterFunc(ctx, func() { _ = raw.SetDeadline(time.Now()) })
	c, err := n.introduce(ctx, wire{nc: raw, raw: raw}, p)
	if !done() && err == nil {
		err = context.Cause(ctx)
	}
	if err != nil {
		_ = raw.Close()
		return nil, err
	}
	return c, nil
}

// introduce says hello to a peer and reads its answer.
func (n *Network) introduce(_ context.Context, w wire, p *peer) (*conn, error) {
	own := hello{from: n.config.Self, to: p.id, incarnation: n.incarnation}
	if _, err := w.nc.Write(own.append(nil)); err != nil {
		return nil, err
	}
	h, err := readHello(w.nc)
	switch {
	case err != nil:
		return nil, err
	case h.refused != "":
		return nil, fmt.Errorf("process %d refuses the connection: %s", p.id, h.refused)
	case h.from != p.id || h.to != n.config.Self:
		return nil, fmt.Errorf("%w: process %d answers process %d", errHello, h.from, h.to)
	}
	return newConn(n, p, w, true, h.incarnation), nil
}

// accept accepts connections until the listener is closed.
func (n *Network) accept() {
	slots := make(chan struct{}, n.config.MaxHandshakes)
	rate := newBucket(n.config.MaxHandshakes)
	for {
		nc, err := n.listener.Accept()
		switch {
		case n.stopped.Err() != nil:
			if err == nil {
				_ = nc.Close()
			}
			return
		case err != nil:
			// Too many files may be open. That passes, but not at once.
			if n.first("accept") {
				n.log.Error("no connections are accepted", "self", n.config.Self, "error", err)
			}
			select {
			case <-time.After(lastPause):
			case <-n.stopped.Done():
				return
			}
			if errors.Is(err, net.ErrClosed) {
				return
			}
			continue
		}
		if !rate.take(n.now()) {
			n.refuse(nc, errors.New("too many connections a second"))
			continue
		}
		select {
		case slots <- struct{}{}:
			n.running.Go(func() { n.greet(nc, slots) })
		default:
			n.refuse(nc, errors.New("too many connections that have not said hello"))
		}
	}
}

// refuse closes a connection for a reason that is logged once.
func (n *Network) refuse(nc net.Conn, reason error) {
	n.stats.refused.Add(1)
	if n.first(reason.Error()) {
		n.log.Error("a connection is refused", "self", n.config.Self, "from", nc.RemoteAddr().String(),
			"error", reason)
	}
	_ = nc.Close()
}

// greet deals with a connection that was accepted.
func (n *Network) greet(nc net.Conn, slots <-chan struct{}) {
	if t, ok := nc.(*net.TCPConn); ok {
		_ = t.SetKeepAliveConfig(keepAlive)
	}
	raw := counted{nc, &n.stats}
	_ = raw.SetDeadline(time.Now().Add(n.config.Timeout))
	done := context.AfterFunc(n.stopped, func() { _ = raw.SetDeadline(time.Now()) })
	c, err := n.answerHello(wire{nc: raw, raw: raw})
	<-slots
	if !done() && err == nil {
		err = n.gone()
	}
	if err == nil {
		err = raw.SetDeadline(time.Time{})
	}
	if err != nil {
		if c != nil {
			c.close(err)
			c.peer.dismiss(c)
		}
		n.refuse(raw, err)
		return
	}
	defer context.AfterFunc(n.stopped, c.end)()
	c.peer.heard()
	err = c.run()
	c.peer.dismiss(c)
	n.log.Debug("a connection that a peer dialled has ended", "self", n.config.Self, "peer", c.peer.id,
		"error", err)
}

// answerHello reads a hello and answers it.
func (n *Network) answerHello(w wire) (*conn, error) {
	h, err := readHello(w.nc)
	if err != nil {
		return nil, err
	}
	own := hello{from: n.config.Self, to: h.from, incarnation: n.incarnation}
	c, err := n.admit(w, &h)
	if err != nil {
		own.refused = err.Error()
	}
	if _, failed := w.nc.Write(own.append(nil)); err == nil {
		err = failed
	}
	return c, err
}

// admit returns the connection of a member, or an error that the member gets as the answer.
func (n *Network) admit(w wire, h *hello) (*conn, error) {
	p := n.peers[h.from]
	switch {
	case h.to != n.config.Self:
		return nil, fmt.Errorf("this is process %d, not %d", n.config.Self, h.to)
	case h.from == n.config.Self:
		return nil, fmt.Errorf("another process says that it is process %d, as this one is", h.from)
	case p == nil:
		return nil, fmt.Errorf("process %d is no member", h.from)
	}
	c := newConn(n, p, w, false, h.incarnation)
	if err := p.admit(c); err != nil {
		return nil, err
	}
	return c, nil
}

// inbound returns the connection that the peer has dialled, or nil.
func (p *peer) inbound() *conn {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.in
}

// admit makes c the connection on which the peer sends.
func (p *peer) admit(c *conn) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.in != nil {
		p.in.close(errReplaced)
	}
	p.in = c
	return nil
}

// dismiss notes that a connection of the peer has ended.
func (p *peer) dismiss(c *conn) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.in == c {
		p.in = nil
	}
}

// bucket limits how often something happens.
type bucket struct {
	each time.Duration // the time in which one more may happen
	most time.Duration
	full time.Duration // when the bucket would be full
}

func newBucket(perSecond int) *bucket {
	return &bucket{each: time.Second / time.Duration(perSecond), most: time.Second}
}

// take reports whether one more may happen now.
func (b *bucket) take(now time.Duration) bool {
	b.full = max(b.full, now)
	if b.full+b.each > now+b.most {
		return false
	}
	b.full += b.each
	return true
}
