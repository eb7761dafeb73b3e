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

// Network holds the connections of one process to its peers, which all of its groups share. Its methods may be called
// by several goroutines simultaneously.
type Network struct {
	config      Config
	log         *slog.Logger
	incarnation uint64
	began       time.Time
	listener    net.Listener
	stats       counters
	turns       chan struct{} // holds one for each attempt to connect
	serial      atomic.Uint64 // of the last attempt to connect, of either side
	last        atomic.Uint64 // the number of the last group
	stop        context.CancelFunc
	stopped     context.Context
	running     sync.WaitGroup
	loader      loader // of Config.TLS

	mu     sync.Mutex
	closed bool
	peers  map[election.ID]*peer
	groups map[string]*Group        // that are open, or still closing
	said   map[string]time.Duration // when a trouble was logged
}

// New listens, and connects to the members of c.
func New(c Config) (*Network, error) {
	c, err := c.complete()
	if err != nil {
		return nil, err
	}
	var random [8]byte
	_, _ = rand.Read(random[:]) // never fails
	n := &Network{config: c, log: c.Log.With("member", c.called(c.Self)),
		incarnation: binary.LittleEndian.Uint64(random[:]), loader: loader{tls: c.TLS},
		began:    time.Now(),
		listener: c.Listener, peers: make(map[election.ID]*peer), groups: make(map[string]*Group),
		said: make(map[string]time.Duration), turns: make(chan struct{}, attempts)}
	// Two networks of one process, one after the other, have different serials.
	n.serial.Store(n.incarnation / 2)
	n.stopped, n.stop = context.WithCancel(context.Background())
	if n.listener == nil {
		if n.listener, err = net.Listen("tcp", c.address()); err != nil {
			return nil, fmt.Errorf("process %s: %w", c.called(c.Self), err)
		}
	}
	for id, addr := range c.peers() {
		p := n.addPeer(id, c.called(id))
		p.book.inList, p.book.full = true, true
		if _, p.observes = c.Observers[id]; !p.observes {
			p.absent, p.book.listed, p.book.address = false, addr, addr
		}
	}
	n.mu.Lock()
	for _, p := range n.peers {
		if !p.observes {
			p.dials()
		}
	}
	n.mu.Unlock()
	n.running.Go(n.accept)
	return n, nil
}

// Addr returns the address on which the network listens.
func (n *Network) Addr() net.Addr { return n.listener.Addr() }

// now returns the time since the network was made.
func (n *Network) now() time.Duration { return time.Since(n.began) }

// Group opens a group. Only one group of a name is open at a time.
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
	g := newGroup(n, name, n.last.Add(1), c)
	n.groups[name] = g
	peers := slices.Collect(maps.Values(n.peers))
	n.mu.Unlock()
	for _, p := range peers {
		p.open(g)
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

// forget frees the name of a group that is closed.
func (n *Network) forget(g *Group) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.groups[g.name] == g {
		delete(n.groups, g.name)
	}
}

// freeze ends changes of the lanes of a group, which is being closed, and withdraws the addresses that it has given.
func (n *Network) freeze(g *Group) {
	n.mu.Lock()
	defer n.mu.Unlock()
	g.closing = true
	for _, p := range n.peers {
		if address, ok := p.book.given[g]; ok {
			delete(p.book.given, g)
			if address == p.book.address {
				p.withdraw()
			}
		}
	}
}

// farewell ends the lanes of a group whose packets are not written in time.
func (n *Network) farewell(lanes map[election.ID]*lane) {
	timer := time.NewTimer(n.config.Timeout)
	defer timer.Stop()
	for _, l := range lanes {
		select {
		case <-l.gone:
		case <-timer.C:
			for _, l := range lanes {
				l.peer.drop(l)
			}
			return
		}
	}
}

// Close closes all groups and connections. It waits until packets that Send has taken are written, for a Timeout at
// most.
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

// refuseGroup logs once for each peer that one of the two processes refuses the other in a group.
func (n *Network) refuseGroup(g *Group, peer election.ID, err error, theirs []byte) {
	n.stats.refused.Add(1)
	if n.first(refusalOf(g, peer)) {
		n.log.Error("a peer is refused", "group", g.name, "peer", n.called(peer), "err", err,
			"hello", shown(g.greeting.Load().hello), "its hello", shown(theirs))
	}
}

// shown returns the beginning of a hello, for the log.
func shown(hello []byte) string { return string(hello[:min(len(hello), 1024)]) }

// admitGroup makes the next refusal be logged again.
func (n *Network) admitGroup(g *Group, peer election.ID) {
	n.mu.Lock()
	defer n.mu.Unlock()
	delete(n.said, refusalOf(g, peer))
}

func refusalOf(g *Group, peer election.ID) string { return fmt.Sprintf("group %s %d", g.name, peer) }

// first reports whether a trouble is to be logged: once a minute, and not if there are too many.
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
