package report_test

import (
	"context"
	"fmt"
	"os"

	"github.com/go-election/election"
	"github.com/go-election/election/dkr"
	"github.com/go-election/election/lab/report"
	"github.com/go-election/election/lab/sim"
)

// The JSON form of a simulation: the fields of the clock and the hash of a run are left out.
func Example() {
	c := sim.Config{}
	c.Algorithm, c.IDs = dkr.Algorithm(), []election.ID{3, 1, 2}
	r, err := sim.Run(context.Background(), c)
	if err != nil {
		fmt.Println(err)
		return
	}
	o := report.Outcome{Result: r.Result, Schedule: "unit",
		Virtual: &report.Virtual{Time: r.Time, Hash: r.TraceHash}}
	if err := c.Input.Check(); err != nil {
		fmt.Println(err)
		return
	}
	form := report.NewRun(&c.Input, c.Seed, &o, false)
	fmt.Println(*form.Leader, form.Agreed, form.Messages, *form.Time)
	if err := report.Write(os.Stdout, form.ByKind); err != nil {
		fmt.Println(err)
	}
	// Output:
	// 3 true 12 8
	// {"first":6,"second":3,"elected":3}
}
