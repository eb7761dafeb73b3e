package lock_test

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/bully"
	"github.com/go-election/election/internal/suspend"
	"github.com/go-election/election/mutex"
	"github.com/go-election/election/mutex/lock"
	"github.com/go-election/election/process"
	"github.com/go-election/election/transport/memory"
)

// TestEndsByTheClock: a grant ends by the clock also if no timer has run out, as after a pause of the program or
// of the machine.
func TestEndsByTheClock(t *testing.T) {
	const stay = 5 * time.Second
	for name, c := range map[string]struct {
		make func(mutex.Config) (*election.Algorithm, error)
		mutex.Config
	}{
		"lease of the arbiter": {mutex.Arbiter, mutex.Config{Lease: stay}},
		"time inside":          {mutex.Arbiter, mutex.Config{Lease: 2 * stay, CriticalSection: stay}},
		"all others are asked": {mutex.RicartAgrawala, mutex.Config{CriticalSection: stay}},
		"ring":                 {mutex.TokenRing, mutex.Config{CriticalSection: stay, First: 1}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c.Sections, c.Election, c.Arbiter = 2, bully.Algorithms()[0], 1
				a, err := c.make(c.Config)
				all, stop := lockers(t, 3, a, err)
				defer stop()
				last := uint64(0)
				for i, l := range append(all, all...) {
					token, err := l.Lock(t.Context(), "printer")
					require.NoError(t, err)
					require.Greater(t, token, last)
					last = token
					over := l.Expired("printer", token)
					suspend.Suspend(stay - 1)
					require.False(t, isClosed(l.Expired("printer", token)))
					suspend.Suspend(1)
					switch i % 3 {
					case 0:
						require.ErrorIs(t, l.Unlock("printer", token), lock.ErrExpired)
					case 1:
						require.True(t, isClosed(l.Expired("printer", token)))
						require.ErrorIs(t, l.Unlock("printer", token), lock.ErrExpired)
					case 2:
						require.True(t, isClosed(l.Expired("printer", token)))
						time.Sleep(stay) // the process notices
						synctest.Wait()
						require.ErrorIs(t, l.Unlock("printer", token), lock.ErrExpired)
					}
					require.True(t, isClosed(over))
					require.True(t, isClosed(l.Expired("printer", token)))
					require.ErrorIs(t, l.Unlock("printer", token), lock.ErrNotLocked)
				}
			})
		})
	}
}

// TestEndless: without a bound, a grant lasts until it is unlocked.
func TestEndless(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, stop := alone(t, nil)
		defer stop()
		token, err := l.Lock(t.Context(), "printer")
		require.NoError(t, err)
		suspend.Suspend(time.Hour)
		require.False(t, isClosed(l.Expired("printer", token)))
		require.NoError(t, l.Unlock("printer", token))
	})
}

// TestClockOfConfig: if the Config has a Clock, grants end by that one.
func TestClockOfConfig(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const stay = 5 * time.Second
		a, err := mutex.RicartAgrawala(mutex.Config{Sections: 2, CriticalSection: stay})
		require.NoError(t, err)
		end, err := memory.New().Endpoint(1)
		require.NoError(t, err)
		var now atomic.Int64
		now.Store(int64(time.Hour))
		c := process.Config{Algorithm: a, Founding: true, Self: election.Rank{ID: 1}, Transport: end,
			Clock: func() time.Duration { return time.Duration(now.Load()) }}
		l, err := lock.New(c, names...)
		require.NoError(t, err)
		var running sync.WaitGroup
		running.Go(func() { assert.NoError(t, l.Run(context.Background())) })
		defer running.Wait()
		defer l.Close()
		token, err := l.Lock(t.Context(), "printer")
		require.NoError(t, err)
		suspend.Suspend(stay)
		require.False(t, isClosed(l.Expired("printer", token)))
		now.Add(int64(stay))
		require.True(t, isClosed(l.Expired("printer", token)))
		require.ErrorIs(t, l.Unlock("printer", token), lock.ErrExpired)
	})
}

// isClosed reports whether a channel is closed.
func isClosed(over <-chan struct{}) bool {
	select {
	case <-over:
		return true
	default:
		return false
	}
}
