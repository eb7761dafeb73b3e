package peterson_test

import (
	"context"
	"fmt"

	"github.com/go-election/election"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lab/sim"
	"github.com/go-election/election/peterson"
)

// Of eight aliases five are left in the second phase, then three, two and one: five phases of eight messages.
func Example() {
	r, err := sim.Run(context.Background(), sim.Config{Input: scenario.Input{
		Algorithm: peterson.Algorithm(),
		IDs:       []election.ID{8, 3, 6, 2, 5, 7, 1, 4},
	}})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("leader %d, %d messages %v\n", r.Leader, r.Messages, r.ByKind)
	// Output: leader 8, 48 messages [{candidate 40} {elected 8}]
}
