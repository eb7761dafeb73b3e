package tcp

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"sync"
	"time"
)

// introduce makes a connection that was dialled private, says hello, and reads the answer.
func (n *Network) introduce(ctx context.Context, nc net.Conn, p *peer) (*conn, error) {
	quicken(nc)
	raw := counted{nc, &n.stats}
	// Whatever waits for the peer ends with ctx.
	done := context.AfterFunc(ctx, func() { _ = raw.SetDeadline(time.Now()) })
	c, err := n.sayHello(raw, p)
	if err == nil {
		err = p.settle(ctx, c)
	}
	if !done() && err == nil {
		err = context.Cause(ctx)
	}
	if err != nil {
		_ = raw.Close()
		return nil, err
	}
	return c, nil
}

// sayHello says hello to a peer and reads its answer.
func (n *Network) sayHello(raw counted, p *peer) (*conn, error) {
	w, err := n.secure(raw, true)
	if err != nil {
		return nil, err
	}
	if n.config.TLS != nil && w.name != p.called() {
		return nil, fmt.Errorf("the certificate is that of process %s, not %s", w.name,
			p.called())
	}
	own := hello{from: n.config.Self, to: p.id, incarnation: n.incarnation}
	if _, err := w.nc.Write(own.append(nil)); err != nil {
		return nil, err
	}
	h, err := readHello(w.nc)
	switch {
	case err != nil:
		return nil, err
	case h.refused != "":
		return nil, fmt.Errorf("process %s refuses the connection: %w", p.called(),
			refusedError(h.refused, h.stranger, n.config.called(n.config.Self)))
	case h.from != p.id || h.to != n.config.Self:
		return nil, fmt.Errorf("%w: process %s answers process %s", errHello, n.config.called(h.from),
			n.config.called(h.to))
	}
	return newConn(n, p, w, true, h.incarnation), nil
}

// accept accepts connections until the listener is closed.
func (n *Network) accept() {
	gate := newGate(n.config.MaxHandshakes)
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
				n.log.Error("no connections are accepted", "err", err)
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
		if err := gate.enter(nc.RemoteAddr().String(), n.now()); err != nil {
			n.refuse(nc, "", err)
			continue
		}
		n.running.Go(func() { n.greet(nc, gate) })
	}
}

// refuse closes a connection. The reason is logged once a minute for each host, with the process that has
// connected, unless it has not said which it is.
func (n *Network) refuse(nc net.Conn, peer string, reason error) {
	n.stats.refused.Add(1)
	address := nc.RemoteAddr().String()
	if n.first("connection " + hostOf(address).String()) {
		log := n.log.With("address", address)
		if peer != "" {
			log = log.With("peer", peer)
		}
		log.Error("a connection is refused", "err", reason)
	}
	_ = nc.Close()
}

// greet deals with a connection that was accepted.
func (n *Network) greet(nc net.Conn, gate *gate) {
	if t, ok := nc.(*net.TCPConn); ok {
		_ = t.SetKeepAliveConfig(keepOpen)
	}
	quicken(nc)
	raw := counted{nc, &n.stats}
	_ = raw.SetDeadline(time.Now().Add(n.config.Timeout))
	done := context.AfterFunc(n.stopped, func() { _ = raw.SetDeadline(time.Now()) })
	c, peer, err := n.answerHello(raw)
	gate.leave(nc.RemoteAddr().String())
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
		n.refuse(raw, peer, err)
		return
	}
	defer context.AfterFunc(n.stopped, c.end)()
	c.peer.heard()
	err = c.run()
	c.peer.dismiss(c)
	n.ended(c.peer, err)
}

// ended logs the end of a connection. It is an error only if the peer has sent what no process sends.
func (n *Network) ended(p *peer, err error) {
	if !errors.Is(err, errFrame) {
		n.log.Debug("a connection has ended", "peer", p.called(), "err", err)
		return
	}
	n.stats.refused.Add(1)
	if n.first(fmt.Sprintf("frame %d", p.id)) {
		n.log.Error("a connection is refused", "peer", p.called(), "err", err)
	}
}

// answerHello reads a hello and answers it. peer is what the other end is called, also where it is refused:
// by its certificate, or without TLS by its hello; empty if neither has come.
func (n *Network) answerHello(raw counted) (c *conn, peer string, err error) {
	w, err := n.secure(raw, false)
	if err != nil {
		return nil, "", err
	}
	h, err := readHello(w.nc)
	if err != nil {
		return nil, w.name, err
	}
	peer = cmp.Or(w.name, n.config.called(h.from))
	own := hello{from: n.config.Self, to: h.from, incarnation: n.incarnation}
	c, err = n.admit(w, &h)
	if err != nil {
		own.refused, own.stranger = err.Error(), isStranger(err)
	}
	if _, failed := w.nc.Write(own.append(nil)); err == nil {
		err = failed
	}
	return c, peer, err
}

// admit returns the connection of a member, or an error that the member gets as the answer.
func (n *Network) admit(w wire, h *hello) (*conn, error) {
	p, claimed := n.peers[h.from], n.config.called(h.from)
	switch {
	// The certificate has a name and the hello an ID. Only the list of members says which name an ID has: a
	// process must not get in by a name that somebody's function maps to the same ID.
	case n.config.TLS != nil && w.name != claimed && !n.config.has(w.name):
		return nil, &NoMemberError{w.name}
	case n.config.TLS != nil && w.name != claimed:
		return nil, fmt.Errorf("process %s says that it is process %s", w.name, claimed)
	case h.from == n.config.Self:
		n.stats.duplicates.Add(1)
		return nil, fmt.Errorf("another process says that it is process %s, as this one is", claimed)
	case h.to != n.config.Self:
		return nil, fmt.Errorf("this is process %s, not %s", n.config.called(n.config.Self),
			n.config.called(h.to))
	case p == nil:
		return nil, &NoMemberError{claimed}
	}
	c := newConn(n, p, w, false, h.incarnation)
	if err := p.settle(n.stopped, c); err != nil {
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

// settle makes sure that no other process with the identity of the peer is connected, and makes c the
// connection of its direction. Of two processes the younger is refused: most often it was started by
// mistake while the other does its work. But a peer that was restarted is younger, too, than what is
// left of its predecessor, so that is asked for a sign of life.
func (p *peer) settle(ctx context.Context, c *conn) error {
	for {
		p.mu.Lock()
		rivals := p.rivals(c)
		if len(rivals) == 0 {
			if !c.dialled {
				if p.in != nil {
					p.in.close(errReplaced)
				}
				p.in = c
			}
			p.mu.Unlock()
			return nil
		}
		p.mu.Unlock()
		if p.net.alive(ctx, rivals) {
			p.net.stats.duplicates.Add(1)
			return fmt.Errorf("another process with the identity of process %s is connected",
				p.called())
		}
		for _, r := range rivals {
			r.close(errSilent)
		}
	}
}

// rivals returns the connections of another process with the same identity.
func (p *peer) rivals(c *conn) (all []*conn) {
	for _, r := range []*conn{p.in, p.out} {
		if r != nil && r.incarnation != c.incarnation && r.reason() == nil {
			all = append(all, r)
		}
	}
	return all
}

// alive asks the peers of some connections for an answer, and reports whether one comes. That takes at
// most half the time that the connection which waits for it has.
func (n *Network) alive(ctx context.Context, conns []*conn) bool {
	ctx, cancel := context.WithTimeout(ctx, n.config.Timeout/2)
	defer cancel()
	answered := make(chan struct{}, len(conns))
	var waiting sync.WaitGroup
	for _, c := range conns {
		waiting.Go(func() {
			select {
			case <-c.probe():
				answered <- struct{}{}
				cancel()
			case <-c.done:
			case <-ctx.Done():
			}
		})
	}
	waiting.Wait()
	return len(answered) > 0
}

// dismiss notes that a connection of the peer has ended.
func (p *peer) dismiss(c *conn) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.in == c {
		p.in = nil
	}
}
