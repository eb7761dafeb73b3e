package invitation_test

import (
	"context"
	"fmt"
	"time"

	"github.com/go-election/election"
	"github.com/go-election/election/invitation"
	"github.com/go-election/election/lab/fault"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lab/sim"
)

// Five processes find each other. A cut divides them, and each side has a leader. When the links are
// whole again one process leads all.
func Example() {
	a, err := invitation.New(invitation.Config{Interval: 6 * sim.Unit})
	if err != nil {
		panic(err)
	}
	s, err := sim.New(sim.Config{Input: scenario.Input{Algorithm: a, IDs: []election.ID{1, 2, 3, 4, 5},
		Faults: fault.Plan{Partitions: []fault.Partition{{From: 30 * sim.Unit, Until: 90 * sim.Unit,
			Groups: [][]election.ID{{1, 2}, {3, 4, 5}}}}}}})
	if err != nil {
		panic(err)
	}
	for _, at := range []time.Duration{20, 80, 200} {
		s.Extend(at * sim.Unit)
		if err := s.Run(context.Background()); err != nil {
			panic(err)
		}
		fmt.Printf("at %d:", at)
		for p := range 5 {
			fmt.Printf(" %d", s.Outcome(p).Leader.ID)
		}
		fmt.Println()
	}
	// Output:
	// at 20: 5 5 5 5 5
	// at 80: 2 2 5 5 5
	// at 200: 5 5 5 5 5
}
