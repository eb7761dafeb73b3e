package natstransport_test

import (
	"bytes"
	"context"
	"log/slog"
	"net"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/go-election/election"
	"github.com/go-election/election/adapters/natstransport"
	"github.com/go-election/election/elector"
	"github.com/go-election/election/transport"
	"github.com/go-election/election/transport/transporttest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// serve runs a NATS server in this process. A port of -1 chooses a free one.
func serve(tb testing.TB, port int, users ...*server.User) *server.Server {
	s, err := server.NewServer(&server.Options{Host: "127.0.0.1", Port: port, Users: users, NoLog: true, NoSigs: true})
	require.NoError(tb, err)
	s.Start()
	require.True(tb, s.ReadyForConnections(time.Minute))
	tb.Cleanup(func() {
		s.Shutdown()
		s.WaitForShutdown()
	})
	return s
}

// dial connects a client, which ignores the errors that tests cause.
func dial(tb testing.TB, url string, options ...nats.Option) *nats.Conn {
	conn := connect(tb, url, options...)
	tb.Cleanup(conn.Close)
	return conn
}

func connect(tb testing.TB, url string, options ...nats.Option) *nats.Conn {
	options = append(options, nats.MaxReconnects(-1), nats.ReconnectBufSize(-1), nats.ReconnectWait(20*time.Millisecond),
		nats.Timeout(5*time.Second), nats.ErrorHandler(func(*nats.Conn, *nats.Subscription, error) {}))
	conn, err := nats.Connect(url, options...)
	require.NoError(tb, err)
	return conn
}

// number is the ID of a process whose name is a number.
func number(name string) election.ID {
	id, _ := strconv.ParseUint(name, 10, 64)
	return election.ID(id)
}

func TestConformance(t *testing.T) {
	var s *server.Server
	var names []string
	open := func(tb testing.TB, id election.ID) election.Transport {
		end, err := natstransport.New(natstransport.Config{Conn: dial(tb, s.ClientURL()), Subject: "test", ID: number,
			Self: strconv.FormatUint(uint64(id), 10), Members: names})
		require.NoError(tb, err)
		return end
	}
	transporttest.Test(t, func(tb testing.TB, ids []election.ID) (ends []election.Transport) {
		s, names = serve(tb, -1), nil
		for _, id := range ids {
			names = append(names, strconv.FormatUint(uint64(id), 10))
		}
		for _, id := range ids {
			ends = append(ends, open(tb, id))
		}
		return ends
	}, transporttest.Options{Reopen: open})
}

// user returns a user who may publish and subscribe as one member only.
func user(name string) *server.User {
	token := natstransport.Token(name)
	return &server.User{Username: name, Password: "secret", Permissions: &server.Permissions{
		Publish:   &server.SubjectPermission{Allow: []string{"election.orders." + token + ".*"}},
		Subscribe: &server.SubjectPermission{Allow: []string{"election.orders.*." + token}},
	}}
}

// TestReconnectBuffer: a connection that sends packets late is refused.
func TestReconnectBuffer(t *testing.T) {
	s := serve(t, -1)
	conn, err := nats.Connect(s.ClientURL())
	require.NoError(t, err)
	defer conn.Close()
	_, err = natstransport.New(natstransport.Config{Conn: conn, Subject: "s", Self: "a"})
	require.ErrorIs(t, err, election.ErrInput)
	require.ErrorContains(t, err, "nats.ReconnectBufSize(-1)")
}

// TestIdentity: with the permissions of the documentation, a user cannot send as another member, nor read what others
// receive, but members with odd names exchange packets.
func TestIdentity(t *testing.T) {
	names := []string{"a.example", "b *>%"}
	s := serve(t, -1, user(names[0]), user(names[1]), user("mallory"))
	ends := make([]*natstransport.Transport, len(names))
	for i, name := range names {
		end, err := natstransport.New(natstransport.Config{Conn: dial(t, s.ClientURL(), nats.UserInfo(name, "secret")),
			Subject: "election.orders", Self: name, Members: names})
		require.NoError(t, err)
		defer end.Close()
		ends[i] = end
	}
	violations := make(chan error, 10)
	mallory := dial(t, s.ClientURL(), nats.UserInfo("mallory", "secret"))
	mallory.SetErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) { violations <- err })
	eavesdropper, err := mallory.SubscribeSync("election.orders.>")
	require.NoError(t, err)
	require.NoError(t, mallory.Flush())
	require.ErrorIs(t, <-violations, nats.ErrPermissionViolation)

	forged := election.Packet{From: ends[0].Self(), To: ends[1].Self(), Msg: election.Message{Kind: 1, Value: 666}}
	message := transport.AppendPacket([]byte("p"), forged)
	to := natstransport.Token(names[1])
	require.NoError(t, mallory.Publish("election.orders."+natstransport.Token(names[0])+"."+to, message))
	require.NoError(t, mallory.Flush())
	require.ErrorIs(t, <-violations, nats.ErrPermissionViolation)
	require.NoError(t, mallory.Publish("election.orders.mallory."+to, message), "the sender contradicts the subject")
	require.NoError(t, mallory.Flush())

	sent := forged
	sent.Msg.Value = 7
	require.NoError(t, ends[0].Send(t.Context(), sent))
	got, err := ends[1].Recv(t.Context())
	require.NoError(t, err)
	require.Equal(t, sent, got, "nothing else has arrived before")
	_, err = eavesdropper.NextMsg(time.Millisecond)
	require.Error(t, err)
}

// TestConfig: what cannot work is refused, with the name of the field.
func TestConfig(t *testing.T) {
	conn := dial(t, serve(t, -1).ClientURL())
	for field, c := range map[string]natstransport.Config{
		"Conn":    {Subject: "s", Self: "a"},
		"Subject": {Conn: conn, Subject: "s.*", Self: "a"},
		"Self":    {Conn: conn, Subject: "s"},
	} {
		_, err := natstransport.New(c)
		require.ErrorIs(t, err, election.ErrInput)
		require.ErrorContains(t, err, field)
	}
	end, err := natstransport.New(natstransport.Config{Conn: conn, Subject: "s", Self: "a"})
	require.NoError(t, err)
	defer end.Close()
	require.ErrorIs(t, end.SetAddress(7, "b", ""), election.ErrInput, "not the ID of b")
	require.ErrorContains(t, end.Send(t.Context(), election.Packet{To: elector.ID("b")}), "unknown")
	require.NoError(t, end.SetAddress(elector.ID("b"), "b", ""))
	require.NoError(t, end.Send(t.Context(), election.Packet{To: elector.ID("b")}))
	require.ErrorContains(t, end.Greet(make([]byte, 1<<20), nil), "hello")
}

// TestReconnects: packets that are sent while there is no connection are lost, and not sent later.
func TestReconnects(t *testing.T) {
	s := serve(t, -1)
	port := s.Addr().(*net.TCPAddr).Port
	var ends []*natstransport.Transport
	conns := []*nats.Conn{dial(t, s.ClientURL()), dial(t, s.ClientURL())}
	for i, name := range []string{"a", "b"} {
		end, err := natstransport.New(natstransport.Config{Conn: conns[i], Subject: "s", Self: name,
			Members: []string{"a", "b"}})
		require.NoError(t, err)
		defer end.Close()
		ends = append(ends, end)
	}
	packet := election.Packet{From: ends[0].Self(), To: ends[1].Self(), Msg: election.Message{Kind: 1}}
	s.Shutdown()
	s.WaitForShutdown()
	for _, conn := range conns {
		require.Eventually(t, func() bool { return !conn.IsConnected() }, time.Minute, time.Millisecond)
	}
	require.ErrorContains(t, ends[0].Send(t.Context(), packet), "no connection")
	serve(t, port)
	for _, conn := range conns {
		require.Eventually(t, conn.IsConnected, time.Minute, time.Millisecond)
		require.NoError(t, conn.Flush()) // the server knows the subscription
	}
	packet.Msg.Value = 2
	require.NoError(t, ends[0].Send(t.Context(), packet))
	got, err := ends[1].Recv(t.Context())
	require.NoError(t, err)
	require.Equal(t, packet, got)
}

// TestTimesDiffer: members hear of each other's Lease through the hello, and elect together.
func TestTimesDiffer(t *testing.T) {
	s := serve(t, -1)
	var said lockedBuffer
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	var running sync.WaitGroup
	for i, name := range []string{"a", "b"} {
		end, err := natstransport.New(natstransport.Config{Conn: dial(t, s.ClientURL()), Subject: "s", Self: name,
			Members: []string{"a", "b"}})
		require.NoError(t, err)
		e, err := elector.New(elector.Config{Group: "g", Self: name, Members: map[string]string{"a": "", "b": ""},
			Transport: end, Times: elector.Times{Lease: time.Duration(i+1) * 300 * time.Millisecond},
			Log: slog.New(slog.NewTextHandler(&said, nil))})
		require.NoError(t, err)
		running.Go(func() {
			defer end.Close()
			require.NoError(t, e.Run(ctx, func(context.Context, elector.Term) error {
				stop()
				return nil
			}))
		})
	}
	running.Wait()
	require.Contains(t, said.String(), "the longest Lease has changed")
}

// lockedBuffer is a buffer for several goroutines.
type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}
