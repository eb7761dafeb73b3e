package bully_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/go-election/election"
	"github.com/go-election/election/bully"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lab/sim"
)

// Process 5 has crashed. Process 2 notices, and the largest live process takes over.
func Example() {
	elect := func(a *election.Algorithm, err error) {
		if err != nil {
			panic(err)
		}
		r, err := sim.Run(context.Background(), sim.Config{Input: scenario.Input{Algorithm: a,
			IDs: []election.ID{1, 2, 3, 4, 5}, Crashed: []election.ID{5}, Initiators: []election.ID{2}}})
		fmt.Println(a.Title(), "elects", r.Leader, "by", r.Messages, "messages:", err)
	}
	elect(bully.Rules(bully.Config{}))
	elect(bully.Rules(bully.Config{AnnounceLower: true}))
	_, err := bully.Rules(bully.Config{AliveTimeout: bully.DefaultDelay}) // an answer takes two
	fmt.Println(errors.Is(err, election.ErrInput))
	// Output:
	// bully/rules elects 4 by 13 messages: <nil>
	// bully/rules elects 4 by 12 messages: <nil>
	// true
}
