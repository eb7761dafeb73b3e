package tcp_test

import (
	"context"
	"crypto/tls"
	"io"
	"net"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/transport"
	"github.com/go-election/election/transport/tcp"
)

var background = context.Background()

// pair returns two members, connected, with TLS or without.
func pair(tb testing.TB, secure bool, g tcp.GroupConfig) (a, b *tcp.Group) {
	ca := newAuthority(tb)
	var groups []*tcp.Group
	for _, c := range members(tb, 1, 2) {
		if secure {
			c.TLS = ca.of(tb, c.Self)
		}
		groups = append(groups, group(tb, open(tb, c), g))
	}
	awaitUp(tb, groups[0], 1)
	awaitUp(tb, groups[1], 1)
	return groups[0], groups[1]
}

// echo sends every packet back until the transport is closed.
func echo(g *tcp.Group) {
	for {
		p, err := g.Recv(background)
		if err != nil {
			return
		}
		p.To = p.From
		if g.Send(background, p) != nil {
			return
		}
	}
}

// TestAllocations: a heartbeat there and back costs no allocation.
func TestAllocations(t *testing.T) {
	a, b := pair(t, false, tcp.GroupConfig{})
	go echo(b)
	round := uint32(0)
	trip := func() {
		round++
		if a.Send(background, beat(round)) != nil {
			panic("Send")
		}
		if p, err := a.Recv(background); err != nil || p.Msg.Round != round {
			panic("Recv")
		}
	}
	for range 100 {
		trip() // until all buffers have their size
	}
	require.LessOrEqual(t, testing.AllocsPerRun(500, trip), 1.0)
}

// BenchmarkPingPong compares a packet there and back with the same by hand: over the same kind of
// connection, two goroutines read and write packets of 80 bytes.
func BenchmarkPingPong(b *testing.B) {
	for _, secure := range []bool{false, true} {
		name := "TCP"
		if secure {
			name = "TLS"
		}
		b.Run(name, func(b *testing.B) {
			one, two := pair(b, secure, tcp.GroupConfig{})
			go echo(two)
			round := uint32(0)
			for b.Loop() {
				round++
				_ = one.Send(background, beat(round))
				if p, err := one.Recv(background); err != nil || p.Msg.Round != round {
					b.Fatal(p, err)
				}
			}
		})
		b.Run(name+"ByHand", func(b *testing.B) {
			one, two := connected(b, secure)
			go func() {
				_, _ = io.CopyBuffer(two, struct{ io.Reader }{two},
					make([]byte, transport.PacketSize))
			}()
			buffer := make([]byte, transport.PacketSize)
			for b.Loop() {
				_, _ = one.Write(transport.AppendPacket(buffer[:0], beat(1)))
				if _, err := io.ReadFull(one, buffer); err != nil {
					b.Fatal(err)
				}
				if _, err := transport.ParsePacket(buffer); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// connected returns both ends of a connection.
func connected(b *testing.B, secure bool) (one, two net.Conn) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(b, err)
	defer l.Close()
	one, err = net.Dial("tcp", l.Addr().String())
	require.NoError(b, err)
	two, err = l.Accept()
	require.NoError(b, err)
	if secure {
		ca := newAuthority(b)
		config := func(id election.ID) *tls.Config {
			cert, _, _ := ca.of(b, id).Load()
			return &tls.Config{Certificates: []tls.Certificate{cert}, InsecureSkipVerify: true}
		}
		one, two = tls.Client(one, config(1)), tls.Server(two, config(2))
		go func() { _ = two.(*tls.Conn).Handshake() }()
		require.NoError(b, one.(*tls.Conn).Handshake())
	}
	b.Cleanup(func() { _, _ = one.Close(), two.Close() })
	return one, two
}
