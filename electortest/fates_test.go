package electortest

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// idle is a service that takes no part: what happens to its members depends on the seed alone.
func idle(m *Member) error {
	<-m.Context.Done()
	return nil
}

// running calls f with a run of idle members, in a bubble. Nothing may be wrong.
func running(t *testing.T, c Config, seed uint64, f func(r *run)) {
	t.Helper()
	require.NoError(t, judged(t, c, seed, f))
}

// judged calls f with a run of idle members, in a bubble, and returns what is wrong.
func judged(t *testing.T, c Config, seed uint64, f func(r *run)) (wrong error) {
	t.Helper()
	require.NoError(t, c.complete())
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		r, err := newRun(c, seed, dir, idle)
		require.NoError(t, err)
		for _, name := range r.order {
			r.comeBack(name)
		}
		f(r)
		r.stopAll()
		wrong = r.judge.error(seed)
		time.Sleep(time.Hour) // until all that is late has arrived
	})
	return wrong
}

// state returns what a run is doing to its members.
func (r *run) state() string {
	var all []string
	for _, name := range r.order {
		m := r.up[name]
		if m == nil {
			all = append(all, name+" down")
			continue
		}
		m.gate.mu.Lock()
		if m.paused() {
			all = append(all, name+" paused")
		} else if m.gate.opened != nil {
			all = append(all, name+" held")
		}
		if m.Context.Err() != nil {
			all = append(all, name+" stopped")
		}
		m.gate.mu.Unlock()
	}
	r.network.mu.Lock()
	defer r.network.mu.Unlock()
	if r.network.cut != nil {
		all = append(all, fmt.Sprintf("%d ways cut", len(*r.network.cut)))
	}
	return strings.Join(all, ", ")
}

// TestFates: each fault does to members what it is called, on one side of a cut or another, until its time is over.
// A seed repeats its faults.
func TestFates(t *testing.T) {
	const members = 4
	happens := func(fate int, seed uint64) (states []string) {
		running(t, Config{Members: members}, seed, func(r *run) {
			m := r.up[r.order[int(seed)%members]]
			r.judge.holds(m, 1, r.now()+r.Times.Lease)
			allFates[fate].do(r)
			states = append(states, r.state())
			for range 8 { // longer than any of them lasts
				require.True(t, r.wait(r.now()+r.Times.Lease, nil))
			}
			states = append(states, r.state(), strings.Join(r.judge.log, "\n"))
		})
		return states
	}
	for fate, want := range []string{`^. down(, . down){0,3}$`, `^. paused$`, `^. held$`, `^[0-8] ways cut$`,
		`^(. stopped)?$`} {
		seen := make(map[string]bool)
		for seed := range uint64(40) {
			states := happens(fate, seed)
			require.Regexp(t, want, states[0], "fault %d, seed %d", fate, seed)
			require.Empty(t, states[1], "fault %d, seed %d: mended", fate, seed)
			seen[states[0]] = true
			if seed%10 == 0 {
				require.Equal(t, states, happens(fate, seed), "fault %d, seed %d", fate, seed)
			}
		}
		require.GreaterOrEqual(t, len(seen), members, "fault %d : %v", fate, seen)
	}
}
