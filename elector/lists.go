package elector

import (
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"

	"github.com/go-election/election"
	"github.com/go-election/election/transport/tcp"
)

// lists compares the lists of members of connected peers.
type lists struct {
	own   fingerprint
	names map[election.ID]string // of members and observers
	log   *slog.Logger

	mu     sync.Mutex
	others map[election.ID]fingerprint // the last list of each peer
	warned bool
}

// accept refuses a peer that is not in the list of this group, though it may belong to another group of a shared
// Network; a peer that claims another name than it authenticates with; and a peer that fingerprint.accept refuses. It
// warns once if the lists of two peers differ by more than one member while the list of this member is in between.
// Those two refuse each other, but each may have a majority together with this member, and so two members may lead.
func (l *lists) accept(id election.ID, hello []byte) error {
	peer, err := parseHello(hello)
	if err != nil {
		return err
	}
	switch name, ok := l.names[id]; {
	case !ok:
		return &tcp.NoMemberError{Name: peer.self}
	case name != peer.self:
		return fmt.Errorf("%.60q claims to be %.60q", name, peer.self)
	}
	if err := l.own.accept(id, hello); err != nil {
		return err
	}
	// Log without the lock: a log handler that hangs must not block other peers.
	if apart := l.note(id, peer, hello); apart != nil {
		l.log.Warn("the lists of two peers differ by more than one member, so two members may lead: "+
			"bring all members to one list, then change one member at a time", "peers", strings.Join(apart, ", "))
	}
	return nil
}

// note records the list of a peer. Once, it returns the names of two peers whose lists differ by more than one
// member.
func (l *lists) note(id election.ID, peer fingerprint, hello []byte) (apart []string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.others == nil {
		l.others = make(map[election.ID]fingerprint)
	}
	l.others[id] = peer
	for _, other := range l.others {
		if !l.warned && other.accept(id, hello) != nil {
			l.warned = true
			apart = []string{peer.self, other.self}
			slices.Sort(apart)
		}
	}
	return apart
}
