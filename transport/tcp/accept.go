package tcp

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"time"

	"github.com/go-election/election"
)

// Two processes use one connection. Either may dial, since a firewall may permit one direction only, and both dial
// when they start together. So one of them, the process with the smaller ID, decides which connection is in use:
//
//   - When the decider accepts a connection, it is in use. But if the decider has dialled one at the same time, of
//     which the hello of the peer does not know yet, it refuses the other one.
//   - When the decider dials, and the peer accepts, it is in use unless the decider has accepted another one
//     meanwhile. The first byte after the hellos, a ping, tells the peer.
//
// A connection that comes into use ends the one before, which the peer has lost.

// decides reports whether this process decides which connection is in use.
func (p *peer) decides() bool { return p.net.config.Self < p.id }

// sayHello makes a connection that was dialled private, says hello, and reads the answer.
func (p *peer) sayHello(raw counted, own *hello, old *conn) (*conn, error) {
	n := p.net
	w, err := n.secure(raw, true)
	if err != nil {
		return nil, err
	}
	if n.config.TLS != nil && w.name != p.called() {
		return nil, fmt.Errorf("the certificate is for process %s, not %s", w.name, p.called())
	}
	if old != nil {
		own.renews = 1
	}
	if _, err := w.nc.Write(own.append(nil)); err != nil {
		return nil, err
	}
	h, err := readHello(w.nc, n.config.speaks)
	if err != nil {
		return nil, err
	}
	switch err := h.answer.err(); {
	case err != nil:
		return nil, fmt.Errorf("process %s refuses the connection: %w", p.called(), err)
	case h.from != p.id || h.name != p.name || h.to != n.config.Self:
		return nil, fmt.Errorf("%w: process %s with ID %d answers process %s, instead of process %s with ID %d",
			errHello, h.name, h.from, n.called(h.to), p.name, p.id)
	case old != nil && h.incarnation != old.said.incarnation:
		return nil, errBusy
	}
	return newConn(p, w, true, own.serial, h), nil
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
			// For example, too many files are open. That passes, but not immediately.
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

// refuse closes a connection. The reason is logged once a minute for each host, with the name of the process that
// has connected if it is known.
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

// greet handles a connection that was accepted, until it ends or renews another one.
func (n *Network) greet(nc net.Conn, gate *gate) {
	if t, ok := nc.(*net.TCPConn); ok {
		_ = t.SetKeepAliveConfig(keepOpen)
	}
	quicken(nc)
	raw := counted{nc, &n.stats}
	_ = raw.SetDeadline(time.Now().Add(n.config.Timeout))
	done := context.AfterFunc(n.stopped, func() { _ = raw.SetDeadline(time.Now()) })
	c, peer, err := n.answerHello(raw)
	if c != nil {
		defer c.peer.unuse()
	}
	gate.leave(nc.RemoteAddr().String())
	var first [1]byte
	waits := err == nil && c.said.renews == 0 && !c.peer.decides()
	if waits {
		_, err = io.ReadFull(c.in.nc, first[:])
		if err != nil || first[0] != kindPing {
			err = errBusy // the peer uses another connection
		}
	}
	if !done() && err == nil {
		err = n.gone()
	}
	if err == nil {
		err = raw.SetDeadline(time.Time{})
	}
	switch {
	case err != nil:
	case c.said.renews > 0:
		err = errBusy
		if old := c.peer.renewed(&c.said); old != nil {
			err = old.renew(c.in)
		}
		if err == nil {
			return
		}
	case waits:
		c.pongDue = true
		c.notify() // no group may have anything to write
		err = c.peer.adopt(c)
	}
	if err == nil {
		c.run()
		return
	}
	if c != nil {
		c.close(err)
		c.peer.lost(c)
	}
	switch {
	case err == errBusy:
	case errors.Is(err, errEarly):
		n.log.Debug("a connection has ended before a hello", "address", raw.RemoteAddr().String(), "err", err)
	default:
		n.refuse(raw, peer, err)
		return
	}
	_ = raw.Close()
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

// answerHello reads a hello and answers it. peer is the name of the other end, even if it is refused: by its
// certificate, or without TLS by its hello. It is empty if neither has arrived.
func (n *Network) answerHello(raw counted) (c *conn, peer string, err error) {
	w, err := n.secure(raw, false)
	if err != nil {
		return nil, "", err
	}
	h, err := readHello(w.nc, n.config.speaks)
	own := n.hello(h.from)
	if err != nil {
		if _, ok := errors.AsType[*versionError](err); ok {
			own.answer = answerTo(err)
			_, _ = w.nc.Write(own.append(nil)) // or the peer would not know why
		}
		return nil, w.name, err
	}
	peer = cmp.Or(w.name, h.name, n.called(h.from))
	c, err = n.admit(w, own.serial, &h)
	own.answer = answerTo(err)
	if _, failed := w.nc.Write(own.append(nil)); err == nil {
		err = failed
	}
	return c, peer, err
}

// hello returns a hello for a new connection with a process.
func (n *Network) hello(to election.ID) hello {
	return hello{from: n.config.Self, to: to, name: n.config.called(n.config.Self), incarnation: n.incarnation,
		serial: n.serial.Add(1), versions: n.config.speaks}
}

// admit returns the connection of a peer, or an error, which is the answer to the peer. The peer is used if there is a
// connection.
func (n *Network) admit(w wire, serial uint64, h *hello) (c *conn, err error) {
	p, err := n.recognize(w, h)
	if err != nil {
		return nil, err
	}
	defer func() {
		if c == nil {
			p.unuse()
		}
	}()
	if h.renews > 0 {
		if p.renewed(h) == nil {
			return nil, errBusy
		}
		return newConn(p, w, false, serial, *h), nil
	}
	if err := p.settle(n.stopped, h.incarnation); err != nil {
		return nil, err
	}
	c = newConn(p, w, false, serial, *h)
	if !p.decides() {
		return c, nil
	}
	if err := p.adopt(c); err != nil {
		return nil, err // without a close, which would take back the answer
	}
	return c, nil
}

// renewed returns the connection that the peer renews, or nil.
func (p *peer) renewed(h *hello) *conn {
	c := p.current()
	if c == nil || c.dialled || c.said.incarnation != h.incarnation {
		return nil
	}
	return c
}

// settle makes sure that no other process with the identity of the peer is connected. Of two processes the younger
// is refused: most often it was started by mistake while the other does its work. But a peer that was restarted is
// younger, too, than what is left of its predecessor, so the older one must answer.
func (p *peer) settle(ctx context.Context, incarnation uint64) error {
	c := p.current()
	if c == nil || c.said.incarnation == incarnation {
		return nil
	}
	ctx, stop := context.WithTimeout(ctx, p.net.config.Timeout/2)
	defer stop()
	select {
	case <-c.probe():
		p.net.stats.duplicates.Add(1)
		return fmt.Errorf("another process with the identity of process %s is connected", p.called())
	case <-c.done:
	case <-ctx.Done():
	}
	c.close(errSilent)
	return nil
}
