package lcr_test

import (
	"context"
	"fmt"

	"github.com/go-election/election"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lab/sim"
	"github.com/go-election/election/lcr"
)

// Six processes, in clockwise order, of which all start.
func Example() {
	for _, a := range lcr.Algorithms() {
		r, err := sim.Run(context.Background(), sim.Config{
			Input: scenario.Input{Algorithm: a, IDs: []election.ID{3, 1, 4, 8, 5, 2}},
		})
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("%s: leader %d, %d messages\n", a.Title(), r.Leader, r.Messages)
	}
	// Output:
	// lcr/participant: leader 8, 22 messages
	// lcr/initiators: leader 8, 22 messages
	// lcr/max: leader 8, 57 messages
	// lcr/wave: leader 8, 72 messages
}

// Only 3, 5 and 2 start: they alone compete in one variant, and in the other 8 joins when the
// smaller 4 reaches it.
func ExampleInitiators() {
	for _, a := range []*election.Algorithm{lcr.Initiators(), lcr.Participant()} {
		r, err := sim.Run(context.Background(), sim.Config{Input: scenario.Input{
			Algorithm:  a,
			IDs:        []election.ID{3, 1, 4, 8, 5, 2},
			Initiators: []election.ID{3, 5, 2},
		}})
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("%s: leader %d\n", a.Title(), r.Leader)
	}
	// Output:
	// lcr/initiators: leader 5
	// lcr/participant: leader 8
}
