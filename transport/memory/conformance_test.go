package memory_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/transport"
	"github.com/go-election/election/transport/memory"
	"github.com/go-election/election/transport/transporttest"
)

// TestPusher: processes need no goroutine to receive.
func TestPusher(t *testing.T) {
	require.Implements(t, (*transport.Pusher)(nil), endpoint(t, memory.New(), 1))
}

// TestConformance: the transport in memory promises everything.
func TestConformance(t *testing.T) {
	var net *memory.Network
	end := func(tb testing.TB, id election.ID) election.Transport {
		end, err := net.Endpoint(id)
		require.NoError(tb, err)
		return end
	}
	transporttest.Test(t, func(tb testing.TB, ids []election.ID) (ends []election.Transport) {
		net = memory.New()
		for _, id := range ids {
			ends = append(ends, end(tb, id))
		}
		return ends
	}, transporttest.Options{Reopen: end, Virtual: true})
}
