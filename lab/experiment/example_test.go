package experiment_test

import (
	"context"
	"fmt"

	"github.com/go-election/election"
	"github.com/go-election/election/dkr"
	"github.com/go-election/election/lab/experiment"
	"github.com/go-election/election/lcr"
)

// Two algorithms on the same random rings.
func Example() {
	cells, err := experiment.Comparison{
		Algorithms: []*election.Algorithm{lcr.Max(), dkr.Algorithm()},
		Sizes:      []int{10, 100},
	}.Run(context.Background())
	if err != nil {
		panic(err)
	}
	for _, c := range cells {
		fmt.Printf("%s, %d processes: %.0f to %.0f messages, at most %.0f\n",
			c.Algorithm.Title(), c.N, c.Messages.Min, c.Messages.Max, c.Worst)
	}
	// Output:
	// lcr/max, 10 processes: 155 to 155 messages, at most 155
	// dkr, 10 processes: 60 to 80 messages, at most 80
	// lcr/max, 100 processes: 15050 to 15050 messages, at most 15050
	// dkr, 100 processes: 1000 to 1200 messages, at most 1400
}
