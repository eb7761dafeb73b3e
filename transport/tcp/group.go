package tcp

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/go-election/election"
	"github.com/go-election/election/input"
	"github.com/go-election/election/transport"
)

// GroupConfig configures a group. All members must agree on it.
type GroupConfig struct {
	// Hello is sent to every peer before any packet: a fingerprint of what members must agree on, at most MaxHello
	// bytes. [Group.Greet] changes it later, and Accept.
	Hello []byte
	// Accept judges the Hello of a peer, at both ends. If it returns an error, the two processes exchange no packets
	// of the group, and both log the error once. Accept must return soon, call no method of the transport, and
	// may be called by several goroutines simultaneously. If nil, both Hellos must be equal.
	Accept func(peer election.ID, hello []byte) error
}

// Group is the transport of one group of processes. All groups of a Network share its connections.
// It is a [transport.Pusher], a [transport.Watcher], a [transport.Greeter], [transport.Addressed] and
// [transport.Owned].
type Group struct {
	net    *Network
	name   string
	number uint64                                // of all groups that this network has ever had, from 1
	lanes  atomic.Pointer[map[election.ID]*lane] // to the peers; each map is not changed
	done   chan struct{}                         // closed when Close is called
	ended  chan struct{}                         // closed when Close has done everything
	turn   chan struct{}                         // has one while a receiver pushes
	ready  chan struct{}                         // has one if something waits
	watch  watchers

	greeting atomic.Pointer[greeting]
	closing  bool // the lanes do not change any more; guarded by the network

	mu      sync.Mutex
	closed  bool
	own     *inbox            // for what this process sends to itself
	waiting []*inbox          // that are not empty, next first
	unread  []election.Packet // returned by a receiver: precede all others
	deliver func(election.Packet, error) bool
}

var (
	_ transport.Pusher  = (*Group)(nil)
	_ transport.Watcher = (*Group)(nil)
	_ transport.Owned   = (*Group)(nil)
)

// inbox contains what has arrived from one process.
type inbox struct {
	queue queue
	conn  atomic.Pointer[conn] // on which the peer has last announced the group
}

// newGroup returns a group with lanes to all peers but guests. n.mu is held.
func newGroup(n *Network, name string, number uint64, c GroupConfig) *Group {
	g := &Group{net: n, name: name, number: number,
		done: make(chan struct{}), ended: make(chan struct{}), turn: make(chan struct{}, 1), ready: make(chan struct{}, 1), own: new(inbox)}
	g.greeting.Store(&greeting{bytes.Clone(c.Hello), c.Accept})
	lanes := make(map[election.ID]*lane)
	for id, p := range n.peers {
		if p.book.full {
			lanes[id] = newLane(g, p)
		}
	}
	g.lanes.Store(&lanes)
	return g
}

func (g *Group) gone() error {
	return fmt.Errorf("%w: group %q of process %d", election.ErrClosed, g.name, g.net.config.Self)
}

// Self returns the ID of the process that the network belongs to.
func (g *Group) Self() election.ID { return g.net.config.Self }

// Send sends a packet to a member. It does not wait.
func (g *Group) Send(ctx context.Context, p election.Packet) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	p.From = g.net.config.Self
	if l := g.to(p.To); l != nil {
		return l.peer.send(l, &p)
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	switch {
	case g.closed:
		return g.gone()
	case p.To != p.From:
		return input.Errorf("process %d is no member", p.To)
	}
	g.take(g.own, &p)
	return nil
}

// arrive takes a packet that a peer has sent.
func (g *Group) arrive(c *conn, in *inbox, p *election.Packet) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if !g.closed && in.conn.Load() == c { // or it would arrive after packets of a later connection
		g.take(in, p)
	}
}

// take delivers a packet, or keeps it for the next receiver.
func (g *Group) take(in *inbox, p *election.Packet) {
	g.net.stats.packetsIn.Add(1)
	if in.queue.size == 0 && g.deliver != nil && g.deliver(*p, nil) {
		return
	}
	if in.queue.size >= g.net.config.Queue {
		in.queue.pop()
		g.net.stats.dropped.Add(1)
	} else if in.queue.size == 0 {
		g.waiting = append(g.waiting, in)
	}
	in.queue.push(p, 0)
	signal(g.ready)
}

// pop returns the next packet, unless a receiver pushes.
func (g *Group) pop() (p election.Packet, ok bool) {
	switch {
	case g.deliver != nil:
		return p, false
	case len(g.unread) > 0:
		p, g.unread = g.unread[0], g.unread[1:]
	case len(g.waiting) > 0:
		// The members take turns, so that one that floods the group holds up none.
		in := g.waiting[0]
		g.waiting = slices.Delete(g.waiting, 0, 1)
		p = in.queue.pop().packet
		if in.queue.size > 0 {
			g.waiting = append(g.waiting, in)
		}
	default:
		return p, false
	}
	if len(g.unread) > 0 || len(g.waiting) > 0 {
		signal(g.ready) // another Recv may wait
	}
	return p, true
}

// Recv returns the next packet.
func (g *Group) Recv(ctx context.Context) (election.Packet, error) {
	for {
		if ctx.Err() != nil {
			return election.Packet{}, context.Cause(ctx)
		}
		g.mu.Lock()
		closed := g.closed
		p, ok := election.Packet{}, false
		if !closed {
			p, ok = g.pop()
		}
		g.mu.Unlock()
		switch {
		case closed:
			return election.Packet{}, g.gone()
		case ok:
			return p, nil
		}
		select {
		case <-g.ready:
		case <-g.done:
		case <-ctx.Done():
		}
	}
}

// Push delivers packets as they arrive, see [transport.Pusher].
func (g *Group) Push(ctx context.Context, deliver func(election.Packet, error) bool) (
	release func(unread []election.Packet), err error) {
	select {
	case g.turn <- struct{}{}:
	case <-g.done:
		return nil, g.gone()
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.closed {
		<-g.turn
		return nil, g.gone()
	}
	for len(g.unread) > 0 && deliver(g.unread[0], nil) {
		g.unread = g.unread[1:]
	}
	if len(g.unread) == 0 {
		g.flush(deliver)
	}
	g.deliver = deliver
	var once sync.Once
	return func(unread []election.Packet) {
		once.Do(func() {
			g.mu.Lock()
			defer g.mu.Unlock()
			g.deliver = nil
			g.unread = append(append([]election.Packet(nil), unread...), g.unread...)
			signal(g.ready)
			<-g.turn
		})
	}, nil
}

// flush delivers what waits.
func (g *Group) flush(deliver func(election.Packet, error) bool) {
	refused := g.waiting[:0]
	for _, in := range g.waiting {
		for in.queue.size > 0 && deliver(in.queue.get(0).packet, nil) {
			in.queue.pop()
		}
		if in.queue.size > 0 {
			refused = append(refused, in)
		}
	}
	g.waiting = refused
}

// greeting is what a process tells its peers about a group, and how it judges what they tell. It is not changed.
type greeting struct {
	hello  []byte
	accept func(peer election.ID, hello []byte) error
}

// judge returns an error if a peer differs in what all members must agree on.
func (g *greeting) judge(peer election.ID, hello []byte) error {
	switch {
	case g.accept != nil:
		return g.accept(peer, hello)
	case !bytes.Equal(hello, g.hello):
		return errors.New("the hellos differ")
	}
	return nil
}

// Greet changes the hello of the group, and how hellos of peers are judged, see [transport.Greeter]. The hello has at
// most MaxHello bytes. Connections and packets are not affected, unless one of two processes refuses the new hello.
func (g *Group) Greet(hello []byte, accept func(peer election.ID, hello []byte) error) error {
	if len(hello) > MaxHello {
		return input.Errorf("hello: %d bytes, at most %d", len(hello), MaxHello)
	}
	next := &greeting{bytes.Clone(hello), accept}
	for {
		select {
		case <-g.done:
			return g.gone()
		default:
		}
		last := g.greeting.Load()
		if accept == nil {
			if next.accept = last.accept; bytes.Equal(last.hello, hello) {
				return nil // nothing changes
			}
		}
		if g.greeting.CompareAndSwap(last, next) {
			break
		}
	}
	// A packet that is sent from now on follows the hello, see peer.collect.
	g.net.later(func() {
		for _, l := range *g.lanes.Load() {
			l.peer.greet(l)
		}
	})
	return nil
}

// Close closes the group here. Packets that Send has taken are written first, unless that takes longer than a
// Timeout. Then the peers learn that the group is closed.
func (g *Group) Close() error {
	g.mu.Lock()
	first := !g.closed
	if first {
		g.closed = true
		close(g.done)
		if g.deliver != nil {
			g.deliver(election.Packet{}, g.gone())
		}
	}
	g.mu.Unlock()
	if first {
		g.net.freeze(g)
		lanes := *g.lanes.Load()
		for _, l := range lanes {
			l.peer.leave(l)
		}
		g.net.farewell(lanes)
		for _, l := range lanes {
			<-l.gone
		}
		g.watch.close()
		g.net.forget(g)
		close(g.ended)
	}
	<-g.ended
	return nil
}
