package natsstore_test

import (
	"net"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election/adapters/natsstore"
	"github.com/go-election/election/elector"
	"github.com/go-election/election/internal/grouptest"
)

// TestElector: the lead passes from member to member while members and the server fail.
func TestElector(t *testing.T) {
	dir := t.TempDir()
	s := serve(t, dir, -1)
	port := s.Addr().(*net.TCPAddr).Port
	server := grouptest.Server{Address: s.Addr().String(), Stop: func() { shutdown(s) },
		Start: func() { s = serve(t, dir, port) }}
	grouptest.Test(t, time.Second, server, func(tb testing.TB, _, address string) (elector.Config, func()) {
		conn, bucket, err := open(tb.Context(), address)
		require.NoError(tb, err)
		return elector.Config{Group: "orders", Store: natsstore.New(bucket)}, conn.Close
	})
}
