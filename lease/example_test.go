package lease_test

import (
	"context"
	"fmt"

	"github.com/go-election/election"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lab/sim"
	"github.com/go-election/election/lease"
	"github.com/go-election/election/observe"
)

// The leader of three crashes. The others elect the next one once its lease has ended.
func Example() {
	_, err := sim.Run(context.Background(), sim.Config{
		Input: scenario.Input{
			Algorithm: lease.Algorithms()[0], IDs: []election.ID{1, 2, 3},
			CrashAt: []scenario.At{{ID: 3, Time: 40 * sim.Unit}},
		},
		Until: 150 * sim.Unit,
		Observe: func(o *observe.Occurrence) {
			if o.What == observe.Crash {
				fmt.Println(o.Process, "crashes")
			} else if fx := o.Effects; fx != nil && fx.Decided() && fx.Outcome.Role == election.Leader {
				fmt.Println(o.Process, "leads in Term", fx.Outcome.Term)
			}
		},
	})
	fmt.Println(err)
	// Output:
	// 3 leads in Term 1
	// 3 leads in Term 1
	// 3 crashes
	// 2 leads in Term 2
	// <nil>
}
