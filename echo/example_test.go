package echo_test

import (
	"context"
	"fmt"

	"github.com/go-election/election"
	"github.com/go-election/election/echo"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lab/sim"
	"github.com/go-election/election/lab/topology"
)

// A grid of 2 x 3 has 14 links, each direction counted. One process starts.
func Example() {
	grid, err := topology.Grid(2, 3)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, a := range echo.Algorithms() {
		r, err := sim.Run(context.Background(), sim.Config{Input: scenario.Input{
			Algorithm: a, Topology: grid, IDs: []election.ID{4, 6, 2, 1, 3, 5}, Initiators: []election.ID{3},
		}})
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("%s: leader %d, %d messages %v\n", a.Title(), r.Leader, r.Messages, r.ByKind)
	}
	// Output:
	// echo/implicit: leader 6, 19 messages [{demand 9} {report 5} {elected 5}]
	// echo/nok: leader 6, 23 messages [{demand 9} {report 5} {elected 5} {nok 4}]
	// echo/extinction: leader 3, 19 messages [{wave 14} {elected 5}]
}
