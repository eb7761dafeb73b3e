package natstransport_test

import (
	"context"
	"fmt"
	"sync"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"

	"github.com/go-election/election/adapters/natstransport"
	"github.com/go-election/election/elector"
)

// Three members elect a leader over a NATS server. Here it runs in the same process, and has no permissions.
func Example() {
	s, err := server.NewServer(&server.Options{Port: -1})
	check(err)
	s.Start()
	defer s.WaitForShutdown()
	defer s.Shutdown()
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	var running sync.WaitGroup
	for _, name := range []string{"a", "b", "c"} {
		running.Go(func() {
			conn, err := nats.Connect(s.ClientURL(), nats.MaxReconnects(-1), nats.ReconnectBufSize(-1))
			check(err)
			defer conn.Close()
			t, err := natstransport.New(natstransport.Config{Conn: conn, Subject: "election.orders", Self: name,
				Members: []string{"a", "b", "c"}})
			check(err)
			defer t.Close()
			e, err := elector.New(elector.Config{Group: "orders", Self: name,
				Members: map[string]string{"a": "", "b": "", "c": ""}, Transport: t})
			check(err)
			check(e.Run(ctx, func(_ context.Context, term elector.Term) error {
				fmt.Println("one leads, and writes with a token:", term.Token() > 0)
				stop()
				return nil
			}))
		})
	}
	running.Wait()
	// Output: one leads, and writes with a token: true
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}
