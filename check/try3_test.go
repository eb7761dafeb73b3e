package check

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/go-election/election"
	"github.com/go-election/election/catalog"
	"github.com/go-election/election/scenario"
)

func TestAll(t *testing.T) {
	for _, a := range catalog.All() {
		for n := 1; n <= 3; n++ {
			m := n
			if a.Topology == election.Hypercube {
				m = 1 << (n - 1)
			}
			if a.Topology == election.Mesh {
				m = 9
				if n > 1 {
					continue
				}
			}
			var ids []election.ID
			for i := range m {
				ids = append(ids, election.ID(m-i))
			}
			for _, un := range []bool{false, true} {
				c := Config{Input: scenario.Input{Algorithm: a, IDs: ids}, Unordered: un, MaxStates: 300000}
				if a.Delay > 0 {
					c.Delay = a.Delay
				}
				if a.Restless {
					c.Until = 12 * a.Delay
				}
				ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
				r, err := Run(ctx, c)
				cancel()
				if err != nil {
					fmt.Println(a.Title(), n, un, err)
					continue
				}
				fmt.Printf("%s n=%d unordered=%v states=%d trans=%d depth=%d longest=%d messages=%d ex=%v stop=%v err=%v\n", a.Title(), m, un, r.States, r.Transitions, r.Depth, r.Longest, r.Messages, r.Exhausted, r.Stopped, r.Err())
				if x := r.Counterexample; x != nil {
					fmt.Println("   ", x.Property, x.Reason, len(x.Steps), x.Steps, x.Cycle)
				}
			}
		}
	}
}
