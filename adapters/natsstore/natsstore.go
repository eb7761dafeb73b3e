// Package natsstore keeps the lease of a group in a key-value bucket of NATS JetStream.
//
// # Usage
//
//	conn, err := nats.Connect(servers, nats.MaxReconnects(-1), nats.ReconnectWait(100*time.Millisecond),
//		nats.ReconnectBufSize(-1), nats.PingInterval(5*time.Second))
//	...
//	js, err := jetstream.New(conn)
//	...
//	bucket, err := js.CreateOrUpdateKeyValue(ctx, jetstream.KeyValueConfig{Bucket: "elections", Replicas: 3})
//	...
//	e, err := elector.New(elector.Config{Group: "orders", Self: "a", Store: natsstore.New(bucket)})
//
// The record is at the key election/orders, and nats kv get elections election/orders prints it.
//
// The options make a client connect again soon, and notice a connection that is silently broken after two PingIntervals
// rather than four minutes. ReconnectBufSize(-1) makes requests fail while there is no connection: otherwise the client
// keeps them, and sends them late.
//
// # Limitations
//
// A bucket with one replica is lost with its server. Servers sync files to disk after a while only, two minutes by
// default: if all replicas lose power, the last writes are lost, unless the servers have sync_interval: always. The
// bucket must have no TTL, and no limits that discard values.
//
// A write to NATS cannot depend on a key of the bucket. Attach Term.Token to what the leader writes, and have the
// receiver refuse a token smaller than one that it has seen.
package natsstore

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"net/url"
	"strconv"
	"strings"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/go-election/election/store"
)

// Store keeps values in a bucket. It implements [store.Watcher].
type Store struct{ bucket jetstream.KeyValue }

var _ store.Watcher = (*Store)(nil)

// New returns a Store that uses a bucket. The caller closes the connection.
func New(bucket jetstream.KeyValue) *Store { return &Store{bucket} }

// escape returns the key in the bucket. Letters, digits, '-', '_' and '/' stay, and each other byte becomes '=' and
// two hexadecimal digits, so "a.b c" becomes "a=2Eb=20c".
func escape(key string) string {
	return strings.NewReplacer(".", "=2E", "~", "=7E", "+", "=20", "%2F", "/", "%", "=").Replace(url.QueryEscape(key))
}

// Get implements [store.Store]. Any replica may answer, so the answer may be out of date.
func (s *Store) Get(ctx context.Context, key string) (value []byte, revision string, err error) {
	entry, err := s.bucket.Get(ctx, escape(key))
	switch {
	case errors.Is(err, jetstream.ErrKeyNotFound):
		return nil, "", fmt.Errorf("natsstore: %w: %q", store.ErrAbsent, key)
	case err != nil:
		return nil, "", fmt.Errorf("natsstore: %w", err)
	}
	return entry.Value(), strconv.FormatUint(entry.Revision(), 10), nil
}

// Put implements [store.Store].
func (s *Store) Put(ctx context.Context, key string, value []byte, revision string) (written string, err error) {
	var sequence uint64
	if revision == "" {
		sequence, err = s.bucket.Create(ctx, escape(key), value)
	} else {
		var before uint64
		if before, err = strconv.ParseUint(revision, 10, 64); err != nil || before == 0 {
			return "", fmt.Errorf("natsstore: %w: %q is not a revision", store.ErrConflict, revision)
		}
		sequence, err = s.bucket.Update(ctx, escape(key), value, before)
	}
	switch {
	case errors.Is(err, jetstream.ErrKeyExists), errors.Is(err, jetstream.ErrKeyRevisionMismatch):
		return "", fmt.Errorf("natsstore: %w: %q: %w", store.ErrConflict, key, err)
	case err != nil:
		return "", fmt.Errorf("natsstore: %w", err)
	}
	return strconv.FormatUint(sequence, 10), nil
}

// Watch implements [store.Watcher]. Events contain the value; the first one is the current value, if there is one.
func (s *Store) Watch(ctx context.Context, key string) iter.Seq[store.Event] {
	return func(yield func(store.Event) bool) {
		watcher, err := s.bucket.Watch(ctx, escape(key))
		if err != nil {
			return
		}
		defer func() { _ = watcher.Stop() }()
		for entry := range watcher.Updates() { // closed when ctx or the connection ends
			event := store.Event{}
			switch {
			case entry == nil:
				continue // marks the end of earlier values
			case entry.Operation() == jetstream.KeyValuePut:
				event = store.Event{Value: entry.Value(), Revision: strconv.FormatUint(entry.Revision(), 10)}
			}
			if !yield(event) {
				return
			}
		}
	}
}
