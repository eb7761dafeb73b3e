package tcp_test

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"math"
	"net"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/transport/tcp"
)

// TestRenewal: the connection is renewed all the time while both sides send as fast as they can. Every packet arrives,
// once and in order, and no peer seems down.
func TestRenewal(t *testing.T) {
	for _, secure := range []bool{false, true} {
		t.Run(fmt.Sprintf("TLS=%t", secure), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var h hub
				ca := newAuthority(t)
				var nets []*tcp.Network
				var groups []*tcp.Group
				for _, id := range []election.ID{1, 2} {
					c := h.member(id)
					delete(c.Members, 3)
					c.MaxConnAge, c.MaxHandshakes = 50*time.Millisecond, 1000
					if secure {
						c.TLS = ca.of(t, id)
					}
					n := open(t, c)
					nets = append(nets, n)
					groups = append(groups, group(t, n, tcp.GroupConfig{}))
				}
				awaitUp(t, groups[0], 1)
				awaitUp(t, groups[1], 1)
				const packets = 20_000
				var sending sync.WaitGroup
				defer sending.Wait()
				for i, g := range groups {
					stop := g.WatchPeers(func(id election.ID, up bool) {
						if !up {
							t.Errorf("process %d seems down", id)
						}
					})
					defer stop()
					sending.Go(func() {
						for value := range uint64(packets) {
							p := election.Packet{To: election.ID(2 - i),
								Msg: election.Message{Kind: 1, Value: value}}
							if err := g.Send(background, p); err != nil {
								t.Error(err)
							}
							if value%10 == 9 {
								time.Sleep(time.Millisecond)
							}
						}
					})
				}
				for value := range uint64(packets) {
					receives(t, groups[0], 2, value)
					receives(t, groups[1], 1, value)
				}
				require.Greater(t, nets[0].Stats().Dials+nets[1].Stats().Dials, uint64(20))
				for _, n := range nets {
					require.Zero(t, n.Stats().Refused+n.Stats().Dropped+n.Stats().Expired)
				}
			})
		})
	}
}

// TestRenewalIsRetried: a connection that cannot be renewed stays in use, and the renewal is tried again
// each second. Without TLS that lasts forever, as no certificate can be withdrawn. With TLS the connection ends.
func TestRenewalIsRetried(t *testing.T) {
	for _, private := range []bool{false, true} {
		t.Run(fmt.Sprintf("TLS=%t", private), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var h hub
				c1, c2 := h.member(1), h.member(2)
				if ca := newAuthority(t); private {
					c1.TLS, c2.TLS = ca.of(t, 1), ca.of(t, 2)
				}
				delete(c1.Members, 3)
				c1.MaxConnAge, c2.MaxConnAge, c2.Dial = time.Minute, time.Minute, noWayOut
				var dials atomic.Int32
				c1.Dial = func(ctx context.Context, addr string) (net.Conn, error) {
					if dials.Add(1) > 1 {
						return nil, errors.New("absent")
					}
					return h.Dial(ctx, addr)
				}
				g1, g2 := group(t, open(t, c1), tcp.GroupConfig{}), group(t, open(t, c2), tcp.GroupConfig{})
				awaitUp(t, g1, 1)
				time.Sleep(time.Minute)
				before := dials.Load()
				time.Sleep(5 * time.Second)
				require.Equal(t, before+5, dials.Load())
				sends(t, g1, 2, 1)
				receives(t, g2, 1, 1)
				time.Sleep(5 * time.Second)
				var up bool
				g1.WatchPeers(func(_ election.ID, now bool) { up = now })
				require.Equal(t, !private, up)
				if up {
					require.Equal(t, before+10, dials.Load())
					sends(t, g1, 2, 2)
					receives(t, g2, 1, 2)
				}
			})
		})
	}
}

// withdrawn are process 1, which withdraws the authority of process 2, and process 2, which keeps each
// connection as long as it can, as a thief of its key would.
func withdrawn(t *testing.T, withdraw *atomic.Bool, thiefDials bool) (honest, thief *tcp.Group) {
	var h hub
	old, next := newAuthority(t), newAuthority(t)
	both := next.roots()
	both.AddCert(old.Leaf(t))
	before, after := old.pair(t, cluster, "1", 20*time.Hour), next.pair(t, cluster, "1", 20*time.Hour)
	stolen := old.pair(t, cluster, "2", 20*time.Hour)
	c1, c2 := h.member(1), h.member(2)
	delete(c1.Members, 3)
	delete(c2.Members, 3)
	c1.MaxConnAge, c2.MaxConnAge = time.Minute, math.MaxInt64
	if c2.Dial = noWayOut; thiefDials {
		c1.Dial, c2.Dial = noWayOut, h.Dial
	}
	c1.TLS = &tcp.TLS{Cluster: cluster, Load: func() (tls.Certificate, *x509.CertPool, error) {
		if withdraw.Load() {
			return after, next.roots(), nil
		}
		return before, both, nil
	}}
	c2.TLS = &tcp.TLS{Cluster: cluster, Load: func() (tls.Certificate, *x509.CertPool, error) {
		return stolen, both, nil
	}}
	honest, thief = group(t, open(t, c1), tcp.GroupConfig{}), group(t, open(t, c2), tcp.GroupConfig{})
	awaitUp(t, honest, 1)
	awaitUp(t, thief, 1)
	return honest, thief
}

// TestWithdrawn: a process whose authority is withdrawn neither sends nor receives a packet once its
// connections are older than MaxConnAge of the other process, an eighth and Timeout. It is in use until then.
func TestWithdrawn(t *testing.T) {
	for name, of := range map[string]struct{ dials, sends bool }{"dials, sends": {true, true},
		"dials, receives": {true, false}, "accepts, sends": {false, true}, "accepts, receives": {false, false}} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var withdraw atomic.Bool
				honest, thief := withdrawn(t, &withdraw, of.dials)
				from, to, id := honest, thief, election.ID(2)
				if of.sends {
					from, to, id = thief, honest, 1
				}
				withdraw.Store(true)
				began := time.Now()
				var last time.Duration // when a packet has arrived
				ctx, stop := context.WithCancel(t.Context())
				var receiving sync.WaitGroup
				receiving.Go(func() {
					for {
						if _, err := to.Recv(ctx); err != nil {
							return
						}
						last = time.Since(began)
					}
				})
				for time.Since(began) < 2*time.Minute {
					sends(t, from, id, 7)
					time.Sleep(100 * time.Millisecond)
				}
				stop()
				receiving.Wait()
				require.LessOrEqual(t, last, time.Minute+time.Minute/8+time.Second)
				require.Greater(t, last, time.Minute)
				from.WatchPeers(func(id election.ID, up bool) { t.Errorf("process %d is up = %t", id, up) })
			})
		})
	}
}

// TestRenewsFirst: a process whose renewals take almost Timeout replaces each connection before the acceptor,
// whose MaxConnAge is the same, ends it.
func TestRenewsFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var h hub
		ca := newAuthority(t)
		c1, c2 := h.member(1), h.member(2)
		for _, c := range []*tcp.Config{&c1, &c2} {
			delete(c.Members, 3)
			c.TLS, c.MaxConnAge = ca.of(t, c.Self), time.Second
			c.Dial = func(ctx context.Context, addr string) (net.Conn, error) {
				time.Sleep(900 * time.Millisecond)
				return h.Dial(ctx, addr)
			}
		}
		n1, n2 := open(t, c1), open(t, c2)
		g1 := group(t, n1, tcp.GroupConfig{})
		g2 := group(t, n2, tcp.GroupConfig{})
		awaitUp(t, g1, 1)
		awaitUp(t, g2, 1)
		for _, g := range []*tcp.Group{g1, g2} {
			defer g.WatchPeers(func(id election.ID, up bool) {
				if !up {
					t.Errorf("process %d seems down", id)
				}
			})()
		}
		for value := range uint64(600) {
			sent := time.Now()
			sends(t, g1, 2, value)
			receives(t, g2, 1, value)
			require.Zero(t, time.Since(sent), "it has waited for a connection")
			time.Sleep(100 * time.Millisecond)
		}
		require.Greater(t, n1.Stats().Dials+n2.Stats().Dials, uint64(25))
	})
}

// TestEndedByAcceptor: the acceptor ends each connection of a process that renews none, and accepts the next one.
func TestEndedByAcceptor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var h hub
		ca := newAuthority(t)
		c1, c2 := h.member(1), h.member(2)
		delete(c1.Members, 3)
		delete(c2.Members, 3)
		c1.TLS, c1.MaxConnAge, c1.Dial = ca.of(t, 1), 100*time.Millisecond, noWayOut
		c2.TLS, c2.MaxConnAge = ca.of(t, 2), math.MaxInt64
		n2 := open(t, c2)
		g1, g2 := group(t, open(t, c1), tcp.GroupConfig{}), group(t, n2, tcp.GroupConfig{})
		changes := make(chan bool, 100)
		defer g2.WatchPeers(func(_ election.ID, up bool) { changes <- up })()
		for value := range uint64(20) {
			require.True(t, <-changes)
			sends(t, g2, 1, value)
			receives(t, g1, 2, value)
			require.False(t, <-changes)
		}
		require.Equal(t, uint64(20), n2.Stats().Dials)
	})
}
