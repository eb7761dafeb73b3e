package museum_test

import (
	"context"
	"fmt"

	"github.com/go-election/election/lab/check"
	"github.com/go-election/election/lab/museum"
)

func Example() {
	for _, x := range museum.All() {
		if x.ID() != "lcr-process-relayed-may-still-start" {
			continue
		}
		wrong, err := check.Run(context.Background(), x.Config)
		if err != nil {
			panic(err)
		}
		right, err := check.Run(context.Background(), x.Control.Config)
		if err != nil {
			panic(err)
		}
		fmt.Println(x.Property.Text(), "is violated after", len(wrong.Counterexample.Steps), "steps; at best",
			x.Par)
		fmt.Println(x.Control.Name, "violates it:", right.Counterexample != nil)
	}
	// Output:
	// only the right process leads is violated after 4 steps; at best 4
	// initiators violates it: false
}
