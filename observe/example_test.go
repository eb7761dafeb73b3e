package observe_test

import (
	"context"
	"fmt"

	"github.com/go-election/election"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lab/sim"
	"github.com/go-election/election/lcr"
	"github.com/go-election/election/observe"
)

// An observer that prints what every process takes, and what it decides.
func Example() {
	show := func(o *observe.Occurrence) {
		if o.What != observe.Step {
			fmt.Printf("%v: %d: %v\n", o.At, o.Process, o.What)
			return
		}
		fmt.Printf("%v: %d: %v", o.At, o.Process, observe.What(o.Event.Op))
		if o.Effects.Decided() {
			fmt.Printf(", decides: %v", o.Effects.Outcome.Role)
		}
		fmt.Println()
	}
	_, err := sim.Run(context.Background(), sim.Config{
		Input: scenario.Input{
			Algorithm: lcr.Max(), IDs: []election.ID{2, 1},
			CrashAt: []scenario.At{{ID: 1, Time: 3 * sim.Unit / 2}},
		},
		Observe: show,
	})
	if err != nil {
		panic(err)
	}
	// Output:
	// 0s: 2: init
	// 0s: 1: init
	// 0s: 2: start
	// 0s: 1: start
	// 1s: 1: deliver
	// 1s: 2: deliver
	// 1.5s: 1: crash
	// 2s: 2: deliver, decides: leader
	// 2s: 1: lose
	// 3s: 1: lose
}
