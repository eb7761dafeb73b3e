package redisstore_test

import (
	"testing"
	"time"

	"github.com/go-election/election/adapters/redisstore"
	"github.com/go-election/election/elector"
	"github.com/go-election/election/internal/grouptest"
)

// TestElector: the lead passes from member to member while members and the server fail.
func TestElector(t *testing.T) {
	address, dir := grouptest.Free(t), t.TempDir()
	stop := serve(t, dir, address)
	server := grouptest.Server{Address: address, Stop: func() { stop() }, Start: func() { stop = serve(t, dir, address) }}
	grouptest.Test(t, time.Second, server, func(_ testing.TB, _, address string) (elector.Config, func()) {
		client := dial(address)
		return elector.Config{Group: "orders", Store: redisstore.New(client)}, func() { _ = client.Close() }
	})
}
