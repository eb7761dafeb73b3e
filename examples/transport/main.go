// Command transport elects a leader among three processes that talk over UDP: the transport is in
// udp.go. Here the three run in one program; each needs only its own socket and the addresses of
// the others, so they might as well be three programs.
package main

import (
	"context"
	"fmt"
	"net"
	"net/netip"
	"sync"

	"github.com/go-election/election"
	"github.com/go-election/election/hs"
	"github.com/go-election/election/process"
)

func main() {
	ring := []election.ID{2, 3, 1} // clockwise
	peers := make(map[election.ID]netip.AddrPort)
	sockets := make([]*net.UDPConn, len(ring))
	for i, id := range ring {
		conn, err := net.ListenUDP("udp4", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
		check(err)
		sockets[i], peers[id] = conn, conn.LocalAddr().(*net.UDPAddr).AddrPort()
	}

	outcomes := make([]election.Outcome, len(ring))
	var running sync.WaitGroup
	for i, id := range ring {
		running.Go(func() {
			next, before := ring[(i+1)%len(ring)], ring[(i+len(ring)-1)%len(ring)]
			var err error
			outcomes[i], err = process.Run(context.Background(), process.Config{
				Algorithm: hs.Probe(),
				Self:      election.Rank{ID: id},
				Links: []process.Link{
					election.Clockwise:        {Peer: election.Rank{ID: next}, Port: election.Counterclockwise},
					election.Counterclockwise: {Peer: election.Rank{ID: before}, Port: election.Clockwise},
				},
				Transport: &udp{sockets[i], peers, make(chan struct{}, 1)},
				Start:     true,
			})
			check(err)
		})
	}
	running.Wait()
	for i, id := range ring {
		o := outcomes[i]
		fmt.Printf("%d knows: %d leads in term %d (%v)\n", id, o.Leader.ID, o.Term, o.Role)
		check(sockets[i].Close())
	}
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}
