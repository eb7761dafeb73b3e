package reliable_test

import (
	"context"
	"net"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/go-election/election"
	"github.com/go-election/election/internal/pipenet"
	"github.com/go-election/election/lab/fault"
	"github.com/go-election/election/transport/faults"
	"github.com/go-election/election/transport/memory"
	"github.com/go-election/election/transport/reliable"
	"github.com/go-election/election/transport/tcp"
	"github.com/go-election/election/transport/transporttest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// over returns a reliable transport over an inner transport, and closes it at the end.
func over(tb testing.TB, inner election.Transport, c reliable.Config) *reliable.Transport {
	tb.Helper()
	t, err := reliable.New(inner, c)
	require.NoError(tb, err)
	tb.Cleanup(func() { _ = t.Close() })
	return t
}

// lossy is a network in memory with faults.
type lossy struct {
	*faults.Links
	net *memory.Network
}

func newLossy(tb testing.TB, c faults.Config) *lossy {
	links, err := faults.NewLinks(c)
	require.NoError(tb, err)
	return &lossy{links, memory.New()}
}

// end returns a reliable transport of a process over the network.
func (n *lossy) end(tb testing.TB, id election.ID, c reliable.Config) *reliable.Transport {
	inner, err := n.net.Endpoint(id)
	require.NoError(tb, err)
	c.Self = id
	return over(tb, n.Over(inner), c)
}

// bad is a network on which every fault is common.
func bad(loss float64, seed uint64) faults.Config {
	return faults.Config{Plan: fault.Plan{Loss: loss, Duplicate: 0.2, Reorder: 0.3},
		Min: 100 * time.Microsecond, Max: 20 * time.Millisecond, Seed: seed}
}

// TestConformance: over a network with faults, the transport gives every guarantee.
func TestConformance(t *testing.T) {
	for name, c := range map[string]faults.Config{
		"NoFaults": {},
		"Loss10":   bad(0.1, 1),
		"Loss50":   bad(0.5, 2),
	} {
		t.Run(name, func(t *testing.T) {
			var n *lossy
			open := func(tb testing.TB, id election.ID) election.Transport {
				return n.end(tb, id, reliable.Config{Linger: time.Minute})
			}
			transporttest.Test(t, func(tb testing.TB, ids []election.ID) (ends []election.Transport) {
				n = newLossy(tb, c)
				for _, id := range ids {
					ends = append(ends, open(tb, id))
				}
				return ends
			}, transporttest.Options{Numbers: true, Capacity: 1024, Reopen: open, Virtual: true,
				Patience: 5 * time.Minute})
		})
	}
}

// TestConformanceTCP: so it does over transport/tcp, whose queues drop packets when they are full.
func TestConformanceTCP(t *testing.T) {
	var hub *pipenet.Hub
	members := make(map[election.ID]string)
	open := func(tb testing.TB, id election.ID) election.Transport {
		n, err := tcp.New(tcp.Config{Self: id, Members: members, Listener: hub.Listen(members[id]),
			Dial: func(ctx context.Context, addr string) (net.Conn, error) { return hub.Dial(ctx, addr) }})
		require.NoError(tb, err)
		tb.Cleanup(func() { require.NoError(tb, n.Close()) })
		g, err := n.Group("g", tcp.GroupConfig{})
		require.NoError(tb, err)
		return over(tb, member{g, n}, reliable.Config{})
	}
	transporttest.Test(t, func(tb testing.TB, ids []election.ID) (ends []election.Transport) {
		hub = new(pipenet.Hub)
		clear(members)
		for i, id := range ids {
			members[id] = (&net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 7000 + i}).String()
		}
		for _, id := range ids {
			ends = append(ends, open(tb, id))
		}
		return ends
	}, transporttest.Options{Numbers: true, Capacity: 1024, Reopen: open, Virtual: true,
		Patience: time.Minute})
}

// member is a group that closes its network, as at the end of a process.
type member struct {
	*tcp.Group
	net *tcp.Network
}

func (m member) Close() error {
	err := m.Group.Close()
	_ = m.net.Close()
	return err
}
