package faults_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election/internal/exampletest"

	"github.com/go-election/election"
	"github.com/go-election/election/lab/fault"
	"github.com/go-election/election/transport/faults"
	"github.com/go-election/election/transport/memory"
)

func Example() {
	links, err := faults.NewLinks(faults.Config{
		Plan: fault.Plan{Duplicate: 1}, // every packet comes twice,
		Min:  time.Millisecond,         // and takes its time
	})
	if err != nil {
		panic(err)
	}
	network, ctx := memory.New(), context.Background()
	one, _ := network.Endpoint(1)
	two, _ := network.Endpoint(2)
	a, b := links.Over(one), links.Over(two)
	defer a.Close()
	defer b.Close()

	_ = a.Send(ctx, election.Packet{From: 1, To: 2, Msg: election.Message{Value: 7}})
	_ = links.Cut([]election.ID{1})
	_ = a.Send(ctx, election.Packet{From: 1, To: 2, Msg: election.Message{Value: 8}})
	links.Heal()
	for range 2 {
		p, _ := b.Recv(ctx)
		fmt.Println(p.Msg.Value)
	}
	fmt.Println(links.Stats().Duplicated, "duplicated,", links.Stats().Cut, "cut off")
}

// TestExample: what the examples print.
func TestExample(t *testing.T) {
	require.Equal(t, "7\n7\n1 duplicated, 1 cut off\n", exampletest.Output(t, Example))
	require.Equal(t, "2 hears 1\n2 hears 3\n3 hears 2\n", exampletest.Output(t, ExampleLinks_CutLink))
}

// Processes 1 and 3 do not reach each other, and 3 does not hear 2, which hears both.
func ExampleLinks_CutLink() {
	links, err := faults.NewLinks(faults.Config{})
	if err != nil {
		panic(err)
	}
	network, ctx := memory.New(), context.Background()
	ends := make(map[election.ID]election.Transport)
	for id := election.ID(1); id <= 3; id++ {
		inner, _ := network.Endpoint(id)
		ends[id] = links.Over(inner)
		defer ends[id].Close()
	}

	links.CutLink(1, 3)
	links.CutLink(3, 1)
	links.CutLink(2, 3)
	for _, p := range []election.Packet{{From: 1, To: 3}, {From: 2, To: 3}, {From: 1, To: 2}, {From: 3, To: 2}} {
		_ = ends[p.From].Send(ctx, p)
	}
	for range 2 {
		p, _ := ends[2].Recv(ctx)
		fmt.Println("2 hears", p.From)
	}
	links.HealLink(2, 3)
	_ = ends[2].Send(ctx, election.Packet{From: 2, To: 3})
	p, _ := ends[3].Recv(ctx)
	fmt.Println("3 hears", p.From)
}
