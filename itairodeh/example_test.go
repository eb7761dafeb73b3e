package itairodeh_test

import (
	"context"
	"fmt"

	"github.com/go-election/election"
	"github.com/go-election/election/itairodeh"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lab/sim"
)

// Three processes draw 2 in the first round, and draw again. Of these the second draws the largest number.
func Example() {
	r, err := sim.Run(context.Background(), sim.Config{Input: scenario.Input{
		Algorithm: itairodeh.Rounds(),
		IDs:       []election.ID{1, 2, 3, 4},
		Draws:     [][]int{{2, 1}, {2, 3}, {1}, {2, 2}},
	}})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("leader %d, %d messages %v\n", r.Leader, r.Messages, r.ByKind)
	// Output: leader 2, 24 messages [{token 20} {elected 4}]
}
