// Command service runs a service of three members. The member that leads does the work of all.
package main

import (
	"context"
	"fmt"
	"log"
	"log/slog"
	"sync"
	"time"

	"github.com/go-election/election"
	"github.com/go-election/election/bully"
	"github.com/go-election/election/process"
	"github.com/go-election/election/transport/memory"
)

// member takes part in elections until ctx ends, and works while it leads.
func member(ctx context.Context, self election.Rank, members []election.Rank, t election.Transport) error {
	algorithm, err := bully.Rules(bully.Config{
		Delay:     50 * time.Millisecond,  // no message takes longer
		Heartbeat: 100 * time.Millisecond, // a leader that is silent for longer is taken to be down
	})
	if err != nil {
		return err
	}
	stop := func() {}
	p, err := process.New(process.Config{
		Algorithm: algorithm, Self: self, Peers: members, Transport: t, Log: slog.Default(),
		OnOutcome: func(o election.Outcome) { // it returns at once: the member waits for it
			stop() // the work of an earlier term, which may still be ending when the next begins
			if o.Role == election.Leader {
				var leading context.Context
				leading, stop = context.WithCancel(ctx)
				go work(leading, o)
			}
		},
	})
	if err != nil {
		return err
	}
	return p.Run(ctx)
}

// work is the work of a leader. Its requests to the outside world carry o. A database, say, refuses a request
// whose outcome is Before that of an earlier one, since its sender no longer leads.
func work(ctx context.Context, o election.Outcome) {
	fmt.Println(o.Leader.ID, "leads")
	<-ctx.Done()
}

func main() {
	members := []election.Rank{{ID: 1}, {ID: 2}, {ID: 3}}
	network := memory.New() // across machines: an election.Transport of your own
	var all sync.WaitGroup
	for i, self := range members {
		endpoint, err := network.Endpoint(self.ID)
		if err != nil {
			log.Fatal(err)
		}
		all.Go(func() { // member 3 runs for one second, 2 for two, 1 for three
			life := time.Duration(len(members)-i) * time.Second
			ctx, cancel := context.WithTimeout(context.Background(), life)
			defer cancel()
			if err := member(ctx, self, members, endpoint); err != nil && ctx.Err() == nil {
				log.Print(err)
			}
		})
	}
	all.Wait()
}
