package fault_test

import (
	"context"
	"fmt"
	"time"

	"github.com/go-election/election"
	"github.com/go-election/election/bully"
	"github.com/go-election/election/lab/fault"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lab/sim"
)

// Process 3 is cut off from 1 and 2 for two seconds.
func Example() {
	plan := fault.Plan{Partitions: []fault.Partition{
		{From: time.Second, Until: 3 * time.Second, Groups: [][]election.ID{{1, 2}}},
	}}
	if err := plan.Check([]election.ID{1, 2, 3}, time.Duration.String); err != nil {
		panic(err)
	}
	cuts := plan.Cuts()
	for second := range time.Duration(4) {
		at := second * time.Second
		fmt.Printf("%v: 1 to 2 is cut: %t, 1 to 3 is cut: %t\n", at, cuts.Loses(1, 2, at),
			cuts.Loses(1, 3, at))
	}
	// Output:
	// 0s: 1 to 2 is cut: false, 1 to 3 is cut: false
	// 1s: 1 to 2 is cut: false, 1 to 3 is cut: true
	// 2s: 1 to 2 is cut: false, 1 to 3 is cut: true
	// 3s: 1 to 2 is cut: false, 1 to 3 is cut: false
}

// For thirty units process 3 is cut off. The others elect process 2, and 3 leads on: there are two
// leaders. All follow 3 once the links are whole.
func Example_simulation() {
	a, err := bully.Rules(bully.Config{Delay: sim.Unit, Heartbeat: 3 * sim.Unit})
	if err != nil {
		panic(err)
	}
	s, err := sim.New(sim.Config{Until: 80 * sim.Unit, Input: scenario.Input{
		Algorithm: a, IDs: []election.ID{1, 2, 3},
		Faults: fault.Plan{Partitions: []fault.Partition{
			{From: 10 * sim.Unit, Until: 40 * sim.Unit, Groups: [][]election.ID{{3}}},
		}},
	}})
	if err != nil {
		panic(err)
	}
	for _, at := range []time.Duration{9, 39, 79} {
		s.Extend(at * sim.Unit)
		if err := s.Run(context.Background()); err != nil {
			panic(err)
		}
		fmt.Printf("%d: 1 follows %v, 2 follows %v, 3 follows %v\n", at, s.Outcome(0).Leader,
			s.Outcome(1).Leader, s.Outcome(2).Leader)
	}
	// Output:
	// 9: 1 follows 3, 2 follows 3, 3 follows 3
	// 39: 1 follows 2, 2 follows 2, 3 follows 3
	// 79: 1 follows 3, 2 follows 3, 3 follows 3
}
