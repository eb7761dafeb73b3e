package main

import (
	"context"
	"errors"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/go-election/election/internal/suspend"
)

// stallMeter records when this machine does not schedule a goroutine in time, or a disk is slow.
type stallMeter struct {
	mu    sync.Mutex
	notes []stall
}

type stall struct{ at, late time.Duration }

// watch records stalls until ctx ends.
func (m *stallMeter) watch(ctx context.Context) {
	const step = 10 * time.Millisecond
	eachStep(ctx, step, func(before, now time.Duration) {
		if late := now - before - step; late > step/2 {
			m.mu.Lock()
			m.notes = append(m.notes, stall{now, late})
			m.mu.Unlock()
		}
	})
}

// eachStep calls do after each step, with the times before and after it, until ctx ends. If the process does not run,
// the call is late.
func eachStep(ctx context.Context, step time.Duration, do func(before, now time.Duration)) {
	tick := time.NewTimer(step)
	defer tick.Stop()
	for before := suspend.Now(); ; {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
		tick.Reset(step)
		now := suspend.Now()
		do(before, now)
		before = now
	}
}

// watchDisk records how long a small file, like the state of a member, takes to reach the disk, until ctx ends.
func (m *stallMeter) watchDisk(ctx context.Context) {
	for ctx.Err() == nil {
		before := suspend.Now()
		f, err := os.CreateTemp("", runName())
		if err != nil {
			return // members cannot save there either, and report that
		}
		_ = errors.Join(f.Sync(), f.Close(), os.Remove(f.Name())) // only its duration matters
		now := suspend.Now()
		m.mu.Lock()
		m.notes = append(m.notes, stall{now, now - before})
		m.mu.Unlock()
		timer := time.NewTimer(100 * time.Millisecond)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
		}
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
