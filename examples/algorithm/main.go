// Command algorithm runs an election algorithm of your own, the one in lowest.go, in the simulator on
// any schedule you like, on goroutines, and over a transport. With the name of a file it records a run there.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"sync"

	"github.com/go-election/election"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lab/sim"
	"github.com/go-election/election/lab/topology"
	"github.com/go-election/election/lab/trace"
	"github.com/go-election/election/local"
	"github.com/go-election/election/process"
	"github.com/go-election/election/transport/memory"
)

func main() {
	ctx := context.Background()
	in := scenario.Input{Algorithm: algorithm(), IDs: []election.ID{3, 1, 4, 8, 5, 2}}

	simulated, err := sim.Run(ctx, sim.Config{Input: in})
	check(err)
	check(simulated.Err())
	fmt.Println("simulated: leader", simulated.Leader, "messages", simulated.Messages, "time",
		simulated.Time.Seconds())

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
	check(ran.Err())
	fmt.Println("goroutines: leader", ran.Leader, "messages", ran.Messages)

	overTransport(ctx, &in)

	if len(os.Args) > 1 {
		record(ctx, &in, os.Args[1])
	}
}

// record writes a trace of a run to a file. elect trace FILE --svg PICTURE draws it, and needs nothing but
// the file.
func record(ctx context.Context, in *scenario.Input, file string) {
	f, err := os.Create(file)
	check(err)
	recorder, err := trace.NewWriter(f, in, trace.About{})
	check(err)
	_, err = sim.Run(ctx, sim.Config{Input: *in, Observe: recorder.Observe})
	check(errors.Join(err, recorder.Close(), f.Close()))
	fmt.Println("recorded in", file)
}

// overTransport runs each process as a service of its own would, here over a transport in memory.
func overTransport(ctx context.Context, in *scenario.Input) {
	links, err := topology.Ring(len(in.IDs), true)
	check(err)
	net := memory.New()
	outcomes := make([]election.Outcome, len(in.IDs))
	var running sync.WaitGroup
	for i, id := range in.IDs {
		c := process.Config{Algorithm: algorithm(), Founding: true, Start: true}
		check(c.Place(links, in.Ranks(), i))
		c.Transport, err = net.Endpoint(id)
		check(err)
		running.Go(func() {
			var err error
			outcomes[i], err = process.Run(ctx, c)
			check(err)
		})
	}
	running.Wait()
	for i, o := range outcomes {
		if o.Leader.ID != outcomes[0].Leader.ID {
			panic(fmt.Sprintf("%d follows %d", in.IDs[i], o.Leader.ID))
		}
	}
	fmt.Println("over a transport: leader", outcomes[0].Leader.ID)
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}

// smallest is the rule by which the tools judge the leader.
var smallest = &election.Winner{Name: "smallest", Smallest: true,
	Of: func(all []election.Candidate) election.ID {
		byRank := func(a, b election.Candidate) int { return a.Rank.Compare(b.Rank) }
		return slices.MinFunc(all, byRank).Rank.ID
	}}
