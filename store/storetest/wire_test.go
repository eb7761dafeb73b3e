package storetest

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"net"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election/store"
	"github.com/go-election/election/store/memstore"
)

// request and reply are lines of JSON between the clients and the server of a small store over TCP.
type request struct {
	Put      bool
	Blind    bool // writes whatever the revision is
	Key      string
	Value    []byte
	Revision string
}

type reply struct {
	Value    []byte
	Revision string
	Error    string
}

// serve starts a server and returns its address.
func serve(t *testing.T) string {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	values := memstore.New()
	var running sync.WaitGroup
	running.Go(func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			running.Go(func() {
				stop := context.AfterFunc(t.Context(), func() { conn.Close() })
				defer stop()
				answer(conn, values)
			})
		}
	})
	t.Cleanup(func() {
		require.NoError(t, listener.Close())
		running.Wait()
	})
	return listener.Addr().String()
}

func answer(conn net.Conn, values *memstore.Store) {
	defer conn.Close()
	lines := json.NewDecoder(conn)
	for {
		var q request
		if err := lines.Decode(&q); err != nil {
			return
		}
		var a reply
		var err error
		if q.Blind {
			_, q.Revision, _ = values.Get(context.Background(), q.Key)
		}
		if q.Put {
			a.Revision, err = values.Put(context.Background(), q.Key, q.Value, q.Revision)
		} else {
			a.Value, a.Revision, err = values.Get(context.Background(), q.Key)
		}
		switch {
		case errors.Is(err, store.ErrAbsent):
			a.Error = "absent"
		case errors.Is(err, store.ErrConflict):
			a.Error = "conflict"
		}
		if err := json.NewEncoder(conn).Encode(a); err != nil {
			return
		}
	}
}

// flaws are mistakes of a client.
type flaws struct {
	retries bool  // sends a request again if there is no answer
	deaf    bool  // ignores the context
	broken  error // returned instead of an error of the network
	sticky  bool  // does not connect again
	blind   bool  // compares the revision itself
	keeps   bool  // sends a Put that has failed before the next request, which is not a mistake
	waits   bool  // reports an error of the network when the context ends, which is not a mistake
}

// remote is a client.
type remote struct {
	flaws
	address string

	mu     sync.Mutex
	conn   net.Conn
	closed bool
	failed error
	kept   *request
}

func (c *remote) ask(ctx context.Context, q request) (a reply, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.failed != nil {
		return a, c.failed
	}
	for range 5 {
		if a, err = c.once(ctx, q); err == nil || !c.retries || ctx.Err() != nil {
			break
		}
		time.Sleep(time.Millisecond)
	}
	if err != nil && c.waits {
		<-ctx.Done()
	}
	if err != nil && c.keeps && q.Put {
		c.kept = &q
	}
	switch {
	case err != nil && c.sticky:
		c.failed = err
	case err != nil && c.broken != nil:
		return a, c.broken
	case a.Error == "absent":
		err = store.ErrAbsent
	case a.Error == "conflict":
		err = store.ErrConflict
	}
	return a, err
}

func (c *remote) once(ctx context.Context, q request) (a reply, err error) {
	if c.closed {
		return a, net.ErrClosed
	}
	if c.conn == nil {
		if c.conn, err = new(net.Dialer).DialContext(ctx, "tcp", c.address); err != nil {
			c.conn = nil
			return a, err
		}
	}
	if kept := c.kept; kept != nil {
		c.kept = nil
		if _, err := c.once(ctx, *kept); err != nil {
			return a, err
		}
	}
	defer func() {
		if err != nil {
			c.conn.Close()
			c.conn = nil
		}
	}()
	if !c.deaf {
		conn := c.conn
		stop := context.AfterFunc(ctx, func() { conn.SetDeadline(time.Unix(1, 0)) })
		defer stop()
	}
	if err := json.NewEncoder(c.conn).Encode(q); err != nil {
		return a, err
	}
	line, err := bufio.NewReader(c.conn).ReadBytes('\n')
	if err != nil {
		return a, err
	}
	return a, json.Unmarshal(line, &a)
}

func (c *remote) Get(ctx context.Context, key string) ([]byte, string, error) {
	a, err := c.ask(ctx, request{Key: key})
	return a.Value, a.Revision, err
}

func (c *remote) Put(ctx context.Context, key string, value []byte, revision string) (string, error) {
	if c.blind {
		_, now, err := c.Get(ctx, key)
		switch {
		case err != nil && !errors.Is(err, store.ErrAbsent):
			return "", err
		case now != revision:
			return "", store.ErrConflict
		}
	}
	a, err := c.ask(ctx, request{Put: true, Blind: c.blind, Key: key, Value: value, Revision: revision})
	return a.Revision, err
}

func (c *remote) close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.closed = true
	if c.conn == nil {
		return nil
	}
	return c.conn.Close()
}

// over returns a function that connects clients with these flaws.
func over(f flaws) Open {
	return func(_ context.Context, address string) (store.Store, func() error, error) {
		c := &remote{flaws: f, address: address}
		return c, c.close, nil
	}
}

// TestRemote: a store over TCP passes all tests that need a network.
func TestRemote(t *testing.T) {
	for f := range Check(t.Context(), over(flaws{}), Options{Address: serve(t), Patience: time.Minute}) {
		switch f.Property {
		case "Watch":
			require.Equal(t, NotPromised, f.Verdict, f)
		case "Deleted":
			require.Equal(t, NotTested, f.Verdict, f)
		default:
			require.Equal(t, Holds, f.Verdict, f)
		}
	}
}

// TestLateError: a client may report a lost request as late as its context ends.
func TestLateError(t *testing.T) {
	lost := property{"LostAnswer", lostAnswer}
	f := lost.find(t.Context(), over(flaws{waits: true}), Options{Address: serve(t), Patience: 5 * time.Second,
		brief: 50 * time.Millisecond})
	require.Equal(t, Holds, f.Verdict, f)
}
