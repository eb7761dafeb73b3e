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
	transporttest.Test(t, func(tb testing.TB, ids []election.ID) []election.Transport {
		peers := make(map[election.ID]netip.AddrPort)
		ends := make([]election.Transport, len(ids))
		for i, id := range ids {
			conn, err := net.ListenUDP("udp4", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
			require.NoError(tb, err)
			ends[i], peers[id] = &udp{conn, peers, make(chan struct{}, 1)},
				conn.LocalAddr().(*net.UDPAddr).AddrPort()
		}
		return ends
	}, transporttest.Options{Capacity: 100})
}
