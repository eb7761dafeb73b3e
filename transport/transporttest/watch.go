package transporttest

import (
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/go-election/election"
	"github.com/go-election/election/transport"
)

// lookout checks the reports of a transport.Watcher.
type lookout struct {
	n    *network
	busy atomic.Bool // f is running

	mu  sync.Mutex
	up  map[election.ID]bool
	err error // first violation
}

// see is the function passed to WatchPeers.
func (l *lookout) see(id election.ID, up bool) {
	overlap := l.busy.Swap(true)
	defer l.busy.Store(false)
	l.mu.Lock()
	defer l.mu.Unlock()
	if overlap {
		l.fail("two calls of f overlap")
	}
	if last, known := l.up[id]; known && last == up || !known && !up {
		l.fail("process %d is said to be up = %t, as it was before", id, up)
	}
	l.up[id] = up
	l.n.progress()
}

func (l *lookout) fail(format string, args ...any) {
	if l.err == nil {
		l.err = fmt.Errorf(format, args...)
	}
}

// await waits until exactly these processes are reported up.
func (l *lookout) await(when string, at ...int) error {
	is, err := l.n.until(func() (bool, error) {
		l.mu.Lock()
		defer l.mu.Unlock()
		for i, id := range l.n.ids {
			if l.up[id] != slices.Contains(at, i) {
				return false, l.err
			}
		}
		return l.err == nil, l.err
	})
	if err == nil && !is {
		l.mu.Lock()
		defer l.mu.Unlock()
		err = fmt.Errorf("%s WatchPeers of process %d says of processes %d that they are up: %v", when,
			l.n.ids[0],
			l.n.ids, l.up)
	}
	return err
}

// watch tests the methods of a transport.Watcher.
func watch(n *network) error {
	w, ok := n.ends[0].(transport.Watcher)
	if !ok {
		return nil
	}
	early := &lookout{n: n, up: make(map[election.ID]bool)}
	stop := w.WatchPeers(early.see)
	if err := early.await("after all were opened", 1, 2, 3); err != nil {
		return err
	}
	late := &lookout{n: n, up: make(map[election.ID]bool)}
	stopLate := w.WatchPeers(late.see)
	if err := late.await("called when all are up,", 1, 2, 3); err != nil {
		return err
	}
	stopLate()
	if err := n.leave(1); err != nil {
		return err
	}
	if err := early.await("after process 1 of the list was closed", 2, 3); err != nil {
		return err
	}
	if n.opts.Reopen != nil {
		if err := n.reopen(1); err != nil {
			return err
		}
		if err := early.await("after process 1 of the list has come back", 1, 2, 3); err != nil {
			return err
		}
	}
	stop()
	if err := n.leave(2); err != nil {
		return err
	}
	n.awaitQuiet()
	for _, l := range []*lookout{early, late} {
		l.mu.Lock()
		defer l.mu.Unlock()
		switch {
		case l.err != nil:
			return l.err
		case !l.up[n.ids[2]]:
			return fmt.Errorf("WatchPeers of process %d calls f after its stop was called", n.ids[0])
		}
	}
	return nil
}
