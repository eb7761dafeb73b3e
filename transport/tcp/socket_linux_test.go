package tcp

import (
	"errors"
	"net"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
)

// option returns an option of a connection's socket.
func option(nc net.Conn, number int) (value int, err error) {
	raw, err := nc.(syscall.Conn).SyscallConn()
	if err != nil {
		return 0, err
	}
	failed := raw.Control(func(fd uintptr) {
		value, err = syscall.GetsockoptInt(int(fd), syscall.IPPROTO_TCP, number)
	})
	if failed != nil {
		err = failed
	}
	return value, err
}

// TestQuicken: both ends of a connection retransmit and acknowledge soon.
func TestQuicken(t *testing.T) {
	members, listeners := map[election.ID]string{}, map[election.ID]net.Listener{}
	for _, id := range []election.ID{1, 2} {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		require.NoError(t, err)
		listeners[id], members[id] = l, l.Addr().String()
	}
	var groups []*Group
	for id, l := range listeners {
		n, err := New(Config{Self: id, Members: members, Listener: l})
		require.NoError(t, err)
		defer n.Close()
		g, err := n.Group("g", GroupConfig{})
		require.NoError(t, err)
		groups = append(groups, g)
	}
	for i, g := range groups { // a packet has arrived: there is a connection, and both ends know it
		to := groups[1-i].Self()
		require.NoError(t, g.Send(t.Context(), election.Packet{To: to}))
		_, err := groups[1-i].Recv(t.Context())
		require.NoError(t, err)
		for _, c := range []*conn{g.net.peers[to].current(), groups[1-i].net.peers[g.Self()].current()} {
			rto, err := option(c.in.raw.Conn, optRTOMin)
			if errors.Is(err, syscall.ENOPROTOOPT) {
				t.Skip("the kernel has no such option")
			}
			require.NoError(t, err)
			require.InDelta(t, rtoMin.Microseconds(), rto, 10_000, "the kernel counts in ticks")
			delay, err := option(c.in.raw.Conn, optDelACKMax)
			require.NoError(t, err)
			require.InDelta(t, delACKMax.Microseconds(), delay, 10_000)
		}
	}
}
