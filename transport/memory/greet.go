package memory

import (
	"bytes"
	"errors"
	"sync"
	"sync/atomic"

	"github.com/go-election/election"
)

// hellos are the hello of an endpoint, and what it has made of the hellos of its peers.
type hellos struct {
	own atomic.Pointer[greeting] // nil until Greet

	mu       sync.Mutex // held while a hello is judged, so that a peer's last one is judged last
	verdicts map[election.ID]verdict
}

// greeting is what one call of Greet has set.
type greeting struct {
	hello  []byte
	accept func(peer election.ID, hello []byte) error
}

// verdict is the judgement of a hello.
type verdict struct {
	peer        *endpoint // which has sent it; a process that recovers has another one
	theirs, own *greeting // of both at that time
	refused     bool
}

// judge returns an error if the greeting of a peer is not accepted. Both may be nil.
func (g *greeting) judge(peer election.ID, theirs *greeting) error {
	var own, hello []byte
	if g != nil {
		own = g.hello
	}
	if theirs != nil {
		hello = theirs.hello
	}
	switch {
	case g != nil && g.accept != nil:
		return g.accept(peer, hello)
	case !bytes.Equal(own, hello):
		return errors.New("the hellos differ")
	}
	return nil
}

// Greet implements transport.Greeter.
func (e *endpoint) Greet(hello []byte, accept func(peer election.ID, hello []byte) error) error {
	next := &greeting{bytes.Clone(hello), accept}
	for {
		if e.closed.Load() {
			return e.gone()
		}
		last := e.hellos.own.Load()
		if last != nil && accept == nil {
			if next.accept = last.accept; bytes.Equal(last.hello, hello) {
				return nil // nothing changes
			}
		}
		if e.hellos.own.CompareAndSwap(last, next) {
			return nil
		}
	}
}

// greeted receives the hello of a peer that sends a packet, unless it is known, and reports whether it is
// accepted.
func (e *endpoint) greeted(from *endpoint) bool {
	if e.unspoken(from) {
		return true
	}
	e.hellos.mu.Lock()
	defer e.hellos.mu.Unlock()
	now := verdict{peer: from, theirs: from.hellos.own.Load(), own: e.hellos.own.Load()}
	if last := e.hellos.verdicts[from.id]; last.peer == now.peer && last.theirs == now.theirs &&
		last.own == now.own {
		return !last.refused
	}
	now.refused = now.own.judge(from.id, now.theirs) != nil
	if e.hellos.verdicts == nil {
		e.hellos.verdicts = make(map[election.ID]verdict)
	}
	e.hellos.verdicts[from.id] = now
	return !now.refused
}

// refuses reports whether the last hello that the endpoint has received from a peer is refused.
func (e *endpoint) refuses(to *endpoint) bool {
	if e.unspoken(to) {
		return false
	}
	e.hellos.mu.Lock()
	defer e.hellos.mu.Unlock()
	last := e.hellos.verdicts[to.id]
	return last.refused && last.peer == to && last.own == e.hellos.own.Load()
}

// unspoken reports whether there is no hello to judge between two endpoints.
func (e *endpoint) unspoken(peer *endpoint) bool {
	return e == peer || e.hellos.own.Load() == nil && peer.hellos.own.Load() == nil
}
