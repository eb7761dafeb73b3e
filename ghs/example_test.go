package ghs_test

import (
	"context"
	"fmt"

	"github.com/go-election/election"
	"github.com/go-election/election/ghs"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lab/sim"
	"github.com/go-election/election/lab/topology"
)

// Of a square with a diagonal the two heaviest links are left out. The link of 2 and 3 joins the last two
// fragments: the larger of its ends leads.
func Example() {
	square, err := topology.New(election.Graph, 4, [][2]int{{0, 1}, {1, 2}, {2, 3}, {3, 0}, {0, 2}})
	if err != nil {
		fmt.Println(err)
		return
	}
	weights := map[[2]int]uint64{{0, 1}: 1, {1, 2}: 3, {2, 3}: 2, {0, 3}: 5, {0, 2}: 4}
	r, err := sim.Run(context.Background(), sim.Config{Input: scenario.Input{
		Algorithm: ghs.Algorithm(),
		Topology:  topology.WithWeights(square, func(p, q int) uint64 { return weights[[2]int{p, q}] }),
		IDs:       []election.ID{1, 2, 3, 4},
	}})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("leader", r.Leader, "tree", r.Tree)
	// Output: leader 3 tree [[1 2] [2 3] [3 4]]
}
