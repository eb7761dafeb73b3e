package treeelect_test

import (
	"context"
	"fmt"

	"github.com/go-election/election"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lab/sim"
	"github.com/go-election/election/lab/topology"
	"github.com/go-election/election/treeelect"
)

// A binary tree of six, of which the first process is the root and starts.
func Example() {
	ids := []election.ID{1, 2, 3, 4, 5, 6}
	for _, a := range []*election.Algorithm{treeelect.Root(), treeelect.Any(), treeelect.Saturation()} {
		tree, err := topology.BinaryTree(len(ids))
		if err != nil {
			fmt.Println(err)
			return
		}
		r, err := sim.Run(context.Background(), sim.Config{Input: scenario.Input{
			Algorithm: a, Topology: tree, IDs: ids, Initiators: ids[:1],
		}})
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("%s: leader %d, %d messages %v\n", a.Title(), r.Leader, r.Messages, r.ByKind)
	}
	// Output:
	// treeelect/root: leader 6, 20 messages [{demand 5} {report 5} {elected 5} {done 5}]
	// treeelect/any: leader 6, 15 messages [{demand 5} {report 5} {elected 5}]
	// treeelect/saturation: leader 6, 15 messages [{wakeup 5} {saturation 6} {elected 4}]
}

// A cube has 24 links, each direction counted. The tree is made first.
func ExampleOverGraph() {
	cube, err := topology.Hypercube(3)
	if err != nil {
		fmt.Println(err)
		return
	}
	graph, err := topology.AsGraph(cube)
	if err != nil {
		fmt.Println(err)
		return
	}
	a, err := treeelect.OverGraph("any")
	if err != nil {
		fmt.Println(err)
		return
	}
	r, err := sim.Run(context.Background(), sim.Config{Input: scenario.Input{
		Algorithm: a, Topology: graph, IDs: []election.ID{3, 1, 4, 8, 5, 2, 6, 7},
		Initiators: []election.ID{1},
	}})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%s: leader %d, %d messages %v\n", a.Title(), r.Leader, r.Messages, r.ByKind)
	// Output:
	// treeelect/graph_any: leader 8, 45 messages [{demand 7} {report 7} {elected 7} {build 17} {joined 7}]
}
