package topology_test

import (
	"context"
	"fmt"

	"github.com/go-election/election"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lab/sim"
	"github.com/go-election/election/lab/topology"
	"github.com/go-election/election/treeelect"
)

// A tree of four processes, as a list of its links. A process numbers its ports in the order of the
// list.
func Example() {
	tree, err := topology.New(election.Tree, 4, [][2]int{{0, 1}, {1, 2}, {1, 3}})
	if err != nil {
		panic(err)
	}
	for from, to := range topology.All(tree) {
		fmt.Printf("port %d of %d leads to %d\n", from.Port, from.Process, to.Process)
	}
	_, err = topology.New(election.Tree, 3, [][2]int{{0, 1}, {1, 2}, {2, 0}})
	fmt.Println(err)
	// Output:
	// port 0 of 0 leads to 1
	// port 0 of 1 leads to 0
	// port 1 of 1 leads to 2
	// port 2 of 1 leads to 3
	// port 0 of 2 leads to 1
	// port 0 of 3 leads to 1
	// topology: link 2, of 2 and 0, closes a cycle, which a tree has not
}

// An algorithm for trees elects on a tree of one's own. Without a topology an Input gets one of the
// right shape.
func Example_election() {
	tree, err := topology.New(election.Tree, 4, [][2]int{{0, 1}, {1, 2}, {1, 3}})
	if err != nil {
		panic(err)
	}
	for _, given := range []topology.Topology{tree, nil} {
		r, err := sim.Run(context.Background(), sim.Config{Input: scenario.Input{
			Algorithm: treeelect.Saturation(), IDs: []election.ID{4, 3, 2, 1}, Topology: given}})
		if err != nil {
			panic(err)
		}
		fmt.Println(r.Leader, "after", r.Messages, "messages")
	}
	// Output:
	// 4 after 12 messages
	// 4 after 12 messages
}
