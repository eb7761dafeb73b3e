package synchronizer_test

import (
	"context"
	"fmt"

	"github.com/go-election/election"
	"github.com/go-election/election/floodmax"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lab/sim"
	"github.com/go-election/election/synchronizer"
)

// Floodmax counts on messages that take a unit each. Over the synchronizer it bears any delays, and takes as
// many messages of its own as before, whatever they are.
func ExampleAlpha() {
	flood, err := floodmax.Change(floodmax.Config{Rounds: 3})
	if err != nil {
		fmt.Println(err)
		return
	}
	over, err := synchronizer.Alpha(flood)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, c := range []sim.Config{
		{Input: scenario.Input{Algorithm: flood}},
		{Input: scenario.Input{Algorithm: over}, Schedule: sim.RandomDelay,
			Delay: sim.Delay{Distribution: sim.Exponential, Mean: sim.Unit}},
	} {
		c.IDs = []election.ID{4, 8, 1, 6, 2, 7, 3, 5}
		r, err := sim.Run(context.Background(), c)
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("%s: leader %d, messages %v\n", c.Algorithm.Title(), r.Leader, r.ByKind)
	}
	// Output:
	// floodmax/change: leader 8, messages [{max 68}]
	// floodmax/change with alpha: leader 8, messages [{max 68} {safe 128}]
}
