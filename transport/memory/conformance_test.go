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
	transporttest.Test(t, func(tb testing.TB, ids []election.ID) (ends []election.Transport) {
		net := memory.New()
		for _, id := range ids {
			end, err := net.Endpoint(id)
			if err != nil {
				tb.Fatal(err)
			}
			ends = append(ends, end)
		}
		return ends
	}, transporttest.Options{})
}
