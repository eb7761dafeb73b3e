package lmw_test

import (
	"context"
	"fmt"

	"github.com/go-election/election"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lab/sim"
	"github.com/go-election/election/lmw"
)

// Around the circle each process challenges the next one. 5 beats 1 at once; 2 beats 1 as well, but 1 passes
// its challenge on to 5.
func Example() {
	r, err := sim.Run(context.Background(), sim.Config{Input: scenario.Input{
		Algorithm: lmw.Algorithm(),
		IDs:       []election.ID{5, 1, 2, 4, 3},
	}})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("leader %d, %d messages %v\n", r.Leader, r.Messages, r.ByKind)
	// Output: leader 5, 17 messages [{elect 13} {elected 4}]
}
