package reliable

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/go-election/election"
	"github.com/go-election/election/input"
	"github.com/go-election/election/params"
	"github.com/go-election/election/transport"
)

// ErrFull: too many packets wait for a receiver, and the packet is lost.
var ErrFull = input.Sentinel("reliable", "the queue is full")

// Config describes one end. The zero value is valid if the inner transport implements [transport.Owned].
type Config struct {
	// Self is the process to which the transport belongs. If zero, the inner transport must be a
	// [transport.Owned].
	Self election.ID
	// Resend is how long a packet waits for its acknowledgement before it is sent again. It should be longer
	// than most round trips. If zero, 100 ms.
	Resend time.Duration
	// Queue is the number of packets of a link that may wait at the sender for their acknowledgement, and at the
	// receiver for Recv. If zero, 1024.
	Queue int
	// Linger is how long Close waits for acknowledgements. If zero, 20 times Resend.
	Linger time.Duration
}

// check completes the Config.
func (c *Config) check(inner election.Transport) error {
	if owned, ok := inner.(transport.Owned); ok {
		if c.Self == 0 {
			c.Self = owned.Self()
		}
		if c.Self != owned.Self() {
			return input.Errorf("self: %d, but the transport belongs to process %d", c.Self, owned.Self())
		}
	}
	if c.Resend == 0 {
		c.Resend = 100 * time.Millisecond
	}
	if c.Queue == 0 {
		c.Queue = 1024
	}
	if c.Linger == 0 {
		c.Linger = 20 * c.Resend
	}
	switch {
	case inner == nil:
		return input.Errorf("transport: missing")
	case c.Self == 0:
		return input.Errorf("self: an ID is never 0")
	case c.Resend < 0 || c.Resend > params.MaxTimeout:
		return input.Errorf("resend: %v is not between 0 and %v", c.Resend, params.MaxTimeout)
	case c.Queue < 0:
		return input.Errorf("queue: %d is negative", c.Queue)
	case c.Linger < 0:
		return input.Errorf("linger: %v is negative", c.Linger)
	}
	return nil
}

// Transport is an [election.Transport] and a [transport.Owned] with reliable links.
type Transport struct {
	inner  election.Transport
	config Config
	began  time.Time
	ctx    context.Context // of calls of the inner transport
	cancel context.CancelFunc
	wake   chan struct{} // contains a value if the writer has something to do
	news   chan struct{} // contains a value if inbox may contain packets
	ended  chan struct{} // closed when err is set
	read   chan struct{} // closed when the reader has returned
	wrote  chan struct{} // closed when the writer has returned
	closed chan struct{} // closed when Close has returned
	result error         // of Close

	mu      sync.Mutex
	links   map[election.ID]map[election.Port]*link
	turns   ring[*link]           // links that may have something to send
	inbox   ring[election.Packet] // delivered, for Recv
	unacked int                   // packets in the queues of all senders
	due     time.Duration         // no link is due earlier
	closing bool
	err     error // why Send and Recv return errors
}

// New returns a Transport over inner, which it closes when it is closed. Errors wrap [election.ErrInput].
func New(inner election.Transport, c Config) (*Transport, error) {
	if err := c.check(inner); err != nil {
		return nil, err
	}
	t := &Transport{inner: inner, config: c, began: time.Now(), due: never,
		links: make(map[election.ID]map[election.Port]*link),
		wake:  make(chan struct{}, 1), news: make(chan struct{}, 1),
		ended: make(chan struct{}), read: make(chan struct{}), wrote: make(chan struct{}),
		closed: make(chan struct{})}
	t.ctx, t.cancel = context.WithCancel(context.Background())
	go t.receive()
	go t.transmit()
	return t, nil
}

// Self returns the process to which the transport belongs.
func (t *Transport) Self() election.ID { return t.config.Self }

// Send queues a packet for its receiver. It does not wait; see [ErrFull].
func (t *Transport) Send(ctx context.Context, p election.Packet) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.err != nil {
		return t.err
	}
	l := t.link(p.To, p.Port)
	if l.out.queue.len() >= t.config.Queue {
		return fmt.Errorf("%w: process %d has not acknowledged %d packets on port %d", ErrFull, p.To,
			l.out.queue.len(), p.Port)
	}
	p.From = t.config.Self
	l.out.queue.push(p)
	t.unacked++
	t.enlist(l)
	return nil
}

// Recv returns the next packet of any link.
func (t *Transport) Recv(ctx context.Context) (election.Packet, error) {
	if ctx.Err() != nil {
		return election.Packet{}, context.Cause(ctx)
	}
	for {
		if p, ok, err := t.take(); ok || err != nil {
			return p, err
		}
		select {
		case <-t.news: // take a packet even if ctx has ended: no other call knows of it
		case <-t.ended:
		case <-ctx.Done():
			return election.Packet{}, context.Cause(ctx)
		}
	}
}

// take returns a packet from the inbox, if there is one.
func (t *Transport) take() (p election.Packet, ok bool, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.inbox.len() == 0 {
		return p, false, t.err
	}
	p = *t.inbox.at(0)
	t.inbox.drop(1)
	l := t.link(p.From, p.Port)
	l.waiting--
	if t.deliver(l) {
		t.enlist(l) // the ack announces that there is room again
	}
	if t.inbox.len() > 0 {
		signal(t.news) // for other calls of Recv
	}
	return p, true, nil
}

// Close closes the inner transport after the peers have acknowledged all packets, or after Config.Linger.
func (t *Transport) Close() error {
	t.mu.Lock()
	again := t.closing
	t.closing = true
	t.inbox = ring[election.Packet]{}
	t.end(fmt.Errorf("%w: process %d", election.ErrClosed, t.config.Self))
	t.mu.Unlock()
	if again {
		<-t.closed
		return t.result
	}
	defer close(t.closed)
	signal(t.wake)
	linger := time.NewTimer(t.config.Linger)
	defer linger.Stop()
	select {
	case <-t.wrote:
	case <-linger.C:
	}
	t.cancel()
	t.result = t.inner.Close()
	<-t.wrote
	<-t.read
	return t.result
}

// end makes Send and Recv return an error. The caller holds t.mu.
func (t *Transport) end(err error) {
	if t.err == nil {
		close(t.ended)
	}
	t.err = err
}

// draw returns the name of a stream.
func draw() uint64 { return 1 + rand.Uint64N(1<<64-1) }

// signal puts a value into a channel with room for one, unless it contains one.
func signal(c chan<- struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}
