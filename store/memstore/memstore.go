// Package memstore keeps values in memory: for tests, and for members of a group that run in one process.
//
//	s := memstore.New()
//	e, err := elector.New(elector.Config{Group: "orders", Self: "a", Store: s})
//
// Values are lost with the process. Revisions never repeat, not even after Delete.
package memstore

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"strconv"
	"sync"

	"github.com/go-election/election/store"
)

// Store keeps values in memory. It implements [store.Watcher].
type Store struct {
	mu     sync.Mutex
	last   uint64 // revision
	values map[string]stored
	change chan struct{} // closed at the next change of any key
}

type stored struct {
	value    []byte
	revision string
}

var _ store.Watcher = (*Store)(nil)

// New returns an empty Store.
func New() *Store { return &Store{values: make(map[string]stored), change: make(chan struct{})} }

// Get implements [store.Store]. It returns the last value that was written.
func (s *Store) Get(ctx context.Context, key string) (value []byte, revision string, err error) {
	if err := ctx.Err(); err != nil {
		return nil, "", err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	v, ok := s.values[key]
	if !ok {
		return nil, "", fmt.Errorf("memstore: %w: %q", store.ErrAbsent, key)
	}
	return slices.Clone(v.value), v.revision, nil
}

// Put implements [store.Store]. If ctx has ended, nothing is written.
func (s *Store) Put(ctx context.Context, key string, value []byte, revision string) (written string, err error) {
	if err := ctx.Err(); err != nil {
		return "", err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.values[key].revision != revision {
		return "", fmt.Errorf("memstore: %w: %q", store.ErrConflict, key)
	}
	s.last++
	written = strconv.FormatUint(s.last, 10)
	s.values[key] = stored{slices.Clone(value), written}
	s.changed()
	return written, nil
}

// Delete removes the value at a key, as an operator could. No member of a group does.
func (s *Store) Delete(key string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.values, key)
	s.changed()
}

func (s *Store) changed() {
	close(s.change)
	s.change = make(chan struct{})
}

// Watch implements [store.Watcher]. Events contain the value; the first one is the current value, if there is one.
func (s *Store) Watch(ctx context.Context, key string) iter.Seq[store.Event] {
	return func(yield func(store.Event) bool) {
		seen := ""
		for {
			s.mu.Lock()
			v, change := s.values[key], s.change
			s.mu.Unlock()
			if v.revision != seen {
				seen = v.revision
				if !yield(store.Event{Value: slices.Clone(v.value), Revision: v.revision}) {
					return
				}
			}
			select {
			case <-change:
			case <-ctx.Done():
				return
			}
		}
	}
}
