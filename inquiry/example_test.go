package inquiry_test

import (
	"context"
	"fmt"

	"github.com/go-election/election"
	"github.com/go-election/election/inquiry"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lab/sim"
)

// The smallest of five starts, with states and without.
func Example() {
	for _, a := range inquiry.Algorithms() {
		r, err := sim.Run(context.Background(), sim.Config{Input: scenario.Input{
			Algorithm:  a,
			IDs:        []election.ID{1, 2, 3, 4, 5},
			Initiators: []election.ID{1},
		}})
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("%s: leader %d, %d messages %v\n", a.Title(), r.Leader, r.Messages, r.ByKind)
	}
	// Output:
	// inquiry/states: leader 5, 34 messages [{election 20} {ack 10} {elected 4}]
	// inquiry/naive: leader 5, 117 messages [{election 64} {ack 49} {elected 4}]
}

// Without states every process more doubles the number of broadcasts. The exercise of the source.
func ExampleNaive() {
	var ids []election.ID
	for n := range 10 {
		ids = append(ids, election.ID(n+1))
		if n%3 != 0 {
			continue
		}
		for _, a := range inquiry.Algorithms() {
			r, err := sim.Run(context.Background(), sim.Config{Input: scenario.Input{
				Algorithm: a, IDs: ids, Initiators: []election.ID{1},
			}})
			if err != nil {
				fmt.Println(err)
				return
			}
			fmt.Printf("%2d processes, %-6s %4d election messages\n", len(ids), a.Variant, r.Count("election"))
		}
	}
	// Output:
	//  1 processes, states    0 election messages
	//  1 processes, naive     0 election messages
	//  4 processes, states   12 election messages
	//  4 processes, naive    24 election messages
	//  7 processes, states   42 election messages
	//  7 processes, naive   384 election messages
	// 10 processes, states   90 election messages
	// 10 processes, naive  4608 election messages
}
