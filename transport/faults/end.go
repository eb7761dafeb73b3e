package faults

import (
	"container/heap"
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/go-election/election"
	"github.com/go-election/election/transport"
)

// Over returns a transport that adds the faults of the links to the transport of one process. The sender of
// every packet must be that process, as it is for processes of package process.
//
// Send does not wait for a delay. Delayed packets are sent later, whether or not ctx has ended, and an error of
// the inner transport is then only counted. Close drops delayed packets, closes the inner transport, and
// returns when no timer and no goroutine is left. If the inner transport is a [transport.Greeter], so is the
// outer one.
func (l *Links) Over(inner election.Transport) election.Transport {
	e := &end{links: l, inner: inner}
	e.ctx, e.cancel = context.WithCancel(context.Background())
	if g, ok := inner.(transport.Greeter); ok {
		return &greeter{e, g}
	}
	return e
}

// greeter is the transport of one process that greets its peers.
type greeter struct {
	*end
	inner transport.Greeter
}

// Greet passes the hello on.
func (g *greeter) Greet(hello []byte, accept func(peer election.ID, hello []byte) error) error {
	return g.inner.Greet(hello, accept)
}

// end is the transport of one process.
type end struct {
	links  *Links
	inner  election.Transport
	ctx    context.Context // for sending delayed packets, canceled by Close
	cancel context.CancelFunc

	mu      sync.Mutex
	queue   queue // delayed packets
	seq     uint64
	timer   *time.Timer    // fires when the first packet in queue is due
	timers  sync.WaitGroup // running timers and their calls that have not returned
	sending bool           // a call of expire is sending
	closed  bool
}

// delayed is a packet in flight.
type delayed struct {
	at     time.Duration
	seq    uint64
	packet election.Packet
}

// Send sends a packet over the faulty link.
func (e *end) Send(ctx context.Context, p election.Packet) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	f, err := e.accept(&p)
	if err != nil || f.lost || e.links.config.Max > 0 {
		return err
	}
	if err = e.inner.Send(ctx, p); err == nil && f.twice && e.inner.Send(ctx, p) != nil {
		e.links.note(&e.links.stats.Failed, 1)
	}
	return err
}

// accept decides the fate of a packet and puts it into the queue, unless packets have no delay: then the caller
// sends it directly.
func (e *end) accept(p *election.Packet) (f fate, err error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.closed {
		return f, fmt.Errorf("%w: process %d", election.ErrClosed, p.From)
	}
	f = e.links.decide(p)
	if f.lost || e.links.config.Max == 0 {
		return f, nil
	}
	e.delay(f.at, p)
	if f.twice {
		e.delay(f.copyAt, p)
	}
	// Call arm after both are in the queue, because the duplicate may be due first.
	e.arm()
	return f, nil
}

// delay queues a packet until the given time. The caller holds e.mu.
func (e *end) delay(at time.Duration, p *election.Packet) {
	e.seq++
	heap.Push(&e.queue, delayed{at: at, seq: e.seq, packet: *p})
}

// arm sets the timer for the first packet in the queue. The caller holds e.mu.
func (e *end) arm() {
	if e.sending || len(e.queue) == 0 {
		return
	}
	wait := e.queue[0].at - e.links.now()
	switch {
	case e.timer == nil:
		// Count a timer before it runs, so that Close does not return before its call does.
		e.timers.Add(1)
		e.timer = time.AfterFunc(wait, e.expire)
	// Reset returns false if the timer has fired: that call is already counted, and the new expiry adds another
	// one.
	case !e.timer.Reset(wait):
		e.timers.Add(1)
	}
}

// expire sends the packets that are due. A timer that is reset may fire twice, so expire may find that another
// call is sending, or that nothing is due.
func (e *end) expire() {
	defer e.timers.Done()
	e.mu.Lock()
	defer e.mu.Unlock()
	// The other call checks the queue again before it ends, so no packet is left behind. Two concurrent calls
	// would mix up the order.
	if e.sending {
		return
	}
	e.sending = true
	for len(e.queue) > 0 && e.queue[0].at <= e.links.now() {
		d := heap.Pop(&e.queue).(delayed)
		// forward releases the lock while it sends, so the transport may have been closed and the queue emptied
		// in the meantime.
		if err := e.forward(&d.packet); err != nil && e.closed {
			e.links.note(&e.links.stats.Dropped, 1)
		} else if err != nil {
			e.links.note(&e.links.stats.Failed, 1)
		}
	}
	e.sending = false
	e.arm()
}

// forward passes a packet to the inner transport. The caller holds e.mu, which forward releases while it sends.
func (e *end) forward(p *election.Packet) error {
	e.mu.Unlock()
	defer e.mu.Lock()
	return e.inner.Send(e.ctx, *p)
}

// Recv returns the next packet.
func (e *end) Recv(ctx context.Context) (election.Packet, error) { return e.inner.Recv(ctx) }

// Close closes the inner transport too.
func (e *end) Close() error {
	// stop prevents new timers, and cancel ends a Send that waits. Only then is it safe to wait for the timers.
	e.stop()
	e.cancel()
	err := e.inner.Close()
	e.timers.Wait()
	return err
}

// stop drops delayed packets, so that no packet is due any more.
func (e *end) stop() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.closed = true
	// A timer that is stopped in time never calls expire, which would have called Done.
	if e.timer != nil && e.timer.Stop() {
		e.timers.Done()
	}
	e.links.note(&e.links.stats.Dropped, uint64(len(e.queue)))
	e.queue = nil
}

// queue is a heap of packets by time of arrival.
type queue []delayed

func (q queue) Len() int { return len(q) }
func (q queue) Less(i, j int) bool {
	return q[i].at < q[j].at || q[i].at == q[j].at && q[i].seq < q[j].seq
}
func (q queue) Swap(i, j int) { q[i], q[j] = q[j], q[i] }

// Push implements heap.Interface.
func (q *queue) Push(x any) { *q = append(*q, x.(delayed)) }

// Pop implements heap.Interface.
func (q *queue) Pop() any {
	last := len(*q) - 1
	x := (*q)[last]
	*q = (*q)[:last]
	return x
}
