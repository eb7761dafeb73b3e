package local_test

import (
	"context"
	"runtime"
	"sync"
	"testing"
	"testing/synctest"
	"time"
	"weak"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/local"
	"github.com/go-election/election/nodetest"
)

// TestEventsOfMessages: the event of a message holds nothing of the timer that was handled before.
func TestEventsOfMessages(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		word, seen := election.Message{Kind: 1, Value: 7}, 0
		alg := scripted(func(self election.ID, e *election.Env, ev *election.Event) {
			switch {
			case ev.Op == election.Init:
				e.SetTimer(3, time.Duration(self)*unit, time.Duration(self)*unit)
			case self == 2 && ev.Op == election.Timeout:
				e.Send(election.Clockwise, word)
			case ev.Op == election.Recv:
				seen++
				ev.Msg.Term = 0
				require.Equal(t, election.Event{Op: election.Recv, Port: election.Counterclockwise, Msg: word,
					At: 2 * unit}, *ev)
			}
		})
		_, err := local.Run(t.Context(), local.Config{Input: scenario.Input{Algorithm: alg, IDs: ids{1, 2}}})
		require.NoError(t, err)
		require.Equal(t, 1, seen)
	})
}

// TestNextTermStopsTimers: a run does not wait for the timers of an election that another has followed.
func TestNextTermStopsTimers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		alg := scripted(func(self election.ID, e *election.Env, ev *election.Event) {
			switch {
			case self == 1 && ev.Op == election.Start:
				e.Send(election.Clockwise, election.Message{Kind: 1})
			case self == 2 && ev.Op == election.Recv:
				e.SetTimer(1, time.Hour, time.Hour)
				e.SetTimer(2, time.Hour, time.Hour)
				e.Done()
			}
		})
		alg.Elects = election.OneLeader
		in := scenario.Input{Algorithm: alg, IDs: ids{1, 2}, StartTimes: []time.Duration{0, unit}}
		r, err := local.Run(t.Context(), local.Config{Input: in})
		require.NoError(t, err)
		require.Equal(t, unit, r.Wall)
	})
}

// TestNoOneWaitsForAnother: messages of a process are handled immediately, while the process waits for a timer
// or handles a slow message.
func TestNoOneWaitsForAnother(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var d diary
		alg := scripted(func(self election.ID, e *election.Env, ev *election.Event) {
			d.note(self, ev)
			switch {
			case self == 4 && ev.Op == election.Start:
				e.SetTimer(1, unit, unit)
				e.SetTimer(2, 9*unit, 9*unit)
			case self == 4 && ev.Op == election.Timeout && ev.Timer == 1:
				e.Send(0, election.Message{Kind: 1}) // to 1: while 4 waits
			case self == 1 && ev.Op == election.Recv && ev.Port == 2:
				e.Send(1, election.Message{Kind: 1}) // to 3, while 1 handles what 2 sends
				time.Sleep(2 * unit)
			case self == 2 && ev.Op == election.Start:
				e.Send(0, election.Message{Kind: 1}) // to 1
			case self == 1 && ev.Op == election.Recv && ev.Port == 0:
				time.Sleep(unit)
			}
		})
		alg.Topology = election.Complete
		in := scenario.Input{Algorithm: alg, IDs: ids{1, 2, 3, 4}, Initiators: ids{4, 2},
			StartTimes: []time.Duration{0, 2 * unit}}
		_, err := local.Run(t.Context(), local.Config{Input: in})
		require.NoError(t, err)
		require.ElementsMatch(t, []string{"1 init 0s", "2 init 0s", "3 init 0s", "4 init 0s", "4 start 0s",
			"4 timeout 1s", "1 recv 1s", "2 start 2s", "1 recv 3s", "3 recv 3s", "4 timeout 9s"}, d.lines)
	})
}

// TestAWorkerEach: processes that step at the same time share nothing.
func TestAWorkerEach(t *testing.T) {
	const n = 8
	synctest.Test(t, func(t *testing.T) {
		var within sync.WaitGroup
		within.Add(n)
		var mu sync.Mutex
		heard := make(map[uint64]int)
		alg := scripted(func(self election.ID, e *election.Env, ev *election.Event) {
			switch ev.Op {
			case election.Init:
				e.SetTimer(1, unit, unit)
			case election.Timeout:
				within.Done()
				within.Wait()
				e.Send(election.Clockwise, election.Message{Kind: 1, Value: uint64(self)})
			case election.Recv:
				mu.Lock()
				defer mu.Unlock()
				heard[ev.Msg.Value]++
			}
		})
		r, err := local.Run(t.Context(), local.Config{Input: scenario.Input{Algorithm: alg,
			IDs: ids{1, 2, 3, 4, 5, 6, 7, 8}}})
		require.NoError(t, err)
		require.EqualValues(t, n, r.Messages)
		for id := range uint64(n) {
			require.Equal(t, 1, heard[id+1])
		}
	})
}

// TestNotOverEarly: a run is not over while a process steps, even if all messages sent so far have arrived.
func TestNotOverEarly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		alg := scripted(func(self election.ID, e *election.Env, ev *election.Event) {
			switch {
			case self > 1 && ev.Op == election.Init:
				e.SetTimer(1, unit, unit) // so that it has a goroutine
			case self == 3 && ev.Op == election.Timeout:
				e.Send(0, election.Message{Kind: 1, Value: 1})
				e.Send(0, election.Message{Kind: 1, Value: 2})
			case self == 1 && ev.Msg.Value == 1:
				for range 3 {
					e.Send(0, election.Message{Kind: 1, Value: 9})
					e.Send(1, election.Message{Kind: 1, Value: 9})
				}
			case self == 1 && ev.Msg.Value == 2:
				time.Sleep(unit)
				e.Send(0, election.Message{Kind: 1, Value: 9})
			}
		})
		alg.Topology = election.Complete
		r, err := local.Run(t.Context(), local.Config{Input: scenario.Input{Algorithm: alg,
			IDs: ids{1, 2, 3}}})
		require.NoError(t, err)
		require.EqualValues(t, 9, r.Messages)
		require.EqualValues(t, 9, r.Steps)
		require.Equal(t, 2*unit, r.Wall)
	})
}

// TestNothingIsLeft: Run returns when no Node steps any more, and a timer that had an hour to run holds
// none of them, be it of a process with something planned or not.
func TestNothingIsLeft(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release, ended := make(chan bool), make(chan error, 1)
		alg := scripted(func(_ election.ID, e *election.Env, ev *election.Event) {
			if ev.Op == election.Recv {
				<-release
			}
			e.Send(election.Clockwise, election.Message{Kind: 1})
		})
		ctx, cancel := context.WithCancel(t.Context())
		go func() {
			_, err := local.Elect(ctx, alg, 1)
			ended <- err
		}()
		synctest.Wait()
		cancel()
		synctest.Wait()
		require.Empty(t, ended)
		close(release)
		require.ErrorIs(t, <-ended, context.Canceled)
	})
	for _, late := range []time.Duration{0, 1} {
		var node weak.Pointer[script]
		ctx, cancel := context.WithCancel(t.Context())
		alg := scripted(nil)
		alg.New = func(election.Setup) election.Node {
			n := script(func(e *election.Env, ev *election.Event) {
				e.SetTimer(1, time.Hour, time.Hour)
				if ev.Op == election.Start {
					cancel()
				}
			})
			node = weak.Make(&n)
			return &n
		}
		in := scenario.Input{Algorithm: alg, IDs: ids{1}, StartTimes: []time.Duration{late}}
		_, err := local.Run(ctx, local.Config{Input: in})
		require.ErrorIs(t, err, context.Canceled)
		for range 100 { // a goroutine that has just ended may still be on its way out
			runtime.GC()
			if node.Value() == nil {
				break
			}
			runtime.Gosched()
		}
		require.Nil(t, node.Value())
	}
}

// TestAllocations: what holds a message is used again, so a long run allocates about as much as a short one.
func TestAllocations(t *testing.T) {
	const hops = 100_000
	alg := scripted(func(self election.ID, e *election.Env, ev *election.Event) {
		if ev.Op == election.Start && self == 1 || ev.Op == election.Recv && ev.Msg.Value < hops {
			e.Send(election.Clockwise, election.Message{Kind: 1, Value: ev.Msg.Value + 1})
		}
	})
	in := scenario.Input{Algorithm: alg, IDs: nodetest.Random(100, 7)}
	require.Less(t, testing.AllocsPerRun(1, func() {
		if _, err := local.Run(t.Context(), local.Config{Input: in}); err != nil {
			panic(err)
		}
	}), float64(hops)/20)
}
