package electortest

import (
	"context"
	"sync"

	"github.com/go-election/election"
	"github.com/go-election/election/transport"
	"github.com/go-election/election/transport/faults"
	"github.com/go-election/election/transport/memory"
)

// network connects the members.
type network struct {
	memory      *memory.Network
	rough, calm *faults.Links

	mu     sync.Mutex
	cut    *cut
	mended bool // no packet is lost or late any more
}

// cut is a set of directed links on which packets are lost.
type cut map[way]bool

// way is a directed link between two members.
type way struct{ from, to election.ID }

// set replaces the current cut.
func (n *network) set(c *cut) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.cut = c
}

// unset removes a cut, unless another one has replaced it.
func (n *network) unset(c *cut) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.cut == c {
		n.cut = nil
	}
}

// mend ends all faults.
func (n *network) mend() {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.cut, n.mended = nil, true
}

// route returns the transport that a packet takes, or nil if the packet is lost.
func (n *network) route(g *gate, to election.ID) election.Transport {
	n.mu.Lock()
	defer n.mu.Unlock()
	switch {
	case n.mended:
		return g.calm
	case n.cut != nil && (*n.cut)[way{g.id, to}]:
		return nil
	}
	return g.rough
}

// plug returns the transport of a member.
func (n *network) plug(id election.ID) (*gate, error) {
	end, err := n.memory.Endpoint(id)
	if err != nil {
		return nil, err
	}
	return &gate{network: n, id: id, rough: n.rough.Over(end), calm: n.calm.Over(end)}, nil
}

// gate is the transport of a member.
type gate struct {
	network     *network
	id          election.ID
	rough, calm election.Transport // over the same endpoint

	mu     sync.Mutex
	opened chan struct{}     // not nil while packets are held; closed when they are released
	out    []election.Packet // packets waiting to be sent
}

// Send sends a packet, or holds it.
func (g *gate) Send(ctx context.Context, p election.Packet) error {
	g.mu.Lock()
	if g.opened != nil {
		g.out = append(g.out, p)
		g.mu.Unlock()
		return nil
	}
	g.mu.Unlock()
	if links := g.network.route(g, p.To); links != nil {
		return links.Send(ctx, p)
	}
	return nil
}

// Recv returns the next packet when packets are not held.
func (g *gate) Recv(ctx context.Context) (election.Packet, error) {
	// Both transports use the same endpoint, so either receives what arrives at it.
	p, err := g.rough.Recv(ctx)
	// Check again after the gate has opened: it may have been closed since.
	for err == nil {
		g.mu.Lock()
		opened := g.opened
		g.mu.Unlock()
		if opened == nil {
			return p, nil
		}
		select {
		case <-opened:
		case <-ctx.Done():
			err = context.Cause(ctx)
		}
	}
	return election.Packet{}, err
}

// Close ends Send and Recv, and drops held packets.
func (g *gate) Close() error {
	g.mu.Lock()
	g.out = nil
	g.mu.Unlock()
	g.open()
	_ = g.calm.Close() // closes the endpoint of both
	return g.rough.Close()
}

// Greet sets the hello, which travels with packets: it is lost or held with them.
func (g *gate) Greet(hello []byte, accept func(peer election.ID, hello []byte) error) error {
	return g.rough.(transport.Greeter).Greet(hello, accept)
}

// hold holds packets from now on.
func (g *gate) hold() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.opened == nil {
		g.opened = make(chan struct{})
	}
}

// open releases held packets.
func (g *gate) open() {
	g.mu.Lock()
	if g.opened == nil {
		g.mu.Unlock()
		return
	}
	close(g.opened)
	out := g.out
	g.opened, g.out = nil, nil
	// Send locks g.mu itself.
	g.mu.Unlock()
	for _, p := range out {
		_ = g.Send(context.Background(), p)
	}
}
