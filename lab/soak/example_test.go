package soak_test

import (
	"context"
	"fmt"

	"github.com/go-election/election"
	"github.com/go-election/election/lab/soak"
	"github.com/go-election/election/lcr"
)

// A thousand random elections find nothing wrong with lcr/max. If its description promised that processes may
// crash, they would: the first election that fails is made as small as it can be. Its scenario, written
// to a file, is for elect sim.
func Example() {
	a := lcr.Max()
	r, err := soak.Run(context.Background(), soak.Config{Algorithm: a, Runs: 1000})
	if err != nil {
		panic(err)
	}
	fmt.Println(r.Runs, "runs, failure:", r.Failure != nil)

	bold := *a
	bold.Faults.Crash = election.StaysDown
	r, err = soak.Run(context.Background(), soak.Config{Algorithm: &bold, Runs: 1000})
	if err != nil {
		panic(err)
	}
	fmt.Println(r.Failure.Shrunk.Violation)
	fmt.Println(r.Failure.Smallest.Describe())
	s, err := r.Failure.Smallest.Scenario()
	if err != nil {
		panic(err)
	}
	for _, step := range s.Steps {
		fmt.Println(step.Do, step.Process)
	}
	// Output:
	// 1000 runs, failure: false
	// all live processes follow one leader: process 1 has no leader
	// 2 processes, 0 initiators, 1 crash
	// crash 2
	// start 1
	// deliver 2
	// start 1
	// start 1
}
