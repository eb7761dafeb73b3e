package dkr_test

import (
	"context"
	"fmt"

	"github.com/go-election/election"
	"github.com/go-election/election/dkr"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lab/sim"
)

// Three rounds of 8 firsts and 8 seconds halve the aliases down to that of 8, and 8 firsts more
// bring it home.
func Example() {
	r, err := sim.Run(context.Background(), sim.Config{Input: scenario.Input{
		Algorithm: dkr.Algorithm(),
		IDs:       []election.ID{1, 5, 3, 7, 2, 6, 4, 8},
	}})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("leader %d, %d messages %v\n", r.Leader, r.Messages, r.ByKind)
	// Output: leader 8, 64 messages [{first 32} {second 24} {elected 8}]
}
