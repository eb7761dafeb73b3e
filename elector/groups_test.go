package elector_test

import (
	"context"
	"fmt"
	"net"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election/elector"
	"github.com/go-election/election/internal/pipenet"
	"github.com/go-election/election/transport/tcp"
)

// tight is a network of little capacity, like processes that get little of the processor: each byte takes a
// while to write.
type tight struct {
	mu     sync.Mutex
	each   time.Duration // for a byte
	frozen chan struct{} // closed when writes continue; nil if they do not stop
}

func (n *tight) set(each time.Duration, frozen bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.each = each
	if n.frozen != nil {
		close(n.frozen)
		n.frozen = nil
	}
	if frozen {
		n.frozen = make(chan struct{})
	}
}

func (n *tight) wait(bytes int) {
	n.mu.Lock()
	each, frozen := n.each, n.frozen
	n.mu.Unlock()
	if frozen != nil {
		<-frozen
	}
	time.Sleep(time.Duration(bytes) * each)
}

// tightConn is a connection over it, at the end that has dialled, which sends the packets.
type tightConn struct {
	net.Conn
	net *tight
}

func (c tightConn) Write(b []byte) (int, error) {
	c.net.wait(len(b))
	return c.Conn.Write(b)
}

// TestManyGroups: many groups lose their leaders together, and the members can handle the renewals of all groups,
// but not elections of all groups at the same time. All groups have leaders soon, and keep them.
func TestManyGroups(t *testing.T) {
	const groups, slow = 80, 300 * time.Microsecond
	synctest.Test(t, func(t *testing.T) {
		hub, n, members := &pipenet.Hub{}, &tight{}, make(map[string]string)
		for _, name := range three {
			members[name] = name + ":1"
		}
		ctx, stop := context.WithCancel(t.Context())
		var running sync.WaitGroup
		all := make(map[string][]*elector.Elector)
		for _, name := range three {
			own := elector.Config{Self: name, Members: members, InsecurePlaintext: true}
			shared := own.TCP()
			shared.Delay, shared.Linger, shared.Listener = time.Minute, time.Millisecond, hub.Listen(members[name])
			shared.Dial = func(ctx context.Context, address string) (net.Conn, error) {
				c, err := hub.Dial(ctx, address)
				return tightConn{c, n}, err
			}
			network, err := tcp.New(shared)
			require.NoError(t, err)
			t.Cleanup(func() { require.NoError(t, network.Close()) })
			for i := range groups {
				own.Group, own.Network = fmt.Sprint("group ", i), network
				e, err := elector.New(own)
				require.NoError(t, err)
				all[name] = append(all[name], e)
				running.Go(func() { _ = e.Run(ctx, idle) })
			}
		}
		defer running.Wait()
		defer stop()
		led := func() (count int) {
			synctest.Wait()
			for _, members := range all {
				for _, e := range members {
					if e.Leader().Self {
						count++
					}
				}
			}
			return count
		}
		time.Sleep(5 * time.Second)
		require.Equal(t, groups, led())
		n.set(0, true)
		time.Sleep(2 * elector.LAN().Lease)
		require.Zero(t, led())
		n.set(slow, false)
		time.Sleep(10 * time.Second)
		for range 10 {
			time.Sleep(time.Second)
			require.Equal(t, groups, led())
		}
	})
}

// idle is work that waits for its end.
func idle(ctx context.Context, _ elector.Term) error {
	<-ctx.Done()
	return nil
}
