package elector

import (
	"sync"

	"github.com/go-election/election"
)

// peers records which peers the transport is connected to.
type peers struct {
	mu sync.Mutex // held for no call, so it may be locked while any other lock is held
	up map[election.ID]bool
}

func newPeers() *peers { return &peers{up: make(map[election.ID]bool)} }

func (p *peers) set(id election.ID, up bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.up[id] = up
}

// reached reports whether a peer can be reached.
func (p *peers) reached(id election.ID) bool { return p.count(id) == 1 }

// count returns how many of these peers can be reached.
func (p *peers) count(ids ...election.ID) (n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, id := range ids {
		if p.up[id] {
			n++
		}
	}
	return n
}
