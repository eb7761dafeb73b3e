package check

import (
	"context"
	"fmt"
	"testing"

	"github.com/go-election/election"
	"github.com/go-election/election/dkr"
	"github.com/go-election/election/lcr"
	"github.com/go-election/election/scenario"
)

func TestTry(t *testing.T) {
	for _, n := range []int{3, 4, 5, 8, 13} {
		var ids []election.ID
		for i := range n {
			ids = append(ids, election.ID(n-i))
		}
		for _, un := range []bool{false, true} {
			if un && n > 8 {
				continue
			}
			for _, workers := range []int{1, 2} {
				r, err := Run(context.Background(), Config{Input: scenario.Input{Algorithm: lcr.Participant(), IDs: ids}, NoAnnouncement: true, Unordered: un, Workers: workers})
				fmt.Printf("%d %v %d: %v %+v\n", n, un, workers, err, r)
			}
		}
		if n <= 10 {
			r, err := Run(context.Background(), Config{Input: scenario.Input{Algorithm: dkr.Algorithm(), IDs: ids}, Started: true})
			fmt.Printf("dkr %d: %v %+v\n", n, err, r)
		}
	}
}
