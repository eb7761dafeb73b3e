package electortest

import (
	"bytes"
	"context"
	"sync"
	"time"

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
	mended bool                  // no packet is lost or late any more
	gates  map[election.ID]*gate // that are not closed
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
	g := &gate{network: n, id: id, rough: n.rough.Over(end), calm: n.calm.Over(end), closed: make(chan struct{})}
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.gates == nil {
		n.gates = make(map[election.ID]*gate)
	}
	n.gates[id] = g
	go g.connect()
	return g, nil
}

// unplug removes a gate.
func (n *network) unplug(g *gate) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.gates[g.id] == g {
		delete(n.gates, g.id)
	}
}

// dial is how often a member tries to connect.
const dial = 100 * time.Millisecond

// connect tells others the hello of the member, again and again, as if it connected with them. In memory a hello
// travels with the first packet, so nobody would hear of a member that has nothing to send.
func (g *gate) connect() {
	ticker := time.NewTicker(dial)
	defer ticker.Stop()
	for {
		select {
		case <-ticker.C:
		case <-g.closed:
			return
		}
		for _, peer := range g.network.reached(g) {
			g.mu.Lock()
			hello, held := g.hello, g.opened != nil
			g.mu.Unlock()
			if hello != nil && !held {
				peer.hears(g.id, hello)
			}
		}
	}
}

// reached returns the gates with which a member can connect.
func (n *network) reached(g *gate) (all []*gate) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for id, peer := range n.gates {
		if id != g.id && (n.cut == nil || !(*n.cut)[way{g.id, id}] && !(*n.cut)[way{id, g.id}]) {
			all = append(all, peer)
		}
	}
	return all
}

// hears receives a hello, unless packets are held.
func (g *gate) hears(from election.ID, hello []byte) {
	g.mu.Lock()
	accept := g.accept
	if g.opened != nil || accept == nil || bytes.Equal(g.heard[from], hello) {
		g.mu.Unlock()
		return
	}
	if g.heard == nil {
		g.heard = make(map[election.ID][]byte)
	}
	g.heard[from] = hello
	g.mu.Unlock()
	_ = accept(from, hello) // a peer that is refused is refused again when it sends a packet
}

// gate is the transport of a member.
type gate struct {
	network     *network
	id          election.ID
	rough, calm election.Transport // over the same endpoint

	mu     sync.Mutex
	opened chan struct{}     // not nil while packets are held; closed when they are released
	out    []election.Packet // packets waiting to be sent
	late   []func()          // what happens to hellos before that
	hello  []byte            // of the member; nil before Greet
	accept func(election.ID, []byte) error
	heard  map[election.ID][]byte // hellos of peers that have connected

	closed chan struct{}
	ending sync.Once

	sends func() // called with each packet; nil if nothing is to be called
}

// Send sends a packet, or holds it.
func (g *gate) Send(ctx context.Context, p election.Packet) error {
	if g.sends != nil {
		g.sends()
	}
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
	g.out, g.late = nil, nil
	g.mu.Unlock()
	g.open()
	g.ending.Do(func() { close(g.closed) })
	g.network.unplug(g)
	_ = g.calm.Close() // closes the endpoint of both
	return g.rough.Close()
}

// Greet sets the hello, which travels with packets: it is lost or held with them. A hello that arrives while packets
// are held counts as accepted until then.
func (g *gate) Greet(hello []byte, accept func(peer election.ID, hello []byte) error) error {
	greeter := g.rough.(transport.Greeter)
	var judge func(peer election.ID, hello []byte) error
	if accept != nil {
		g.mu.Lock()
		g.accept = accept
		g.mu.Unlock()
		judge = func(peer election.ID, hello []byte) error {
			if g.later(func() { _ = accept(peer, hello) }) {
				return nil
			}
			return accept(peer, hello)
		}
	}
	greet := func() error {
		g.mu.Lock()
		g.hello = bytes.Clone(hello)
		g.mu.Unlock()
		return greeter.Greet(hello, judge)
	}
	if g.later(func() { _ = greet() }) {
		return nil
	}
	return greet()
}

// later has something done when the gate opens, and reports whether it is closed now.
func (g *gate) later(do func()) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.opened == nil {
		return false
	}
	g.late = append(g.late, do)
	return true
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
	opened, out, late := g.opened, g.out, g.late
	g.opened, g.out, g.late = nil, nil, nil
	// Send locks g.mu itself.
	g.mu.Unlock()
	for _, do := range late {
		do()
	}
	close(opened)
	for _, p := range out {
		_ = g.Send(context.Background(), p)
	}
}
