package tcp

import (
	"errors"
	"math"
	"math/rand/v2"
	"net"
	"sync"
	"time"
)

const (
	bufferSize = 16 << 10           // of a read and of a write: the most that a TLS record holds
	maxPacket  = 10 + 2 + 10*fields // bytes of a packet at most
	maxAnswers = 64 << 10           // bytes of answers that may wait for a peer that does not read
)

// wire is a connection below the frames.
type wire struct {
	nc    net.Conn // what is read and written: raw, or TLS over it
	raw   counted
	name  string    // of the process at the other end, by its certificate; empty without TLS
	until time.Time // when that certificate expires; zero: never
	renew time.Time // when that or the own one does
}

// conn is a connection to a peer. The side that has dialled it sends packets, the other side answers.
type conn struct {
	wire
	net         *Network
	peer        *peer
	dialled     bool
	incarnation uint64 // of the peer's process
	serial      uint64 // larger than that of any earlier connection of the network

	wake   chan struct{} // has one if there is something to write
	urgent chan struct{} // has one if that must not wait for more
	done   chan struct{} // closed when the connection is

	mu       sync.Mutex
	answers  []byte             // frames that are ready to be written
	drained  chan struct{}      // closed when answers are written, if the reader waits for that
	pongDue  bool               // the peer has sent a ping
	acks     []*stream          // whose progress the peer is to learn
	streams  map[uint64]*stream // what the peer has announced; only the reader adds and deletes
	ending   bool               // write what there is, and end
	err      error              // why the connection was closed
	pinged   time.Duration      // when the last ping was sent
	awaiting bool               // it has no answer yet
	probes   []chan struct{}    // closed at the next pong

	left  []*lane // that end with the next write; the writer's
	loose bool    // something was written after the last ping; the writer's
}

func newConn(n *Network, p *peer, w wire, dialled bool, incarnation uint64) *conn {
	return &conn{net: n, peer: p, wire: w, dialled: dialled, incarnation: incarnation,
		serial: n.serial.Add(1),
		wake:   make(chan struct{}, 1), urgent: make(chan struct{}, 1), done: make(chan struct{}),
		streams: make(map[uint64]*stream)}
}

// notify wakes the writer.
func (c *conn) notify() { signal(c.wake) }

// answer adds a frame to what is written next.
func (c *conn) answer(add func(b []byte) []byte) {
	c.mu.Lock()
	c.answers = add(c.answers)
	c.mu.Unlock()
	c.notify()
}

// ack lets the peer know how much of a stream was taken.
func (c *conn) ack(s *stream) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !s.ackDue {
		s.ackDue = true
		c.acks = append(c.acks, s)
		c.notify()
	}
}

// goodbye says that a group is closed here. The packets that arrive from now on reach its successor, if
// there is one, when the peer sends them again.
func (c *conn) goodbye(s *stream, received uint64) {
	f := refusal{received: received}
	c.mu.Lock()
	s.dead = true
	c.answers = f.append(c.answers, s.number)
	c.mu.Unlock()
	c.notify()
}

// close ends the connection at once. The first reason counts.
func (c *conn) close(reason error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.err != nil {
		return
	}
	c.err = reason
	close(c.done)
	// What the kernel has not brought to the peer yet, it would send again and again for minutes, even after
	// Close: it might arrive when a partition heals, and disturb an election as no late message may.
	if l, ok := c.raw.Conn.(interface{ SetLinger(int) error }); ok && reason != errGone {
		_ = l.SetLinger(0)
	}
	// Not nc, which may be a TLS connection: that waits for its peer to read a last alert.
	_ = c.raw.Close()
}

// end lets the connection end when all is written and read.
func (c *conn) end() {
	c.mu.Lock()
	c.ending = true
	c.mu.Unlock()
	c.notify()
}

func (c *conn) reason() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.err
}

// run reads and writes until the connection ends, and returns why.
func (c *conn) run() error {
	if !c.until.IsZero() {
		left, reason := c.expiry()
		defer time.AfterFunc(left, func() { c.close(reason) }).Stop()
	}
	var writing sync.WaitGroup
	writing.Go(c.write)
	c.close(c.read())
	writing.Wait()
	return c.reason()
}

// write writes whatever there is, all of it at once: one segment and one TLS record if it fits.
func (c *conn) write() {
	b := make([]byte, 0, bufferSize)
	late := time.NewTimer(time.Hour) // until a ping has to follow what was written
	defer late.Stop()
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
			var ending bool
			b, more, ending = c.collect(b[:0])
			if c.dialled && !ending {
				b = c.ping(b, due)
			}
			err := c.flush(b)
			for _, l := range c.left {
				close(l.gone)
			}
			c.left = nil
			if err != nil {
				c.close(err)
				return
			}
			if ending && !more {
				c.finish()
				return
			}
		}
		if c.loose {
			late.Reset(c.quiet())
		}
	}
}

// collect codes what is to be written. more: it did not fit.
func (c *conn) collect(b []byte) (_ []byte, more, ending bool) {
	c.mu.Lock()
	// An answer is never cut: the buffer may grow for it.
	b = append(b, c.answers...)
	if c.pongDue {
		c.pongDue = false
		b = appendHead(b, kindPong, 0)
	}
	c.answers = c.answers[:0]
	if c.drained != nil {
		close(c.drained)
		c.drained = nil
	}
	acks := c.acks
	c.acks = nil
	for _, s := range acks {
		s.ackDue = false
	}
	ending = c.ending
	c.mu.Unlock()
	for _, s := range acks {
		if g := s.group.Load(); g != nil {
			if taken, ok := g.progress(s); ok {
				b = appendAck(b, s.number, taken)
			}
		}
	}
	if !c.dialled {
		return b, false, ending
	}
	b, more = c.peer.collect(c, b)
	return b, more, ending
}

// ping asks the peer for an answer to what is written, now and then, and at last if that is due. A connection
// whose packets are dropped on the way stays open for minutes, as TCP sends them again and again, ever
// more seldom.
func (c *conn) ping(b []byte, due bool) []byte {
	if len(b) == 0 && !(due && c.loose) {
		return b
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	now := c.net.now()
	if c.loose = c.awaiting || c.pinged != 0 && now-c.pinged < c.quiet(); c.loose {
		return b
	}
	c.pinged, c.awaiting = now, true
	_ = c.nc.SetReadDeadline(time.Now().Add(c.net.config.Timeout))
	return appendHead(b, kindPing, 0)
}

// quiet returns how long after a ping there is no other.
func (c *conn) quiet() time.Duration {
	if c.peer.observes {
		// An observer gets a packet now and then: with each of them a ping and its answer would double what it
		// costs. What reaches it late does little harm, since it decides nothing.
		return 5 * c.net.config.Timeout
	}
	return c.net.config.Timeout / 2
}

// flush writes b.
func (c *conn) flush(b []byte) error {
	if len(b) == 0 {
		return nil
	}
	_ = c.nc.SetWriteDeadline(time.Now().Add(c.net.config.Timeout))
	_, err := c.nc.Write(b)
	c.net.stats.writes.Add(1)
	return err
}

// finish lets the peer know that nothing more comes, and gives it time to end its side. A socket that is
// closed while something is unread takes back what it has sent.
func (c *conn) finish() {
	_ = c.nc.SetReadDeadline(time.Now().Add(c.net.config.Timeout))
	half, ok := c.nc.(interface{ CloseWrite() error })
	if !ok || half.CloseWrite() != nil {
		c.close(errEnded)
	}
}

// Why this process has closed a connection.
var (
	errEnded    = errors.New("closed here")
	errReplaced = errors.New("replaced by a later connection")
	errExpired  = errors.New("the certificate of the peer has expired")
	errAged     = errors.New("the peer has shown its certificate too long ago")
	errSilent   = errors.New("the peer does not answer")
	errGone     = errors.New("the peer has closed the connection")
)

// age returns how long the connection is used.
func (c *conn) age() time.Duration {
	most := c.net.config.MaxConnAge
	age := most - rand.N(most/8+1) // so that not all are renewed at once
	if !c.renew.IsZero() {
		left := time.Until(c.renew)
		age = min(age, left-left/8)
	}
	return age
}

// expiry returns how long a connection with TLS may stay open, and why it is closed then.
func (c *conn) expiry() (time.Duration, error) {
	// Each end closes it, not only the one that renews it: its peer may be a thief of a key, who renews none
	// since a new handshake would fail. Why not verify the old certificate again instead? What else a
	// handshake checks may have changed as well.
	//
	// The eighth and Timeout are for the peer that renews: it begins after MaxConnAge at the latest, its
	// clock may be slower, an attempt takes up to Timeout, and several may fail. A connection that is
	// closed first loses no packet of a Reliable group, but its peer seems down.
	left := c.net.config.MaxConnAge
	for _, more := range []time.Duration{left / 8, c.net.config.Timeout} {
		left += min(more, math.MaxInt64-left) // the largest MaxConnAge means never
	}
	if certificate := time.Until(c.until); certificate <= left {
		return certificate, errExpired
	}
	return left, errAged
}

// linger waits for more to write, if that is wanted: until nothing has come for Linger, but not for ever.
func (c *conn) linger() {
	if c.net.config.Linger == 0 {
		return
	}
	// Why not one wait for Linger? A program with a thousand groups takes several times as long as a sensible
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
