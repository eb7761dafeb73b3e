package hypercube_test

import (
	"context"
	"fmt"

	"github.com/go-election/election"
	"github.com/go-election/election/hypercube"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lab/sim"
	"github.com/go-election/election/lab/topology"
)

// The arrangement of three dimensions that takes the most messages. It takes as many
// whichever processes start, and however fast messages are.
func Example() {
	links, err := topology.Hypercube(3)
	if err != nil {
		fmt.Println(err)
		return
	}
	r, err := sim.Run(context.Background(), sim.Config{Input: scenario.Input{
		Algorithm: hypercube.Algorithm(),
		Topology:  links,
		IDs:       []election.ID{8, 1, 2, 3, 4, 5, 7, 6},
	}})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("leader %d, %d messages %v, time %v\n", r.Leader, r.Messages, r.ByKind, r.Time)
	// Output: leader 8, 31 messages [{duel 24} {elected 7}], time 10s
}
