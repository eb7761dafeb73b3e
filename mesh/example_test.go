package mesh_test

import (
	"context"
	"fmt"

	"github.com/go-election/election"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lab/sim"
	"github.com/go-election/election/lab/topology"
	"github.com/go-election/election/mesh"
)

// Of the corners 7, 2, 4 and 5 the largest is elected. The other processes are larger, and only
// help.
func Example() {
	links, err := topology.Mesh(3, 4)
	if err != nil {
		fmt.Println(err)
		return
	}
	r, err := sim.Run(context.Background(), sim.Config{Input: scenario.Input{
		Algorithm: mesh.Algorithm(),
		Topology:  links,
		IDs: []election.ID{
			7, 10, 11, 2,
			12, 13, 14, 15,
			4, 16, 17, 5,
		},
	}})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("leader %d, %d messages %v\n", r.Leader, r.Messages, r.ByKind)
	// Output: leader 7, 97 messages [{hello 34} {corner 40} {elected 23}]
}
