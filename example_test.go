package election_test

import (
	"context"
	"fmt"
	"sync"

	"github.com/go-election/election"
	"github.com/go-election/election/lcr"
	"github.com/go-election/election/process"
	"github.com/go-election/election/transport/memory"
)

// Three services keep a Process each. They elect, and later one of them asks for another
// election. Here they share a program and talk in memory; each would do the same over a
// transport of its own.
func ExampleProcess() {
	ring := []election.ID{4, 9, 7} // clockwise
	net := memory.New()
	news := make(chan election.Outcome, 100)
	var processes []*process.Process
	for i, id := range ring {
		transport, err := net.Endpoint(id)
		if err != nil {
			panic(err)
		}
		next, before := ring[(i+1)%len(ring)], ring[(i+len(ring)-1)%len(ring)]
		p, err := process.New(process.Config{
			Algorithm: lcr.Participant(),
			Self:      election.Rank{ID: id},
			Links: []process.Link{
				election.Clockwise:        {Peer: election.Rank{ID: next}, Port: election.Counterclockwise},
				election.Counterclockwise: {Peer: election.Rank{ID: before}, Port: election.Clockwise},
			},
			OneWay:    true,
			Transport: transport,
			OnOutcome: func(o election.Outcome) { news <- o },
		})
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
		if err := processes[i].Post(election.Event{Op: election.Renew}); err != nil {
			panic(err)
		}
		for range ring {
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
