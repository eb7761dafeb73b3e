package modbully_test

import (
	"context"
	"fmt"

	"github.com/go-election/election"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lab/sim"
	"github.com/go-election/election/modbully"
)

// All know that process 6 leads; it has crashed. Processes 1 and 2 notice at once: what that costs is the
// difference between the variants.
func Example() {
	for _, v := range []modbully.Variant{modbully.Base, modbully.Convenience, modbully.Number,
		modbully.Grant} {
		a, err := modbully.New(v, modbully.Config{Coordinator: 6})
		if err != nil {
			panic(err)
		}
		r, err := sim.Run(context.Background(), sim.Config{Input: scenario.Input{Algorithm: a,
			IDs: []election.ID{1, 2, 3, 4, 5, 6}, Crashed: []election.ID{6},
			Initiators: []election.ID{1, 2}}})
		fmt.Println(a.Title(), "elects", r.Leader, "by", r.Messages, "messages:", err)
	}
	// Output:
	// modbully/base elects 5 by 12 messages: <nil>
	// modbully/convenience elects 5 by 16 messages: <nil>
	// modbully/number elects 5 by 11 messages: <nil>
	// modbully/grant elects 5 by 24 messages: <nil>
}
