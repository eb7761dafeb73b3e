package s3store

import (
	"testing"
	"time"

	"github.com/go-election/election/elector"
	"github.com/go-election/election/internal/grouptest"
)

// TestElector: the lead passes from member to member while members and the server fail.
func TestElector(t *testing.T) {
	grouptest.Test(t, time.Second, serve(t), func(tb testing.TB, _, address string) (elector.Config, func()) {
		client, disconnect := grouptest.Client()
		return elector.Config{Group: "orders", Store: open(tb, address, client)}, disconnect
	})
}
