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

func TestCrash(t *testing.T) {
	for _, a := range catalog.All() {
		if a.Winner != election.LargestOfLive {
			continue
		}
		for n := 2; n <= 3; n++ {
			var ids []election.ID
			for i := range n {
				ids = append(ids, election.ID(i+1))
			}
			for k := 0; k <= 3; k++ {
				c := Config{Input: scenario.Input{Algorithm: a, IDs: ids}, MaxStates: 3000000, Crashes: k, Nudge: a.Variant == "halting", Delay: a.Delay}
				if k == 3 {
					c.Crashes, c.Recoveries = 1, 1
				}
				ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
				r, err := Run(ctx, c)
				cancel()
				if err != nil {
					fmt.Println(a.Title(), n, k, err)
					continue
				}
				fmt.Printf("%s n=%d crashes=%v states=%d trans=%d depth=%d longest=%d messages=%d ex=%v stop=%v err=%v %v\n", a.Title(), n, k, r.States, r.Transitions, r.Depth, r.Longest, r.Messages, r.Exhausted, r.Stopped, r.Err(), r.Wall)
				if x := r.Counterexample; x != nil {
					fmt.Println("   ", x.Property, x.Reason, len(x.Steps), x.Cycle)
					for _, s := range x.Steps {
						fmt.Print(" ", s.Do, " ", s.Process, " p", s.Port, " t", s.Timer, " ", s.Nth, " ")
						if s.At != nil {
							fmt.Print(*s.At)
						}
						fmt.Print(";")
					}
					fmt.Println()
				}
			}
		}
	}
}
