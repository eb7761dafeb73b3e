package local_test

import (
	"context"
	"fmt"
	"math"
	"os"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/catalog"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lcr"
	"github.com/go-election/election/local"
	"github.com/go-election/election/nodetest"
	"github.com/go-election/election/observe"
	"github.com/go-election/election/params"
)

const unit = scenario.Unit

// TestUnit: the unit scales timers, and Nodes notice nothing.
func TestUnit(t *testing.T) {
	for _, real := range []time.Duration{0, 1, time.Millisecond, 3*time.Millisecond + 7, unit, time.Hour} {
		synctest.Test(t, func(t *testing.T) {
			var heard []time.Duration
			alg := scripted(func(_ election.ID, e *election.Env, ev *election.Event) {
				if ev.Op == election.Timeout {
					heard = append(heard, ev.At)
				}
				if len(heard) < 3 && ev.Op != election.Start {
					e.SetTimer(1, 4*unit, 4*unit)
				}
			})
			r, err := local.Run(t.Context(), local.Config{Input: scenario.Input{Algorithm: alg, IDs: ids{1}},
				Unit: real})
			require.NoError(t, err)
			require.Equal(t, []time.Duration{4 * unit, 8 * unit, 12 * unit}, heard)
			if real == 0 {
				real = unit
			}
			require.Equal(t, 12*real, r.Wall)
		})
	}
}

// TestUnitTooLong: what would take longer than there is time takes as long as there is.
func TestUnitTooLong(t *testing.T) {
	for _, real := range []time.Duration{2*unit + 2, math.MaxInt64} {
		synctest.Test(t, func(t *testing.T) {
			alg := scripted(func(_ election.ID, e *election.Env, ev *election.Event) {
				e.SetTimer(1, params.MaxTimeout, math.MaxInt64)
			})
			ctx, cancel := context.WithTimeout(t.Context(), 1e6*time.Hour)
			defer cancel()
			in := scenario.Input{Algorithm: alg, IDs: ids{1, 2},
				StartTimes: []time.Duration{0, math.MaxInt64}}
			_, err := local.Run(ctx, local.Config{Input: in, Unit: real})
			require.ErrorIs(t, err, context.DeadlineExceeded)
		})
	}
	in := scenario.Input{Algorithm: lcr.Max(), IDs: ids{1, 2}}
	_, err := local.Run(t.Context(), local.Config{Input: in, Unit: -1})
	require.ErrorIs(t, err, election.ErrInput)
	require.ErrorContains(t, err, "unit: -1ns is negative")
}

// TestShortestTimes: a unit of the smallest time is not rounded away, and a time before now is now.
func TestShortestTimes(t *testing.T) {
	for _, real := range []time.Duration{1, 5} {
		synctest.Test(t, func(t *testing.T) {
			var d diary
			alg := scripted(func(self election.ID, e *election.Env, ev *election.Event) {
				d.note(self, ev)
				switch {
				case self == 2 && ev.Op == election.Start:
					e.SetTimer(1, -unit, -1)
				case self == 2 && ev.Op == election.Timeout && ev.At == 1:
					e.SetTimer(1, 1, 1)
				}
			})
			in := scenario.Input{Algorithm: alg, IDs: ids{1, 2}, StartTimes: []time.Duration{0, 1}}
			r, err := local.Run(t.Context(), local.Config{Input: in, Unit: real * unit})
			require.NoError(t, err)
			require.ElementsMatch(t, []string{"1 init 0s", "1 start 0s", "2 init 0s", "2 start 1ns",
				"2 timeout 1ns", "2 timeout 2ns"}, d.lines)
			require.Equal(t, 2*real*time.Nanosecond, r.Wall)
		})
	}
}

// TestStartComesFirst: a process that starts at the beginning does so before it takes a message, and a single
// one may start late.
func TestStartComesFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var d diary
		alg := scripted(func(self election.ID, e *election.Env, ev *election.Event) {
			if self == 1 {
				d.note(self, ev)
			} else if ev.Op == election.Init {
				e.Send(election.Clockwise, election.Message{Kind: 1})
			}
		})
		in := scenario.Input{Algorithm: alg, IDs: ids{1, 2}, StartTimes: []time.Duration{0, unit}}
		_, err := local.Run(t.Context(), local.Config{Input: in})
		require.NoError(t, err)
		require.Equal(t, []string{"1 init 0s", "1 start 0s", "1 recv 0s"}, d.lines)

		d.lines = nil
		in.IDs, in.StartTimes = ids{1}, []time.Duration{unit}
		_, err = local.Run(t.Context(), local.Config{Input: in})
		require.NoError(t, err)
		require.Equal(t, []string{"1 init 0s", "1 start 1s"}, d.lines)
	})
}

// diary notes what processes hear, and when.
type diary struct {
	mu    sync.Mutex
	lines []string
}

func (d *diary) note(self election.ID, ev *election.Event) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.lines = append(d.lines, fmt.Sprint(self, " ", ev.Op, " ", ev.At))
}

// TestPlan: starts, crashes and returns come when they should. One that is down hears nothing, and
// its timers stop; it comes back as a new Node.
func TestPlan(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var d diary
		// every two units 1 sends to 2
		alg := scripted(func(self election.ID, e *election.Env, ev *election.Event) {
			d.note(self, ev)
			switch {
			case self == 2 && ev.Op == election.Init:
				e.SetTimer(2, 9*unit, 9*unit)
			case self == 1 && (ev.Op == election.Start || ev.Op == election.Timeout) && ev.At < 15*unit:
				e.Send(election.Clockwise, election.Message{Kind: 1})
				e.SetTimer(1, 2*unit, 2*unit)
			case self == 2 && ev.Op == election.Recv:
				e.Decide(election.Rank{ID: 1})
			}
		})
		in := scenario.Input{
			Algorithm: alg, IDs: ids{1, 2}, Initiators: ids{2, 1},
			StartTimes: []time.Duration{4 * unit, unit},
			CrashAt: []scenario.At{{ID: 2, Time: 6 * unit}, {ID: 2, Time: 20 * unit},
				{ID: 2, Time: 21 * unit}},
			RecoverAt: []scenario.At{{ID: 2, Time: 12 * unit}, {ID: 1, Time: 13 * unit}},
		}
		r, err := local.Run(t.Context(), local.Config{Input: in, Unit: time.Millisecond})
		require.NoError(t, err)
		require.ElementsMatch(t, []string{
			"1 init 0s", "2 init 0s", "1 start 1s", "2 recv 1s", "1 timeout 3s", "2 recv 3s", "2 start 4s",
			"1 timeout 5s", "2 recv 5s",
			"1 timeout 7s", "1 timeout 9s", "1 timeout 11s", "2 init 12s", "2 rejoin 12s", "1 timeout 13s",
			"2 recv 13s",
			"1 timeout 15s",
		}, d.lines)
		require.Equal(t, 21*time.Millisecond, r.Wall, "it lasts until the last of them")
		require.Equal(t, uint64(7), r.Messages)
		require.Equal(t, uint64(4), r.Steps, "what comes to a process that is down is no step")
		require.False(t, r.Agreed, "2 is down, and what it believed does not count")
	})
}

// TestDownFromTheBeginning: it may come back, and a start that it misses is missed.
func TestDownFromTheBeginning(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var d diary
		alg := scripted(func(self election.ID, e *election.Env, ev *election.Event) {
			if d.note(self, ev); self == 1 && ev.Op == election.Start {
				e.Send(election.Clockwise, election.Message{Kind: 1})
			}
		})
		in := scenario.Input{
			Algorithm: alg, IDs: ids{1, 2, 3}, StartTimes: []time.Duration{0, unit, 0}, Crashed: ids{2, 3},
			RecoverAt: []scenario.At{{ID: 2, Time: 2 * unit}},
		}
		r, err := local.Run(t.Context(), local.Config{Input: in})
		require.NoError(t, err)
		require.ElementsMatch(t, []string{"1 init 0s", "1 start 0s", "2 init 2s", "2 rejoin 2s"}, d.lines)
		require.Equal(t, uint64(1), r.Messages)
		require.Zero(t, r.Steps)
	})
}

// TestPrompts: live processes receive reports about processes that are down, and about processes that have
// recovered.
func TestPrompts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var d diary
		alg := scripted(func(self election.ID, _ *election.Env, ev *election.Event) {
			if d.note(self, ev); ev.Op == election.Suspect || ev.Op == election.Trust {
				d.mu.Lock()
				defer d.mu.Unlock()
				d.lines = append(d.lines, fmt.Sprintf("of port %d to %d", ev.Port, self))
			}
		})
		in := scenario.Input{
			Algorithm: alg, IDs: ids{1, 2, 3}, Initiators: ids{}, Crashed: ids{3}, SuspectAfter: 2 * unit,
			CrashAt:   []scenario.At{{ID: 2, Time: 4 * unit}},
			RecoverAt: []scenario.At{{ID: 2, Time: 9 * unit}},
		}
		_, err := local.Run(t.Context(), local.Config{Input: in})
		require.NoError(t, err)
		require.ElementsMatch(t, []string{
			"1 init 0s", "2 init 0s", "1 suspect 2s", "of port 1 to 1", "2 suspect 2s", "of port 0 to 2",
			"1 suspect 6s", "of port 0 to 1",
			"2 init 9s", "2 rejoin 9s", "1 trust 11s", "of port 0 to 1", "2 suspect 11s", "of port 0 to 2",
		}, d.lines)
	})
}

// TestPlanStopped leaves what is planned undone when the context ends, or a Node panics.
func TestPlanStopped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		in := scenario.Input{Algorithm: lcr.Max(), IDs: ids{1, 2},
			CrashAt: []scenario.At{{ID: 1, Time: 9 * unit}}}
		ctx, cancel := context.WithTimeout(t.Context(), 5*unit)
		defer cancel()
		r, err := local.Run(ctx, local.Config{Input: in})
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.Equal(t, election.ID(2), r.Leader)

		in.CrashAt = nil
		in.Algorithm = scripted(func(_ election.ID, e *election.Env, ev *election.Event) {
			if ev.Op == election.Start {
				panic("out of ideas")
			}
		})
		in.StartTimes = []time.Duration{unit, 3 * unit}
		r, err = local.Run(t.Context(), local.Config{Input: in})
		require.ErrorIs(t, err, observe.ErrPanic)
		require.Equal(t, unit, r.Wall)
	})
}

// TestScenariosOfTimeouts: the worked examples with time-outs, crashes and returns have the leader
// that they should, in a thousandth of the time. Counts may differ: messages take no time here.
func TestScenariosOfTimeouts(t *testing.T) {
	checked := 0
	for _, name := range []string{"bully", "modbully"} {
		f, err := os.Open("../testdata/scenarios/" + name + ".json")
		require.NoError(t, err)
		list, err := scenario.Read(f)
		require.NoError(t, f.Close())
		require.NoError(t, err)
		for _, s := range list {
			in, err := s.Input(catalog.Find)
			require.NoError(t, err)
			checked++
			t.Run(s.Name, func(t *testing.T) {
				for range 20 {
					synctest.Test(t, func(t *testing.T) {
						r, err := local.Run(t.Context(), local.Config{Input: in, Unit: time.Millisecond})
						require.NoError(t, err)
						require.NoError(t, r.Err())
						require.Equal(t, *s.Expect.Leader, r.Leader)
						require.Less(t, r.Wall, 100*time.Millisecond)
					})
				}
			})
		}
	}
	require.GreaterOrEqual(t, checked, 5)
}

// TestManyLate: processes that start late keep their goroutines, however many they are.
func TestManyLate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		in := scenario.Input{Algorithm: lcr.Participant(), IDs: nodetest.Random(500, 7)}
		for i := range in.IDs {
			in.StartTimes = append(in.StartTimes, time.Duration(i%50)*unit)
		}
		r, err := local.Run(t.Context(), local.Config{Input: in, Unit: time.Millisecond})
		require.NoError(t, err)
		require.Equal(t, election.ID(500), r.Leader)
		require.Equal(t, 49*time.Millisecond, r.Wall)
	})
}
