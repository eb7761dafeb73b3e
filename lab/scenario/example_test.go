package scenario_test

import (
	"fmt"
	"strings"

	"github.com/go-election/election/catalog"
	"github.com/go-election/election/lab/scenario"
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
