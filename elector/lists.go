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

// lists are the lists of the members that this one is connected with.
type lists struct {
	own   fingerprint
	names map[election.ID]string // of members and observers
	log   *slog.Logger

	mu     sync.Mutex
	others map[election.ID]fingerprint // the last that each member has said
	warned bool
}

// accept refuses a peer that is neither a member nor an observer of this group, although it may be one of
// another group on a shared Network; a peer that gives another name than the one by which it is known; and
// one that fingerprint.accept refuses. It warns once if two peers have lists that differ by more than one
// member, while the list of this member is between them. Those two refuse each other, but each has a
// majority with this one: two may lead.
func (l *lists) accept(id election.ID, hello []byte) error {
	peer, err := parseHello(hello)
	if err != nil {
		return err
	}
	switch name, ok := l.names[id]; {
	case !ok:
		return &tcp.NoMemberError{Name: peer.self}
	case name != peer.self:
		return fmt.Errorf("%.60q says that it is %.60q", name, peer.self)
	}
	if err := l.own.accept(id, hello); err != nil {
		return err
	}
	// Without the lock: a log that hangs must not keep other peers out.
	if apart := l.note(id, peer, hello); apart != nil {
		l.log.Warn("the lists of two members differ by more than one, and the list of this member is between "+
			"them: change one member at a time, on all, before the next", "peers", strings.Join(apart, ", "))
	}
	return nil
}

// note keeps the list of a peer. It returns, once, the names of two peers whose lists differ by more than one
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
