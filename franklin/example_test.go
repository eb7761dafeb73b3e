package franklin_test

import (
	"context"
	"fmt"

	"github.com/go-election/election"
	"github.com/go-election/election/franklin"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lab/sim"
)

// In the first round 5, 7, 6 and 8 stay, in the second 7 and 8, in the third 8, which finds out
// in the fourth that it is alone.
func Example() {
	r, err := sim.Run(context.Background(), sim.Config{Input: scenario.Input{
		Algorithm: franklin.Algorithm(),
		IDs:       []election.ID{1, 5, 3, 7, 2, 6, 4, 8},
	}})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("leader %d, %d messages %v\n", r.Leader, r.Messages, r.ByKind)
	// Output: leader 8, 72 messages [{candidate 64} {elected 8}]
}
