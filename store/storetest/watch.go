package storetest

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"time"

	"github.com/go-election/election/store"
)

// watched collects the events of a key.
type watched struct {
	mu     sync.Mutex
	events []store.Event
	ended  chan struct{}
}

// follow watches a key, again and again if repeat is true, until ctx ends.
func follow(ctx context.Context, w store.Watcher, key string, repeat bool) *watched {
	seen := &watched{ended: make(chan struct{})}
	go func() {
		defer close(seen.ended)
		for {
			for e := range w.Watch(ctx, key) {
				seen.mu.Lock()
				seen.events = append(seen.events, e)
				seen.mu.Unlock()
			}
			if !repeat {
				return
			}
			select {
			case <-ctx.Done():
				return
			case <-time.After(10 * time.Millisecond):
			}
		}
	}()
	return seen
}

func (w *watched) all() []store.Event {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.events[:len(w.events):len(w.events)]
}

// writer writes one value after another to a key.
type writer struct {
	r        *run
	s        store.Store
	key      string
	beat     int
	revision string
	written  map[string]string // revision: value
}

func (w *writer) write() (err error) {
	v := value(1, "a", w.beat)
	if w.revision, err = w.r.put(w.s, w.key, v, w.revision); err != nil {
		return fault("Put number %d of one client alone: %w", w.beat+1, err)
	}
	w.written[w.revision] = string(v)
	w.beat++
	return nil
}

// reported writes until there are more events than before.
func (w *writer) reported(seen *watched, before int) error {
	var err error
	ok := w.r.until(func() bool {
		if err = w.write(); err != nil {
			return true
		}
		end := time.Now().Add(100 * time.Millisecond)
		for len(seen.all()) <= before && time.Now().Before(end) {
			time.Sleep(time.Millisecond)
		}
		return len(seen.all()) > before
	})
	switch {
	case err != nil:
		return err
	case !ok:
		return fault("Watch does not report any of %d changes", w.beat)
	}
	return nil
}

func watch(r *run) error {
	s, err := r.client()
	if err != nil {
		return err
	}
	watcher, ok := s.(store.Watcher)
	if !ok {
		return notPromised("it has no Watch, so followers poll")
	}
	other, err := r.client()
	if err != nil {
		return err
	}
	w := &writer{r: r, s: other, key: r.key(), written: make(map[string]string)}
	ctx, stop := context.WithCancel(r.ctx)
	defer stop()
	seen := follow(ctx, watcher, w.key, true)
	for range 3 {
		if err := w.reported(seen, len(seen.all())); err != nil {
			return err
		}
	}
	if err := r.first(watcher, w); err != nil {
		return err
	}
	stop()
	if err := r.ends(seen, "its context ends"); err != nil {
		return err
	}
	valued := false
	for _, e := range seen.all() {
		want, ok := w.written[e.Revision]
		switch {
		case e.Revision == "":
			continue
		case !ok:
			return fault("Watch reports the revision %.80q, which nobody wrote", e.Revision)
		case want != string(e.Value):
			return fault("Watch reports %.200q with the revision %.80q, at which %.200q was written", e.Value, e.Revision,
				want)
		}
		valued = true
	}
	if err := r.watchAfterCut(); err != nil && !isFinding(err) {
		return err
	}
	if !valued {
		return remark("events have no value, so followers call Get after each")
	}
	return nil
}

// first checks that the loop over Watch can be left.
func (r *run) first(watcher store.Watcher, w *writer) error {
	left := make(chan struct{})
	ctx, stop := context.WithCancel(r.ctx)
	defer stop()
	go func() {
		defer close(left)
		for ctx.Err() == nil {
			for range watcher.Watch(ctx, w.key) {
				return
			}
		}
	}()
	var err error
	ok := r.until(func() bool {
		if err = w.write(); err != nil {
			return true
		}
		select {
		case <-left:
			return true
		case <-time.After(10 * time.Millisecond):
			return false
		}
	})
	if !ok {
		return errors.New("a loop over Watch cannot be left after the first event")
	}
	return err
}

func (r *run) ends(seen *watched, when string) error {
	select {
	case <-seen.ended:
		return nil
	case <-time.After(r.o.Patience):
		return fault("Watch does not end when %s", when)
	}
}

// watchAfterCut checks that changes are reported after the connection was cut.
func (r *run) watchAfterCut() error {
	p, through, direct, err := r.proxied()
	if err != nil {
		return err
	}
	w := &writer{r: r, s: direct, key: r.key(), written: make(map[string]string)}
	ctx, stop := context.WithCancel(r.ctx)
	defer stop()
	seen := follow(ctx, through.(store.Watcher), w.key, true)
	for range 2 {
		if err := w.reported(seen, len(seen.all())); err != nil {
			return err
		}
		p.cut(false)
		if err := w.reported(seen, len(seen.all())); err != nil {
			return fmt.Errorf("after the connection was cut: %w", err)
		}
	}
	stop()
	return r.ends(seen, "its context ends, after the connection was cut")
}

func closed(r *run) error {
	s, closeClient, err := r.open(r.ctx, r.o.Address)
	switch {
	case err != nil:
		return fault("Open fails: %w", err)
	case closeClient == nil:
		return notTested("there is nothing to close")
	}
	direct, err := r.client()
	if err != nil {
		return errors.Join(err, closeClient())
	}
	key := r.key()
	revision, err := r.create(s, key, value(1, "a", 0))
	if err != nil {
		return errors.Join(err, closeClient())
	}
	ctx, stop := context.WithCancel(r.ctx)
	defer stop()
	var seen *watched
	if watcher, ok := s.(store.Watcher); ok {
		seen = follow(ctx, watcher, key, false)
	}
	if err := r.within(closeClient); err != nil {
		return fmt.Errorf("closing the client: %w", err)
	}
	if seen != nil {
		if err := r.ends(seen, "the client is closed"); err != nil {
			return err
		}
	}
	switch _, _, err := r.getFor(r.o.brief, s, key); {
	case err == nil:
		return fault("Get returns a value after the client was closed")
	case errors.Is(err, store.ErrAbsent):
		return fault("Get returns ErrAbsent after the client was closed")
	case errors.Is(err, errStuck):
		return fault("Get does not return after the client was closed")
	}
	switch _, err := r.putFor(r.o.brief, s, key, value(1, "a", 1), revision); {
	case err == nil:
		return fault("Put succeeds after the client was closed")
	case errors.Is(err, store.ErrConflict):
		return fault("Put returns ErrConflict after the client was closed")
	case errors.Is(err, errStuck):
		return fault("Put does not return after the client was closed")
	}
	return r.stored(direct, key, value(1, "a", 0), revision)
}

// leak opens clients, uses and closes them. Goroutines of a server in the same process may come and go; those of a
// client that stay are as many as there were clients.
func leak(r *run) error {
	const clients = 10
	use := func() error {
		part := &run{ctx: r.ctx, open: r.open, o: r.o}
		err := part.use()
		return errors.Join(err, part.close())
	}
	if err := use(); err != nil { // what is started once is no leak
		return err
	}
	before := r.settled()
	for range clients {
		if err := use(); err != nil {
			return err
		}
	}
	after := 0
	if !r.until(func() bool { after = runtime.NumGoroutine(); return after-before < clients }) {
		return fmt.Errorf("%d clients were used and closed, and %d goroutines more are left", clients, after-before)
	}
	return nil
}

// settled returns the number of goroutines, when those that are about to end have ended.
func (r *run) settled() int {
	last, same := runtime.NumGoroutine(), 0
	r.until(func() bool {
		time.Sleep(10 * time.Millisecond)
		now := runtime.NumGoroutine()
		if same++; now != last {
			last, same = now, 0
		}
		return same == 5
	})
	return last
}

// use calls each method.
func (r *run) use() error {
	s, err := r.client()
	if err != nil {
		return err
	}
	key := r.key()
	revision, err := r.create(s, key, value(1, "a", 0))
	if err != nil {
		return err
	}
	if watcher, ok := s.(store.Watcher); ok {
		ctx, stop := context.WithCancel(r.ctx)
		defer stop()
		w := &writer{r: r, s: s, key: key, beat: 1, revision: revision, written: make(map[string]string)}
		seen := follow(ctx, watcher, key, true)
		if err := w.reported(seen, 0); err != nil {
			return err
		}
		stop()
		return r.ends(seen, "its context ends")
	}
	_, _, err = r.get(s, key)
	return err
}
