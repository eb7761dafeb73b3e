package tcp_test

import (
	"crypto/tls"
	"io"
	"net"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/transport/tcp"
)

// recorder is a connection that keeps what was last written.
type recorder struct {
	net.Conn
	last []byte
}

func (r *recorder) Write(b []byte) (int, error) {
	r.last = append(r.last[:0], b...)
	return r.Conn.Write(b)
}

// TestReplayed: a record that an attacker on the way writes again, as it was, ends the connection. Its packet
// arrives once.
func TestReplayed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var h hub
		ca := newAuthority(t)
		c := h.member(1)
		c.TLS = ca.of(t, 1)
		n := open(t, c)
		g := group(t, n, tcp.GroupConfig{})
		var got []election.Packet
		var receiving sync.WaitGroup
		receiving.Go(func() {
			for {
				p, err := g.Recv(t.Context())
				if err != nil {
					return
				}
				got = append(got, p)
			}
		})
		raw, err := h.Dial(t.Context(), at(1))
		require.NoError(t, err)
		defer raw.Close()
		wire := &recorder{Conn: raw}
		nc := tls.Client(wire, of(same, cluster, "2", time.Hour, nil)(t, ca))
		_, err = nc.Write(said(2, 1, 9))
		require.NoError(t, err)
		ended := make(chan error, 1)
		go func() {
			_, err := io.Copy(io.Discard, nc)
			ended <- err
		}()
		_, err = nc.Write([]byte{1<<3 + 1, 1, 'g', 0})
		require.NoError(t, err)
		synctest.Wait()
		_, err = nc.Write([]byte{1 << 3, 0}) // a packet without changes
		require.NoError(t, err)
		synctest.Wait()
		require.Empty(t, ended)
		_, err = raw.Write(wire.last)
		require.NoError(t, err)
		require.Error(t, <-ended)
		require.NoError(t, n.Close())
		receiving.Wait()
		require.Len(t, got, 1)
	})
}

// TestTrickle: a client whose handshake or hello never stands still, and never ends, is refused after
// Timeout.
func TestTrickle(t *testing.T) {
	for name, private := range map[string]bool{"handshake": true, "hello": false} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var h hub
				c := h.member(1)
				text := said(2, 1, 9)
				if private {
					c.TLS = newAuthority(t).of(t, 1)
					text = append([]byte{22, 3, 1, 1, 0}, make([]byte, 256)...) // a handshake record
				}
				n := open(t, c)
				nc, err := h.Dial(t.Context(), at(1))
				require.NoError(t, err)
				defer nc.Close()
				began := time.Now()
				var ended sync.WaitGroup
				ended.Go(func() {
					_, _ = io.Copy(io.Discard, nc)
					assert.Equal(t, time.Second, time.Since(began))
				})
				for i := range text {
					if _, err = nc.Write(text[i : i+1]); err != nil {
						break
					}
					time.Sleep(100 * time.Millisecond)
				}
				require.Error(t, err)
				ended.Wait()
				require.Equal(t, uint64(1), n.Stats().Refused)
			})
		})
	}
}

// tickets counts the sessions that a client could resume.
type tickets struct{ count atomic.Int32 }

func (c *tickets) Get(string) (*tls.ClientSessionState, bool) { return nil, false }
func (c *tickets) Put(string, *tls.ClientSessionState)        { c.count.Add(1) }

// TestNoResumption: no client can resume a session, so each makes a whole handshake with the present roots.
func TestNoResumption(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var h hub
		ca := newAuthority(t)
		c := h.member(1)
		c.TLS = ca.of(t, 1)
		n := open(t, c)
		var got tickets
		config := of(same, cluster, "2", time.Hour, nil)(t, ca)
		config.ClientSessionCache, config.ServerName = &got, "1"
		raw, err := h.Dial(t.Context(), at(1))
		require.NoError(t, err)
		defer raw.Close()
		nc := tls.Client(raw, config)
		require.NoError(t, nc.Handshake())
		go func() { _, _ = io.Copy(io.Discard, nc) }() // a ticket would follow the handshake
		_, err = nc.Write(said(2, 1, 9))
		require.NoError(t, err)
		synctest.Wait()
		require.Zero(t, got.count.Load())
		require.Zero(t, n.Stats().Refused)
	})
}
