package afekgafni_test

import (
	"context"
	"fmt"

	"github.com/go-election/election"
	"github.com/go-election/election/afekgafni"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lab/sim"
)

// Two processes of eight start. In async 4 has captured 5, 6 and 7 when it comes to 8; in sync 8 has captured
// three by then.
func Example() {
	for _, a := range afekgafni.Algorithms() {
		r, err := sim.Run(context.Background(), sim.Config{Input: scenario.Input{
			Algorithm:  a,
			IDs:        []election.ID{1, 2, 3, 4, 5, 6, 7, 8},
			Initiators: []election.ID{4, 8},
		}})
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("%s: leader %d, %d messages %v, %v\n", a.Title(), r.Leader, r.Messages, r.ByKind, r.Time)
	}
	// Output:
	// afekgafni/async: leader 8, 34 messages [{capture 11} {accept 10} {kill 3} {killed 3} {elected 7}], 21s
	// afekgafni/sync: leader 8, 34 messages [{capture 14} {ack 13} {elected 7}], 7s
}
