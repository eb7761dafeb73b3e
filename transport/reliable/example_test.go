package reliable_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/internal/exampletest"
	"github.com/go-election/election/lab/fault"
	"github.com/go-election/election/transport/faults"
	"github.com/go-election/election/transport/memory"
	"github.com/go-election/election/transport/reliable"
)

func Example() {
	links, err := faults.NewLinks(faults.Config{Plan: fault.Plan{Loss: 0.5, Duplicate: 0.5}})
	if err != nil {
		panic(err)
	}
	network, ctx := memory.New(), context.Background()
	ends := make(map[election.ID]*reliable.Transport)
	for _, id := range []election.ID{1, 2} {
		inner, err := network.Endpoint(id)
		if err != nil {
			panic(err)
		}
		ends[id], err = reliable.New(links.Over(inner), reliable.Config{Self: id})
		if err != nil {
			panic(err)
		}
		defer ends[id].Close()
	}

	for value := range uint64(5) {
		err := ends[1].Send(ctx, election.Packet{To: 2, Msg: election.Message{Value: value}})
		if err != nil {
			panic(err)
		}
	}
	for range 5 {
		p, err := ends[2].Recv(ctx)
		if err != nil {
			panic(err)
		}
		fmt.Println(p.Msg.Value)
	}
	fmt.Println("lost on the way:", links.Stats().Lost > 0)
}

// TestExample: what the example prints.
func TestExample(t *testing.T) {
	require.Equal(t, "0\n1\n2\n3\n4\nlost on the way: true\n", exampletest.Output(t, Example))
}
