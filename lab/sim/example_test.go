package sim_test

import (
	"context"
	"fmt"

	"github.com/go-election/election"
	"github.com/go-election/election/bully"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lab/sim"
	"github.com/go-election/election/lcr"
)

// The same input and seed give the same run, event by event.
func Example() {
	config := sim.Config{
		Input:    scenario.Input{Algorithm: lcr.Max(), IDs: []election.ID{3, 1, 4, 5, 2}},
		Schedule: sim.RandomDelay, Seed: 7,
	}
	first, err := sim.Run(context.Background(), config)
	if err != nil {
		panic(err)
	}
	again, err := sim.Run(context.Background(), config)
	if err != nil {
		panic(err)
	}
	fmt.Println("leader:", first.Leader, "messages:", first.Messages, "error:", first.Err())
	fmt.Println("the same run:", first.TraceHash == again.TraceHash && first.Time == again.Time)
	// Output:
	// leader: 5 messages: 40 error: <nil>
	// the same run: true
}

// The leader crashes after ten units, and the others elect another one. A process notices since heartbeats
// fail to come, so the run must be given an end.
func Example_failover() {
	a, err := bully.Rules(bully.Config{Delay: sim.Unit, Heartbeat: 3 * sim.Unit})
	if err != nil {
		panic(err)
	}
	s, err := sim.New(sim.Config{Until: 30 * sim.Unit, Input: scenario.Input{
		Algorithm: a, IDs: []election.ID{1, 2, 3}, CrashAt: []scenario.At{{ID: 3, Time: 10 * sim.Unit}},
	}})
	if err != nil {
		panic(err)
	}
	leads := election.ID(0)
	for s.Step() {
		if now := s.Outcome(0).Leader.ID; now != leads {
			leads = now
			fmt.Printf("at %s process 1 follows %d\n", scenario.InUnits(s.Now()), leads)
		}
	}
	fmt.Println(s.Err())
	// Output:
	// at 1 process 1 follows 3
	// at 15 process 1 follows 0
	// at 19 process 1 follows 2
	// <nil>
}
