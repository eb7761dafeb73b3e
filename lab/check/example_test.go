package check_test

import (
	"context"
	"fmt"
	"os"

	"github.com/go-election/election"
	"github.com/go-election/election/dkr"
	"github.com/go-election/election/lab/check"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lab/sim"
	"github.com/go-election/election/lab/trace"
	"github.com/go-election/election/lcr"
	"github.com/go-election/election/observe"
)

func Example() {
	in := scenario.Input{Algorithm: lcr.Participant(), IDs: []election.ID{3, 1, 2}}
	r, err := check.Run(context.Background(), check.Config{Input: in})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(r.States, "states, wrong:", r.Err())
	// Output: 249 states, wrong: <nil>
}

// A counterexample is a list of steps, which the simulator carries out and a recorder writes down.
func Example_counterexample() {
	in := scenario.Input{Algorithm: dkr.Algorithm(), IDs: []election.ID{1, 2}}
	r, err := check.Run(context.Background(), check.Config{Input: in, Unordered: true})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(r.Counterexample.Property.Text())
	fmt.Println(r.Counterexample.Reason)
	if err := in.Check(); err != nil { // it fills in the links
		fmt.Println(err)
		return
	}
	recorder, err := trace.NewRecorder(&in, trace.About{Driver: "sim"})
	if err != nil {
		fmt.Println(err)
		return
	}
	if _, err := sim.Run(context.Background(), sim.Config{Input: in, Steps: r.Counterexample.Steps,
		Observe: recorder.Observe}); err != nil {
		fmt.Println(err)
		return
	}
	if err := trace.WriteLog(os.Stdout, recorder.Trace()); err != nil {
		fmt.Println(err)
	}
	// Output:
	// only the right process leads
	// process 1 leads, not 2, which is the largest of the initiators
	// dkr, 2 processes
	//          0  1.1  begins
	//          0  2.1  begins
	//          0  2.2  starts
	//          0  2.3  saves its state
	//          0  2.4  sends first 2 to 1
	//          1  1.2  starts
	//          1  1.3  saves its state
	//          1  1.4  sends first 1 to 2
	//          2  1.5  receives first 2 from 2 (2.4)
	//          2  1.6  sends second 2 to 2
	//          3  2.5  receives second 2 from 1 (1.6)
	//          4  2.6  receives first 1 from 1 (1.4)
	//          4  2.7  sends first 1 to 1
	//          5  1.7  receives first 1 from 2 (2.7)
	//          5  1.8  sends elected 1 to 2
	//          5  1.9  decides: it leads
	//        end  1.8  elected 1 to 2 is not received
}

// Can it still go wrong from here? A process has lost the only message that would have won.
func Example_after() {
	in := scenario.Input{Algorithm: lcr.Participant(), IDs: []election.ID{1, 2}}
	steps := []scenario.Step{
		{Do: observe.Start, Process: 1},
		{Do: observe.Start, Process: 2},
		{Do: observe.Lose, Process: 1, Port: election.Counterclockwise},
	}
	for n := range len(steps) + 1 {
		r, err := check.Run(context.Background(), check.Config{Input: in, After: steps[:n]})
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println("after", n, "steps:", r.States, "states, all right:", r.Err() == nil)
	}
	// Output:
	// after 0 steps: 31 states, all right: true
	// after 1 steps: 18 states, all right: true
	// after 2 steps: 7 states, all right: true
	// after 3 steps: 2 states, all right: false
}
