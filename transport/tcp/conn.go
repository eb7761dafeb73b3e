package tcp

import (
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"sync"
	"time"

	"github.com/go-election/election"
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
	id    election.ID // of the process at the other end, by its certificate; zero without TLS
	name  string      // of that process in its certificate, also if it is no member; empty without TLS
	until time.Time   // when that certificate expires; zero: never
	renew time.Time   // when that or the own one does
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
		wake:   make(chan struct{}, 1), done: make(chan struct{}), streams: make(map[uint64]*stream)}
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
		expired := time.AfterFunc(time.Until(c.until), func() { c.close(errExpired) })
		defer expired.Stop()
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
			late.Reset(c.net.config.Timeout / 2)
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
	if c.loose = c.awaiting || c.pinged != 0 && now-c.pinged < c.net.config.Timeout/2; c.loose {
		return b
	}
	c.pinged, c.awaiting = now, true
	_ = c.nc.SetReadDeadline(time.Now().Add(c.net.config.Timeout))
	return appendHead(b, kindPing, 0)
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
	errSilent   = errors.New("the peer does not answer")
	errGone     = errors.New("the peer has closed the connection")
)

// age returns how long the connection is used.
func (c *conn) age() time.Duration {
	const forever = 1 << 62
	age := time.Duration(forever)
	if most := c.net.config.MaxConnAge; most > 0 {
		age = most - rand.N(most/8+1) // so that not all are renewed at once
	}
	if !c.renew.IsZero() {
		left := time.Until(c.renew)
		age = min(age, left-left/8)
	}
	return age
}

// read reads frames until an error.
func (c *conn) read() error {
	b := make([]byte, bufferSize)
	begin, end := 0, 0 // of what is not used yet
	late := false      // a frame has begun, and has to end in time
	for {
		n, err := c.nc.Read(b[end:])
		end += n
		if err != nil {
			return c.readError(err, end > begin)
		}
		n, err = c.frames(b[begin:end])
		if err != nil {
			return err
		}
		begin += n
		// The space for the next frame begins at 0 as soon as that costs nothing or is needed.
		if begin == end || len(b)-begin < maxFrame {
			end = copy(b, b[begin:end])
			begin = 0
		}
		// Each frame has its own time: a busy peer may send for long without a read that ends with a frame.
		if within := begin < end; !c.dialled && (within != late || within && n > 0) {
			late = within
			deadline := time.Time{}
			if late {
				deadline = time.Now().Add(c.net.config.Timeout)
			}
			_ = c.nc.SetReadDeadline(deadline)
		}
	}
}

// readError says why a connection has ended.
func (c *conn) readError(err error, within bool) error {
	c.mu.Lock()
	ending := c.ending
	c.mu.Unlock()
	switch {
	case within && !c.dialled && !ending && errors.Is(err, os.ErrDeadlineExceeded):
		return fmt.Errorf("%w: it has begun and did not end within %v", errFrame, c.net.config.Timeout)
	case within && errors.Is(err, io.EOF):
		return errors.New("the connection was cut within a frame")
	case errors.Is(err, io.EOF):
		return errGone
	}
	return err
}

// frames deals with all frames that are whole, and returns how many bytes they have.
func (c *conn) frames(b []byte) (used int, err error) {
	for used < len(b) {
		r := reader{b: b[used:]}
		if err := c.frame(&r); err != nil {
			return used, err
		}
		if r.short {
			break
		}
		used += r.at
	}
	return used, nil
}

// frame deals with a frame, if all of it is there.
func (c *conn) frame(r *reader) error {
	head := r.number()
	if r.short || r.err != nil {
		return r.err
	}
	group, kind := head>>kindBits, head&(1<<kindBits-1)
	switch kind {
	case kindPing:
		c.mu.Lock()
		c.pongDue = true // once, however often the peer asks
		c.mu.Unlock()
		c.notify()
		return nil
	case kindPong:
		return c.pong()
	}
	if c.dialled {
		return c.peer.answered(c, int(kind), group, r)
	}
	return c.sent(int(kind), group, r)
}

// pong notes that the peer has answered.
func (c *conn) pong() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.awaiting {
		c.awaiting = false
		if !c.ending {
			_ = c.nc.SetReadDeadline(time.Time{})
		}
	}
	for _, probe := range c.probes {
		close(probe)
	}
	c.probes = nil
	return nil
}

// probe returns a channel that is closed when the peer answers.
func (c *conn) probe() <-chan struct{} {
	answered := make(chan struct{})
	c.mu.Lock()
	c.probes = append(c.probes, answered)
	c.answers = appendHead(c.answers, kindPing, 0)
	c.mu.Unlock()
	c.notify()
	return answered
}

// sent deals with a frame of the side that has dialled.
func (c *conn) sent(kind int, group uint64, r *reader) error {
	switch kind {
	case kindPacket:
		s := c.streams[group]
		if s == nil {
			return fmt.Errorf("%w: a packet of group %d, which was not announced", errFrame, group)
		}
		r.packet(&s.last)
		if g := s.group.Load(); g != nil && !r.short && r.err == nil {
			p := s.last.packet(c.peer.id, c.net.config.Self)
			return g.arrive(s, &p)
		}
		return r.err
	case kindAnnounce:
		a := r.announcement()
		if r.short || r.err != nil {
			return r.err
		}
		return c.announced(group, &a)
	case kindLeave:
		s := c.streams[group]
		if s == nil {
			return fmt.Errorf("%w: group %d leaves, which was not announced", errFrame, group)
		}
		c.mu.Lock()
		delete(c.streams, group)
		c.mu.Unlock()
		if g := s.group.Load(); g != nil {
			g.part(s)
		}
		return nil
	}
	return fmt.Errorf("%w: kind %d from the side that has dialled", errFrame, kind)
}

// announced notes a group of the peer, and answers.
func (c *conn) announced(number uint64, a *announcement) error {
	s := &stream{conn: c, number: number, announcement: announcement{
		append([]byte(nil), a.name...), append([]byte(nil), a.hello...), a.reliable}}
	c.mu.Lock()
	c.streams[number] = s
	groups, wait := len(c.streams), c.drained
	if len(c.answers) > maxAnswers && wait == nil {
		wait = make(chan struct{})
		c.drained = wait
	}
	c.mu.Unlock()
	if groups > c.net.config.MaxGroups {
		return fmt.Errorf("%w: more than %d groups", errFrame, c.net.config.MaxGroups)
	}
	if g := c.net.group(string(s.name)); g != nil {
		g.meet(s)
	} else {
		c.answer(func(b []byte) []byte {
			if s.group.Load() != nil {
				return b // it has been opened meanwhile
			}
			return new(refusal).append(b, number)
		})
	}
	if wait != nil {
		// The peer asks faster than it reads. Go on when it has read, or the write has failed.
		select {
		case <-wait:
		case <-c.done:
		}
	}
	return nil
}

// strangers returns the streams of a group that it has not met.
func (c *conn) strangers(name string) (all []*stream) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, s := range c.streams {
		if string(s.name) == name && !s.dead && s.group.Load() == nil {
			all = append(all, s)
		}
	}
	return all
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
