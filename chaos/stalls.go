package main

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/go-election/election/internal/suspend"
)

// stallMeter notes when this machine lets no goroutine run in time.
type stallMeter struct {
	mu    sync.Mutex
	notes []stall
}

type stall struct{ at, late time.Duration }

var stalls stallMeter

// watch notes stalls until ctx ends.
func (m *stallMeter) watch(ctx context.Context) {
	const step = 10 * time.Millisecond
	tick := time.NewTimer(step)
	defer tick.Stop()
	for before := suspend.Monotonic(); ; {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
		tick.Reset(step)
		now := suspend.Monotonic()
		if late := now - before - step; late > step/2 {
			m.mu.Lock()
			m.notes = append(m.notes, stall{now, late})
			m.mu.Unlock()
		}
		before = now
	}
}

// since returns the longest stall since then.
func (m *stallMeter) since(then time.Duration) (longest time.Duration) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, s := range slices.Backward(m.notes) {
		if s.at < then {
			break
		}
		longest = max(longest, s.late)
	}
	return longest
}
