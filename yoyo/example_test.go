package yoyo_test

import (
	"context"
	"fmt"

	"github.com/go-election/election"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lab/sim"
	"github.com/go-election/election/lab/topology"
	"github.com/go-election/election/yoyo"
)

// On the path 1 - 4 - 3 - 5 - 2 the three local minima 1, 3 and 2 are candidates in the first round, 1 and
// 2 in the second, and 1 in the third.
func Example() {
	path, err := topology.Path(5)
	if err != nil {
		fmt.Println(err)
		return
	}
	r, err := sim.Run(context.Background(), sim.Config{Input: scenario.Input{
		Algorithm: yoyo.Algorithm(),
		Topology:  path,
		IDs:       []election.ID{1, 4, 3, 5, 2},
	}})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("leader %d, %d messages %v\n", r.Leader, r.Messages, r.ByKind)
	// Output: leader 1, 36 messages [{hello 8} {value 12} {yes 4} {no 4} {leaf 4} {elected 4}]
}
