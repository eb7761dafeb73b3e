// Package memory is a transport between the processes of one program: [Network.Endpoint] gives each its own.
//
//	net := memory.New()
//	end, err := net.Endpoint(3)
//
// A [Network] has an endpoint for every process. What is sent waits in the receiver's mailbox,
// which is unbounded: no sender ever waits, so no circle of senders can come to a standstill.
// Every sender's packets arrive in the order in which it sent them, and none is lost but those
// to an ID that has no endpoint, or none any more. These are counted. What still waits
// when an endpoint is closed goes with it, uncounted.
//
// Endpoints are of type transport.Pusher: what is sent to a process of package process goes from the
// goroutine of the sender into the mailbox of that process, without a goroutine between.
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

// Network connects endpoints. It is made by [New] and may be used by any number of goroutines.
type Network struct {
	pool mailbox.Pool[election.Packet]
	lost atomic.Uint64
	mu   sync.RWMutex
	ends map[election.ID]*endpoint
}

// New returns a network without endpoints.
func New() *Network { return &Network{ends: make(map[election.ID]*endpoint)} }

// Endpoint returns the transport of process id. An ID has one endpoint at a time; when that is
// closed, there may be another: the process has come back.
func (n *Network) Endpoint(id election.ID) (election.Transport, error) {
	if id == 0 {
		return nil, input.Errorf("an ID is never 0")
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.ends[id] != nil {
		return nil, input.Errorf("process %d has an endpoint already", id)
	}
	e := &endpoint{id: id, net: n, reader: make(chan struct{}, 1)}
	n.pool.Open(&e.box)
	n.ends[id] = e
	return e, nil
}

// Lost returns how many packets were sent to an ID without an endpoint.
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
	box    mailbox.Mailbox[election.Packet] // what waits for Recv
	reader chan struct{}                    // full while a caller receives
	closed atomic.Bool
	peers  [recent]atomic.Pointer[endpoint] // that this process has sent to, by ID modulo recent

	mu      sync.RWMutex // read: a packet arrives; write: deliver changes
	deliver func(election.Packet, error) bool
}

// recent is the number of peers that an endpoint remembers. Without that, all senders of a network would look
// up their peers in one table, behind one lock.
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
	// A transport vouches for the sender.
	p.From = e.id
	// As on a real network: a packet to a process that is gone is lost without an error.
	if to := e.peer(p.To); to == nil || !to.accept(p) {
		e.net.lost.Add(1)
	}
	return nil
}

// peer returns the endpoint of a process, or nil.
func (e *endpoint) peer(id election.ID) *endpoint {
	last := &e.peers[id%recent]
	// A closed endpoint may have a successor of the same ID, so look that up anew.
	if peer := last.Load(); peer != nil && peer.id == id && !peer.closed.Load() {
		return peer
	}
	peer := e.net.find(id)
	if peer != nil {
		last.Store(peer)
	}
	return peer
}

// accept takes a packet in, and returns false if the endpoint is closed.
func (e *endpoint) accept(p election.Packet) bool {
	// Without the lock, a packet could go into box just after Push has emptied that, and be overtaken by the
	// next.
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
	// Take takes everything that waits, but Recv returns one packet only.
	e.box.PutBack(item.Next())
	p := item.Value
	e.box.Free(item)
	return p, nil
}

// hold makes the caller the one that receives, until it calls release.
func (e *endpoint) hold(ctx context.Context) error {
	select {
	case e.reader <- struct{}{}: // most often: this select costs a fifth of the next
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

// Push makes the endpoint a transport.Pusher.
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
	for _, p := range refused { // not while there is something left that comes before
		e.box.Send(&p)
	}
	e.deliver = deliver
	released := false
	return func(unread []election.Packet) {
		e.mu.Lock()
		defer e.mu.Unlock()
		if released { // the endpoint may be another receiver's by now
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

// waiting takes whatever waits. The caller is the one that receives.
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
	// From here on there may be another endpoint of this ID: the process may come back.
	delete(e.net.ends, e.id)
	e.net.mu.Unlock()
	e.box.Close()
	e.mu.RLock()
	defer e.mu.RUnlock()
	// The receiver learns of the end by an error, as it does from Recv.
	if e.deliver != nil {
		e.deliver(election.Packet{}, e.gone())
	}
	return nil
}
