package check

import (
	"context"
	"fmt"
	"testing"

	"github.com/go-election/election"
	"github.com/go-election/election/lcr"
	"github.com/go-election/election/scenario"
)

func TestFast(t *testing.T) {
	for _, workers := range []int{1, 2, 2} {
		var ids []election.ID
		for i := range 13 {
			ids = append(ids, election.ID(13-i))
		}
		r, err := Run(context.Background(), Config{Input: scenario.Input{Algorithm: lcr.Participant(), IDs: ids}, NoAnnouncement: true, Workers: workers})
		fmt.Println(workers, err, r.States, r.Wall, float64(r.States)/r.Wall.Seconds(), float64(r.Bytes)/float64(r.States), r.Collision)
	}
}
