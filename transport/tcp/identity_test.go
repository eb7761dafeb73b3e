package tcp_test

import (
	"context"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/transport/tcp"
	"github.com/go-election/election/transport/tcp/certs"
)

// group opens a group of that configuration, or fails.
func group(tb testing.TB, n *tcp.Network, c tcp.GroupConfig) *tcp.Group {
	g, err := n.Group("g", c)
	require.NoError(tb, err)
	return g
}

// receives checks that the next packet has this value.
func receives(tb testing.TB, g *tcp.Group, from election.ID, value uint64) {
	tb.Helper()
	p, err := g.Recv(tb.Context())
	require.NoError(tb, err)
	require.Equal(tb, from, p.From)
	require.Equal(tb, value, p.Msg.Value)
}

func sends(tb testing.TB, g *tcp.Group, to election.ID, value uint64) {
	tb.Helper()
	require.NoError(tb, g.Send(tb.Context(), election.Packet{To: to,
		Msg: election.Message{Kind: 1, Value: value}}))
}

// TestTwoOfOneIdentity: the younger of two processes with one identity is refused, counted, and logged
// once, and disturbs nothing. When the older one has ended, it takes the place.
func TestTwoOfOneIdentity(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var h hub
		ca := newAuthority(t)
		log := &diary{level: slog.LevelError}
		start := func(id election.ID, listen string) (*tcp.Network, *tcp.Group) {
			c := h.member(id)
			c.Listener = h.Listen(listen)
			c.TLS = ca.of(t, id)
			delete(c.Members, 3)
			if id == 1 {
				c.Log = log.logger()
			}
			n := open(t, c)
			return n, group(t, n, tcp.GroupConfig{})
		}
		n1, g1 := start(1, at(1))
		older, g2 := start(2, at(2))
		awaitUp(t, g1, 1)
		_, young := start(2, "127.0.0.1:1")
		time.Sleep(10 * time.Second) // it keeps trying
		sends(t, young, 1, 1)
		sends(t, g2, 1, 2)
		receives(t, g1, 2, 2)
		sends(t, g1, 2, 3)
		receives(t, g2, 1, 3)
		require.Greater(t, n1.Stats().Duplicates, uint64(5))
		require.Equal(t, n1.Stats().Duplicates, n1.Stats().Refused)
		lines := log.take()
		require.Len(t, lines, 1)
		require.Contains(t, lines[0], "another process with the identity of process 2 is connected")
		time.Sleep(time.Second) // what it has sent is too old by now
		require.NoError(t, older.Close())
		sends(t, young, 1, 4)
		receives(t, g1, 2, 4)
	})
}

// TestRestart: a process that was restarted after a crash is not locked out by what is left of its
// predecessor.
func TestRestart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var h hub
		c1, c2 := h.member(1), h.member(2)
		stuck := new(atomic.Bool) // the predecessor answers no more, and its connections stay open
		c1.Dial = cutting(h.Dial, stuck)
		c2.Dial = func(ctx context.Context, addr string) (net.Conn, error) {
			if stuck.Load() {
				return nil, errors.New("the predecessor has crashed")
			}
			return c1.Dial(ctx, addr)
		}
		g1 := group(t, open(t, c1), tcp.GroupConfig{})
		n2, err := tcp.New(c2)
		require.NoError(t, err)
		awaitUp(t, group(t, n2, tcp.GroupConfig{}), 1)
		awaitUp(t, g1, 1)
		stuck.Store(true)
		again := h.member(2)
		g2 := group(t, open(t, again), tcp.GroupConfig{})
		began := time.Now()
		awaitUp(t, g2, 1)
		require.LessOrEqual(t, time.Since(began), time.Second, "the first attempt does it")
		sends(t, g2, 1, 5)
		receives(t, g1, 2, 5)
		require.NoError(t, n2.Close())
	})
}

// cutting returns a way to dial over which nothing arrives any more once cut is true, as if the cable were.
func cutting(dial func(context.Context, string) (net.Conn, error), cut *atomic.Bool) func(context.Context,
	string) (net.Conn, error) {
	return func(ctx context.Context, addr string) (net.Conn, error) {
		nc, err := dial(ctx, addr)
		if err != nil || cut.Load() {
			return nc, err
		}
		ours, theirs := net.Pipe()
		pump := func(from, to net.Conn) {
			defer from.Close()
			defer to.Close()
			b := make([]byte, 1<<14)
			for {
				n, err := from.Read(b)
				if err != nil {
					return
				}
				if cut.Load() {
					continue
				}
				if _, err = to.Write(b[:n]); err != nil {
					return
				}
			}
		}
		go pump(theirs, nc)
		go pump(nc, theirs)
		return ours, nil
	}
}

// TestSilence: a connection over which nothing arrives any more is noticed and replaced. The last packet before a
// pause is followed by a ping as well, if a little later.
func TestSilence(t *testing.T) {
	for before, within := range map[time.Duration]time.Duration{
		time.Minute: time.Second, time.Millisecond: 1500 * time.Millisecond,
	} {
		synctest.Test(t, func(t *testing.T) {
			var h hub
			c1, c2 := h.member(1), h.member(2)
			cut := new(atomic.Bool)
			c1.Dial, c2.Dial = cutting(h.Dial, cut), noWayOut
			g1 := group(t, open(t, c1), tcp.GroupConfig{})
			g2 := group(t, open(t, c2), tcp.GroupConfig{})
			awaitUp(t, g1, 1)
			time.Sleep(time.Second)
			sends(t, g1, 2, 1)
			receives(t, g2, 1, 1)
			time.Sleep(before)
			cut.Store(true)
			changes := make(chan bool, 10)
			defer g1.WatchPeers(func(_ election.ID, up bool) { changes <- up })()
			require.True(t, <-changes)
			began := time.Now()
			sends(t, g1, 2, 2)
			sends(t, g1, 2, 3)
			require.False(t, <-changes)
			require.LessOrEqual(t, time.Since(began), within)
			require.True(t, <-changes)
			sends(t, g1, 2, 4)
			receives(t, g2, 1, 4)
			require.LessOrEqual(t, time.Since(began), within+100*time.Millisecond)
		})
	}
}

// operator hands out certificates and roots.
type operator struct {
	mu      sync.Mutex
	signer  authority
	trusted []authority
}

const life = 20 * time.Second // of the certificates of an operator

// of returns what a member needs: as from files that are replaced when half the life of the certificate
// is over, or another authority signs.
func (o *operator) of(tb testing.TB, id election.ID) *tcp.TLS {
	var pair tls.Certificate
	load := func() (tls.Certificate, *x509.CertPool, error) {
		o.mu.Lock()
		defer o.mu.Unlock()
		roots := x509.NewCertPool()
		for _, ca := range o.trusted {
			roots.AppendCertsFromPEM(ca.Cert)
		}
		if pair.Leaf == nil || time.Until(pair.Leaf.NotAfter) < life/2 ||
			pair.Leaf.CheckSignatureFrom(o.signer.Leaf(tb)) != nil {
			pair = o.signer.pair(tb, cluster, fmt.Sprint(uint64(id)), life)
		}
		return pair, roots, nil
	}
	return &tcp.TLS{Cluster: cluster, Load: load}
}

func (o *operator) set(signer authority, trusted ...authority) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.signer, o.trusted = signer, trusted
}

// TestRotation: certificates, and then the authority, are replaced while both members send all the time.
// No packet is lost, and the peer never seems down.
func TestRotation(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var h hub
		old, next := newAuthority(t), newAuthority(t)
		o := &operator{signer: old, trusted: []authority{old}}
		var nets []*tcp.Network
		var groups []*tcp.Group
		for _, id := range []election.ID{1, 2} {
			c := h.member(id)
			delete(c.Members, 3)
			c.TLS = o.of(t, id)
			n := open(t, c)
			nets, groups = append(nets, n), append(groups, group(t, n, tcp.GroupConfig{}))
		}
		awaitUp(t, groups[0], 1)
		awaitUp(t, groups[1], 1)
		for _, g := range groups {
			stop := g.WatchPeers(func(id election.ID, up bool) {
				if !up {
					t.Errorf("process %d seems down", id)
				}
			})
			defer stop()
		}
		const packets = 8000 // three each 100 ms
		var sending sync.WaitGroup
		defer sending.Wait()
		for i, g := range groups {
			sending.Go(func() {
				for value := range uint64(packets) {
					p := election.Packet{To: election.ID(2 - i), Msg: election.Message{Kind: 1, Value: value}}
					if err := g.Send(background, p); err != nil {
						t.Error(err)
					}
					if value%3 == 2 {
						time.Sleep(100 * time.Millisecond)
					}
				}
			})
		}
		for value := range uint64(packets) {
			switch value {
			case packets / 4:
				o.set(old, old, next)
			case packets / 2:
				o.set(next, old, next)
			case packets * 3 / 4:
				o.set(next, next)
			}
			receives(t, groups[0], 2, value)
			receives(t, groups[1], 1, value)
		}
		require.Zero(t, nets[0].Stats().Refused+nets[1].Stats().Refused)
		require.Greater(t, nets[0].Stats().Dials+nets[1].Stats().Dials, uint64(10))
	})
}

// TestExpired: a member whose certificate is not replaced is cut off when it expires.
func TestExpired(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var h hub
		ca := newAuthority(t)
		log := &diary{level: slog.LevelWarn}
		var groups []*tcp.Group
		for _, id := range []election.ID{1, 2} {
			c := h.member(id)
			delete(c.Members, 3)
			c.TLS = ca.of(t, id)
			c.Log = log.logger()
			if id == 2 {
				pair := ca.pair(t, cluster, "2", time.Minute)
				c.TLS.Load = func() (tls.Certificate, *x509.CertPool, error) { return pair, ca.roots(), nil }
			}
			groups = append(groups, group(t, open(t, c), tcp.GroupConfig{}))
		}
		awaitUp(t, groups[0], 1)
		time.Sleep(time.Minute - time.Second)
		awaitUp(t, groups[0], 1)
		awaitUp(t, groups[1], 1)
		time.Sleep(10 * time.Second)
		for _, g := range groups {
			g.WatchPeers(func(_ election.ID, up bool) { t.Errorf("the peer is up = %t", up) })
		}
		require.Contains(t, strings.Join(log.take(), "\n"),
			"the own certificate has expired at 2000-01-01 00:01:00")
	})
}

// intermediate returns an authority that this one has signed.
func (a authority) intermediate(tb testing.TB, life time.Duration) authority {
	next, err := certs.NewCA("intermediate", time.Now(), life)
	require.NoError(tb, err)
	signer, err := tls.X509KeyPair(a.Cert, a.Key)
	require.NoError(tb, err)
	own := authority{next}.Leaf(tb)
	der, err := x509.CreateCertificate(rand.Reader, own, signer.Leaf, own.PublicKey, signer.PrivateKey)
	require.NoError(tb, err)
	ca, err := certs.ParseCA(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), next.Key)
	require.NoError(tb, err)
	return authority{ca}
}

// TestIntermediate: a member is cut off when the certificate of the authority between its own and the roots
// expires, though its own is valid for longer. If it gets others in time, no connection breaks.
func TestIntermediate(t *testing.T) {
	for name, replaced := range map[string]bool{"kept": false, "replaced": true} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var h hub
				ca := newAuthority(t)
				issue := func() tls.Certificate {
					between := ca.intermediate(t, time.Minute)
					pair := between.pair(t, cluster, "2", time.Hour)
					pair.Certificate = append(pair.Certificate, between.Leaf(t).Raw)
					return pair
				}
				pair, began := issue(), time.Now()
				var downs atomic.Int32
				var groups []*tcp.Group
				for _, id := range []election.ID{1, 2} {
					c := h.member(id)
					delete(c.Members, 3)
					c.TLS = ca.of(t, id)
					if id == 2 {
						var mu sync.Mutex
						c.TLS.Load = func() (tls.Certificate, *x509.CertPool, error) {
							mu.Lock()
							defer mu.Unlock()
							if replaced && time.Since(began) > time.Minute/2 {
								pair, began = issue(), time.Now()
							}
							return pair, ca.roots(), nil
						}
					}
					groups = append(groups, group(t, open(t, c), tcp.GroupConfig{}))
				}
				for _, g := range groups {
					awaitUp(t, g, 1)
					defer g.WatchPeers(func(_ election.ID, up bool) {
						if !up {
							downs.Add(1)
						}
					})()
				}
				time.Sleep(time.Minute - time.Second)
				require.Zero(t, downs.Load())
				time.Sleep(10 * time.Minute)
				if replaced {
					require.Zero(t, downs.Load())
				} else {
					require.EqualValues(t, 2, downs.Load(), "one at each member, for good")
				}
			})
		})
	}
}

// TestHellosDiffer: members that differ are kept apart; each logs once what both say. Other groups live on.
func TestHellosDiffer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var h hub
		logs := make(map[election.ID]*diary)
		nets := make(map[election.ID]*tcp.Network)
		groups := make(map[election.ID]*tcp.Group)
		others := make(map[election.ID]*tcp.Group)
		for _, id := range []election.ID{1, 2, 3} {
			c := h.member(id)
			logs[id] = &diary{level: slog.LevelError}
			c.Log = logs[id].logger()
			c.MaxAge = time.Hour
			n := open(t, c)
			nets[id] = n
			hello := []byte("lease 750ms")
			if id == 3 {
				hello = []byte("lease 900ms")
			}
			groups[id] = group(t, n, tcp.GroupConfig{Hello: hello})
			other, err := n.Group("other", tcp.GroupConfig{})
			require.NoError(t, err)
			others[id] = other
		}
		for id, g := range others {
			awaitUp(t, g, 2)
			if id != 3 {
				awaitUp(t, groups[id], 1)
			}
		}
		time.Sleep(time.Minute / 2)
		sends(t, others[1], 3, 1)
		receives(t, others[3], 1, 1)
		sends(t, groups[1], 3, 1)
		sends(t, groups[1], 2, 2)
		receives(t, groups[2], 1, 2)
		for id, count := range map[election.ID]int{1: 1, 2: 1, 3: 2} {
			lines := logs[id].take()
			require.Len(t, lines, count, "process %d", id)
			for _, line := range lines {
				require.Contains(t, line, "lease 750ms")
				require.Contains(t, line, "lease 900ms")
			}
		}
		groups[3].WatchPeers(func(id election.ID, _ bool) { t.Errorf("process %d is up", id) })
		require.NoError(t, groups[3].Close())
		mended := group(t, nets[3], tcp.GroupConfig{Hello: []byte("lease 750ms")})
		awaitUp(t, mended, 2)
		awaitUp(t, groups[1], 2)
		receives(t, mended, 1, 1) // the packet has waited
	})
}

// TestRefusedInPlaintext: without TLS the log names the process that a hello claims to be from.
func TestRefusedInPlaintext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var h hub
		log := &diary{level: slog.LevelError}
		c := h.member(1)
		c.Log = log.logger()
		open(t, c)
		nc, err := h.Dial(t.Context(), at(1))
		require.NoError(t, err)
		defer nc.Close()
		_, err = nc.Write(said(4, 1, 9))
		require.NoError(t, err)
		_, err = io.Copy(io.Discard, nc)
		require.NoError(t, err)
		synctest.Wait()
		lines := log.take()
		require.Len(t, lines, 1)
		require.Regexp(t, `member=1 address=\S+ peer=4 err="process 4 is no member"`, lines[0])
	})
}
