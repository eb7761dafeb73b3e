package faults

import (
	"container/heap"
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/go-election/election"
)

// Over lays the links over the transport of one process. Every packet must name the process that
// sends it, as those of a process do.
//
// Send does not wait for a delay. What was delayed is sent later whatever becomes of ctx, and an
// error of the inner transport is then counted, and reported nowhere. Close closes that too. It drops
// what is delayed, and returns when no timer and no goroutine is left.
func (l *Links) Over(inner election.Transport) election.Transport {
	e := &end{links: l, inner: inner}
	e.ctx, e.cancel = context.WithCancel(context.Background())
	return e
}

// end is the transport of one process.
type end struct {
	links  *Links
	inner  election.Transport
	ctx    context.Context // of sending what was delayed, until Close
	cancel context.CancelFunc

	mu      sync.Mutex
	queue   queue // what is delayed
	seq     uint64
	timer   *time.Timer    // runs until the first of queue is due
	timers  sync.WaitGroup // timers that run, and what they have called that has not returned
	sending bool           // a call of expire works off the queue
	closed  bool
}

// delayed is a packet on its way.
type delayed struct {
	at     time.Duration
	seq    uint64
	packet election.Packet
}

// Send puts a packet on its way.
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

// accept decides what becomes of a packet and delays it, unless packets take no time: then it is
// for the caller to send it directly.
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
	// Arm after both are in the queue, since the copy may be due first.
	e.arm()
	return f, nil
}

// delay keeps a packet until a time. The caller holds e.mu.
func (e *end) delay(at time.Duration, p *election.Packet) {
	e.seq++
	heap.Push(&e.queue, delayed{at: at, seq: e.seq, packet: *p})
}

// arm sets the timer for what comes first. The caller holds e.mu.
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
	// Reset returns false if the timer had expired: its call counts already, and the new expiry is one more.
	case !e.timer.Reset(wait):
		e.timers.Add(1)
	}
}

// expire sends whatever is due. A timer that was set anew may expire twice, so it may find that another call
// is sending, or nothing due.
func (e *end) expire() {
	defer e.timers.Done()
	e.mu.Lock()
	defer e.mu.Unlock()
	// The other call looks at the queue again before it ends, so nothing is left behind. Two at once would
	// mix up the order.
	if e.sending {
		return
	}
	e.sending = true
	for len(e.queue) > 0 && e.queue[0].at <= e.links.now() {
		d := heap.Pop(&e.queue).(delayed)
		// forward gives up the lock while it sends, so the transport may have been closed meanwhile, and
		// queue emptied.
		if err := e.forward(&d.packet); err != nil && e.closed {
			e.links.note(&e.links.stats.Dropped, 1)
		} else if err != nil {
			e.links.note(&e.links.stats.Failed, 1)
		}
	}
	e.sending = false
	e.arm()
}

// forward gives a packet to the inner transport. The caller holds e.mu, but not meanwhile.
func (e *end) forward(p *election.Packet) error {
	e.mu.Unlock()
	defer e.mu.Lock()
	return e.inner.Send(e.ctx, *p)
}

// Recv returns the next packet.
func (e *end) Recv(ctx context.Context) (election.Packet, error) { return e.inner.Recv(ctx) }

// Close closes the inner transport too.
func (e *end) Close() error {
	// stop lets nothing more begin and cancel ends a Send that waits. Only then can the timers be waited for.
	e.stop()
	e.cancel()
	err := e.inner.Close()
	e.timers.Wait()
	return err
}

// stop drops what is delayed, so that nothing is due any more.
func (e *end) stop() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.closed = true
	// A timer that is stopped never calls expire, which would have counted it off.
	if e.timer != nil && e.timer.Stop() {
		e.timers.Done()
	}
	e.links.note(&e.links.stats.Dropped, uint64(len(e.queue)))
	e.queue = nil
}

// queue is a heap of packets, the first to arrive on top.
type queue []delayed

func (q queue) Len() int { return len(q) }
func (q queue) Less(i, j int) bool {
	return q[i].at < q[j].at || q[i].at == q[j].at && q[i].seq < q[j].seq
}
func (q queue) Swap(i, j int) { q[i], q[j] = q[j], q[i] }

// Push is for package heap.
func (q *queue) Push(x any) { *q = append(*q, x.(delayed)) }

// Pop is for package heap.
func (q *queue) Pop() any {
	last := len(*q) - 1
	x := (*q)[last]
	*q = (*q)[:last]
	return x
}
