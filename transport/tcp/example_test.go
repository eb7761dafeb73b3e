package tcp_test

import (
	"context"
	"fmt"
	"net"
	"sync"

	"github.com/go-election/election"
	"github.com/go-election/election/hs"
	"github.com/go-election/election/lab/topology"
	"github.com/go-election/election/process"
	"github.com/go-election/election/transport/tcp"
)

// Three processes elect a leader. Here they run in one program; each needs only the addresses of all.
func Example() {
	ranks := []election.Rank{{ID: 2}, {ID: 3}, {ID: 1}} // clockwise
	ring, err := topology.Ring(len(ranks), false)
	check(err)
	members := make(map[election.ID]string)
	listeners := make(map[election.ID]net.Listener)
	for _, r := range ranks {
		listeners[r.ID], err = net.Listen("tcp", "127.0.0.1:0")
		check(err)
		members[r.ID] = listeners[r.ID].Addr().String()
	}
	var running sync.WaitGroup
	outcomes := make([]election.Outcome, len(ranks))
	for i, r := range ranks {
		running.Go(func() {
			n, err := tcp.New(tcp.Config{Self: r.ID, Members: members, Listener: listeners[r.ID]})
			check(err)
			group, err := n.Group("example", tcp.GroupConfig{Reliable: true})
			check(err)
			c := process.Config{Algorithm: hs.Probe(), Transport: group, Founding: true, Start: true}
			check(c.Place(ring, ranks, i))
			outcomes[i], err = process.Run(context.Background(), c)
			check(err)
			check(n.Close())
		})
	}
	running.Wait()
	for i, o := range outcomes {
		fmt.Printf("%d knows: %d leads\n", ranks[i].ID, o.Leader.ID)
	}
	// Output:
	// 2 knows: 3 leads
	// 3 knows: 3 leads
	// 1 knows: 3 leads
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}
