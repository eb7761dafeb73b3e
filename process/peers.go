package process

import (
	"maps"
	"slices"
	"sync/atomic"

	"github.com/go-election/election"
	"github.com/go-election/election/input"
)

// MaxPeers is the largest number of peers of a process whose peers may become more.
const MaxPeers = 1024

// roster contains the peers, for all goroutines. It is replaced, not changed.
type roster struct {
	peers   []election.Rank
	ports   map[election.ID]election.Port // by peer; nil on a ring, where a peer may have two
	waiting []*atomic.Int64               // by port: packets in the mailbox
}

func newRoster(a *election.Algorithm, peers []election.Rank) *roster {
	r := &roster{}
	if a.Topology != election.Ring {
		r.ports = make(map[election.ID]election.Port, len(peers))
	}
	for _, peer := range peers {
		r.add(peer)
	}
	return r
}

func (r *roster) add(peer election.Rank) {
	if r.ports != nil {
		r.ports[peer.ID] = election.Port(len(r.peers))
	}
	r.peers, r.waiting = append(r.peers, peer), append(r.waiting, new(atomic.Int64))
}

// Peers returns the peers of the process, by port. Ports are neither reordered nor used again while the process runs.
// If the Node's state is saved, Config.Peers must begin with these peers, in this order, after a restart.
func (p *Process) Peers() []election.Rank { return slices.Clone(p.roster.Load().peers) }

// Peer returns the peer at a port, or false if there is none.
func (p *Process) Peer(port election.Port) (election.Rank, bool) {
	r := p.roster.Load()
	if port >= election.Port(len(r.peers)) {
		return election.Rank{}, false
	}
	return r.peers[port], true
}

// AddPeer adds a peer, which gets the next port, unless the process has this peer already. Packets of the peer are
// dropped until the process has handled the call. AddPeer returns an error that wraps [election.ErrInput] if the
// Algorithm does not have Names.
func (p *Process) AddPeer(peer election.Rank) error {
	switch {
	case p.config.Algorithm.Names == nil:
		return p.fails(input.Errorf("peer: the peers of %s do not change", p.config.Algorithm.Title()))
	case peer.ID == 0:
		return p.fails(input.Errorf("peer: an ID is never 0"))
	}
	return p.post(election.Event{Op: opPeer, Msg: election.Message{Rank: peer}})
}

// opPeer is the Op of an entry that adds a peer. No Node receives it.
const opPeer election.Op = 0

// addPeer adds a peer, in the goroutine of the process.
func (p *Process) addPeer(peer election.Rank) {
	old := p.roster.Load()
	if _, known := old.ports[peer.ID]; known || peer.ID == p.config.Self.ID || len(old.peers) >= MaxPeers {
		return
	}
	next := &roster{slices.Clone(old.peers), maps.Clone(old.ports), slices.Clone(old.waiting)}
	next.add(peer)
	p.config.Peers = append(p.config.Peers, peer)
	p.view.peers = p.config.Peers
	p.links = append(p.links, link{})
	p.roster.Store(next)
	p.log.Debug("peer added", "peer", p.config.called(peer.ID))
}

// meet adds the process that a message names, if it is new.
func (p *Process) meet(m *election.Message) {
	if p.config.Algorithm.Names == nil || p.config.Rank == nil {
		return
	}
	id := p.config.Algorithm.Names(m)
	if id == 0 {
		return
	}
	if _, known := p.roster.Load().ports[id]; known {
		return
	}
	p.addPeer(p.config.Rank(id))
}
