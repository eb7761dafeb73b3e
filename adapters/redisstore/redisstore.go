// Package redisstore keeps the lease of a group in Redis, or in a server that speaks its protocol and runs Lua.
//
// # Usage
//
//	client := redis.NewClient(&redis.Options{Addr: "10.0.0.1:6379"})
//	e, err := elector.New(elector.Config{Group: "orders", Self: "a", Store: redisstore.New(client)})
//
// The record is in the hash "election/orders", and redis-cli HGET election/orders value prints it. In a cluster, a
// group named "{orders}" shares its hash slot with other keys that contain {orders}.
//
// # Guard
//
// [Fenced] runs a script of the leader that fails as soon as another member has taken the lease.
//
// # Limitations
//
// A failover of Redis may lose the record. Replication is asynchronous, so a replica that takes over may lack the last
// writes, and a server that restarts may lack them, too, unless it has appendonly yes and appendfsync always. Then two
// members may hold valid leases at the same time, and a Term may occur twice. If a lock that fails now and then is
// enough for you, use Redis with a failover; otherwise use one server without, or another store. Writing to several
// independent servers, as Redlock does, does not help.
//
// The server must not evict keys: set maxmemory-policy noeviction. A user of the server needs the keys ~election/*; without
// the channels &election/*, followers poll.
package redisstore

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"net"
	"strconv"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/go-election/election/elector/fence"
	"github.com/go-election/election/store"
)

// Store keeps values in Redis. It implements [store.Watcher].
type Store struct{ client redis.UniversalClient }

var _ store.Watcher = (*Store)(nil)

// New returns a Store that uses a client. The caller closes the client.
func New(client redis.UniversalClient) *Store { return &Store{client} }

// once is a command that the client does not repeat. Otherwise a Put whose answer is lost would conflict with itself.
type once struct{ *redis.Cmd }

func (once) NoRetry() bool { return true }

// do returns the answer to a command. It returns when ctx ends; the client waits for its own timeouts.
func do(ctx context.Context, client redis.UniversalClient, command ...any) (any, error) {
	cmd := redis.NewCmd(ctx, command...)
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = client.Process(ctx, once{cmd})
	}()
	select {
	case <-done:
		return cmd.Result()
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// Get implements [store.Store].
func (s *Store) Get(ctx context.Context, key string) (value []byte, revision string, err error) {
	answer, err := do(ctx, s.client, "HMGET", key, "value", "revision")
	if err != nil {
		return nil, "", fmt.Errorf("redisstore: %w", err)
	}
	fields, _ := answer.([]any)
	if len(fields) != 2 || fields[1] == nil {
		return nil, "", fmt.Errorf("redisstore: %w: %q", store.ErrAbsent, key)
	}
	text, _ := fields[0].(string)
	revision, _ = fields[1].(string)
	return []byte(text), revision, nil
}

// put writes ARGV[3] if the revision is ARGV[1]. ARGV[2] is the next one. A user that may not publish gets no events.
const put = `
if (redis.call('HGET', KEYS[1], 'revision') or '') ~= ARGV[1] then return 0 end
redis.call('HSET', KEYS[1], 'revision', ARGV[2], 'value', ARGV[3], 'term', ARGV[4])
redis.pcall('PUBLISH', KEYS[1], ARGV[2] .. ARGV[3])
return 1`

// Put implements [store.Store].
func (s *Store) Put(ctx context.Context, key string, value []byte, revision string) (written string, err error) {
	var record struct{ Term uint64 }
	_ = json.Unmarshal(value, &record) // a value that is not the record of a lease has no term
	// A counter would start again after the record was lost, and a revision must not occur twice.
	written = rand.Text()
	answer, err := do(ctx, s.client, "EVAL", put, 1, key, revision, written, string(value), record.Term)
	switch {
	case err != nil:
		return "", fmt.Errorf("redisstore: %w", err)
	case answer != int64(1):
		return "", fmt.Errorf("redisstore: %w: %q", store.ErrConflict, key)
	}
	return written, nil
}

// silence is how long a channel may be silent before Watch asks the server for an answer, because the connection may be
// broken. Without an answer it ends.
var silence = 5 * time.Second

// Watch implements [store.Watcher]. Events contain the value.
func (s *Store) Watch(ctx context.Context, key string) iter.Seq[store.Event] {
	return func(yield func(store.Event) bool) {
		channel := s.client.Subscribe(ctx, key)
		defer channel.Close()
		defer context.AfterFunc(ctx, func() { _ = channel.Close() })() // Receive ignores the end of ctx
		for asked := false; ; {
			received, err := channel.ReceiveTimeout(ctx, silence)
			late, _ := errors.AsType[net.Error](err)
			switch {
			case err != nil && (asked || late == nil || !late.Timeout() || channel.Ping(ctx) != nil):
				return
			case err != nil:
				asked = true
				continue
			}
			asked = false
			switch m := received.(type) {
			case *redis.Subscription:
				// A client closes its channels, except for one that is being connected meanwhile.
				if _, err := do(ctx, s.client, "PING"); errors.Is(err, redis.ErrClosed) {
					return
				}
			case *redis.Message:
				size := min(len(rand.Text()), len(m.Payload))
				if !yield(store.Event{Revision: m.Payload[:size], Value: []byte(m.Payload[size:])}) {
					return
				}
			}
		}
	}
}

// Fenced runs a Lua script if the term, elector.Term.Token, is the current one of the group, in one step. Otherwise
// the error wraps [fence.ErrStale], and the script has not run. After any other error it may have run.
//
//	_, err := redisstore.Fenced(ctx, client, "orders", term.Token(),
//		"return redis.call('SET', KEYS[1], ARGV[1])", []string{"invoices/last"}, 17)
func Fenced(ctx context.Context, client redis.UniversalClient, group string, term uint64, script string, keys []string,
	args ...any) (any, error) {
	const check = `
if redis.call('HGET', KEYS[1], 'term') ~= ARGV[1] then return redis.error_reply('STALE another member leads') end
local KEYS, ARGV = {unpack(KEYS, 2)}, {unpack(ARGV, 2)}
`
	command := []any{"EVAL", check + script, len(keys) + 1, "election/" + group}
	for _, key := range keys {
		command = append(command, key)
	}
	command = append(append(command, strconv.FormatUint(term, 10)), args...)
	answer, err := do(ctx, client, command...)
	switch {
	case err != nil && strings.HasPrefix(err.Error(), "STALE"):
		return nil, fmt.Errorf("redisstore: %w: %d", fence.ErrStale, term)
	case err != nil && !errors.Is(err, redis.Nil):
		return nil, fmt.Errorf("redisstore: %w", err)
	}
	return answer, nil
}
