package tcp

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-election/election"
	"github.com/go-election/election/input"
)

// Network holds the connections of one process to all others, see [Config].Observers. Any number of groups share
// them. It is made by [New] and may be used by any number of goroutines.
type Network struct {
	config      Config
	log         *slog.Logger
	incarnation uint64
	began       time.Time
	listener    net.Listener
	peers       map[election.ID]*peer // not changed
	stats       counters
	serial      atomic.Uint64 // of the last connection
	stop        context.CancelFunc
	stopped     context.Context
	running     sync.WaitGroup

	mu          sync.Mutex
	closed      bool
	last        uint64                   // the number of the last group
	groups      map[string]*Group        // that are open, or still close
	said        map[string]time.Duration // when a trouble was logged
	credentials *credentials             // the last ones that were loaded
}

// New listens, and connects to the members.
func New(c Config) (*Network, error) {
	c, err := c.complete()
	if err != nil {
		return nil, err
	}
	var random [8]byte
	_, _ = rand.Read(random[:]) // never fails
	n := &Network{config: c, log: c.Log.With("member", c.called(c.Self)),
		incarnation: binary.LittleEndian.Uint64(random[:]),
		began:       time.Now(),
		listener:    c.Listener, peers: make(map[election.ID]*peer), groups: make(map[string]*Group),
		said: make(map[string]time.Duration)}
	n.stopped, n.stop = context.WithCancel(context.Background())
	if n.listener == nil {
		if n.listener, err = net.Listen("tcp", c.address()); err != nil {
			return nil, fmt.Errorf("process %s: %w", c.called(c.Self), err)
		}
	}
	turns := map[bool]chan struct{}{false: make(chan struct{}, attempts), true: make(chan struct{}, attempts)}
	for id, addr := range c.peers() {
		_, observes := c.Observers[id]
		n.peers[id] = &peer{net: n, id: id, addr: addr, observes: observes, absent: observes, turns: turns[observes],
			wanted: make(chan struct{}, 1), near: make(chan struct{}, 1),
			lanes: make(map[uint64]*lane)}
	}
	n.running.Go(n.accept)
	for _, p := range n.peers {
		n.running.Go(func() { p.run(n.stopped) })
	}
	return n, nil
}

// Addr returns the address on which the network listens.
func (n *Network) Addr() net.Addr { return n.listener.Addr() }

// Name returns the name of a member or observer, and false if there is none of this ID.
func (n *Network) Name(id election.ID) (name string, ok bool) {
	_, ok = n.config.Members[id]
	if !ok {
		_, ok = n.config.Observers[id]
	}
	return n.config.called(id), ok
}

// now returns the time since the network was made.
func (n *Network) now() time.Duration { return time.Since(n.began) }

// Group opens a group. A name has one group at a time; when that is closed, there may be another.
func (n *Network) Group(name string, c GroupConfig) (*Group, error) {
	switch {
	case name == "" || len(name) > MaxName:
		return nil, input.Errorf("name %.20q: %d bytes, it has 1 to %d", name, len(name), MaxName)
	case len(c.Hello) > MaxHello:
		return nil, input.Errorf("hello: %d bytes, at most %d", len(c.Hello), MaxHello)
	}
	n.mu.Lock()
	switch {
	case n.closed:
		n.mu.Unlock()
		return nil, n.gone()
	case n.groups[name] != nil:
		n.mu.Unlock()
		return nil, input.Errorf("group %.60q is open already", name)
	case len(n.groups) >= n.config.MaxGroups:
		n.mu.Unlock()
		return nil, input.Errorf("%d groups are open already", n.config.MaxGroups)
	}
	n.last++
	g := newGroup(n, name, n.last, c)
	n.groups[name] = g
	n.mu.Unlock()
	for id, p := range n.peers {
		p.join(g.lanes[id])
		if c := p.inbound(); c != nil {
			for _, s := range c.strangers(name) {
				g.meet(s)
			}
		}
	}
	return g, nil
}

func (n *Network) gone() error {
	return fmt.Errorf("%w: process %d", election.ErrClosed, n.config.Self)
}

// group returns the group of a name, or nil.
func (n *Network) group(name string) *Group {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.groups[name]
}

// forget frees the name of a group.
func (n *Network) forget(g *Group) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.groups[g.name] == g {
		delete(n.groups, g.name)
	}
}

// farewell ends the lanes of a group whose packets are not written soon.
func (n *Network) farewell(g *Group) {
	timer := time.NewTimer(n.config.Timeout)
	defer timer.Stop()
	for _, l := range g.lanes {
		select {
		case <-l.gone:
		case <-timer.C:
			for _, l := range g.lanes {
				l.peer.drop(l)
			}
			return
		}
	}
}

// Close closes all groups and connections.
func (n *Network) Close() error {
	n.mu.Lock()
	n.closed = true
	groups := slices.Collect(maps.Values(n.groups))
	n.mu.Unlock()
	var closing sync.WaitGroup
	for _, g := range groups {
		closing.Go(func() { _ = g.Close() })
	}
	closing.Wait()
	n.stop()
	err := n.listener.Close()
	if errors.Is(err, net.ErrClosed) {
		err = nil // it was closed before
	}
	n.running.Wait()
	return err
}

// refuseGroup logs, once for each peer, that a group is not the same there.
func (n *Network) refuseGroup(g *Group, peer election.ID, err error, theirs []byte) {
	n.stats.refused.Add(1)
	if n.first(refusalOf(g, peer)) {
		n.log.Error("a peer is refused", "group", g.name, "peer", n.config.called(peer), "err", err,
			"hello", string(g.config.Hello), "its hello", string(theirs))
	}
}

// admitGroup lets the next refusal be logged again.
func (n *Network) admitGroup(g *Group, peer election.ID) {
	n.mu.Lock()
	defer n.mu.Unlock()
	delete(n.said, refusalOf(g, peer))
}

func refusalOf(g *Group, peer election.ID) string { return fmt.Sprintf("group %s %d", g.name, peer) }

// first reports whether a trouble is to be logged: once a minute, and of some hundred troubles only.
func (n *Network) first(trouble string) bool {
	const pause, most = time.Minute, 500
	n.mu.Lock()
	defer n.mu.Unlock()
	now := n.now()
	if last, ok := n.said[trouble]; ok && now-last < pause {
		return false
	}
	maps.DeleteFunc(n.said, func(_ string, last time.Duration) bool { return now-last >= pause })
	if len(n.said) >= most {
		return false
	}
	n.said[trouble] = now
	return true
}
