package sim_test

import (
	"context"
	"fmt"

	"github.com/go-election/election"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lab/sim"
	"github.com/go-election/election/lcr"
)

// The same input and seed give the same run, event by event.
func Example() {
	config := sim.Config{
		Input:    scenario.Input{Algorithm: lcr.Max(), IDs: []election.ID{3, 1, 4, 5, 2}},
		Schedule: sim.RandomDelay, Seed: 7,
	}
	first, err := sim.Run(context.Background(), config)
	if err != nil {
		panic(err)
	}
	again, err := sim.Run(context.Background(), config)
	if err != nil {
		panic(err)
	}
	fmt.Println("leader:", first.Leader, "messages:", first.Messages, "error:", first.Err())
	fmt.Println("the same run:", first.TraceHash == again.TraceHash && first.Time == again.Time)
	// Output:
	// leader: 5 messages: 40 error: <nil>
	// the same run: true
}
