// Command algorithm runs an election algorithm of one's own, the one in lowest.go, by every
// driver: in the simulator, on every schedule one likes, and on goroutines.
package main

import (
	"context"
	"fmt"

	"github.com/go-election/election"
	"github.com/go-election/election/local"
	"github.com/go-election/election/scenario"
	"github.com/go-election/election/sim"
)

func main() {
	ctx := context.Background()
	in := scenario.Input{Algorithm: algorithm(), IDs: []election.ID{3, 1, 4, 8, 5, 2}}

	simulated, err := sim.Run(ctx, sim.Config{Input: in})
	check(err)
	fmt.Println("simulated: leader", simulated.Leader, "messages", simulated.Messages, "time", simulated.Time.Seconds())

	for seed := range uint64(1000) {
		r, err := sim.Run(ctx, sim.Config{Input: in, Schedule: sim.RandomDelay, Unordered: true, Seed: seed})
		check(err)
		check(r.Err())
		if r.Leader != 1 {
			panic(fmt.Sprintf("seed %d elects %d", seed, r.Leader))
		}
	}
	fmt.Println("simulated: leader 1 on 1000 random schedules")

	ran, err := local.Run(ctx, local.Config{Input: in})
	check(err)
	fmt.Println("goroutines: leader", ran.Leader, "messages", ran.Messages)
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}
