// Package etcdstore keeps the lease of a group in etcd.
//
// # Usage
//
//	client, err := clientv3.New(clientv3.Config{Endpoints: endpoints,
//		DialKeepAliveTime: 10 * time.Second, DialKeepAliveTimeout: 2 * time.Second,
//		DialOptions: []grpc.DialOption{grpc.WithConnectParams(grpc.ConnectParams{Backoff: backoff.Config{
//			BaseDelay: 100 * time.Millisecond, Multiplier: 1.6, Jitter: 0.2, MaxDelay: time.Second}})}})
//	...
//	e, err := elector.New(elector.Config{Group: "orders", Self: "a", Store: etcdstore.New(client)})
//
// The record is at the key "election/orders", and etcdctl get election/orders prints it. There is no etcd lease,
// session or lock.
//
// Without these options a client waits up to two minutes before it connects again after a long outage, and uses a
// connection that is silently broken for many minutes.
//
// # Guard
//
// A transaction of the leader that contains [Guard] fails as soon as another member has taken the lease, even if the
// former leader has not noticed:
//
//	answer, err := client.Txn(ctx).If(etcdstore.Guard("orders", term.Token())).
//		Then(clientv3.OpPut("invoices/last", "17")).Commit()
//	if err == nil && !answer.Succeeded {
//		// another member leads
//	}
//
// # Limitations
//
// A cluster that is restored from a backup forgets what was written since: stop all members before.
//
// With authentication, a member needs to read and write the keys below "election/" and "term/election/".
package etcdstore

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"strconv"

	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/go-election/election/store"
)

// Store keeps values in etcd. It implements [store.Watcher].
type Store struct{ client *clientv3.Client }

var _ store.Watcher = (*Store)(nil)

// New returns a Store that uses a client. The caller closes the client.
func New(client *clientv3.Client) *Store { return &Store{client} }

// Get implements [store.Store]. It asks one server, whose answer may be out of date.
func (s *Store) Get(ctx context.Context, key string) (value []byte, revision string, err error) {
	answer, err := s.client.Get(ctx, key, clientv3.WithSerializable())
	switch {
	case err != nil:
		return nil, "", fmt.Errorf("etcdstore: %w", err)
	case len(answer.Kvs) == 0:
		return nil, "", fmt.Errorf("etcdstore: %w: %q", store.ErrAbsent, key)
	}
	return answer.Kvs[0].Value, strconv.FormatInt(answer.Kvs[0].ModRevision, 10), nil
}

// Put implements [store.Store]. If the value is the record of a lease, the same transaction writes its term where
// [Guard] finds it.
func (s *Store) Put(ctx context.Context, key string, value []byte, revision string) (written string, err error) {
	var before int64 // of a key without a value
	if revision != "" {
		if before, err = strconv.ParseInt(revision, 10, 64); err != nil || before <= 0 {
			return "", fmt.Errorf("etcdstore: %w: %q is not a revision", store.ErrConflict, revision)
		}
	}
	writes := []clientv3.Op{clientv3.OpPut(key, string(value))}
	var record struct{ Term uint64 }
	if json.Unmarshal(value, &record) == nil && record.Term > 0 {
		// Renewals do not change it.
		term := clientv3.OpPut(termKey(key), strconv.FormatUint(record.Term, 10))
		writes = append(writes, clientv3.OpTxn([]clientv3.Cmp{guard(key, record.Term)}, nil, []clientv3.Op{term}))
	}
	answer, err := s.client.Txn(ctx).If(clientv3.Compare(clientv3.ModRevision(key), "=", before)).Then(writes...).Commit()
	switch {
	case err != nil:
		return "", fmt.Errorf("etcdstore: %w", err)
	case !answer.Succeeded:
		return "", fmt.Errorf("etcdstore: %w: %q", store.ErrConflict, key)
	}
	return strconv.FormatInt(answer.Header.Revision, 10), nil
}

// Watch implements [store.Watcher]. Events contain the value.
func (s *Store) Watch(ctx context.Context, key string) iter.Seq[store.Event] {
	return func(yield func(store.Event) bool) {
		ctx, cancel := context.WithCancel(clientv3.WithRequireLeader(ctx))
		defer cancel()
		for answer := range s.client.Watch(ctx, key) {
			for _, e := range answer.Events {
				event := store.Event{}
				if e.Type == clientv3.EventTypePut {
					event = store.Event{Value: e.Kv.Value, Revision: strconv.FormatInt(e.Kv.ModRevision, 10)}
				}
				if !yield(event) {
					return
				}
			}
		}
	}
}

// Guard returns a condition for transactions of the leader of a group: it holds until another member takes the lease.
// The term is [elector.Term.Token].
//
// [elector.Term.Token]: https://pkg.go.dev/github.com/go-election/election/elector#Term.Token
func Guard(group string, term uint64) clientv3.Cmp { return guard("election/"+group, term) }

func guard(key string, term uint64) clientv3.Cmp {
	return clientv3.Compare(clientv3.Value(termKey(key)), "=", strconv.FormatUint(term, 10))
}

// termKey returns where the term of a record is. No group has this key: theirs begin with "election/".
func termKey(key string) string { return "term/" + key }
