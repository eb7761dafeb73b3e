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

// TestExample: what the example prints.
func TestExample(t *testing.T) {
	require.Equal(t, "7\n7\n1 duplicated, 1 cut off\n", exampletest.Output(t, Example))
}
