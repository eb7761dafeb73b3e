package memory_test

import (
	"context"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/transport"
	"github.com/go-election/election/transport/memory"
)

// receiver is what an endpoint pushes to.
type receiver struct {
	values  []uint64
	errs    []error
	refuses bool
}

func (r *receiver) deliver(p election.Packet, err error) bool {
	switch {
	case err != nil:
		r.errs = append(r.errs, err)
	case !r.refuses:
		r.values = append(r.values, p.Msg.Value)
	}
	return !r.refuses
}

// push begins to push what arrives at an endpoint.
func push(t *testing.T, e election.Transport, r *receiver) (release func([]election.Packet)) {
	t.Helper()
	release, err := e.(transport.Pusher).Push(t.Context(), r.deliver)
	require.NoError(t, err)
	return release
}

// received returns the values of the packets that wait.
func received(t *testing.T, e election.Transport, n int) (values []uint64) {
	t.Helper()
	for range n {
		p, err := e.Recv(t.Context())
		require.NoError(t, err)
		values = append(values, p.Msg.Value)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := e.Recv(ctx)
	require.ErrorIs(t, err, context.Canceled)
	return values
}

// TestPushOrder: what waits is pushed first, and what comes back from a receiver precedes what it refused.
func TestPushOrder(t *testing.T) {
	net := memory.New()
	a, b := endpoint(t, net, 1), endpoint(t, net, 2)
	send := func(values ...uint64) {
		for _, v := range values {
			require.NoError(t, a.Send(t.Context(), packet(2, v)))
		}
	}
	send(1, 2, 3)
	p, err := b.Recv(t.Context()) // which puts the others back
	require.NoError(t, err)
	require.EqualValues(t, 1, p.Msg.Value)
	send(4)
	var r receiver
	release := push(t, b, &r)
	send(5)
	require.Equal(t, []uint64{2, 3, 4, 5}, r.values)
	r.refuses = true
	send(6, 7)
	release([]election.Packet{packet(2, 4), packet(2, 5)})
	r.refuses = false
	send(8)
	require.Equal(t, []uint64{2, 3, 4, 5}, r.values, "nothing is pushed after release")
	require.Equal(t, []uint64{4, 5, 6, 7, 8}, received(t, b, 5))

	send(9, 10)
	release = push(t, b, &receiver{refuses: true})
	send(11)
	release(nil)
	require.Equal(t, []uint64{9, 10, 11}, received(t, b, 3))
	require.Zero(t, net.Lost())
}

// TestReleaseOnce: a second release takes nothing away from the next receiver.
func TestReleaseOnce(t *testing.T) {
	net := memory.New()
	a, b := endpoint(t, net, 1), endpoint(t, net, 2)
	var first, second receiver
	release := push(t, b, &first)
	release(nil)
	release2 := push(t, b, &second)
	release([]election.Packet{packet(2, 1)})
	require.NoError(t, a.Send(t.Context(), packet(2, 2)))
	require.Equal(t, []uint64{2}, second.values)
	require.Empty(t, first.values)
	release2(nil)
	require.Empty(t, received(t, b, 0))
}

// TestOneReceives: Push waits for its turn, until its context ends or the endpoint is closed.
func TestOneReceives(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		net := memory.New()
		a := endpoint(t, net, 1)
		var r receiver
		release := push(t, a, &r)
		ctx, cancel := context.WithCancel(t.Context())
		errs := make(chan error, 2)
		pushed := func(ctx context.Context) {
			_, err := a.(transport.Pusher).Push(ctx, r.deliver)
			errs <- err
		}
		go pushed(ctx)
		synctest.Wait()
		require.Empty(t, errs)
		cancel()
		require.ErrorIs(t, <-errs, context.Canceled)
		go pushed(t.Context())
		synctest.Wait()
		require.NoError(t, a.Close())
		require.NoError(t, a.Close())
		require.Len(t, r.errs, 1, "the receiver learns of it once")
		require.ErrorIs(t, r.errs[0], election.ErrClosed)
		require.ErrorContains(t, r.errs[0], "process 1")
		release(nil)
		require.ErrorIs(t, <-errs, election.ErrClosed)
		_, err := a.Recv(t.Context())
		require.ErrorIs(t, err, election.ErrClosed, "and it is the turn of the next")
		require.Len(t, r.errs, 1)
	})
}

// TestPeersThatAreRemembered: an endpoint remembers peers by a part of their IDs, and finds the right one all
// the same, also after that has been closed and opened again.
func TestPeersThatAreRemembered(t *testing.T) {
	net := memory.New()
	a := endpoint(t, net, 1)
	peers := map[election.ID]election.Transport{}
	for _, id := range []election.ID{8, 16, 24} {
		peers[id] = endpoint(t, net, id)
	}
	for round := range uint64(3) {
		for id, peer := range peers {
			require.NoError(t, a.Send(t.Context(), packet(id, round)))
			require.NoError(t, a.Send(t.Context(), packet(id, uint64(id))))
			require.Equal(t, []uint64{round, uint64(id)}, received(t, peer, 2))
			require.NoError(t, peer.Close())
			require.NoError(t, a.Send(t.Context(), packet(id, 99)))
			peers[id] = endpoint(t, net, id)
		}
		require.Equal(t, 3*(round+1), net.Lost())
	}
}

// TestAllocations: a packet that is sent and received costs no allocation, nor one that waits for Push.
func TestAllocations(t *testing.T) {
	net := memory.New()
	a, b := endpoint(t, net, 1), endpoint(t, net, 2)
	ctx := t.Context()
	require.Zero(t, testing.AllocsPerRun(500, func() {
		if err := a.Send(ctx, packet(2, 1)); err != nil {
			panic(err)
		}
		if _, err := b.Recv(ctx); err != nil {
			panic(err)
		}
	}))
	const waiting = 100
	require.Less(t, testing.AllocsPerRun(50, func() {
		for range waiting {
			if err := a.Send(ctx, packet(2, 1)); err != nil {
				panic(err)
			}
		}
		release, err := b.(transport.Pusher).Push(ctx, func(election.Packet, error) bool { return true })
		if err != nil {
			panic(err)
		}
		release(nil)
	}), float64(waiting)/2, "the race detector drops a quarter of what a sync.Pool holds")
}
