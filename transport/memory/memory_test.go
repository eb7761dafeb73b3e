package memory_test

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/go-election/election"
	"github.com/go-election/election/transport/memory"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func endpoint(t *testing.T, net *memory.Network, id election.ID) election.Transport {
	t.Helper()
	e, err := net.Endpoint(id)
	require.NoError(t, err)
	return e
}

func packet(to election.ID, value uint64) election.Packet {
	return election.Packet{To: to, Msg: election.Message{Value: value}}
}

func TestOrderAndSender(t *testing.T) {
	net := memory.New()
	a, b := endpoint(t, net, 1), endpoint(t, net, 2)
	for v := range uint64(100) {
		p := packet(2, v)
		p.From = 77 // the transport knows better
		require.NoError(t, a.Send(t.Context(), p))
	}
	for v := range uint64(100) {
		p, err := b.Recv(t.Context())
		require.NoError(t, err)
		require.Equal(t, v, p.Msg.Value)
		require.Equal(t, election.ID(1), p.From)
	}
	require.Zero(t, net.Lost())
}

func TestNoReceiver(t *testing.T) {
	net := memory.New()
	a, b := endpoint(t, net, 1), endpoint(t, net, 2)
	require.NoError(t, a.Send(t.Context(), packet(3, 0)))
	require.NoError(t, b.Close())
	require.NoError(t, a.Send(t.Context(), packet(2, 0)))
	require.Equal(t, uint64(2), net.Lost())

	b = endpoint(t, net, 2) // it has come back
	require.NoError(t, a.Send(t.Context(), packet(2, 5)))
	p, err := b.Recv(t.Context())
	require.NoError(t, err)
	require.Equal(t, uint64(5), p.Msg.Value)
}

func TestRefused(t *testing.T) {
	net := memory.New()
	endpoint(t, net, 1)
	_, err := net.Endpoint(1)
	require.ErrorIs(t, err, election.ErrInput)
	_, err = net.Endpoint(0)
	require.ErrorIs(t, err, election.ErrInput)
}

func TestCloseWakesReaders(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		net := memory.New()
		a := endpoint(t, net, 1)
		errs := make(chan error, 3)
		for range 3 {
			go func() {
				_, err := a.Recv(t.Context())
				errs <- err
			}()
		}
		synctest.Wait()
		require.NoError(t, a.Close())
		for range 3 {
			require.ErrorIs(t, <-errs, election.ErrClosed)
		}
		require.NoError(t, a.Close())
		require.ErrorIs(t, a.Send(t.Context(), packet(1, 0)), election.ErrClosed)
	})
}

func TestContextConsumesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		net := memory.New()
		a := endpoint(t, net, 1)
		ctx, cancel := context.WithCancel(t.Context())
		errs := make(chan error, 2)
		for range 2 { // one reads, one waits to read
			go func() {
				_, err := a.Recv(ctx)
				errs <- err
			}()
		}
		synctest.Wait()
		cancel()
		require.ErrorIs(t, <-errs, context.Canceled)
		require.ErrorIs(t, <-errs, context.Canceled)
		require.ErrorIs(t, a.Send(ctx, packet(1, 1)), context.Canceled)

		require.NoError(t, a.Send(t.Context(), packet(1, 1)))
		_, err := a.Recv(ctx)
		require.ErrorIs(t, err, context.Canceled)
		p, err := a.Recv(t.Context())
		require.NoError(t, err)
		require.Equal(t, uint64(1), p.Msg.Value)
	})
}

// TestCrowd: many processes send to one another simultaneously, and none receives before all have sent.
func TestCrowd(t *testing.T) {
	const n, each = 20, 500
	net := memory.New()
	var ends [n]election.Transport
	for i := range ends {
		ends[i] = endpoint(t, net, election.ID(i+1))
	}
	var running sync.WaitGroup
	for i := range ends {
		running.Go(func() {
			for k := range each {
				_ = ends[i].Send(t.Context(), packet(election.ID(k%n+1), uint64(k)))
			}
		})
	}
	running.Wait()
	for i := range ends {
		running.Go(func() {
			last := make(map[election.ID]uint64)
			for range each {
				p, err := ends[i].Recv(t.Context())
				if err != nil || last[p.From] > p.Msg.Value {
					t.Errorf("received %v, %v", p, err)
					return
				}
				last[p.From] = p.Msg.Value
			}
		})
	}
	running.Wait()
}
