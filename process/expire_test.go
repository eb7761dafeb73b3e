package process_test

import (
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
)

// TestExpire: a timeout is handled when Expire wants it, once, and not if the timer was set again or the process has
// ended.
func TestExpire(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		var expired []uint8
		heard := func() []uint8 {
			mu.Lock()
			defer mu.Unlock()
			return slices.Clone(expired)
		}
		c, _ := pair(t, func(e *election.Env, ev *election.Event) {
			switch ev.Op {
			case election.Start:
				e.SetTimer(1, time.Second, time.Second)
				e.SetTimer(2, time.Second, time.Second)
			case election.Timeout:
				mu.Lock()
				defer mu.Unlock()
				expired = append(expired, ev.Timer)
			}
		})
		var all []func()
		c.Expire = func(timer uint8, handle func()) {
			if timer == 2 {
				mu.Lock()
				defer mu.Unlock()
				all = append(all, handle)
				return
			}
			handle()
		}
		held := func() []func() {
			mu.Lock()
			defer mu.Unlock()
			return slices.Clone(all)
		}
		p, ended := running(t, c)
		require.NoError(t, p.Start())
		time.Sleep(2 * time.Second)
		synctest.Wait()
		require.Equal(t, []uint8{1}, heard())
		require.Len(t, held(), 1)
		held()[0]()
		held()[0]()
		synctest.Wait()
		require.Equal(t, []uint8{1, 2}, heard())
		require.NoError(t, p.Start())
		time.Sleep(1500 * time.Millisecond)
		require.NoError(t, p.Start())
		synctest.Wait()
		held()[1]()
		synctest.Wait()
		require.Equal(t, []uint8{1, 2, 1}, heard(), "the timer was set again")
		time.Sleep(2 * time.Second)
		p.Close()
		require.NoError(t, <-ended)
		require.Len(t, held(), 3)
		held()[2]()
	})
}
