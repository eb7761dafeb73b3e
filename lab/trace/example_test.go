package trace_test

import (
	"bytes"
	"context"
	"fmt"
	"os"

	"github.com/go-election/election"
	"github.com/go-election/election/catalog"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lab/sim"
	"github.com/go-election/election/lab/trace"
	"github.com/go-election/election/lcr"
)

// A Recorder observes a run; its trace is written in words.
func Example() {
	in := scenario.Input{Algorithm: lcr.Initiators(), IDs: []election.ID{2, 1}, Initiators: []election.ID{2}}
	recorder, err := trace.NewRecorder(&in, trace.About{})
	if err != nil {
		panic(err)
	}
	if _, err := sim.Run(context.Background(), sim.Config{Input: in, Observe: recorder.Observe}); err != nil {
		panic(err)
	}
	if err := recorder.Close(); err != nil {
		panic(err)
	}
	if err := trace.WriteLog(os.Stdout, recorder.Trace()); err != nil {
		panic(err)
	}
	// Output:
	// lcr/initiators, 2 processes
	//          0  2.1  begins
	//          0  1.1  begins
	//          0  2.2  starts
	//          0  2.3  saves its state
	//          0  2.4  sends election 2 to 1
	//          1  1.2  receives election 2 from 2 (2.4)
	//          1  1.3  saves its state
	//          1  1.4  sends election 2 to 2
	//          2  2.5  receives election 2 from 1 (1.4)
	//          2  2.6  sends elected 2 to 1
	//          2  2.7  decides: it leads
	//          3  1.5  receives elected 2 from 2 (2.6)
	//          3  1.6  sends elected 2 to 2
	//          3  1.7  decides: 2 leads
	//          3  1.8  knows the end
	//          4  2.8  receives elected 2 from 1 (1.6)
	//          4  2.9  knows the end
}

// A trace that was written to a file is read and replayed: the Nodes of today do the same, or there is a
// first difference.
func ExampleReplay() {
	in := scenario.Input{Algorithm: lcr.Initiators(), IDs: []election.ID{2, 1}, Initiators: []election.ID{2}}
	recorder, err := trace.NewRecorder(&in, trace.About{})
	if err != nil {
		panic(err)
	}
	if _, err := sim.Run(context.Background(), sim.Config{Input: in, Observe: recorder.Observe}); err != nil {
		panic(err)
	}
	var file bytes.Buffer
	if err := trace.Write(&file, recorder.Trace()); err != nil {
		panic(err)
	}
	old, err := trace.Read(&file)
	if err != nil {
		panic(err)
	}
	difference, err := trace.Replay(old, catalog.Find)
	fmt.Println(difference == nil, err)

	old.Events[5].Message.Rank.ID = 9 // as if the Node had sent something else then
	difference, err = trace.Replay(old, catalog.Find)
	fmt.Println("line", difference.Line, "of process", difference.Ref.Process, err)
	// Output:
	// true <nil>
	// line 7 of process 1 <nil>
}
