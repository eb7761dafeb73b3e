package transporttest

import (
	"context"
	"fmt"
	"sync"

	"github.com/go-election/election"
)

// wires are channels between processes: a transport that is right, to be spoilt in the tests.
type wires struct {
	size int
	stop <-chan struct{} // closed when the test is over

	mu   sync.Mutex
	ends map[election.ID]*wire
}

type wire struct {
	net    *wires
	self   election.ID
	in     chan election.Packet
	closed chan struct{}
	once   sync.Once
}

func newWires(ids []election.ID, size int, stop <-chan struct{}) *wires {
	w := &wires{ends: make(map[election.ID]*wire), size: size, stop: stop}
	for _, id := range ids {
		w.open(id)
	}
	return w
}

// open makes the wire of a process, again if it had one.
func (w *wires) open(id election.ID) *wire {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.ends[id] = &wire{net: w, self: id, in: make(chan election.Packet, w.size), closed: make(chan struct{})}
	return w.ends[id]
}

// end returns the wire of a process, or nil.
func (w *wires) end(id election.ID) *wire {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.ends[id]
}

func (w *wire) isClosed() bool {
	select {
	case <-w.closed:
		return true
	default:
		return false
	}
}

func (w *wire) gone() error { return fmt.Errorf("%w: process %d", election.ErrClosed, w.self) }

func (w *wire) Send(ctx context.Context, p election.Packet) error {
	p.From = w.self
	return w.forward(ctx, p)
}

// forward sends a packet as it is.
func (w *wire) forward(ctx context.Context, p election.Packet) error {
	select {
	case <-w.closed:
		return w.gone()
	default:
	}
	to := w.net.end(p.To)
	if to == nil {
		return fmt.Errorf("no process %d", p.To)
	}
	select {
	case to.in <- p:
	case <-to.closed:
	case <-w.closed:
		return w.gone()
	case <-ctx.Done():
		return ctx.Err()
	}
	return nil
}

func (w *wire) Recv(ctx context.Context) (election.Packet, error) {
	select {
	case <-w.closed:
		return election.Packet{}, w.gone()
	default:
	}
	select {
	case p := <-w.in:
		return p, nil
	case <-w.closed:
		return election.Packet{}, w.gone()
	case <-ctx.Done():
		return election.Packet{}, ctx.Err()
	}
}

func (w *wire) Close() error {
	w.once.Do(func() { close(w.closed) })
	return nil
}

// roomy is a size at which no wire of a test is ever full.
const roomy = 1 << 14

// spoilt is a wire of which some part is replaced.
type spoilt struct {
	*wire
	send  func(w *wire, ctx context.Context, p election.Packet) error
	recv  func(w *wire, ctx context.Context) (election.Packet, error)
	close func(w *wire) error
}

func (s *spoilt) Send(ctx context.Context, p election.Packet) error {
	if s.send != nil {
		return s.send(s.wire, ctx, p)
	}
	return s.wire.Send(ctx, p)
}

func (s *spoilt) Recv(ctx context.Context) (election.Packet, error) {
	if s.recv != nil {
		return s.recv(s.wire, ctx)
	}
	return s.wire.Recv(ctx)
}

func (s *spoilt) Close() error {
	if s.close != nil {
		return s.close(s.wire)
	}
	return s.wire.Close()
}
