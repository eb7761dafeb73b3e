package main

import (
	"context"
	"errors"
	"net"
	"time"

	"github.com/go-election/election"
	"github.com/go-election/election/transport"
)

// udp sends packets over UDP, which may lose them. On loopback that happens only if a buffer is full.
type udp struct {
	net.PacketConn // provides Close
	peers          map[election.ID]net.Addr
	turn           chan struct{} // has room for one: the caller that receives
}

func (t *udp) Send(_ context.Context, p election.Packet) error { // does not block for long
	_, err := t.WriteTo(transport.AppendPacket(nil, p), t.peers[p.To])
	if errors.Is(err, net.ErrClosed) {
		err = errors.Join(election.ErrClosed, err)
	}
	return err
}

func (t *udp) Recv(ctx context.Context) (election.Packet, error) {
	select {
	case t.turn <- struct{}{}: // one at a time: a socket has one deadline for all
		defer func() { <-t.turn }()
	case <-ctx.Done():
		return election.Packet{}, ctx.Err()
	}
	defer context.AfterFunc(ctx, func() { _ = t.SetReadDeadline(time.Unix(1, 0)) })() // long ago
	for b := make([]byte, transport.PacketSize+1); ; {
		_ = t.SetReadDeadline(time.Time{}) // undo the deadline of an earlier call
		if ctx.Err() != nil {
			return election.Packet{}, ctx.Err()
		}
		n, from, err := t.ReadFrom(b)
		if errors.Is(err, net.ErrClosed) {
			return election.Packet{}, errors.Join(election.ErrClosed, err)
		}
		p, err := transport.ParsePacket(b[:n])
		if peer := t.peers[p.From]; err == nil && peer != nil && from.String() == peer.String() { // from a peer
			return p, nil
		}
	}
}
