package tcp

import (
	"sync"

	"github.com/go-election/election"
)

// watchers are called when lanes go up and down.
type watchers struct {
	mu  sync.Mutex
	all map[*watcher]bool
}

type watcher struct {
	f  func(election.ID, bool)
	up map[election.ID]bool // what f has got
}

// see lets a watcher know of the state of a lane, if it is new.
func (w *watcher) see(l *lane) {
	if up := l.up.Load(); w.up[l.peer.id] != up {
		w.up[l.peer.id] = up
		w.f(l.peer.id, up)
	}
}

// changed lets all watchers know.
func (w *watchers) changed(l *lane) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for one := range w.all {
		one.see(l)
	}
}

// forget frees what is kept about a peer that was forgotten.
func (w *watchers) forget(id election.ID) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for one := range w.all {
		delete(one.up, id)
	}
}

func (w *watchers) close() {
	w.mu.Lock()
	defer w.mu.Unlock()
	clear(w.all)
}

// WatchPeers calls f for each peer that is up and at each change, see [transport.Watcher]. A peer is up when
// packets of this process can reach the group there.
func (g *Group) WatchPeers(f func(id election.ID, up bool)) (stop func()) {
	one := &watcher{f, make(map[election.ID]bool)}
	g.watch.mu.Lock()
	defer g.watch.mu.Unlock()
	select {
	case <-g.done:
		return func() {}
	default:
	}
	if g.watch.all == nil {
		g.watch.all = make(map[*watcher]bool)
	}
	g.watch.all[one] = true
	for _, l := range *g.lanes.Load() {
		one.see(l)
	}
	return func() {
		g.watch.mu.Lock()
		defer g.watch.mu.Unlock()
		delete(g.watch.all, one)
	}
}
