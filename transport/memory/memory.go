// Package memory is a transport between the processes of one program.
//
// A [Network] has an endpoint for every process. What is sent waits in the receiver's mailbox,
// which is unbounded: no sender ever waits, so no circle of senders can come to a standstill.
// Every sender's packets arrive in the order in which it sent them, and none is lost but those
// to nobody: to an ID that has no endpoint, or none any more. These are counted. What still waits
// when an endpoint is closed goes with it, uncounted.
//
// An election.Process reads the mailbox of its endpoint directly, without a goroutine between.
package memory

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/go-election/election"
	"github.com/go-election/election/internal/input"
	"github.com/go-election/election/internal/mailbox"
)

// Network connects endpoints. It is made by [New] and may be used by any number of goroutines.
type Network struct {
	office mailbox.Office[election.Packet]
	lost   atomic.Uint64
	mu     sync.RWMutex
	ends   map[election.ID]*endpoint
}

// New returns a network without endpoints.
func New() *Network { return &Network{ends: make(map[election.ID]*endpoint)} }

// Endpoint returns the transport of process id. An ID has one endpoint at a time; when that is
// closed, there may be another: the process has come back.
func (n *Network) Endpoint(id election.ID) (election.Transport, error) {
	if id == 0 {
		return nil, input.Errorf("0 is nobody's id")
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.ends[id] != nil {
		return nil, input.Errorf("process %d has an endpoint already", id)
	}
	e := &endpoint{id: id, net: n, reader: make(chan struct{}, 1)}
	n.office.Open(&e.box)
	n.ends[id] = e
	return e, nil
}

// Lost returns how many packets were sent to nobody.
func (n *Network) Lost() uint64 { return n.lost.Load() }

// find returns the endpoint of a process, or nil.
func (n *Network) find(id election.ID) *endpoint {
	n.mu.RLock()
	defer n.mu.RUnlock()
	return n.ends[id]
}

// endpoint is the transport of one process. Beyond what a Transport does it lets the driver at
// the mailboxes, with Hold and Route.
type endpoint struct {
	id     election.ID
	net    *Network
	box    mailbox.Mailbox[election.Packet]
	reader chan struct{} // full while somebody reads box
	closed atomic.Bool
}

func (e *endpoint) Send(ctx context.Context, p election.Packet) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if e.closed.Load() {
		return e.gone()
	}
	p.From = e.id
	if to := e.net.find(p.To); to == nil || !to.box.Send(&p) {
		e.net.lost.Add(1)
	}
	return nil
}

func (e *endpoint) gone() error { return fmt.Errorf("%w: process %d", election.ErrClosed, e.id) }

func (e *endpoint) Recv(ctx context.Context) (election.Packet, error) {
	box, release, err := e.Hold(ctx)
	if err != nil {
		return election.Packet{}, err
	}
	defer release()
	l, err := box.TakeContext(ctx)
	switch {
	case err != nil:
		return election.Packet{}, err
	case l == nil:
		return election.Packet{}, e.gone()
	}
	box.Back(l.Next())
	p := l.Value
	box.Free(l)
	return p, nil
}

func (e *endpoint) Close() error {
	if e.closed.Swap(true) {
		return nil
	}
	e.net.mu.Lock()
	delete(e.net.ends, e.id)
	e.net.mu.Unlock()
	e.box.Close()
	return nil
}

// Hold makes the caller the one reader of the mailbox, until it calls release.
func (e *endpoint) Hold(ctx context.Context) (box *mailbox.Mailbox[election.Packet], release func(), err error) {
	select {
	case e.reader <- struct{}{}:
		return &e.box, func() { <-e.reader }, nil
	case <-ctx.Done():
		return nil, nil, context.Cause(ctx)
	}
}

// Route returns the mailbox of a process, for the process from to send to directly, or nil where
// it must use Send: from is not whom this endpoint belongs to, or there is nobody to.
func (e *endpoint) Route(from, to election.ID) *mailbox.Mailbox[election.Packet] {
	if from != e.id || e.closed.Load() {
		return nil
	}
	if peer := e.net.find(to); peer != nil {
		return &peer.box
	}
	return nil
}
