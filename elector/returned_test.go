package elector

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election/transport/memory"
)

// TestHasReturned: work that has returned when its lease ends is not reported. Without leases it has Stop for
// that, unless its end was planned.
func TestHasReturned(t *testing.T) {
	const stop = time.Second
	for _, of := range []struct {
		leases bool
		why    error
		after  time.Duration
		want   bool
	}{
		{true, ErrUnreachable, 0, true}, {true, ErrUnreachable, 1, false},
		{false, ErrNewTerm, stop - 1, true}, {false, ErrNewTerm, stop + 1, false},
		{false, ErrResigned, 0, true}, {false, ErrResigned, 1, false},
	} {
		synctest.Test(t, func(t *testing.T) {
			e := &Elector{leases: of.leases, config: Config{Times: Times{Stop: stop}}}
			work := newTenure(e, 1)
			work.stop(of.why, 0)
			for range 10 { // where both are ready, either may be seen first
				returned := make(chan struct{})
				if of.after == 0 {
					close(returned)
				} else {
					time.AfterFunc(of.after, func() { close(returned) })
				}
				require.Equal(t, of.want, work.hasReturned(returned), of)
				<-returned
			}
		})
	}
}

// TestOldTenure: the work of a Term that is over gives up no lead of a later Term, in which the process may lead
// by now.
func TestOldTenure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		endpoint, err := memory.New().Endpoint(ID("a"))
		require.NoError(t, err)
		e, err := New(Config{Group: "g", Self: "a", Members: named("a"), Transport: endpoint})
		require.NoError(t, err)
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- e.process.Run(ctx) }()
		require.NoError(t, e.process.Start())
		time.Sleep(5 * time.Second)
		v := e.Leader()
		require.True(t, v.Self)
		old := newTenure(e, v.Term-1)
		old.view.Term--
		require.NoError(t, old.serve(ctx, func(context.Context, Term) error { return nil }))
		synctest.Wait()
		require.Equal(t, v, e.Leader())
		stop()
		require.ErrorIs(t, <-ended, context.Canceled)
		require.NoError(t, e.Close())
	})
}
