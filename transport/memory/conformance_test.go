package memory_test

import (
	"testing"

	"github.com/go-election/election"
	"github.com/go-election/election/transport/memory"
	"github.com/go-election/election/transport/transporttest"
)

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
