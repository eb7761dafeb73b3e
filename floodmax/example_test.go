package floodmax_test

import (
	"context"
	"fmt"

	"github.com/go-election/election"
	"github.com/go-election/election/floodmax"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lab/sim"
	"github.com/go-election/election/lab/topology"
)

// Five processes in a row need four rounds. Alpha bears delays that basic and change do not.
func Example() {
	path, err := topology.Path(5)
	if err != nil {
		fmt.Println(err)
		return
	}
	for variant, make := range []func(floodmax.Config) (*election.Algorithm, error){floodmax.Basic,
		floodmax.Change, floodmax.Alpha} {
		a, err := make(floodmax.Config{Rounds: 4})
		if err != nil {
			fmt.Println(err)
			return
		}
		c := sim.Config{Input: scenario.Input{Algorithm: a, Topology: path,
			IDs: []election.ID{5, 1, 2, 3, 4}}}
		if variant == 2 {
			c.Schedule = sim.RandomDelay
		}
		r, err := sim.Run(context.Background(), c)
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("%s: leader %d, messages %v\n", a.Title(), r.Leader, r.ByKind)
	}
	// Output:
	// floodmax/basic: leader 5, messages [{max 32}]
	// floodmax/change: leader 5, messages [{max 18}]
	// floodmax/alpha: leader 5, messages [{max 32} {safe 40}]
}
