package storelease_test

import (
	"context"
	"fmt"

	"github.com/go-election/election"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lab/sim"
	"github.com/go-election/election/lease/storelease"
	"github.com/go-election/election/observe"
)

// Process 1 is the store. The leader crashes, and the other member takes the lease when the record has stood for long
// enough.
func Example() {
	term := uint64(0)
	_, err := sim.Run(context.Background(), sim.Config{
		Input: scenario.Input{
			Algorithm: storelease.Algorithms()[0], IDs: []election.ID{1, 2, 3},
			Initiators: []election.ID{3, 2},
			CrashAt:    []scenario.At{{ID: 3, Time: 140 * sim.Unit}},
		},
		Until: 300 * sim.Unit,
		Observe: func(o *observe.Occurrence) {
			if o.What == observe.Crash {
				fmt.Println(o.Process, "crashes")
			} else if fx := o.Effects; fx != nil && fx.Outcome.Role == election.Leader && fx.Outcome.Term > term {
				term = fx.Outcome.Term
				fmt.Println(o.Process, "leads in Term", term)
			}
		},
	})
	fmt.Println(err)
	// Output:
	// 3 leads in Term 1
	// 3 crashes
	// 2 leads in Term 2
	// <nil>
}
