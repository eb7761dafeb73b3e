// Command transport elects a leader among three processes that talk over UDP. The transport is in udp.go. UDP loses
// packets, and here a third of them, but an election on a ring tolerates no loss: package transport/reliable sends
// lost packets again. The three processes run in one program. Each needs only its own socket and the addresses of
// the others, so they might as well be three programs.
package main

import (
	"context"
	"fmt"
	"net"
	"sync"
	"time"

	"github.com/go-election/election"
	"github.com/go-election/election/hs"
	"github.com/go-election/election/lab/fault"
	"github.com/go-election/election/lab/topology"
	"github.com/go-election/election/process"
	"github.com/go-election/election/transport/faults"
	"github.com/go-election/election/transport/reliable"
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
	links, err := faults.NewLinks(faults.Config{Plan: fault.Plan{Loss: 1.0 / 3}})
	check(err)

	outcomes := make([]election.Outcome, len(ranks))
	var running sync.WaitGroup
	for i := range ranks {
		running.Go(func() {
			lossy := links.Over(&udp{sockets[i], peers, make(chan struct{}, 1)})
			t, err := reliable.New(lossy, reliable.Config{Self: ranks[i].ID, Resend: 10 * time.Millisecond})
			check(err)
			c := process.Config{
				Algorithm: hs.Probe(),
				Transport: t,
				Founding:  true,
				Start:     true,
			}
			check(c.Place(ring, ranks, i))
			outcomes[i], err = process.Run(context.Background(), c)
			check(err)
			check(t.Close())
		})
	}
	running.Wait()
	for i, r := range ranks {
		o := outcomes[i]
		fmt.Printf("%d knows: %d leads in term %d (%v)\n", r.ID, o.Leader.ID, o.Term, o.Role)
	}
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}
