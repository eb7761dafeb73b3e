package tcp_test

import (
	"context"
	"fmt"
	"net"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/transport/tcp"
)

// small returns two of three members whose queues hold four packets; the second has not started.
func small(t *testing.T, h *hub, g tcp.GroupConfig) (first *tcp.Network, group1 *tcp.Group,
	second func() (*tcp.Network, *tcp.Group)) {
	c1, c2 := h.member(1), h.member(2)
	c1.Queue, c2.Queue = 4, 4
	require.NoError(t, c2.Listener.Close())
	first = open(t, c1)
	return first, group(t, first, g), func() (*tcp.Network, *tcp.Group) {
		c2.Listener = h.Listen(at(2))
		n := open(t, c2)
		return n, group(t, n, g)
	}
}

// TestOldest: a full queue drops its oldest packet, and a packet grows too old in it. Send never waits.
func TestOldest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var h hub
		n, g1, second := small(t, &h, tcp.GroupConfig{})
		for value := range uint64(7) {
			sends(t, g1, 2, value)
		}
		time.Sleep(300 * time.Millisecond)
		sends(t, g1, 2, 7)
		time.Sleep(201 * time.Millisecond) // now only this one is younger than 500 ms
		require.Equal(t, tcp.Stats{Dropped: 4, Dials: n.Stats().Dials}, n.Stats())
		_, g2 := second()
		receives(t, g2, 1, 7)
		require.Equal(t, uint64(3), n.Stats().Expired)
		require.Equal(t, uint64(1), n.Stats().PacketsSent)
	})
}

// TestSlowReceiver: at the receiver, too, the oldest packet is dropped.
func TestSlowReceiver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var h hub
		_, g1, second := small(t, &h, tcp.GroupConfig{})
		_, g2 := second()
		awaitUp(t, g1, 1)
		for value := range uint64(10) {
			sends(t, g1, 2, value)
			synctest.Wait()
		}
		for value := range uint64(4) {
			receives(t, g2, 1, 6+value)
		}
		sends(t, g1, 2, 10)
		receives(t, g2, 1, 10)
	})
}

// TestLingerEndsEarly: packets wait for others to travel with, but not until the queue is full.
func TestLingerEndsEarly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var h hub
		c1, c2 := h.member(1), h.member(2)
		c1.Queue, c1.Linger = 4, 100*time.Millisecond
		n := open(t, c1)
		g1, g2 := group(t, n, tcp.GroupConfig{}), group(t, open(t, c2), tcp.GroupConfig{})
		awaitUp(t, g1, 1)
		time.Sleep(time.Second)
		began := time.Now()
		for value := range uint64(20) {
			sends(t, g1, 2, value)
			synctest.Wait()
		}
		for value := range uint64(18) {
			receives(t, g2, 1, value)
		}
		require.Zero(t, time.Since(began))
		require.Zero(t, n.Stats().Dropped)
		receives(t, g2, 1, 18)
		require.GreaterOrEqual(t, time.Since(began), 100*time.Millisecond, "two are half of four")
		require.LessOrEqual(t, time.Since(began), 200*time.Millisecond)
	})
}

// TestClosedUnannounced: a group that is closed before any peer has heard of it is not mentioned; a peer
// would take that for a mistake.
func TestClosedUnannounced(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var h hub
		c1, c2 := h.member(1), h.member(2)
		c1.Linger = 100 * time.Millisecond
		n1, n2 := open(t, c1), open(t, c2)
		g1, g2 := group(t, n1, tcp.GroupConfig{}), group(t, n2, tcp.GroupConfig{})
		awaitUp(t, g1, 1)
		defer g1.WatchPeers(func(_ election.ID, up bool) { require.True(t, up) })()
		for range 3 {
			short, err := n1.Group("short", tcp.GroupConfig{})
			require.NoError(t, err)
			require.NoError(t, short.Close())
			time.Sleep(time.Second)
		}
		sends(t, g1, 2, 1)
		receives(t, g2, 1, 1)
		require.Zero(t, n2.Stats().Refused)
	})
}

// TestCloseWhileAbsent: Close does not wait for a peer that was absent at the last attempt to connect.
func TestCloseWhileAbsent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var h hub
		_, g1, _ := small(t, &h, tcp.GroupConfig{})
		time.Sleep(time.Minute)
		sends(t, g1, 2, 1)
		sends(t, g1, 3, 1)
		began := time.Now()
		require.NoError(t, g1.Close())
		require.Zero(t, time.Since(began))
	})
}

// TestSuccessor: what was written to a process that has ended does not reach its successor; what waits does.
func TestSuccessor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var h hub
		c1, c2 := h.member(1), h.member(2)
		c1.Queue, c2.Queue = 4, 4
		g1 := group(t, open(t, c1), tcp.GroupConfig{})
		n2 := open(t, c2)
		group(t, n2, tcp.GroupConfig{})
		awaitUp(t, g1, 1)
		for range 4 {
			sends(t, g1, 2, 1) // arrives, and is not taken
		}
		synctest.Wait()
		require.NoError(t, n2.Close())
		synctest.Wait()
		sends(t, g1, 2, 2)
		c2.Listener = h.Listen(at(2))
		g2 := group(t, open(t, c2), tcp.GroupConfig{})
		receives(t, g2, 1, 2)
	})
}

// TestComesBack: a peer that was absent for long is connected to as soon as it connects itself, or
// something is sent to it.
func TestComesBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var h hub
		_, g1, second := small(t, &h, tcp.GroupConfig{})
		time.Sleep(time.Minute)
		began := time.Now()
		_, g2 := second()
		awaitUp(t, g1, 1)
		awaitUp(t, g2, 1)
		require.LessOrEqual(t, time.Since(began), 5*time.Millisecond)
		sends(t, g1, 3, 1)
		time.Sleep(time.Minute)
		c3 := h.member(3)
		c3.Dial = noWayOut
		g3 := group(t, open(t, c3), tcp.GroupConfig{})
		began = time.Now()
		sends(t, g1, 3, 2)
		receives(t, g3, 1, 2)
		require.LessOrEqual(t, time.Since(began), 125*time.Millisecond)
	})
}

// TestAbsentIsLoggedOnce: the log of a member says once that a peer is absent, and that it has come back.
func TestAbsentIsLoggedOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var h hub
		log := &diary{}
		c := h.member(1)
		delete(c.Members, 3)
		attempts := new(atomic.Int32)
		c.Log = log.logger()
		c.Dial = func(ctx context.Context, addr string) (net.Conn, error) {
			count := attempts.Add(1)
			nc, err := h.Dial(ctx, addr)
			if err != nil {
				// the port differs
				err = &net.OpError{Op: "dial", Source: &net.UnixAddr{Name: fmt.Sprint(count)}, Err: err}
			}
			return nc, err
		}
		g := group(t, open(t, c), tcp.GroupConfig{})
		time.Sleep(time.Hour)
		lines := log.take()
		require.Len(t, lines, 1)
		require.Contains(t, lines[0], `msg="no connection" member=1 peer=2`)
		require.Greater(t, attempts.Load(), int32(3000))
		require.Less(t, attempts.Load(), int32(10_000))
		c2 := h.member(2)
		delete(c2.Members, 3)
		group(t, open(t, c2), tcp.GroupConfig{})
		awaitUp(t, g, 1)
		lines = log.take()
		require.Len(t, lines, 1)
		require.Contains(t, lines[0], `msg=connected member=1 peer=2`)
	})
}
