package tcp

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"net"
	"strconv"

	"github.com/go-election/election"
	"github.com/go-election/election/input"
	"github.com/go-election/election/transport"
)

var _ transport.Addressed = (*Group)(nil)

// A network has three kinds of peers: peers in its Config; peers that a group has named with SetAddress; and guests,
// which are in no list and have connected by themselves. A guest has lanes only for groups that it has announced and
// that are open here, so that a guest that announces nothing costs nothing. All other peers have a lane for each group.
//
// Locks are taken in the order of peer.mu, Network.mu, Group.mu. GroupConfig.Accept is called with peer.mu, so what a
// program may call while Accept waits for it takes only the other two: see Network.later.

// book is what the network notes about a peer. The mutex of the network guards it.
type book struct {
	listed  string            // its address by the Config, or empty
	inList  bool              // it is in the Config
	given   map[*Group]string // its address by the groups that have named it
	address string            // the last one that was given and not withdrawn, or else listed
	dialled bool              // a goroutine dials it whenever it has an address
	full    bool              // it has a lane for each group
	uses    int               // connections, and attempts to make one
	gone    bool              // it was forgotten
	cancel  context.CancelFunc
}

// addPeer makes a peer known. n.mu is held.
func (n *Network) addPeer(id election.ID, name string) *peer {
	p := &peer{net: n, id: id, name: name, absent: true, wanted: make(chan struct{}, 1),
		lanes: make(map[uint64]*lane), theirs: make(map[string]announcement)}
	p.context, p.book.cancel = context.WithCancel(n.stopped)
	p.book.given = make(map[*Group]string)
	n.peers[id] = p
	return p
}

// guest reports whether no list has an address of the peer. n.mu is held.
func (b *book) guest() bool { return !b.inList && b.address == "" }

// dialable returns the address of the peer, and whether it may be dialled. Without an address, only Config.Resolve has
// one.
func (p *peer) dialable() (address string, ok bool) {
	p.net.mu.Lock()
	defer p.net.mu.Unlock()
	b := &p.book
	return b.address, b.dialled && (b.address != "" || b.inList && p.net.config.Resolve != nil)
}

// dials makes the network dial the peer whenever it has an address. n.mu is held.
func (p *peer) dials() {
	if !p.book.dialled && !p.net.closed {
		p.book.dialled = true
		p.net.running.Go(func() { p.run(p.context) })
	}
	signal(p.wanted)
}

// use keeps the peer from being forgotten until unuse. It returns false if it was.
func (p *peer) use() bool {
	p.net.mu.Lock()
	defer p.net.mu.Unlock()
	return p.book.use()
}

// use is called with the mutex of the network.
func (b *book) use() bool {
	if b.gone {
		return false
	}
	b.uses++
	return true
}

func (p *peer) unuse() {
	p.net.mu.Lock()
	defer p.net.mu.Unlock()
	p.book.uses--
}

// called returns the name of a process, or its ID if it has none.
func (n *Network) called(id election.ID) string {
	name, _ := n.Name(id)
	return name
}

// Name returns the name of the process with this ID, and whether it is a peer, or a member or observer of the Config. Of
// another process it returns the ID in decimal.
func (n *Network) Name(id election.ID) (name string, ok bool) {
	n.mu.Lock()
	p := n.peers[id]
	n.mu.Unlock()
	if p != nil {
		return p.name, true
	}
	if _, ok = n.config.Members[id]; !ok {
		_, ok = n.config.Observers[id]
	}
	return n.config.called(id), ok
}

// named returns the peer with a name, or nil. n.mu is held.
func (n *Network) named(name string) *peer {
	for _, p := range n.peers {
		if p.name == name {
			return p
		}
	}
	return nil
}

// recognize returns the peer that has said a hello, which is used then. It may be a new guest.
func (n *Network) recognize(w wire, h *hello) (p *peer, err error) {
	own := n.config.called(n.config.Self)
	switch {
	case n.config.TLS != nil && w.name != h.name:
		return nil, fmt.Errorf("process %s claims to be process %s", w.name, h.name)
	case h.from == n.config.Self && h.name == own:
		n.stats.duplicates.Add(1)
		return nil, fmt.Errorf("another process claims to be process %s, as this one is", own)
	case h.to != n.config.Self:
		return nil, fmt.Errorf("this is process %s, not %s", own, n.called(h.to))
	}
	var old *peer
	n.mu.Lock()
	switch p = n.peers[h.from]; {
	case p == nil || p.name != h.name:
		// The certificate has a name and the hello an ID, too. A process must not get in by a name that somebody's
		// function maps to the ID of another process.
		if err = n.mayVisit(w, h); err == nil {
			old, err = n.makeRoom()
		}
		if err == nil {
			p = n.addPeer(h.from, h.name)
		}
	case p.book.guest():
		err = n.mayEnter(w, h.name)
	}
	if err == nil {
		p.book.use()
	}
	n.mu.Unlock()
	if old != nil {
		old.end()
	}
	return p, err
}

// mayVisit returns an error if a process in no list may not be a guest. n.mu is held.
func (n *Network) mayVisit(w wire, h *hello) error {
	known := n.named(h.name)
	switch {
	case h.name == n.config.called(n.config.Self), known != nil:
		return fmt.Errorf("process %s claims to have ID %d, which is not its ID here", h.name, h.from)
	case n.config.ID == nil:
		return fmt.Errorf("process %s is no member", cmp.Or(h.name, strconv.FormatUint(uint64(h.from), 10)))
	case h.name == "" || h.from == 0 || n.config.ID(h.name) != h.from:
		return fmt.Errorf("process %s claims to have ID %d, which is not the ID of this name", h.name, h.from)
	case n.peers[h.from] != nil:
		return fmt.Errorf("process %s has the ID of process %s", h.name, n.peers[h.from].name)
	case h.from == n.config.Self:
		return fmt.Errorf("process %s has the ID of this process, %s", h.name, n.config.called(h.from))
	}
	return n.mayEnter(w, h.name)
}

// mayEnter returns an error if a guest connects from another machine without TLS.
func (n *Network) mayEnter(w wire, name string) error {
	if host, _, err := net.SplitHostPort(w.raw.RemoteAddr().String()); n.config.plain() && err == nil && !loopback(host) {
		return fmt.Errorf("process %s is in no list, and without TLS a guest connects from a loopback address", name)
	}
	return nil
}

// makeRoom makes sure that another guest may come. It returns a guest that was forgotten for it, or nil. n.mu is held.
func (n *Network) makeRoom() (*peer, error) {
	guests := 0
	var idle *peer
	for _, p := range n.peers {
		if p.book.guest() {
			if guests++; p.book.uses == 0 {
				idle = p
			}
		}
	}
	switch {
	case guests < n.config.MaxGuests:
		return nil, nil
	case idle == nil:
		return nil, fmt.Errorf("%d guests are connected already, which are in no list", guests)
	}
	idle.book.gone = true
	idle.book.cancel()
	delete(n.peers, idle.id)
	for _, g := range n.groups {
		g.setLanes(func(lanes map[election.ID]*lane) { delete(lanes, idle.id) })
	}
	return idle, nil
}

// end ends all lanes of a peer that was forgotten.
func (p *peer) end() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, l := range p.lanes {
		p.cut(l)
		l.group.watch.forget(p.id)
	}
}

// lane returns the lane of a group to a peer, and makes one if there is none. It returns nil if the group is closed or
// the peer was forgotten. n.mu is held.
func (g *Group) lane(p *peer) *lane {
	if l := g.to(p.id); l != nil {
		return l
	}
	if g.closing || p.book.gone {
		return nil
	}
	l := newLane(g, p)
	g.setLanes(func(lanes map[election.ID]*lane) { lanes[p.id] = l })
	return l
}

// to returns the lane to a peer, or nil.
func (g *Group) to(id election.ID) *lane { return (*g.lanes.Load())[id] }

// setLanes changes the lanes. n.mu is held.
func (g *Group) setLanes(change func(map[election.ID]*lane)) {
	lanes := maps.Clone(*g.lanes.Load())
	change(lanes)
	g.lanes.Store(&lanes)
}

// later calls f, which takes the mutexes of peers, soon, but not within a call of Accept.
func (n *Network) later(f func()) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if !n.closed {
		n.running.Go(f)
	}
}

// SetAddress sets the name and the address of a process, see [transport.Addressed]. The process becomes a peer of all
// groups of the network. It is dialled as long as Config.Members or a group that is open has an address for it. If
// several groups give different addresses, the last one is used. If Config.Resolve is set, the address is used only
// when Resolve returns an error.
//
// SetAddress returns an error that wraps [election.ErrInput] if the ID is 0, if the ID or the name belongs to another
// process, if Config.ID returns another ID, if the address is malformed, or if it must be a loopback address since
// there is no TLS.
func (g *Group) SetAddress(id election.ID, name, address string) error {
	n := g.net
	if err := n.checkAddress(id, name, address); err != nil {
		return err
	}
	if id == n.config.Self {
		return nil
	}
	var lanes []*lane
	err := func() error {
		n.mu.Lock()
		defer n.mu.Unlock()
		if n.closed || g.closing {
			return g.gone()
		}
		p, other := n.peers[id], n.named(name)
		if p != other {
			return input.Errorf("process %.60q: its ID is not %d here", name, id)
		}
		if p == nil {
			p = n.addPeer(id, name)
			p.absent = address == ""
		}
		if !p.book.full {
			p.book.full = true
			for _, other := range n.groups {
				if l := other.lane(p); l != nil {
					lanes = append(lanes, l)
				}
			}
		}
		p.give(g, address)
		return nil
	}()
	if len(lanes) > 0 {
		n.later(func() {
			for _, l := range lanes {
				l.peer.join(l)
			}
		})
	}
	return err
}

// give notes the address that a group has for the peer. n.mu is held.
func (p *peer) give(g *Group, address string) {
	b := &p.book
	last := b.given[g]
	if b.given[g] = address; address != "" {
		b.address = address
		p.dials()
	} else if last == b.address {
		p.withdraw()
	}
}

// withdraw chooses another address after the present one is no longer given. n.mu is held.
func (p *peer) withdraw() {
	b := &p.book
	b.address = b.listed
	for _, address := range b.given {
		// Any of them, but the same one each time.
		if address != "" && (b.address == b.listed || address < b.address) {
			b.address = address
		}
	}
	signal(p.wanted)
}

// checkAddress returns an error if a process cannot have this name and address.
func (n *Network) checkAddress(id election.ID, name, address string) error {
	switch {
	case id == 0:
		return input.Errorf("an ID is never 0")
	case name == "" || len(name) > MaxName:
		return input.Errorf("name %.20q: %d bytes, it has 1 to %d", name, len(name), MaxName)
	case n.config.ID != nil && n.config.ID(name) != id:
		return input.Errorf("process %.60q: its ID is %d, not %d", name, n.config.ID(name), id)
	case (name == n.config.called(n.config.Self)) != (id == n.config.Self):
		return input.Errorf("process %.60q: its ID is not %d here", name, id)
	}
	if address == "" {
		return nil
	}
	if err := n.config.checkAddress(address, id == n.config.Self); err != nil {
		return input.Errorf("process %.60q: %w", name, err)
	}
	return nil
}
