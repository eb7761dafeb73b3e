package scenario_test

import (
	"context"
	"fmt"
	"strings"

	"github.com/go-election/election/catalog"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lab/sim"
)

// A file is read into a Scenario; Input checks it and returns what drivers take.
func Example() {
	const file = `{"algorithm": "bully", "ids": [1, 2, 3], "initiators": [1], "crash_at": [[3, 2.5]]}`
	all, err := scenario.Read(strings.NewReader(file))
	if err != nil {
		panic(err)
	}
	in, err := all[0].Input(catalog.Find)
	if err != nil {
		panic(err)
	}
	fmt.Println(in.Algorithm.Title(), in.Topology, in.CrashAt)

	all[0].CrashAt[0].ID = 4
	_, err = all[0].Input(catalog.Find)
	fmt.Println(err)
	// Output:
	// bully/rules complete graph [{3 2.5s}]
	// election: bad input: crash_at[0]: 4 is not a process
}

// A scenario is run by the simulator, and a Judge says whether it came out as the file expects.
func ExampleJudge() {
	const file = `{"algorithm": "bully", "ids": [1, 2, 3], "crashed": [3], "initiators": [1],
		"expect": {"leader": 2, "messages": 6}}`
	all, err := scenario.Read(strings.NewReader(file))
	if err != nil {
		panic(err)
	}
	in, err := all[0].Input(catalog.Find)
	if err != nil {
		panic(err)
	}
	judge := scenario.Judge{Input: &in, Expect: all[0].Expect}
	r, err := sim.Run(context.Background(), sim.Config{Input: in, Observe: judge.Observe})
	if err != nil {
		panic(err)
	}
	fmt.Println(r.Leader, r.Messages, judge.Err(&r.Result, &r.Time))
	// Output:
	// 2 6 <nil>
}
