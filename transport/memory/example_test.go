package memory_test

import (
	"context"
	"fmt"

	"github.com/go-election/election"
	"github.com/go-election/election/transport/memory"
)

func Example() {
	network, ctx := memory.New(), context.Background()
	one, err := network.Endpoint(1)
	if err != nil {
		panic(err)
	}
	two, err := network.Endpoint(2)
	if err != nil {
		panic(err)
	}
	_ = one.Send(ctx, election.Packet{To: 2, Msg: election.Message{Value: 7}})
	p, err := two.Recv(ctx)
	fmt.Println(p.From, "sends", p.Msg.Value, err)

	_ = two.Close()
	_ = one.Send(ctx, election.Packet{To: 2}) // a loss, not an error
	fmt.Println(network.Lost(), "lost")
	_, err = two.Recv(ctx)
	fmt.Println(err)
	// Output:
	// 1 sends 7 <nil>
	// 1 lost
	// election: closed: process 2
}
