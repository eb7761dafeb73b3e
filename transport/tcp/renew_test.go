package tcp_test

import (
	"context"
	"errors"
	"fmt"
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

// TestRenewal: connections are replaced all the time while both sides send as fast as they can. Every packet
// arrives, once and in order, and no peer seems down. In a group that is not reliable that holds as
// well, as long as no queue is full.
func TestRenewal(t *testing.T) {
	for _, reliable := range []bool{false, true} {
		t.Run(fmt.Sprintf("Reliable=%t", reliable), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var h hub
				ca := newAuthority(t)
				var nets []*tcp.Network
				var groups []*tcp.Group
				for _, id := range []election.ID{1, 2} {
					c := h.member(id)
					delete(c.Members, 3)
					c.TLS, c.MaxConnAge, c.MaxHandshakes = ca.of(t, id), 50*time.Millisecond, 1000
					n := open(t, c)
					nets = append(nets, n)
					groups = append(groups, group(t, n, tcp.GroupConfig{Reliable: reliable}))
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
				for _, n := range nets {
					require.Greater(t, n.Stats().Dials, uint64(20))
					require.Zero(t, n.Stats().Refused+n.Stats().Dropped+n.Stats().Expired)
				}
			})
		})
	}
}

// TestRenewalIsRetried: a connection that cannot be renewed stays in use, and the renewal is tried again
// each second.
func TestRenewalIsRetried(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var h hub
		c1, c2 := h.member(1), h.member(2)
		delete(c1.Members, 3)
		c1.MaxConnAge = time.Minute
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
		time.Sleep(10 * time.Second)
		require.Equal(t, before+10, dials.Load())
		sends(t, g1, 2, 1)
		receives(t, g2, 1, 1)
	})
}
