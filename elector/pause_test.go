package elector_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election/elector"
)

// TestPause: a member whose work returns a Pause hands over at once, and does not lead before the Pause is
// over, not even if no other member does.
func TestPause(t *testing.T) {
	const pause = time.Minute
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		var mu sync.Mutex
		led := make(map[string][]time.Duration) // when each member began to lead
		g := startWith(t, func(name string) func(context.Context, elector.Term) error {
			return func(context.Context, elector.Term) error {
				mu.Lock()
				defer mu.Unlock()
				led[name] = append(led[name], time.Since(start))
				return fmt.Errorf("the work fails: %w", elector.Pause(pause))
			}
		})
		time.Sleep(pause / 2)
		synctest.Wait()
		mu.Lock()
		for name := range g {
			require.Len(t, led[name], 1, "each leads once")
			require.Less(t, led[name][0], 2*time.Second, "one after another")
		}
		mu.Unlock()
		time.Sleep(10 * pause)
		synctest.Wait()
		mu.Lock()
		defer mu.Unlock()
		for name := range g {
			require.Greater(t, len(led[name]), 5)
			for i, at := range led[name][1:] {
				require.GreaterOrEqual(t, at-led[name][i], pause)
			}
		}
	})
}
