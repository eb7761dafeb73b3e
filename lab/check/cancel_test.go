package check_test

import (
	"context"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/lab/check"
	"github.com/go-election/election/lab/verdict"
)

// counted is a context that ends after it was looked at a number of times.
type counted struct {
	context.Context
	left int
}

func (c *counted) Err() error {
	if c.left--; c.left < 0 {
		return context.Canceled
	}
	return nil
}

// endlessly is an election of one process, whose state is how far it has counted.
func endlessly(step func()) check.Config {
	return toys(election.Complete, 1, func(n *toy, e *election.Env, ev *election.Event) {
		if ev.Op == election.Init {
			return
		}
		step()
		n.n++
		e.SetTimer(0, second, second)
	})
}

// TestEndsBetweenStates: when ctx ends, a search takes no step more.
func TestEndsBetweenStates(t *testing.T) {
	for _, left := range []int{1, 2, 10, 100, 1000} {
		ctx, late := &counted{t.Context(), left}, 0
		c := endlessly(func() {
			if ctx.left < 0 {
				late++
			}
		})
		c.Workers = 1
		r, err := check.Run(ctx, c)
		require.NoError(t, err)
		require.ErrorIs(t, r.Stopped, context.Canceled)
		require.False(t, r.Exhausted)
		require.Zero(t, late)

		ctx.left = left
		_, err = check.NewGraph(ctx, c, 1<<20)
		require.ErrorIs(t, err, context.Canceled)
		require.Zero(t, late)
	}
}

// TestEndsAtAnyLook: a search that ends between two looks at ctx is stopped, also one for runs without end.
func TestEndsAtAnyLook(t *testing.T) {
	c := toys(election.Complete, 2, func(_ *toy, e *election.Env, ev *election.Event) {
		if ev.Op != election.Init {
			e.Send(0, ball(0))
		}
	})
	c.Initiators, c.Workers = rising(1), 1
	stopped := 0
	for ; ; stopped++ {
		r, err := check.Run(&counted{t.Context(), stopped}, c)
		require.NoError(t, err)
		if r.Stopped == nil {
			require.Equal(t, verdict.Ends, r.Counterexample.Property)
			break
		}
		require.ErrorIs(t, r.Stopped, context.Canceled)
		require.False(t, r.Exhausted)
		require.Nil(t, r.Counterexample)
	}
	require.Greater(t, stopped, 10)
}

// TestEndsOnOneProcessor: where goroutines take turns, as in a browser, another one can end a search. Without
// turns, the runtime interrupts a search after 10 ms, in which it visits thousands of states.
func TestEndsOnOneProcessor(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	wide := endlessly(func() {})
	wide.IDs = rising(3)
	wide.Initiators = wide.IDs
	states := 0
	wide.Properties = []check.Property{{Name: "counts", Kind: verdict.Always, Holds: func(*check.State) bool {
		states++
		return true
	}}}
	for name, of := range map[string]struct {
		search func(ctx context.Context) error
		most   int
	}{
		"run": {func(ctx context.Context) error {
			r, err := check.Run(ctx, wide)
			require.NoError(t, err)
			return r.Stopped
		}, 100},
		"graph": {func(ctx context.Context) error {
			_, err := check.NewGraph(ctx, wide, 1<<20)
			return err
		}, 1000},
	} {
		states = 0
		ctx, cancel := context.WithCancel(t.Context())
		go cancel()
		require.ErrorIs(t, of.search(ctx), context.Canceled, name)
		require.Less(t, states, of.most, name)
	}
}
