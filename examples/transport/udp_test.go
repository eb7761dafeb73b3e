package main

import (
	"net"
	"net/netip"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/transport/transporttest"
)

// TestUDP: on loopback packets are lost only where the kernel has no room for them any more.
func TestUDP(t *testing.T) {
	var peers map[election.ID]netip.AddrPort
	listen := func(tb testing.TB, id election.ID, port uint16) election.Transport {
		conn, err := net.ListenUDP("udp4", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1), Port: int(port)})
		require.NoError(tb, err)
		if port == 0 { // the others do not know of it yet
			peers[id] = conn.LocalAddr().(*net.UDPAddr).AddrPort()
		}
		return &udp{conn, peers, make(chan struct{}, 1)}
	}
	transporttest.Test(t, func(tb testing.TB, ids []election.ID) (ends []election.Transport) {
		peers = make(map[election.ID]netip.AddrPort)
		for _, id := range ids {
			ends = append(ends, listen(tb, id, 0))
		}
		return ends
	}, transporttest.Options{
		Capacity: 100,
		Reopen: func(tb testing.TB, id election.ID) election.Transport {
			return listen(tb, id, peers[id].Port())
		},
	})
}
