package redisstore_test

import (
	"context"
	"fmt"
	"net"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/logging"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/go-election/election/adapters/redisstore"
	"github.com/go-election/election/elector/fence"
	"github.com/go-election/election/internal/grouptest"
	"github.com/go-election/election/store"
	"github.com/go-election/election/store/storetest"
)

func TestMain(m *testing.M) {
	logging.Disable() // of broken connections, which tests cause
	goleak.VerifyTestMain(m)
}

// serve runs redis-server, with its files in dir, until stop is called or the test ends.
func serve(tb testing.TB, dir, address string) (stop func()) {
	_, port, err := net.SplitHostPort(address)
	require.NoError(tb, err)
	server := exec.Command("redis-server", "--bind", "127.0.0.1", "--port", port, "--dir", dir, "--appendonly", "yes",
		"--appendfsync", "always", "--save", "")
	require.NoError(tb, server.Start(), "install redis-server")
	stop = sync.OnceFunc(func() {
		_ = server.Process.Signal(syscall.SIGTERM)
		_ = server.Wait()
	})
	tb.Cleanup(stop)
	client := connect(tb, address)
	require.Eventually(tb, func() bool { return client.Ping(context.Background()).Err() == nil }, time.Minute,
		10*time.Millisecond)
	return stop
}

func dial(address string) *redis.Client { return redis.NewClient(&redis.Options{Addr: address}) }

func connect(tb testing.TB, address string) *redis.Client {
	client := dial(address)
	tb.Cleanup(func() { _ = client.Close() })
	return client
}

func TestConformance(t *testing.T) {
	address := grouptest.Free(t)
	serve(t, t.TempDir(), address)
	client := connect(t, address)
	storetest.Test(t, func(_ context.Context, address string) (store.Store, func() error, error) {
		client := dial(address)
		return redisstore.New(client), client.Close, nil
	}, storetest.Options{Address: address, Delete: func(ctx context.Context, key string) error {
		return client.Del(ctx, key).Err()
	}})
}

// record is what package elector writes.
func record(term uint64, owner string, beat int) []byte {
	return fmt.Appendf(nil, `{"v":1,"term":%d,"owner":%q,"beat":%d}`, term, owner, beat)
}

// TestFenced: scripts of a leader run until another member has taken the lease, and then fail, whether or not the
// former leader knows.
func TestFenced(t *testing.T) {
	address := grouptest.Free(t)
	serve(t, t.TempDir(), address)
	client := connect(t, address)
	s := redisstore.New(client)
	writes := func(term uint64) bool {
		answer, err := redisstore.Fenced(t.Context(), client, "orders", term,
			"redis.call('SET', KEYS[1], ARGV[1]) return #KEYS .. #ARGV", []string{"written by"}, term)
		if err != nil {
			require.ErrorIs(t, err, fence.ErrStale)
			return false
		}
		require.Equal(t, "11", answer, "the script has its own keys and arguments")
		return true
	}
	require.False(t, writes(1), "nobody has ever led")
	revision := ""
	for _, step := range []struct {
		record []byte
		term   uint64
	}{{record(9, "a", 1), 9}, {record(9, "a", 2), 9}, {record(9, "", 3), 9}, {record(10, "b", 4), 10},
		{record(1<<53-1, "a", 5), 1<<53 - 1}} {
		_, err := s.Put(t.Context(), "election/orders", step.record, "another")
		require.ErrorIs(t, err, store.ErrConflict, "what is refused changes no term")
		revision, err = s.Put(t.Context(), "election/orders", step.record, revision)
		require.NoError(t, err)
		for _, term := range []uint64{8, 9, 10, 11, 1<<53 - 2, 1<<53 - 1} {
			require.Equal(t, term == step.term, writes(term), "term %d, after %s", term, step.record)
		}
	}
	require.Equal(t, fmt.Sprint(1<<53-1), client.Get(t.Context(), "written by").Val())

	_, err := redisstore.Fenced(t.Context(), client, "orders", 1<<53-1, "return redis.call('GET', 'nothing')", nil)
	require.NoError(t, err, "a script may return nothing")
	_, err = redisstore.Fenced(t.Context(), client, "orders", 1<<53-1, "return redis.call('NONSENSE')", nil)
	require.ErrorContains(t, err, "Unknown Redis command")
	require.NotErrorIs(t, err, fence.ErrStale)
}

// TestRestart: a server that stops and starts again keeps the revisions. Meanwhile no error claims more than is known.
func TestRestart(t *testing.T) {
	address, dir := grouptest.Free(t), t.TempDir()
	stop := serve(t, dir, address)
	kept := redisstore.New(connect(t, address))
	revision, err := kept.Put(t.Context(), "k", []byte("first"), "")
	require.NoError(t, err)
	stop()
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	_, _, err = kept.Get(ctx, "k")
	require.Error(t, err)
	require.NotErrorIs(t, err, store.ErrAbsent)
	_, err = kept.Put(ctx, "k", []byte("lost"), "another")
	require.Error(t, err)
	require.NotErrorIs(t, err, store.ErrConflict)
	serve(t, dir, address)
	value, again, err := kept.Get(t.Context(), "k")
	require.NoError(t, err)
	require.Equal(t, "first", string(value))
	require.Equal(t, revision, again)
	_, err = kept.Put(t.Context(), "k", []byte("second"), revision)
	require.NoError(t, err)
}

// TestSilentChannel: Watch continues although nothing changes for long, as long as the server answers.
func TestSilentChannel(t *testing.T) {
	redisstore.SetSilence(time.Second)
	defer redisstore.SetSilence(5 * time.Second)
	address := grouptest.Free(t)
	serve(t, t.TempDir(), address)
	client := connect(t, address)
	s := redisstore.New(client)
	pings := func() int {
		_, after, _ := strings.Cut(client.Info(t.Context(), "commandstats").Val(), "cmdstat_ping:calls=")
		digits, _, _ := strings.Cut(after, ",")
		n, _ := strconv.Atoi(digits)
		return n
	}
	before := pings()
	ctx, cancel := context.WithCancel(t.Context())
	events := make(chan store.Event)
	go func() {
		defer close(events)
		for e := range s.Watch(ctx, "k") {
			events <- e
		}
	}()
	require.Eventually(t, func() bool { return pings() >= before+3 }, time.Minute, 100*time.Millisecond)
	revision, err := s.Put(t.Context(), "k", []byte("value"), "")
	require.NoError(t, err)
	require.Equal(t, store.Event{Value: []byte("value"), Revision: revision}, <-events)
	cancel()
	_, ok := <-events
	require.False(t, ok)
}

// TestForeignKey: a key that contains something else is not overwritten.
func TestForeignKey(t *testing.T) {
	address := grouptest.Free(t)
	serve(t, t.TempDir(), address)
	client := connect(t, address)
	require.NoError(t, client.Set(t.Context(), "k", "text", 0).Err())
	s := redisstore.New(client)
	_, _, err := s.Get(t.Context(), "k")
	require.ErrorContains(t, err, "WRONGTYPE")
	_, err = s.Put(t.Context(), "k", []byte("value"), "")
	require.ErrorContains(t, err, "WRONGTYPE")
	require.Equal(t, "text", client.Get(t.Context(), "k").Val())
}
