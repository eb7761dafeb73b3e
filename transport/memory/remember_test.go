package memory

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
)

// TestPeersAreRemembered: an endpoint looks up a peer in the table of the network once, not for each packet:
// all senders share that table and its lock.
func TestPeersAreRemembered(t *testing.T) {
	net := New()
	from, err := net.Endpoint(1)
	require.NoError(t, err)
	to, err := net.Endpoint(2)
	require.NoError(t, err)
	require.NoError(t, from.Send(t.Context(), election.Packet{To: 2}))
	clear(net.ends)
	require.NoError(t, from.Send(t.Context(), election.Packet{To: 2}))
	require.Zero(t, net.Lost())
	for range 2 {
		_, err := to.Recv(t.Context())
		require.NoError(t, err)
	}
}
