// Package pipenet is a network of pipes in memory. A connection over it waits in the virtual time of
// testing/synctest; one over a socket would keep that time from passing.
package pipenet

import (
	"context"
	"errors"
	"net"
	"sync"
)

// Hub is a network: its listeners by address. The zero value has none.
type Hub struct {
	mu        sync.Mutex
	listeners map[string]*listener
}

// Listen returns the listener of an address. It replaces the last one.
func (h *Hub) Listen(address string) net.Listener {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.listeners == nil {
		h.listeners = make(map[string]*listener)
	}
	l := &listener{name: name(address), conns: make(chan net.Conn), done: make(chan struct{})}
	h.listeners[address] = l
	return l
}

// Dial connects to a listener.
func (h *Hub) Dial(ctx context.Context, address string) (net.Conn, error) {
	return h.DialFrom(ctx, "pipe", address)
}

// DialFrom connects to a listener, which takes from for the address of the other end.
func (h *Hub) DialFrom(ctx context.Context, from, address string) (net.Conn, error) {
	h.mu.Lock()
	l := h.listeners[address]
	h.mu.Unlock()
	if l == nil {
		return nil, errors.New("no listener")
	}
	ours, theirs := net.Pipe()
	select {
	case l.conns <- located{theirs, name(from)}:
		return ours, nil
	case <-l.done:
		return nil, errors.New("refused")
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// name is an address.
type name string

func (name) Network() string  { return "hub" }
func (n name) String() string { return string(n) }

// located is a connection from some address.
type located struct {
	net.Conn
	from name
}

func (l located) RemoteAddr() net.Addr { return l.from }

type listener struct {
	name  name
	conns chan net.Conn
	done  chan struct{} // closed when the listener is
	once  sync.Once
}

func (l *listener) Addr() net.Addr { return l.name }

func (l *listener) Accept() (net.Conn, error) {
	select {
	case c := <-l.conns:
		return c, nil
	case <-l.done:
		return nil, net.ErrClosed
	}
}

func (l *listener) Close() error {
	l.once.Do(func() { close(l.done) })
	return nil
}
