package memory_test

import (
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/transport"
	"github.com/go-election/election/transport/faults"
	"github.com/go-election/election/transport/memory"
)

// greet sets the hello of an endpoint, and returns what it hears afterwards. A hello "no" is refused.
func greet(t *testing.T, e election.Transport, hello string) (heard func() []string) {
	t.Helper()
	var mu sync.Mutex
	var all []string
	require.NoError(t, e.(transport.Greeter).Greet([]byte(hello), func(peer election.ID, hello []byte) error {
		mu.Lock()
		defer mu.Unlock()
		all = append(all, fmt.Sprintf("%d: %s", peer, hello))
		if string(hello) == "no" {
			return errors.New("refused")
		}
		return nil
	}))
	return func() []string {
		mu.Lock()
		defer mu.Unlock()
		defer func() { all = nil }()
		return all
	}
}

// TestGreetings: a hello comes with the first packet after it, once. One that has not greeted, or is refused,
// exchanges no packets, and no packet counts as sent to nobody.
func TestGreetings(t *testing.T) {
	net := memory.New()
	a, b := endpoint(t, net, 1), endpoint(t, net, 2)
	send := func(from election.Transport, to election.ID, v uint64) {
		t.Helper()
		require.NoError(t, from.Send(t.Context(), packet(to, v)))
	}
	send(a, 2, 1)
	send(b, 1, 1)
	require.Equal(t, []uint64{1}, received(t, a, 1), "no hello is a hello that all accept who have none")
	greetA := func(hello string) {
		t.Helper()
		require.NoError(t, a.(transport.Greeter).Greet([]byte(hello), nil))
	}
	greetA("a")
	send(a, 2, 2) // b has not greeted
	send(b, 1, 2)
	heard := greet(t, b, "a")
	require.Empty(t, heard(), "a hello waits for a packet")
	send(b, 1, 3)
	require.Equal(t, []uint64{3}, received(t, a, 1), "without a function, the hellos have to be equal")
	require.Empty(t, heard())
	send(a, 2, 3)
	require.Equal(t, []string{"1: a"}, heard())
	send(a, 2, 4)
	greetA("a")
	send(a, 2, 5)
	require.Empty(t, heard(), "nothing has changed")
	require.Equal(t, []uint64{1, 3, 4, 5}, received(t, b, 4))

	heardA := greet(t, a, "no")
	send(b, 1, 6)
	require.Equal(t, []string{"2: a"}, heardA())
	require.Equal(t, []uint64{6}, received(t, a, 1), "b does not know yet that it refuses a")
	send(a, 2, 6)
	send(b, 1, 7)
	require.Equal(t, []string{"1: no"}, heard())
	require.Empty(t, received(t, a, 0))
	require.Empty(t, received(t, b, 0))

	require.NoError(t, a.Close())
	a = endpoint(t, net, 1) // it has come back, and has not greeted
	send(a, 2, 8)
	send(b, 1, 8)
	require.Equal(t, []string{"1: "}, heard())
	require.Equal(t, []uint64{8}, received(t, b, 1))
	require.Empty(t, received(t, a, 0))
	require.Zero(t, net.Lost())
}

// TestCutsCutHellos: a link that loses a packet loses the hello with it, and the next packet has it again.
func TestCutsCutHellos(t *testing.T) {
	net := memory.New()
	links, err := faults.NewLinks(faults.Config{})
	require.NoError(t, err)
	a, b := links.Over(endpoint(t, net, 1)), links.Over(endpoint(t, net, 2))
	greet(t, a, "a")
	heard := greet(t, b, "b")
	links.CutLink(1, 2)
	p := packet(2, 1)
	p.From = 1
	require.NoError(t, a.Send(t.Context(), p))
	require.Empty(t, heard())
	links.HealLink(1, 2)
	p.Msg.Value = 2
	require.NoError(t, a.Send(t.Context(), p))
	require.Equal(t, []string{"1: a"}, heard())
	require.Equal(t, []uint64{2}, received(t, b, 1))
}

// TestGreetAmongSends: processes change their hellos while they send. In the end each knows the last hello of
// the other.
func TestGreetAmongSends(t *testing.T) {
	net := memory.New()
	ends := []election.Transport{endpoint(t, net, 1), endpoint(t, net, 2)}
	heard := []func() []string{greet(t, ends[0], "first"), greet(t, ends[1], "first")}
	var running sync.WaitGroup
	for i, e := range ends {
		for range 4 {
			running.Go(func() {
				for k := range 500 {
					_ = e.Send(t.Context(), packet(election.ID(2-i), uint64(k)))
					if k%10 == 0 {
						_ = e.(transport.Greeter).Greet([]byte([]string{"one", "two", "no"}[k%3]), nil)
					}
				}
			})
		}
	}
	running.Wait()
	for i, e := range ends {
		require.NoError(t, e.(transport.Greeter).Greet([]byte("last"), nil))
		heard[i]()
	}
	for i, e := range ends {
		require.NoError(t, e.Send(t.Context(), packet(election.ID(2-i), 0)))
	}
	for i := range ends {
		require.Equal(t, []string{fmt.Sprintf("%d: last", 2-i)}, heard[i]())
	}
}

// TestGreetingsAllocateNothing: a packet between endpoints that have greeted costs no allocation.
func TestGreetingsAllocateNothing(t *testing.T) {
	net := memory.New()
	a, b := endpoint(t, net, 1), endpoint(t, net, 2)
	greet(t, a, "a")
	greet(t, b, "b")
	ctx := t.Context()
	require.Zero(t, testing.AllocsPerRun(500, func() {
		if err := a.Send(ctx, packet(2, 1)); err != nil {
			panic(err)
		}
		if _, err := b.Recv(ctx); err != nil {
			panic(err)
		}
	}))
}
