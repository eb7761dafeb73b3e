package fault_test

import (
	"fmt"
	"time"

	"github.com/go-election/election"
	"github.com/go-election/election/lab/fault"
)

// Process 3 is cut off from 1 and 2 for two seconds.
func Example() {
	plan := fault.Plan{Partitions: []fault.Partition{
		{From: time.Second, Until: 3 * time.Second, Groups: [][]election.ID{{1, 2}}},
	}}
	if err := plan.Check([]election.ID{1, 2, 3}, time.Duration.String); err != nil {
		panic(err)
	}
	cuts := plan.Cuts()
	for second := range time.Duration(4) {
		at := second * time.Second
		fmt.Printf("%v: 1 to 2 is cut: %t, 1 to 3 is cut: %t\n", at, cuts.Loses(1, 2, at),
			cuts.Loses(1, 3, at))
	}
	// Output:
	// 0s: 1 to 2 is cut: false, 1 to 3 is cut: false
	// 1s: 1 to 2 is cut: false, 1 to 3 is cut: true
	// 2s: 1 to 2 is cut: false, 1 to 3 is cut: true
	// 3s: 1 to 2 is cut: false, 1 to 3 is cut: false
}
