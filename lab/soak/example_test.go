package soak_test

import (
	"context"
	"fmt"

	"github.com/go-election/election/lab/soak"
	"github.com/go-election/election/lcr"
)

// A thousand random elections of a Node with a mistake, and what is left of the first that fails.
func Example() {
	r, err := soak.Run(context.Background(), soak.Config{Algorithm: overlooks(), Runs: 1000})
	fmt.Println(err, r.Failure.Shrunk.Violation)
	fmt.Println(r.Failure.Smallest.IDs, r.Failure.Smallest.Describe())

	r, err = soak.Run(context.Background(), soak.Config{Algorithm: lcr.Max(), Runs: 1000})
	fmt.Println(err, r.Runs, r.Failure == nil)
	// Output:
	// <nil> one leader a Term: processes 1 and 2 both lead in Term 1
	// [2 1] 2 processes, 1 initiator
	// <nil> 1000 true
}
