package hs_test

import (
	"context"
	"fmt"

	"github.com/go-election/election"
	"github.com/go-election/election/hs"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lab/sim"
)

// Only 1 starts. Its probe wakes larger processes, and 8 is the largest of all.
func Example() {
	for _, a := range hs.Algorithms() {
		r, err := sim.Run(context.Background(), sim.Config{Input: scenario.Input{
			Algorithm:  a,
			IDs:        []election.ID{3, 1, 4, 8, 5, 2},
			Initiators: []election.ID{1},
		}})
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("%s: leader %d, %d messages %v\n", a.Title(), r.Leader, r.Messages, r.ByKind)
	}
	// Output:
	// hs/probe: leader 8, 59 messages [{probe 36} {reply 17} {elected 6}]
	// hs/respond: leader 8, 66 messages [{probe 36} {reply 24} {elected 6}]
}
