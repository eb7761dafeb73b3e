package natstransport_test

import (
	"net"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/stretchr/testify/require"

	"github.com/go-election/election/adapters/natstransport"
	"github.com/go-election/election/elector"
	"github.com/go-election/election/internal/grouptest"
)

// TestElector: the lead passes from member to member while members and the server fail, with users of which each may
// publish as itself only.
func TestElector(t *testing.T) {
	users := []*server.User{user("a"), user("b"), user("c")}
	s := serve(t, -1, users...)
	port, dir := s.Addr().(*net.TCPAddr).Port, t.TempDir()
	server := grouptest.Server{Address: s.Addr().String(), Stop: func() { s.Shutdown(); s.WaitForShutdown() },
		Start: func() { s = serve(t, port, users...) }}
	grouptest.Test(t, time.Second, server, func(tb testing.TB, name, address string) (elector.Config, func()) {
		conn := connect(tb, "nats://"+address, nats.UserInfo(name, "secret"))
		end, err := natstransport.New(natstransport.Config{Conn: conn, Subject: "election.orders", Self: name,
			Members: []string{"a", "b", "c"}})
		require.NoError(tb, err)
		return elector.Config{Group: "orders", Members: map[string]string{"a": "", "b": "", "c": ""}, Transport: end,
			Dir: dir}, func() { conn.Close(); _ = end.Close() }
	})
}
