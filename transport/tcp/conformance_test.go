package tcp_test

import (
	"context"
	"flag"
	"fmt"
	"log/slog"
	"net"
	"os"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/go-election/election"
	"github.com/go-election/election/transport/tcp"
	"github.com/go-election/election/transport/transporttest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// members returns the configurations of processes that listen on loopback.
func members(tb testing.TB, ids ...election.ID) []tcp.Config {
	all := make(map[election.ID]string)
	configs := make([]tcp.Config, len(ids))
	for i, id := range ids {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		require.NoError(tb, err)
		all[id] = l.Addr().String()
		configs[i] = tcp.Config{Self: id, Members: all, Listener: l}
		if os.Getenv("TCP_LOG") != "" {
			configs[i].Log = slog.New(slog.NewTextHandler(os.Stderr,
				&slog.HandlerOptions{Level: slog.LevelDebug}))
		}
	}
	return configs
}

// open makes a network of a configuration, and closes it at the end.
func open(tb testing.TB, c tcp.Config) *tcp.Network {
	n, err := tcp.New(c)
	require.NoError(tb, err)
	tb.Cleanup(func() { require.NoError(tb, n.Close()) })
	return n
}

// member is the transport of a process that ends with it, as a service does.
type member struct {
	*tcp.Group
	net *tcp.Network
}

func (m member) Close() error {
	err := m.Group.Close()
	_ = m.net.Close()
	return err
}

var sockets = flag.Bool("sockets", false, "run the conformance suite over sockets, in real time")

// suite is the network that the processes of a conformance suite share: pipes in virtual time, or sockets.
type suite struct {
	hub
	ca      authority // whose time is that of the suite
	configs []tcp.Config
	busy    sync.WaitGroup // goroutines that end when the networks have
}

// members returns the configurations of processes.
func (s *suite) members(tb testing.TB, ids ...election.ID) []tcp.Config {
	tb.Cleanup(s.busy.Wait)
	s.configs = members(tb, ids...)
	if !*sockets {
		for i, c := range s.configs {
			require.NoError(tb, c.Listener.Close())
			s.configs[i].Listener, s.configs[i].Dial = s.Listen(c.Members[c.Self]), s.dial
		}
	}
	return s.configs
}

// dial connects to an address.
func (s *suite) dial(ctx context.Context, addr string) (net.Conn, error) {
	if *sockets {
		return new(net.Dialer).DialContext(ctx, "tcp", addr)
	}
	return s.Dial(ctx, addr)
}

// again returns the configuration of a process that has closed its network.
func (s *suite) again(id election.ID) tcp.Config {
	i := slices.IndexFunc(s.configs, func(c tcp.Config) bool { return c.Self == id })
	c := s.configs[i]
	if c.Listener = nil; !*sockets { // now at the address of its own
		c.Listener = s.Listen(c.Members[id])
	}
	return c
}

// conforms runs transporttest over networks of these configurations.
func conforms(t *testing.T, opts transporttest.Options, configure func(*suite, *tcp.Config)) {
	t.Helper()
	var s *suite
	start := func(tb testing.TB, c tcp.Config) election.Transport {
		c.MaxAge, c.Timeout = time.Minute, time.Minute // however slow the machine is
		if configure != nil {
			configure(s, &c)
		}
		n := open(tb, c)
		group, err := n.Group("g", tcp.GroupConfig{})
		require.NoError(tb, err)
		return member{group, n}
	}
	opts.Capacity, opts.Virtual = 1024, !*sockets
	opts.Reopen = func(tb testing.TB, id election.ID) election.Transport { return start(tb, s.again(id)) }
	transporttest.Test(t, func(tb testing.TB, ids []election.ID) (ends []election.Transport) {
		s = &suite{ca: newAuthority(tb)}
		for _, c := range s.members(tb, ids...) {
			ends = append(ends, start(tb, c))
		}
		return ends
	}, opts)
}

// TestConformance: groups meet the requirements of a transport, with TLS and without.
func TestConformance(t *testing.T) {
	for _, secure := range []bool{false, true} {
		t.Run(fmt.Sprintf("TLS=%t", secure), func(t *testing.T) {
			conforms(t, transporttest.Options{}, func(s *suite, c *tcp.Config) {
				if secure {
					c.TLS = s.ca.of(t, c.Self)
				}
			})
		})
	}
}

// TestReopenGroup: a group that is closed and opened again on the same networks meets them as well, when its peers have
// learned that it was closed.
func TestReopenGroup(t *testing.T) {
	var nets map[election.ID]*tcp.Network
	group := func(tb testing.TB, id election.ID) election.Transport {
		// It accepts every hello, or a group that is opened again would not be up before it greets.
		g, err := nets[id].Group("g", tcp.GroupConfig{Accept: func(election.ID, []byte) error { return nil }})
		require.NoError(tb, err)
		return g
	}
	transporttest.Test(t, func(tb testing.TB, ids []election.ID) (ends []election.Transport) {
		nets = make(map[election.ID]*tcp.Network)
		for _, c := range new(suite).members(tb, ids...) {
			c.MaxAge, c.Timeout = time.Minute, time.Minute
			nets[c.Self] = open(tb, c)
			ends = append(ends, group(tb, c.Self))
		}
		for _, end := range ends {
			awaitUp(tb, end.(*tcp.Group), len(ids)-1)
		}
		return ends
	}, transporttest.Options{Capacity: 1024, Virtual: !*sockets,
		Reopen: func(tb testing.TB, id election.ID) election.Transport {
			end := group(tb, id)
			awaitUp(tb, end.(*tcp.Group), len(nets)-1) // until then packets are addressed to the closed one
			return end
		}})
}

// awaitUp waits until a number of peers are up.
func awaitUp(tb testing.TB, g *tcp.Group, peers int) {
	tb.Helper()
	up := make(chan bool, 100)
	stop := g.WatchPeers(func(_ election.ID, is bool) { up <- is })
	defer stop()
	for count := 0; count < peers; {
		if <-up {
			count++
		} else {
			count--
		}
	}
}
