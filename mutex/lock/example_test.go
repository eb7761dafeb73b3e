package lock_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election/internal/exampletest"

	"github.com/go-election/election"
	"github.com/go-election/election/bully"
	"github.com/go-election/election/mutex"
	"github.com/go-election/election/mutex/lock"
	"github.com/go-election/election/process"
	"github.com/go-election/election/transport/memory"
)

// An arbiter grants the sections: the variant for a service. Heartbeats detect its crash, after which another
// one is elected, and grants larger tokens. A process that crashes inside is waited for until its Lease is
// over. No process is Founding: each may come back. A service also gives Save and Saved.
func Example() {
	elect, err := bully.Rules(bully.Config{Delay: 50 * time.Millisecond,
		Heartbeat: 250 * time.Millisecond})
	if err != nil {
		fmt.Println(err)
		return
	}
	algorithm, err := mutex.Arbiter(mutex.Config{Election: elect, Lease: time.Minute})
	if err != nil {
		fmt.Println(err)
		return
	}
	network := memory.New()
	all := []election.Rank{{ID: 1}, {ID: 2}, {ID: 3}}
	var lockers []*lock.Locker
	for _, self := range all {
		end, err := network.Endpoint(self.ID)
		if err != nil {
			fmt.Println(err)
			return
		}
		c := process.Config{Algorithm: algorithm, Self: self, Peers: all, Transport: end}
		l, err := lock.New(c, "printer")
		if err != nil {
			fmt.Println(err)
			return
		}
		lockers = append(lockers, l)
	}
	ctx := context.Background()
	var running sync.WaitGroup
	for _, l := range lockers {
		running.Go(func() { _ = l.Run(ctx) })
	}
	first, err := lockers[0].Lock(ctx, "printer")
	fmt.Println(err)
	fmt.Println(lockers[0].Unlock("printer", first))
	second, err := lockers[1].Lock(ctx, "printer")
	fmt.Println(err)
	fmt.Println(lockers[1].Unlock("printer", second), second > first)
	for _, l := range lockers {
		l.Close()
	}
	running.Wait()
}

// TestExample: what the example prints.
func TestExample(t *testing.T) {
	require.Equal(t, "<nil>\n<nil>\n<nil>\n<nil> true\n", exampletest.Output(t, Example))
}
