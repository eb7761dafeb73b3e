package lock_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/bully"
	"github.com/go-election/election/mutex"
	"github.com/go-election/election/mutex/lock"
	"github.com/go-election/election/process"
	"github.com/go-election/election/transport/memory"
)

// alone runs the only process there is until the test stops it. It enters as soon as it hears of a
// request, and calls raise of what it raises.
func alone(t *testing.T, raise func(*lock.Locker, election.Event)) (l *lock.Locker, stop func()) {
	t.Helper()
	a, err := mutex.RicartAgrawala(mutex.Config{Sections: len(names)})
	require.NoError(t, err)
	end, err := memory.New().Endpoint(1)
	require.NoError(t, err)
	c := process.Config{Algorithm: a, Founding: true, Self: election.Rank{ID: 1}, Transport: end}
	if raise != nil {
		c.OnRaise = func(ev election.Event) { raise(l, ev) }
	}
	l, err = lock.New(c, names...)
	require.NoError(t, err)
	var running sync.WaitGroup
	running.Go(func() {
		if err := l.Run(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return l, func() { l.Close(); running.Wait() }
}

// TestRunsOnce: another Run is refused, and disturbs no goroutine.
func TestRunsOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, stop := alone(t, nil)
		synctest.Wait()
		for range 2 {
			require.ErrorIs(t, l.Run(t.Context()), election.ErrInput)
		}
		token, err := l.Lock(t.Context(), "printer")
		require.NoError(t, err)
		require.NoError(t, l.Unlock("printer", token))
		stop()
		require.ErrorIs(t, l.Run(t.Context()), election.ErrInput)
	})
}

// TestSecondUnlock: it does not release what another goroutine has locked since.
func TestSecondUnlock(t *testing.T) {
	l, stop := alone(t, nil)
	defer stop()
	first, err := l.Lock(t.Context(), "printer")
	require.NoError(t, err)
	require.ErrorIs(t, l.Unlock("printer", first+1), lock.ErrNotLocked)
	require.ErrorIs(t, l.Unlock("plotter", first), lock.ErrNotLocked)
	require.NoError(t, l.Unlock("printer", first))
	second, err := l.Lock(t.Context(), "printer")
	require.NoError(t, err)
	require.ErrorIs(t, l.Unlock("printer", first), lock.ErrNotLocked)
	require.NoError(t, l.Unlock("printer", second))
}

// TestExpiredTurn: a holder that never unlocks keeps the others of its program out only as long as its
// grant is good, and what it does later does not disturb them.
func TestExpiredTurn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, err := mutex.Arbiter(mutex.Config{Sections: 2, Election: bully.Algorithms()[0], Arbiter: 1,
			Lease: 5 * time.Second})
		all, stop := lockers(t, 2, a, err)
		defer stop()
		first, err := all[1].Lock(t.Context(), "printer")
		require.NoError(t, err)
		second, err := all[1].Lock(t.Context(), "printer")
		require.NoError(t, err)
		<-all[1].Expired("printer", first)
		require.ErrorIs(t, all[1].Unlock("printer", first), lock.ErrNotLocked, "it is not that of the latest")
		require.NoError(t, all[1].Unlock("printer", second))
		third, err := all[1].Lock(t.Context(), "printer")
		require.NoError(t, err)
		require.Greater(t, third, second)
		require.NoError(t, all[1].Unlock("printer", third))
	})
}

// TestEnded: the error of a context that has ended wraps what it is and why, and nothing is asked for.
func TestEnded(t *testing.T) { synctest.Test(t, ends) }

func ends(t *testing.T) {
	raised := 0
	l, stop := alone(t, func(*lock.Locker, election.Event) { raised++ })
	why := errors.New("the printer is off")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(why)
	for range 100 {
		token, err := l.Lock(ctx, "printer")
		require.ErrorIs(t, err, context.Canceled)
		require.ErrorIs(t, err, why)
		require.Zero(t, token)
	}
	token, err := l.Lock(t.Context(), "printer")
	require.NoError(t, err)
	for range 100 {
		none, err := l.Lock(ctx, "printer")
		require.ErrorIs(t, err, why)
		require.Zero(t, none)
	}
	late, stopWaiting := context.WithTimeout(t.Context(), time.Millisecond)
	defer stopWaiting()
	_, err = l.Lock(late, "printer")
	require.ErrorIs(t, err, context.DeadlineExceeded)
	require.EqualError(t, err, `lock: section "printer": context deadline exceeded`)
	over := l.Expired("printer", token)
	stop()
	<-over
	require.ErrorIs(t, l.Unlock("printer", token), election.ErrClosed)
	require.Equal(t, 1, raised)
}

// TestEntersTooLate: the process enters although the request has been withdrawn: no goroutine is inside, and
// the next goroutine gets the turn.
func TestEntersTooLate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		held, unlocks := make(chan struct{}), 0
		l, stop := alone(t, func(l *lock.Locker, ev election.Event) {
			switch {
			case ev.Op == election.Entered && ev.Msg.Flags == plotter:
				<-held
			case ev.Op == election.Entered && unlocks == 0:
				unlocks++
				if err := l.Unlock("printer", ev.Msg.Value); !errors.Is(err, lock.ErrNotLocked) {
					t.Errorf("unlocked what no goroutine has locked: %v", err)
				}
				<-l.Expired("printer", ev.Msg.Value)
			}
		})
		defer stop()
		var working sync.WaitGroup
		working.Go(func() {
			if _, err := l.Lock(t.Context(), "plotter"); err != nil {
				t.Error(err)
			}
		})
		synctest.Wait() // the process hears nothing for now
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_, err := l.Lock(ctx, "printer")
		require.ErrorIs(t, err, context.DeadlineExceeded)
		close(held)
		synctest.Wait() // it has entered, and left
		working.Wait()
		token, err := l.Lock(t.Context(), "printer")
		require.NoError(t, err)
		require.Equal(t, 1, unlocks)
		require.NoError(t, l.Unlock("printer", token))
	})
}

// TestOrder: of two goroutines that wait for their turn, the Request of the second does not come
// before the Release of the first, which would take no notice of it.
func TestOrder(t *testing.T) {
	l, stop := alone(t, nil)
	defer stop()
	var working sync.WaitGroup
	for i := range 8 {
		working.Go(func() {
			for round := range 2000 {
				ctx, cancel := context.WithCancel(t.Context())
				if (i+round)%3 == 0 {
					go cancel() // at any moment
				}
				token, err := l.Lock(ctx, "printer")
				if err == nil {
					err = l.Unlock("printer", token)
				} else if errors.Is(err, context.Canceled) {
					err = nil
				}
				cancel()
				if err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	working.Wait()
}

// TestOrderOfGivingUp: the same if the first goroutine gives up before it has entered, and many wait for the
// turn.
func TestOrderOfGivingUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		held := make(chan struct{})
		l, stop := alone(t, func(_ *lock.Locker, ev election.Event) {
			if ev.Op == election.Entered && ev.Msg.Flags == plotter {
				<-held
			}
		})
		defer stop()
		for range 300 {
			token, err := l.Lock(t.Context(), "plotter")
			require.NoError(t, err)
			synctest.Wait() // the process hears nothing for now
			ctx, cancel := context.WithCancel(t.Context())
			var working sync.WaitGroup
			working.Go(func() {
				if _, err := l.Lock(ctx, "printer"); !errors.Is(err, context.Canceled) {
					t.Error(err)
				}
			})
			synctest.Wait()
			for range 3 {
				working.Go(func() {
					token, err := l.Lock(t.Context(), "printer")
					if err == nil {
						err = l.Unlock("printer", token)
					}
					if err != nil {
						t.Error(err)
					}
				})
			}
			synctest.Wait()
			cancel()
			synctest.Wait()
			held <- struct{}{}
			working.Wait()
			require.NoError(t, l.Unlock("plotter", token))
		}
	})
}
