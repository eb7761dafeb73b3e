// Package memory provides a transport between the processes of one program. [Network.Endpoint] returns the
// transport of each process.
//
//	net := memory.New()
//	end, err := net.Endpoint(3)
//
// A [Network] has an endpoint for every process. Packets wait in the receiver's mailbox, which is unbounded: no
// sender waits, so no cycle of senders can deadlock. The packets of each sender arrive in the order in which
// they were sent. Only packets to an ID without an endpoint are lost, and they are counted. Packets that wait
// when an endpoint is closed are lost as well, without being counted.
//
// Endpoints implement transport.Pusher: a packet to a process of package process goes directly from the
// sender's goroutine into the mailbox of that process. They implement transport.Greeter, too: a hello travels
// with the first packet to each peer, so what cuts a link for packets cuts it for hellos.
package memory

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/go-election/election"
	"github.com/go-election/election/input"
	"github.com/go-election/election/internal/mailbox"
)

// Network connects endpoints. It is created by [New] and is safe for simultaneous use by multiple goroutines.
type Network struct {
	pool mailbox.Pool[election.Packet]
	lost atomic.Uint64
	mu   sync.RWMutex
	ends map[election.ID]*endpoint
}

// New returns a network without endpoints.
func New() *Network { return &Network{ends: make(map[election.ID]*endpoint)} }

// Endpoint returns the transport of process id. An ID has at most one endpoint at a time. After closing it, a
// process that recovers can open another.
func (n *Network) Endpoint(id election.ID) (election.Transport, error) {
	if id == 0 {
		return nil, input.Errorf("an ID is never 0")
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.ends[id] != nil {
		return nil, input.Errorf("process %d already has an endpoint", id)
	}
	e := &endpoint{id: id, net: n, reader: make(chan struct{}, 1)}
	n.pool.Open(&e.box)
	n.ends[id] = e
	return e, nil
}

// Lost returns the number of packets that were sent to an ID without an endpoint.
func (n *Network) Lost() uint64 { return n.lost.Load() }

// find returns the endpoint of a process, or nil.
func (n *Network) find(id election.ID) *endpoint {
	n.mu.RLock()
	defer n.mu.RUnlock()
	return n.ends[id]
}

// endpoint is the transport of one process.
type endpoint struct {
	id     election.ID
	net    *Network
	box    mailbox.Mailbox[election.Packet] // packets that wait for Recv
	reader chan struct{}                    // full while a caller receives
	closed atomic.Bool
	peers  [recent]atomic.Pointer[endpoint] // recent receivers, by ID modulo recent
	hellos hellos

	mu      sync.RWMutex // read-locked while a packet arrives, locked while deliver changes
	deliver func(election.Packet, error) bool
}

// recent is the number of peers that an endpoint remembers. Without this cache, all senders of a network would
// look up their peers in one table, behind one lock.
const recent = 8

// Self returns the process that the endpoint belongs to.
func (e *endpoint) Self() election.ID { return e.id }

func (e *endpoint) Send(ctx context.Context, p election.Packet) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if e.closed.Load() {
		return e.gone()
	}
	// The transport guarantees that the sender is authentic.
	p.From = e.id
	// As on a real network, a packet to a process that is gone is lost without an error.
	switch to := e.peer(p.To); {
	case to == nil:
		e.net.lost.Add(1)
	case e.refuses(to) || !to.greeted(e):
	case !to.take(p):
		e.net.lost.Add(1)
	}
	return nil
}

// peer returns the endpoint of a process, or nil.
func (e *endpoint) peer(id election.ID) *endpoint {
	last := &e.peers[id%recent]
	// A closed endpoint may have a successor with the same ID, so look it up again.
	if peer := last.Load(); peer != nil && peer.id == id && !peer.closed.Load() {
		return peer
	}
	peer := e.net.find(id)
	if peer != nil {
		last.Store(peer)
	}
	return peer
}

// take delivers a packet or keeps it for the receiver. It returns false if the endpoint is closed.
func (e *endpoint) take(p election.Packet) bool {
	// Without the lock, a packet could go into box just after Push has emptied it, and be overtaken by the next
	// packet.
	e.mu.RLock()
	defer e.mu.RUnlock()
	return e.deliver != nil && e.deliver(p, nil) || e.box.Send(&p)
}

func (e *endpoint) gone() error { return fmt.Errorf("%w: process %d", election.ErrClosed, e.id) }

func (e *endpoint) Recv(ctx context.Context) (election.Packet, error) {
	if err := e.hold(ctx); err != nil {
		return election.Packet{}, err
	}
	defer e.release()
	item, err := e.box.TakeContext(ctx)
	switch {
	case err != nil:
		return election.Packet{}, err
	case item == nil:
		return election.Packet{}, e.gone()
	}
	// Take returns everything that waits, but Recv returns only one packet.
	e.box.PutBack(item.Next())
	p := item.Value
	e.box.Free(item)
	return p, nil
}

// hold makes the caller the only receiver, until it calls release.
func (e *endpoint) hold(ctx context.Context) error {
	select {
	case e.reader <- struct{}{}: // the usual case: this select costs a fifth of the next one
		return nil
	default:
	}
	select {
	case e.reader <- struct{}{}:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func (e *endpoint) release() { <-e.reader }

// Push implements transport.Pusher.
func (e *endpoint) Push(ctx context.Context, deliver func(election.Packet, error) bool) (
	release func(unread []election.Packet), err error) {
	if err := e.hold(ctx); err != nil {
		return nil, err
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.closed.Load() {
		e.release()
		return nil, e.gone()
	}
	var refused []election.Packet
	e.waiting(func(p election.Packet) {
		if !deliver(p, nil) {
			refused = append(refused, p)
		}
	})
	for _, p := range refused { // not while there is an earlier packet left
		e.box.Send(&p)
	}
	e.deliver = deliver
	released := false
	return func(unread []election.Packet) {
		e.mu.Lock()
		defer e.mu.Unlock()
		if released { // the endpoint may have another receiver already
			return
		}
		released = true
		e.deliver = nil
		e.waiting(func(p election.Packet) { unread = append(unread, p) })
		for _, p := range unread {
			e.box.Send(&p)
		}
		e.release()
	}, nil
}

// waiting calls take for every packet that waits. The caller must be the receiver.
func (e *endpoint) waiting(take func(election.Packet)) {
	for batch := e.box.Poll(); batch != nil; batch = e.box.Poll() {
		for batch != nil {
			read := batch
			batch = read.Next()
			take(read.Value)
			e.box.Free(read)
		}
	}
}

func (e *endpoint) Close() error {
	if e.closed.Swap(true) {
		return nil
	}
	e.net.mu.Lock()
	// From here on there may be another endpoint for this ID, because the process may recover.
	delete(e.net.ends, e.id)
	e.net.mu.Unlock()
	e.box.Close()
	e.mu.RLock()
	defer e.mu.RUnlock()
	// As with Recv, the receiver learns of the end from an error.
	if e.deliver != nil {
		e.deliver(election.Packet{}, e.gone())
	}
	return nil
}
