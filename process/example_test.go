package process_test

import (
	"context"
	"fmt"
	"sync"

	"github.com/go-election/election"
	"github.com/go-election/election/lab/topology"
	"github.com/go-election/election/lcr"
	"github.com/go-election/election/process"
	"github.com/go-election/election/transport/memory"
)

// Three services keep a Process each. They elect, and later one of them asks for another
// election. Here they share a program and talk in memory; each would do the same over a
// transport of its own.
func ExampleProcess() {
	ranks := []election.Rank{{ID: 4}, {ID: 9}, {ID: 7}} // clockwise
	ring, err := topology.Ring(len(ranks), true)
	if err != nil {
		panic(err)
	}
	net := memory.New()
	news := make(chan election.Outcome, 100)
	var processes []*process.Process
	for i, self := range ranks {
		c := process.Config{
			Algorithm: lcr.Participant(),
			Founding:  true,
			OnOutcome: func(o election.Outcome) { news <- o },
		}
		if err = c.Place(ring, ranks, i); err != nil {
			panic(err)
		}
		if c.Transport, err = net.Endpoint(self.ID); err != nil {
			panic(err)
		}
		p, err := process.New(c)
		if err != nil {
			panic(err)
		}
		processes = append(processes, p)
	}

	ctx, stop := context.WithCancel(context.Background())
	var running sync.WaitGroup
	for _, p := range processes {
		running.Go(func() { _ = p.Run(ctx) }) // until ctx ends
	}
	for i := range 2 {
		if err := processes[i].Reelect(); err != nil {
			panic(err)
		}
		for range ranks {
			o := <-news
			fmt.Println("term", o.Term, "leader", o.Leader.ID)
		}
	}
	stop()
	running.Wait()
	// Output:
	// term 1 leader 9
	// term 1 leader 9
	// term 1 leader 9
	// term 2 leader 9
	// term 2 leader 9
	// term 2 leader 9
}
