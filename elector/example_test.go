package elector_test

import (
	"context"
	"fmt"
	"os"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election/elector"
	"github.com/go-election/election/internal/exampletest"
	"github.com/go-election/election/store/memstore"
	"github.com/go-election/election/transport/memory"
)

// One of three members leads, works, and makes way. Each waits for a lease first, since another member may
// hold one that began before.
func Example() {
	network := memory.New()
	members := map[string]string{"a": "", "b": "", "c": ""} // with addresses where there is no Transport
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	ended := make(chan error)
	for name := range members {
		endpoint, err := network.Endpoint(elector.ID(name))
		if err != nil {
			panic(err)
		}
		e, err := elector.New(elector.Config{Group: "orders", Self: name, Members: members,
			Transport: endpoint})
		if err != nil {
			panic(err)
		}
		go func() {
			ended <- e.Run(ctx, func(_ context.Context, term elector.Term) error {
				fmt.Println("one leads, and writes with a token:", term.Token() > 0)
				stop()
				return nil
			})
		}()
	}
	for range members {
		fmt.Println(<-ended)
	}
}

// One of two members leads, by a record in a store.
func Example_store() {
	s := memstore.New() // in a service, a database or another store that all members reach
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	ended := make(chan error)
	for _, name := range []string{"a", "b"} {
		e, err := elector.New(elector.Config{Group: "orders", Self: name, Store: s})
		if err != nil {
			panic(err)
		}
		go func() {
			ended <- e.Run(ctx, func(_ context.Context, term elector.Term) error {
				fmt.Println("one leads, and writes with a token:", term.Token() > 0)
				stop()
				return nil
			})
		}()
	}
	fmt.Println(<-ended, <-ended)
}

// The leader makes a fourth process a member, which has followed it without a vote. It stays the leader.
func ExampleElector_SetMembers() {
	network := memory.New()
	three := map[string]string{"a": "", "b": "", "c": ""}
	four := map[string]string{"a": "", "b": "", "c": "", "d": ""} // with addresses where there is no Transport
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	var running sync.WaitGroup
	for name := range four {
		endpoint, err := network.Endpoint(elector.ID(name))
		if err != nil {
			panic(err)
		}
		e, err := elector.New(elector.Config{Group: "orders", Self: name, Members: three, Transport: endpoint})
		if err != nil {
			panic(err)
		}
		running.Go(func() {
			err := e.Run(ctx, func(ctx context.Context, term elector.Term) error {
				if err := e.SetMembers(ctx, four); err != nil || ctx.Err() != nil {
					return nil // another member may lead now
				}
				m := e.Members()
				fmt.Println(m.Agreed, "in the same Term:", m.Term == term.Number)
				stop()
				return nil
			})
			if err != nil {
				panic(err)
			}
		})
	}
	running.Wait()
}

// A program writes some of the metrics of a member. Elector.Handler serves all of them at /metrics.
func ExampleWriteMetrics() {
	e, err := elector.New(elector.Config{Group: "orders", Self: "a", Store: memstore.New()})
	if err != nil {
		panic(err)
	}
	defer e.Close()
	for _, m := range elector.Metrics(e.Stats()) {
		if m.Name == "election_is_leader" || m.Name == "election_term" {
			if err := elector.WriteMetrics(os.Stdout, m); err != nil {
				panic(err)
			}
		}
	}
	// Output:
	// # HELP election_is_leader Whether this member leads.
	// # TYPE election_is_leader gauge
	// election_is_leader{group="orders",member="a"} 0
	// # HELP election_term The Term of the leader, or of the last one.
	// # TYPE election_term gauge
	// election_term{group="orders",member="a"} 0
}

// TestExamples: what the examples print.
func TestExamples(t *testing.T) {
	require.Equal(t, `one leads, and writes with a token: true
<nil>
<nil>
<nil>
`, exampletest.Output(t, Example))
	require.Equal(t, "one leads, and writes with a token: true\n<nil> <nil>\n", exampletest.Output(t, Example_store))
	require.Equal(t, "[a b c d] in the same Term: true\n", exampletest.Output(t, ExampleElector_SetMembers))
}
