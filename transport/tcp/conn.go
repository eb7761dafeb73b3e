package tcp

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"net"
	"sync"
	"time"
)

const bufferSize = 16 << 10 // of a read and of a write: the most that a TLS record holds

// wire is a connection below the frames.
type wire struct {
	nc    net.Conn // raw, or TLS over it
	raw   counted
	name  string    // of the process at the other end, by its certificate; empty without TLS
	until time.Time // when that certificate expires; zero: never
	renew time.Time // when that certificate or this process's own expires
}

// conn is the connection to a peer. When it is renewed, its frames continue on another wire.
type conn struct {
	net     *Network
	peer    *peer
	dialled bool
	serial  uint64 // larger than the serial of any earlier attempt to connect
	said    hello  // what the peer has said

	wake    chan struct{} // has one if there is something to write
	urgent  chan struct{} // has one if that must not wait for more
	renewed chan struct{} // has one if there is another wire
	done    chan struct{} // closed when the connection is

	mu       sync.Mutex
	in, out  wire            // of the reader and of the writer; they differ during a renewal
	next     wire            // to which the reader and the writer move; zero if there is none
	expire   *time.Timer     // closes the connection when the certificates are too old
	probes   []chan struct{} // closed at the next pong
	pingDue  bool            // for the probes
	pongDue  bool
	ending   bool // write what there is, and end
	err      error
	pinged   time.Time // when the last ping was sent
	awaiting bool      // it has not been answered
	begun    time.Time // when a frame has begun that is not complete; zero: none

	left  []*lane // that end with the next write; used by the writer only
	loose bool    // something was written after the last ping; used by the writer only
}

func newConn(p *peer, w wire, dialled bool, serial uint64, said hello) *conn {
	return &conn{net: p.net, peer: p, in: w, out: w, dialled: dialled, serial: serial, said: said,
		wake: make(chan struct{}, 1), urgent: make(chan struct{}, 1), renewed: make(chan struct{}, 1),
		done: make(chan struct{})}
}

// notify wakes the writer.
func (c *conn) notify() { signal(c.wake) }

// Why this process has closed a connection.
var (
	errEnded    = errors.New("closed here")
	errReplaced = errors.New("replaced by a later connection")
	errExpired  = errors.New("the certificate of the peer has expired")
	errAged     = errors.New("the peer has shown its certificate too long ago")
	errSilent   = errors.New("the peer does not answer")
	errGone     = errors.New("the peer has closed the connection")
)

// close closes the connection. Only the first reason is kept.
func (c *conn) close(reason error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.err != nil {
		return
	}
	c.err = reason
	close(c.done)
	if c.expire != nil {
		c.expire.Stop()
	}
	for _, w := range []wire{c.in, c.out, c.next} {
		// The kernel would retransmit what has not arrived for minutes, even after Close. It might arrive when a
		// partition heals, and disturb an election as no late message may.
		if l, ok := w.raw.Conn.(interface{ SetLinger(int) error }); ok && reason != errGone {
			_ = l.SetLinger(0)
		}
		if w.raw.Conn != nil {
			_ = w.raw.Close() // not nc: TLS would wait until the peer reads an alert
		}
	}
}

// end closes the connection when everything is written.
func (c *conn) end() {
	c.mu.Lock()
	c.ending = true
	c.mu.Unlock()
	c.notify()
}

// reason returns why the connection was closed, or nil.
func (c *conn) reason() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.err
}

// run reads and writes until the connection ends.
func (c *conn) run() {
	defer context.AfterFunc(c.net.stopped, c.end)()
	c.mu.Lock()
	c.limit(c.in)
	c.mu.Unlock()
	var writing sync.WaitGroup
	writing.Go(c.write)
	err := c.read()
	c.close(err)
	writing.Wait()
	c.peer.lost(c)
	c.net.ended(c.peer, c.reason())
}

// renew makes the connection continue on another wire: the writer moves after what it has written, and the reader
// when the peer does.
func (c *conn) renew(w wire) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.err != nil || c.next.nc != nil {
		return errBusy
	}
	c.next = w
	c.limit(w)
	signal(c.renewed)
	c.notify()
	return nil
}

// moved notes that the reader or the writer uses the next wire.
func (c *conn) moved(end *wire) {
	c.mu.Lock()
	defer c.mu.Unlock()
	old := *end
	*end = c.next
	if c.in.nc == c.out.nc {
		// This end has read everything, and what it has written is still delivered after Close.
		_ = old.raw.Close()
		c.next = wire{}
	}
	c.setDeadline()
}

// limit closes the connection when the certificates on a wire are too old. c.mu is held.
func (c *conn) limit(w wire) {
	if w.until.IsZero() || c.err != nil {
		return
	}
	if c.expire != nil {
		c.expire.Stop()
	}
	left, reason := c.expiry(w)
	c.expire = time.AfterFunc(left, func() { c.close(reason) })
}

// expiry returns how long a connection with TLS may stay open, and why it is closed then.
func (c *conn) expiry(w wire) (time.Duration, error) {
	// Each end closes the connection, not only the end that renews it. The peer may have stolen a key, and then
	// renews nothing, since a new handshake would fail. To verify the old certificate again is not enough, because
	// a handshake checks more than that.
	//
	// The peer that renews gets another eighth and Timeout: it begins after MaxConnAge at the latest, its clock may
	// be slower, an attempt takes up to Timeout, and several may fail.
	left := c.net.config.MaxConnAge
	for _, more := range []time.Duration{left / 8, c.net.config.Timeout} {
		left += min(more, math.MaxInt64-left) // the largest MaxConnAge means never
	}
	if certificate := time.Until(w.until); certificate <= left {
		return certificate, errExpired
	}
	return left, errAged
}

// age returns how long the present wire is used.
func (c *conn) age() time.Duration {
	most := c.net.config.MaxConnAge
	age := most - rand.N(most/8+1) // so that not all are renewed at the same time
	c.mu.Lock()
	defer c.mu.Unlock()
	renew := c.in.renew
	if c.next.nc != nil {
		renew = c.next.renew
	}
	if !renew.IsZero() {
		left := time.Until(renew)
		age = min(age, left-left/8)
	}
	return age
}

// write writes whatever there is, all of it together: one segment and one TLS record if it fits.
func (c *conn) write() {
	b := make([]byte, 0, bufferSize)
	late := time.NewTimer(time.Hour) // fires when a ping has to follow what was written
	defer late.Stop()
	if c.dialled {
		// The first ping tells the peer that the connection is in use, see Network.greet.
		c.loose = true
		if err := c.flush(c.ping(nil, false, true)); err != nil {
			c.close(err)
			return
		}
	}
	for {
		due := false
		select {
		case <-c.wake:
			c.linger()
		case <-late.C:
			due = true
		case <-c.done:
			return
		}
		for more := true; more; {
			var last uint8
			b, more, last = c.collect(b[:0], due)
			err := c.flush(b)
			for _, l := range c.left {
				close(l.gone)
			}
			c.left = nil
			if cap(b) > 2*bufferSize { // it had a large hello
				b = make([]byte, 0, bufferSize)
			}
			switch {
			case err != nil:
				c.close(err)
				return
			case last == kindMove:
				c.moved(&c.out)
			case last == kindEnd:
				c.finish()
				return
			}
		}
		if c.loose {
			late.Reset(c.quiet())
		}
	}
}

// collect appends the frames that are to be written, and returns which of kindMove and kindEnd is the last, if any.
// If more is true, not all of them fit.
func (c *conn) collect(b []byte, due bool) (_ []byte, more bool, last uint8) {
	b, more = c.peer.collect(c, b)
	c.mu.Lock()
	moving, ending := c.next.nc != nil && c.out.nc != c.next.nc, c.ending
	pong, ping := c.pongDue, c.pingDue
	c.pongDue, c.pingDue = false, false
	c.mu.Unlock()
	if ending && !more {
		return appendHead(b, kindEnd, 0), false, kindEnd
	}
	b = c.ping(b, len(b) > 0, due)
	// No ping follows a pong or a probe, or two peers would ping each other without end.
	if pong {
		b = appendHead(b, kindPong, 0)
	}
	if ping {
		b = appendHead(b, kindPing, 0)
	}
	if moving && !more {
		return appendHead(b, kindMove, 0), true, kindMove
	}
	return b, more, 0
}

// ping asks the peer now and then for an answer to what is written, and some time after the last write if due is
// true. TCP retransmits ever more rarely, so a connection whose segments are dropped would stay open for minutes.
func (c *conn) ping(b []byte, written, due bool) []byte {
	if !written && !(due && c.loose) {
		return b
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	now := time.Now()
	if c.loose = c.awaiting || now.Sub(c.pinged) < c.quiet(); c.loose {
		return b
	}
	c.pinged, c.awaiting = now, true
	c.setDeadline()
	return appendHead(b, kindPing, 0)
}

// quiet returns how long no ping follows another.
func (c *conn) quiet() time.Duration {
	if c.peer.observes {
		// An observer gets a packet now and then: with each of them a ping and its answer would double the cost. A
		// packet that reaches it late does little harm, since an observer decides nothing.
		return 5 * c.net.config.Timeout
	}
	return c.net.config.Timeout / 2
}

// flush writes b.
func (c *conn) flush(b []byte) error {
	if len(b) == 0 {
		return nil
	}
	_ = c.out.nc.SetWriteDeadline(time.Now().Add(c.net.config.Timeout))
	_, err := c.out.nc.Write(b)
	c.net.stats.writes.Add(1)
	return err
}

// finish gives the peer time to close the connection. A socket that is closed while something is unread takes back
// what it has sent.
func (c *conn) finish() {
	wait, stop := context.WithTimeout(context.Background(), c.net.config.Timeout)
	defer stop()
	select {
	case <-c.done:
	case <-wait.Done():
		c.close(errEnded)
	}
}

// linger waits for more to write, if that is wanted: until nothing has come for Linger, and ten times as long at most.
func (c *conn) linger() {
	if c.net.config.Linger == 0 {
		return
	}
	// A single Linger is not enough: a program with a thousand groups takes several times as long as a sensible
	// Linger to hand over what it sends at one moment.
	const most = 10
	timer := time.NewTimer(c.net.config.Linger)
	defer timer.Stop()
	for n, more := 1, true; more; n++ {
		select {
		case <-timer.C:
			timer.Reset(c.net.config.Linger)
			more = n < most && len(c.wake) > 0
			if more {
				<-c.wake // the writer is its only reader
			}
		case <-c.urgent:
			return
		case <-c.done:
			return
		case <-c.net.stopped.Done():
			return
		}
	}
}
