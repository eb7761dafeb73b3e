package etcdstore_test

import (
	"context"
	"fmt"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/server/v3/embed"
	"go.uber.org/zap"
	"google.golang.org/grpc"
	"google.golang.org/grpc/backoff"

	"github.com/go-election/election/adapters/etcdstore"
	"github.com/go-election/election/internal/grouptest"
	"github.com/go-election/election/store"
	"github.com/go-election/election/store/storetest"
)

// listen runs a server of etcd in this process, with its files in dir, and returns when it answers.
func listen(dir, address string) (*embed.Etcd, error) {
	c := embed.NewConfig()
	c.Dir, c.Logger, c.LogLevel = dir, "zap", "fatal"
	c.TickMs, c.ElectionMs = 10, 100
	client, peer := url.URL{Scheme: "http", Host: address}, url.URL{Scheme: "http", Host: "127.0.0.1:0"}
	c.ListenClientUrls, c.AdvertiseClientUrls = []url.URL{client}, []url.URL{client}
	c.ListenPeerUrls, c.AdvertisePeerUrls = []url.URL{peer}, []url.URL{peer}
	c.InitialCluster = c.InitialClusterFromName(c.Name)
	s, err := embed.StartEtcd(c)
	if err == nil {
		<-s.Server.ReadyNotify()
	}
	return s, err
}

// serve runs a server until stop is called or the test ends.
func serve(tb testing.TB, dir, address string) (stop func()) {
	s, err := listen(dir, address)
	require.NoError(tb, err)
	stop = sync.OnceFunc(s.Close)
	tb.Cleanup(stop)
	return stop
}

func dial(address string) (*clientv3.Client, error) {
	return clientv3.New(clientv3.Config{Endpoints: []string{address}, Logger: zap.NewNop(), DialOptions: []grpc.DialOption{
		grpc.WithConnectParams(grpc.ConnectParams{Backoff: backoff.Config{BaseDelay: 20 * time.Millisecond, Multiplier: 1.6,
			Jitter: 0.2, MaxDelay: 100 * time.Millisecond}, MinConnectTimeout: 10 * time.Second})}})
}

func connect(tb testing.TB, address string) *clientv3.Client {
	client, err := dial(address)
	require.NoError(tb, err)
	tb.Cleanup(func() { _ = client.Close() })
	return client
}

func TestConformance(t *testing.T) {
	address := grouptest.Free(t)
	serve(t, t.TempDir(), address)
	client := connect(t, address)
	storetest.Test(t, func(_ context.Context, address string) (store.Store, func() error, error) {
		client, err := dial(address)
		if err != nil {
			return nil, nil, err
		}
		return etcdstore.New(client), client.Close, nil
	}, storetest.Options{Address: address, Delete: func(ctx context.Context, key string) error {
		_, err := client.Delete(ctx, key)
		return err
	}})
}

// record is what package elector writes.
func record(term uint64, owner string, beat int) []byte {
	return fmt.Appendf(nil, `{"v":1,"term":%d,"owner":%q,"beat":%d}`, term, owner, beat)
}

// TestGuard: transactions of a leader succeed until another member has taken the lease, and then fail, whether or not
// the former leader knows.
func TestGuard(t *testing.T) {
	address := grouptest.Free(t)
	serve(t, t.TempDir(), address)
	client := connect(t, address)
	s := etcdstore.New(client)
	writes := func(term uint64) bool {
		answer, err := client.Txn(t.Context()).If(etcdstore.Guard("orders", term)).
			Then(clientv3.OpPut("written by", fmt.Sprint(term))).Commit()
		require.NoError(t, err)
		return answer.Succeeded
	}
	require.False(t, writes(1), "nobody has ever led")
	revision := ""
	for _, step := range []struct {
		record []byte
		term   uint64
	}{{record(9, "a", 1), 9}, {record(9, "a", 2), 9}, {record(9, "", 3), 9}, {record(10, "b", 4), 10},
		{record(11, "a", 5), 11}} {
		_, err := s.Put(t.Context(), "election/orders", step.record, "123456")
		require.ErrorIs(t, err, store.ErrConflict, "what is refused changes no term")
		revision, err = s.Put(t.Context(), "election/orders", step.record, revision)
		require.NoError(t, err)
		for term := uint64(8); term <= 12; term++ {
			require.Equal(t, term == step.term, writes(term), "term %d, after %s", term, step.record)
		}
	}
	got, err := client.Get(t.Context(), "written by")
	require.NoError(t, err)
	require.Equal(t, "11", string(got.Kvs[0].Value))

	_, err = s.Put(t.Context(), "election/orders/2", record(50, "c", 1), "")
	require.NoError(t, err)
	require.True(t, writes(11), "each group has its own term")
}

// TestRenewals: a renewal writes the record only, once.
func TestRenewals(t *testing.T) {
	address := grouptest.Free(t)
	serve(t, t.TempDir(), address)
	client := connect(t, address)
	s := etcdstore.New(client)
	revision, err := s.Put(t.Context(), "election/orders", record(9, "a", 1), "")
	require.NoError(t, err)
	_, err = s.Put(t.Context(), "election/orders", record(9, "a", 2), revision)
	require.NoError(t, err)
	got, err := client.Get(t.Context(), "", clientv3.WithPrefix())
	require.NoError(t, err)
	versions := make(map[string]int64)
	for _, kv := range got.Kvs {
		versions[string(kv.Key)] = kv.Version
	}
	require.Equal(t, map[string]int64{"election/orders": 2, "term/election/orders": 1}, versions)
}

// TestRestart: a server that stops and starts again keeps the revisions. Meanwhile no error claims more than is known.
func TestRestart(t *testing.T) {
	address, dir := grouptest.Free(t), t.TempDir()
	stop := serve(t, dir, address)
	kept := etcdstore.New(connect(t, address))
	revision, err := kept.Put(t.Context(), "k", []byte("first"), "")
	require.NoError(t, err)
	stop()
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	_, _, err = kept.Get(ctx, "k")
	require.Error(t, err)
	require.NotErrorIs(t, err, store.ErrAbsent)
	_, err = kept.Put(ctx, "k", []byte("lost"), "1000")
	require.Error(t, err)
	require.NotErrorIs(t, err, store.ErrConflict)
	serve(t, dir, address)
	require.Eventually(t, func() bool {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		value, again, err := kept.Get(ctx, "k")
		return err == nil && string(value) == "first" && again == revision
	}, time.Minute, 10*time.Millisecond)
	_, err = kept.Put(t.Context(), "k", []byte("second"), revision)
	require.NoError(t, err)
}

// TestRevisions: what no Put has returned is no revision.
func TestRevisions(t *testing.T) {
	for _, revision := range []string{"0", "-1", "x", strings.Repeat("9", 30)} {
		_, err := etcdstore.New(nil).Put(t.Context(), "k", nil, revision)
		require.ErrorIs(t, err, store.ErrConflict)
	}
}
