package mutex_test

import (
	"context"
	"fmt"

	"github.com/go-election/election"
	"github.com/go-election/election/bully"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lab/sim"
	"github.com/go-election/election/mutex"
)

func ExampleArbiter() {
	a, err := mutex.Arbiter(mutex.Config{CriticalSection: 3 * sim.Unit, Election: bully.Algorithms()[0],
		Arbiter: 4})
	if err != nil {
		fmt.Println(err)
		return
	}
	r, err := sim.Run(context.Background(), sim.Config{Input: scenario.Input{
		Algorithm: a, IDs: []election.ID{1, 2, 3, 4}, Initiators: []election.ID{2, 3}}})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, entry := range r.Entries {
		fmt.Printf("at %v process %d enters with token %d\n", entry.At, entry.ID, entry.Token)
	}
	fmt.Println(r.Messages, "messages")
	// Output:
	// at 2s process 2 enters with token 3221225473
	// at 7s process 3 enters with token 3221225474
	// 6 messages
}
