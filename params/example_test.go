package params_test

import (
	"fmt"
	"time"

	"github.com/go-election/election/params"
)

// The table of an algorithm binds each parameter to a field of its Config.
func Example() {
	config := struct {
		Delay time.Duration
		Tries uint64
	}{Tries: 3}
	table := params.Table{
		{Name: "delay", About: "the longest that a message takes", Default: "1", Role: params.DelayBound,
			Positive: "zero leaves no time", To: params.Time(&config.Delay)},
		{Name: "tries", About: "how often to try", Default: "3", To: params.Count(&config.Tries)},
	}
	ids := []uint64{1, 2, 3}
	fmt.Println(table.Read(params.New(map[string]params.Value{"delay": {Number: 2}}, time.Second, ids)))
	fmt.Println(config.Delay, config.Tries)
	fmt.Println(table.Read(params.New(map[string]params.Value{"delay": {}}, time.Second, ids)))
	fmt.Println(table.Read(params.New(map[string]params.Value{"speed": {Number: 2}}, time.Second, ids)))
	// Output:
	// <nil>
	// 2s 3
	// election: bad input: params.delay: zero leaves no time
	// election: bad input: params: "speed" is not a parameter; there are delay, tries
}
