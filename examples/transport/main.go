// Command transport elects a leader among three processes that talk over UDP: the transport is in
// udp.go. Here the three run in one program; each needs only its own socket and the addresses of
// the others, so they might as well be three programs.
package main

import (
	"context"
	"fmt"
	"net"
	"sync"

	"github.com/go-election/election"
	"github.com/go-election/election/hs"
	"github.com/go-election/election/lab/topology"
	"github.com/go-election/election/process"
)

func main() {
	ranks := []election.Rank{{ID: 2}, {ID: 3}, {ID: 1}} // clockwise
	ring, err := topology.Ring(len(ranks), false)
	check(err)
	peers := make(map[election.ID]net.Addr)
	sockets := make([]*net.UDPConn, len(ranks))
	for i, r := range ranks {
		sockets[i], err = net.ListenUDP("udp4", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
		check(err)
		peers[r.ID] = sockets[i].LocalAddr()
	}

	outcomes := make([]election.Outcome, len(ranks))
	var running sync.WaitGroup
	for i := range ranks {
		running.Go(func() {
			c := process.Config{
				Algorithm: hs.Probe(),
				Transport: &udp{sockets[i], peers, make(chan struct{}, 1)},
				Founding:  true,
				Start:     true,
			}
			check(c.Place(ring, ranks, i))
			var err error
			outcomes[i], err = process.Run(context.Background(), c)
			check(err)
		})
	}
	running.Wait()
	for i, r := range ranks {
		o := outcomes[i]
		fmt.Printf("%d knows: %d leads in term %d (%v)\n", r.ID, o.Leader.ID, o.Term, o.Role)
		check(sockets[i].Close())
	}
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}
