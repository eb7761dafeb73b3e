package tcp

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/go-election/election"
	"github.com/go-election/election/input"
	"github.com/go-election/election/transport"
)

// GroupConfig is what the members of a group have to agree on, and how.
type GroupConfig struct {
	// Reliable: no packet is lost, and the order is kept, as long as both processes live, however often their
	// connection breaks. Send then waits while the queue to the peer is full. If false, Send never waits: a
	// full queue drops its oldest packet, and a packet that is older than Config.MaxAge is dropped.
	Reliable bool
	// Hello goes to every peer before any packet: a fingerprint of what members must agree on, at most
	// MaxHello bytes.
	Hello []byte
	// Accept judges the Hello of a peer, at both ends. An error keeps the group from this peer; both ends log
	// it once. A [NoMemberError] reports to the peer that it is not in the list of the group. Accept returns soon
	// and may be called by several goroutines simultaneously. If nil, both must be equal.
	Accept func(peer election.ID, hello []byte) error
}

// Group is the transport of one group of processes. All groups of a Network share its connections.
// It is a [transport.Pusher], a [transport.Watcher] and [transport.Owned].
type Group struct {
	net    *Network
	name   string
	number uint64 // of all groups that this network has ever had
	config GroupConfig
	lanes  map[election.ID]*lane // to the peers; not changed
	done   chan struct{}         // closed when the group is
	turn   chan struct{}         // has one while a receiver pushes
	ready  chan struct{}         // has one if something waits
	watch  watchers

	mu      sync.Mutex
	closed  bool
	in      map[election.ID]*inbox // one a member, this process included
	waiting []*inbox               // those that are not empty, next first
	unread  []election.Packet      // given back: come before all others
	deliver func(election.Packet, error) bool
}

var (
	_ transport.Pusher  = (*Group)(nil)
	_ transport.Watcher = (*Group)(nil)
	_ transport.Owned   = (*Group)(nil)
)

// inbox is what has arrived from one process.
type inbox struct {
	queue    queue
	received uint64        // packets of the stream
	owner    *stream       // where they come from, or nil
	room     chan struct{} // closed when something is taken, if this process waits to send to itself
	inc, num uint64        // the sender's incarnation and number of the group: they name the stream
}

// stream is a group as a peer has announced it on a connection.
type stream struct {
	conn *conn
	announcement
	number uint64
	last   vector                // the reader's
	group  atomic.Pointer[Group] // nil until it is open here, and again when it is closed
	dead   bool                  // the group was closed here: the peer has to announce it again; conn.mu
	ackDue bool                  // in conn.acks; conn.mu
}

func newGroup(n *Network, name string, number uint64, c GroupConfig) *Group {
	c.Hello = bytes.Clone(c.Hello)
	g := &Group{net: n, name: name, number: number, config: c, lanes: make(map[election.ID]*lane),
		done: make(chan struct{}), turn: make(chan struct{}, 1), ready: make(chan struct{}, 1),
		in: map[election.ID]*inbox{n.config.Self: {}}}
	for id, p := range n.peers {
		g.lanes[id] = &lane{group: g, peer: p, number: number, gone: make(chan struct{})}
		g.in[id] = &inbox{}
	}
	return g
}

func (g *Group) gone() error {
	return fmt.Errorf("%w: group %q of process %d", election.ErrClosed, g.name, g.net.config.Self)
}

// Self returns the member that the network belongs to.
func (g *Group) Self() election.ID { return g.net.config.Self }

// Unlisted returns the IDs of the peers that have refused this process with a [NoMemberError], as it is not in their
// list. It does not return peers that cannot be reached now.
func (g *Group) Unlisted() (peers []election.ID) {
	for id, l := range g.lanes {
		l.peer.mu.Lock()
		if l.peer.stranger || l.stranger {
			peers = append(peers, id)
		}
		l.peer.mu.Unlock()
	}
	slices.Sort(peers)
	return peers
}

// Send takes a packet to a member. It waits only in a reliable group, while the queue to this peer is full.
func (g *Group) Send(ctx context.Context, p election.Packet) error {
	for {
		room, err := g.offer(ctx, &p)
		if room == nil {
			return err
		}
		select {
		case <-room:
		case <-g.done:
		case <-ctx.Done():
		}
	}
}

// offer takes a packet, or returns a channel that is closed when it is worth another try.
func (g *Group) offer(ctx context.Context, p *election.Packet) (room <-chan struct{}, err error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	self := g.net.config.Self
	p.From = self
	if p.To == self {
		return g.loop(p)
	}
	l := g.lanes[p.To]
	if l == nil {
		select {
		case <-g.done:
			return nil, g.gone()
		default:
			return nil, input.Errorf("process %d is no member", p.To)
		}
	}
	return l.peer.send(l, p)
}

// loop is the way of a process to itself.
func (g *Group) loop(p *election.Packet) (room <-chan struct{}, err error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	in := g.in[p.To]
	switch {
	case g.closed:
		return nil, g.gone()
	case g.config.Reliable && in.queue.len() >= g.net.config.Queue:
		if in.room == nil {
			in.room = make(chan struct{})
		}
		return in.room, nil
	}
	g.take(in, p)
	return nil, nil
}

// arrive takes a packet that came over a stream. It returns an error if the peer sends more than it may.
func (g *Group) arrive(s *stream, p *election.Packet) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	in := g.in[p.From]
	if g.closed || in.owner != s { // a later connection has taken the stream over
		return nil
	}
	if waits := uint64(in.queue.len()); g.config.Reliable &&
		min(in.received, waits) >= uint64(g.net.config.Queue) {
		return fmt.Errorf("%w: more packets than may be under way", errFrame)
	}
	in.received++
	g.take(in, p)
	return nil
}

// take passes a packet on to the receiver, or lets it wait.
func (g *Group) take(in *inbox, p *election.Packet) {
	g.net.stats.packetsIn.Add(1)
	if in.queue.len() == 0 && g.deliver != nil && g.deliver(*p, nil) {
		g.taken(in)
		return
	}
	if !g.config.Reliable && in.queue.len() >= g.net.config.Queue {
		in.queue.base++
		g.net.stats.dropped.Add(1)
	}
	if in.queue.len() == 0 {
		g.waiting = append(g.waiting, in)
	}
	in.queue.push(p, 0)
	g.wake()
}

// taken notes that a packet has left the queue of a peer.
func (g *Group) taken(in *inbox) {
	if !g.config.Reliable {
		return
	}
	if in.room != nil {
		close(in.room)
		in.room = nil
	}
	if in.owner != nil {
		in.owner.conn.ack(in.owner)
	}
}

// progress returns how many packets of a stream have been taken from its queue.
func (g *Group) progress(s *stream) (taken uint64, ok bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	in := g.in[s.conn.peer.id]
	if g.closed || in.owner != s {
		return 0, false
	}
	// Packets of an earlier stream may still wait before those of this one.
	return in.received - min(in.received, uint64(in.queue.len())), true
}

// wake lets one Recv look.
func (g *Group) wake() { signal(g.ready) }

// pop returns what waits, if there is something and no receiver pushes.
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
		p = in.queue.get(in.queue.base).packet
		in.queue.base++
		if in.queue.len() > 0 {
			g.waiting = append(g.waiting, in)
		}
		g.taken(in)
	default:
		return p, false
	}
	if len(g.unread) > 0 || len(g.waiting) > 0 {
		g.wake()
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
			return election.Packet{}, context.Cause(ctx)
		}
	}
}

// Push passes packets on as they arrive, see [transport.Pusher].
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
			g.wake()
			<-g.turn
		})
	}, nil
}

// flush delivers what waits.
func (g *Group) flush(deliver func(election.Packet, error) bool) {
	refused := g.waiting[:0]
	for _, in := range g.waiting {
		for in.queue.len() > 0 && deliver(in.queue.get(in.queue.base).packet, nil) {
			in.queue.base++
			g.taken(in)
		}
		if in.queue.len() > 0 {
			refused = append(refused, in)
		}
	}
	g.waiting = refused
}

// meet answers a peer that has announced the group.
func (g *Group) meet(s *stream) {
	peer := s.conn.peer.id
	err := g.judge(peer, s.hello, s.reliable)
	g.mu.Lock()
	defer g.mu.Unlock()
	in := g.in[peer]
	if g.closed {
		s.conn.answer(func(b []byte) []byte { return new(refusal).append(b, s.number) })
		return
	}
	if in.owner == s || in.owner != nil && in.owner.conn.serial > s.conn.serial {
		return
	}
	if err != nil {
		g.net.refuseGroup(g, peer, err, s.hello)
		f := refusal{0, []byte(err.Error()), g.config.Hello, isStranger(err)}
		s.conn.answer(func(b []byte) []byte { return f.append(b, s.number) })
		return
	}
	if in.inc != s.conn.incarnation || in.num != s.number {
		in.inc, in.num, in.received = s.conn.incarnation, s.number, 0
	}
	in.owner = s
	s.group.Store(g)
	o := opening{instance: g.number, received: in.received, window: uint64(g.net.config.Queue),
		hello: g.config.Hello}
	s.conn.answer(func(b []byte) []byte { return o.append(b, s.number) })
}

// part ends a stream.
func (g *Group) part(s *stream) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if in := g.in[s.conn.peer.id]; in.owner == s {
		in.owner = nil
	}
}

// judge returns an error if a peer differs in what all members must agree on.
func (g *Group) judge(peer election.ID, hello []byte, reliable bool) error {
	switch {
	case reliable != g.config.Reliable:
		return fmt.Errorf("reliable is %t at process %d and %t at process %d", g.config.Reliable,
			g.net.config.Self, reliable, peer)
	case g.config.Accept != nil:
		return g.config.Accept(peer, hello)
	case !bytes.Equal(hello, g.config.Hello):
		return fmt.Errorf("the hellos differ")
	}
	return nil
}

// Close ends the group here. What Send has taken is written first, unless that takes long; then the peers
// learn that the group is closed.
func (g *Group) Close() error {
	g.mu.Lock()
	first := !g.closed
	if first {
		g.closed = true
		close(g.done)
		if g.deliver != nil {
			g.deliver(election.Packet{}, g.gone())
		}
		for _, in := range g.in {
			if s := in.owner; s != nil && s.group.Load() == g {
				s.group.Store(nil)
				s.conn.goodbye(s, in.received)
			}
		}
	}
	g.mu.Unlock()
	if first {
		for _, l := range g.lanes {
			l.peer.leave(l)
		}
		g.net.farewell(g)
	}
	for _, l := range g.lanes {
		<-l.gone
	}
	g.watch.close()
	g.net.forget(g)
	return nil
}
