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

func TestReduce(t *testing.T) {
	for _, a := range catalog.All() {
		for n := 1; n <= 4; n++ {
			m := n
			if a.Topology == election.Hypercube {
				m = 1 << (n - 1)
			}
			if a.Topology == election.Mesh || m > 4 {
				m = 9
				if n > 1 {
					continue
				}
			}
			if a.Delay > 0 {
				continue
			}
			var ids []election.ID
			for i := range m {
				ids = append(ids, election.ID(m-i))
			}
			for _, un := range []bool{false, true} {
				for _, st := range []bool{false, true} {
					c := Config{Input: scenario.Input{Algorithm: a, IDs: ids}, Unordered: un, Started: st, MaxStates: 300000}
					ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
					r, err := Run(ctx, c)
					c.Reduce = true
					s, err2 := Run(ctx, c)
					cancel()
					if err != nil {
						fmt.Println(a.Title(), n, un, err, err2)
						continue
					}
					fmt.Printf("%s n=%d unordered=%v started=%v states=%d %d (%v %v) %.1f reduced %d err=%v / %v\n", a.Title(), m, un, st, r.States, s.States, r.Exhausted, s.Exhausted, float64(r.States)/float64(s.States), s.Reduced, r.Err(), s.Err())
				}
			}
		}
	}
}
