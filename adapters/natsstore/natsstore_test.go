package natsstore_test

import (
	"context"
	"errors"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/stretchr/testify/require"

	"github.com/go-election/election/adapters/natsstore"
	"github.com/go-election/election/store"
	"github.com/go-election/election/store/storetest"
)

// listen runs a NATS server in this process, with its files in dir, and returns when it answers.
func listen(dir string, port int) (*server.Server, error) {
	s, err := server.NewServer(&server.Options{Host: "127.0.0.1", Port: port, JetStream: true, StoreDir: dir, NoLog: true,
		NoSigs: true})
	if err != nil {
		return nil, err
	}
	s.Start()
	if !s.ReadyForConnections(time.Minute) {
		return nil, errors.New("the server is not ready")
	}
	return s, nil
}

// serve runs a server until the test ends. A port of -1 chooses a free one.
func serve(tb testing.TB, dir string, port int) *server.Server {
	s, err := listen(dir, port)
	require.NoError(tb, err)
	tb.Cleanup(func() { shutdown(s) })
	return s
}

func shutdown(s *server.Server) {
	s.Shutdown()
	s.WaitForShutdown()
}

// open connects to a bucket.
func open(ctx context.Context, address string) (*nats.Conn, jetstream.KeyValue, error) {
	conn, err := nats.Connect("nats://"+address, nats.MaxReconnects(-1), nats.ReconnectBufSize(-1),
		nats.ReconnectWait(20*time.Millisecond), nats.PingInterval(5*time.Second), nats.Timeout(5*time.Second),
		nats.ErrorHandler(func(*nats.Conn, *nats.Subscription, error) {}))
	if err != nil {
		return nil, nil, err
	}
	js, err := jetstream.New(conn, jetstream.WithDefaultTimeout(time.Minute))
	if err != nil {
		return nil, nil, err
	}
	bucket, err := js.CreateOrUpdateKeyValue(ctx, jetstream.KeyValueConfig{Bucket: "elections"})
	return conn, bucket, err
}

func TestConformance(t *testing.T) {
	s := serve(t, t.TempDir(), -1)
	address := s.Addr().String()
	conn, bucket, err := open(t.Context(), address)
	require.NoError(t, err)
	defer conn.Close()
	storetest.Test(t, func(ctx context.Context, address string) (store.Store, func() error, error) {
		conn, bucket, err := open(ctx, address)
		if err != nil {
			return nil, nil, err
		}
		return natsstore.New(bucket), func() error { conn.Close(); return nil }, nil
	}, storetest.Options{Address: address, Delete: func(ctx context.Context, key string) error {
		return bucket.Delete(ctx, natsstore.Escape(key))
	}})
}

// TestKey: the record of a group is where the documentation says.
func TestKey(t *testing.T) {
	require.Equal(t, "election/orders", natsstore.Escape("election/orders"))
	require.Equal(t, "a=2Eb=20c=3D=C3=A4", natsstore.Escape("a.b c=ä"))
	s := serve(t, t.TempDir(), -1)
	conn, bucket, err := open(t.Context(), s.Addr().String())
	require.NoError(t, err)
	defer conn.Close()
	_, err = natsstore.New(bucket).Put(t.Context(), "election/orders", []byte("value"), "")
	require.NoError(t, err)
	entry, err := bucket.Get(t.Context(), "election/orders")
	require.NoError(t, err)
	require.Equal(t, "value", string(entry.Value()))
}

// TestRestart: a server that stops and starts again keeps the revisions. Meanwhile no error claims more than is known.
func TestRestart(t *testing.T) {
	dir := t.TempDir()
	s := serve(t, dir, -1)
	conn, bucket, err := open(t.Context(), s.Addr().String())
	require.NoError(t, err)
	defer conn.Close()
	kept := natsstore.New(bucket)
	revision, err := kept.Put(t.Context(), "k", []byte("first"), "")
	require.NoError(t, err)
	port := s.Addr().(*net.TCPAddr).Port
	shutdown(s)
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	_, _, err = kept.Get(ctx, "k")
	require.Error(t, err)
	require.NotErrorIs(t, err, store.ErrAbsent)
	_, err = kept.Put(ctx, "k", []byte("lost"), "1000")
	require.Error(t, err)
	require.NotErrorIs(t, err, store.ErrConflict)
	serve(t, dir, port)
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
		_, err := natsstore.New(nil).Put(t.Context(), "k", nil, revision)
		require.ErrorIs(t, err, store.ErrConflict)
	}
}
