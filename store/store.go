// Package store defines what a leader's lease needs from a store, such as a database, etcd or an object store, that a
// service already runs.
//
// A [Store] keeps one small value per key, and replaces it only if its revision is the expected one. That is all: there
// are no sessions, times to live, deletions or lists, and no clock of a store is read. Package elector keeps the lease
// of a group in a Store if Config.Store is set.
//
// Package memstore keeps values in memory, sqlstore in a SQL database, and filestore in a directory. Modules in the
// directory adapters connect other stores. Package storetest tests an implementation.
package store

import (
	"context"
	"errors"
	"iter"
)

// Errors of a Store. Test for them with [errors.Is].
var (
	// ErrAbsent is returned by Get if there is no value at the key.
	ErrAbsent = errors.New("store: no value at this key")
	// ErrConflict is returned by Put if the revision is not the current one. The value was certainly not written, and
	// will not be written later.
	ErrConflict = errors.New("store: another revision is stored")
)

// Store keeps one small value per key. Its methods are safe for concurrent use, and return when ctx ends.
type Store interface {
	// Get returns the value at a key and its revision. Both may be out of date, but belong together. If there is no
	// value, the error wraps ErrAbsent.
	Get(ctx context.Context, key string) (value []byte, revision string, err error)
	// Put replaces the value whose revision is given, or creates a value if the revision is empty, and returns the
	// revision of what it has written. It is atomic: of all Puts with the same revision at most one succeeds. If the
	// current revision is another one, the error wraps ErrConflict. After any other error the outcome is open: the
	// value may have been written, or may be written later.
	//
	// A revision is only compared for equality. It is never empty, and no two values that the key has had
	// share a revision. It may be a checksum, because callers never write the same value twice.
	Put(ctx context.Context, key string, value []byte, revision string) (written string, err error)
}

// Watcher is a Store that reports changes, so that followers need not poll.
type Watcher interface {
	Store
	// Watch yields an Event when the value at a key has changed. Events may be late, spurious or missing. The sequence
	// ends when ctx ends, or when the store has lost sight of the key; the caller then calls Watch again.
	Watch(ctx context.Context, key string) iter.Seq[Event]
}

// Event reports that a value may have changed.
type Event struct {
	// Value and Revision belong together, and were stored before the event. If Revision is empty they are unknown, and
	// the caller has to call Get.
	Value    []byte
	Revision string
}
