package main

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"sync"
	"time"

	"github.com/go-election/election"
)

// udp carries packets over UDP, between processes whose addresses may change: one that comes back
// has another port. On loopback nothing is lost; elsewhere UDP loses, and reorders.
type udp struct {
	conn  *net.UDPConn
	mu    sync.Mutex
	peers map[election.ID]netip.AddrPort
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

func (t *udp) Send(_ context.Context, p election.Packet) error {
	_, err := t.conn.WriteToUDPAddrPort(election.AppendPacket(nil, p), t.addr(p.To))
	return err
}

func (t *udp) Recv(ctx context.Context) (election.Packet, error) {
	stop := context.AfterFunc(ctx, func() { _ = t.conn.SetReadDeadline(time.Unix(1, 0)) })
	defer stop()
	for b := make([]byte, election.PacketSize+1); ; {
		n, from, err := t.conn.ReadFromUDPAddrPort(b)
		if err != nil {
			return election.Packet{}, errors.Join(election.ErrClosed, err, ctx.Err())
		}
		p, err := election.ParsePacket(b[:n])
		if err == nil && from == t.addr(p.From) { // else not one of ours
			return p, nil
		}
	}
}

func (t *udp) Close() error { return t.conn.Close() }
