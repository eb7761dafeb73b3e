package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"sync"
	"time"

	"github.com/go-election/election"
	"github.com/go-election/election/transport"
)

// udp carries packets over UDP, between processes whose addresses may change: one that comes back
// has another port. On loopback nothing is lost; elsewhere UDP loses, and reorders.
type udp struct {
	conn  *net.UDPConn
	turn  chan struct{} // whose it is to receive
	mu    sync.Mutex
	peers map[election.ID]netip.AddrPort
}

func newUDP(conn *net.UDPConn) *udp {
	return &udp{conn: conn, turn: make(chan struct{}, 1), peers: make(map[election.ID]netip.AddrPort)}
}

// know notes where a process is, and returns how many are known.
func (t *udp) know(id election.ID, addr netip.AddrPort) int {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.peers[id] = addr
	return len(t.peers)
}

func (t *udp) addr(id election.ID) netip.AddrPort {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.peers[id]
}

func (t *udp) Send(_ context.Context, p election.Packet) error { // never waits long
	_, err := t.conn.WriteToUDPAddrPort(transport.AppendPacket(nil, p), t.addr(p.To))
	return asClosed(err)
}

func (t *udp) Recv(ctx context.Context) (election.Packet, error) {
	select {
	case t.turn <- struct{}{}: // one at a time: a socket has one deadline for all
		defer func() { <-t.turn }()
	case <-ctx.Done():
		return election.Packet{}, ctx.Err()
	}
	defer context.AfterFunc(ctx, func() { _ = t.conn.SetReadDeadline(time.Unix(1, 0)) })() // long ago
	for b := make([]byte, transport.PacketSize+1); ; {
		_ = t.conn.SetReadDeadline(time.Time{}) // the one before may have left it so
		if ctx.Err() != nil {
			return election.Packet{}, ctx.Err()
		}
		n, from, err := t.conn.ReadFromUDPAddrPort(b)
		if errors.Is(err, net.ErrClosed) {
			return election.Packet{}, asClosed(err)
		}
		if p, err := transport.ParsePacket(b[:n]); err == nil && from == t.addr(p.From) { // of ours
			return p, nil
		}
	}
}

// asClosed says that there will be no more packets, which ends the process.
func asClosed(err error) error {
	if errors.Is(err, net.ErrClosed) {
		return fmt.Errorf("%w: %w", election.ErrClosed, err)
	}
	return err
}

func (t *udp) Close() error { return t.conn.Close() }
