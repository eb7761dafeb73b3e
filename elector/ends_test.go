package elector_test

import (
	"context"
	"log/slog"
	"math"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/elector"
	"github.com/go-election/election/transport/memory"
)

// alone returns a member that has no others.
func alone(t *testing.T, change func(*elector.Config)) *elector.Elector {
	endpoint, err := memory.New().Endpoint(elector.ID("a"))
	require.NoError(t, err)
	c := elector.Config{Group: "g", Self: "a", Members: map[string]string{"a": ""}, Transport: endpoint}
	if change != nil {
		change(&c)
	}
	e, err := elector.New(c)
	require.NoError(t, err)
	return e
}

// TestPanicEnds: a member whose work panics leaves the election and leaves nothing open if its caller recovers:
// neither its file, which a second program could not open, nor its address.
func TestPanicEnds(t *testing.T) {
	panics := func(t *testing.T, e *elector.Elector) {
		require.PanicsWithValue(t, "the work fails", func() {
			_ = e.Run(t.Context(), func(context.Context, elector.Term) error { panic("the work fails") })
		})
		_, err := e.Wait(t.Context())
		require.ErrorIs(t, err, election.ErrClosed)
	}
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		for range 2 { // with the same file
			panics(t, alone(t, func(c *elector.Config) { c.Dir = dir }))
		}
	})
	// A listener keeps virtual time from passing. Without leases a member alone leads immediately.
	c := elector.Config{Group: "g", Self: "a", Members: addresses(t, "a"), Algorithm: bullies(t)}
	for range 2 { // at the same address
		e, err := elector.New(c)
		require.NoError(t, err)
		panics(t, e)
	}
}

// TestEndlessDrain: the work may take any time to hand over.
func TestEndlessDrain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := alone(t, func(c *elector.Config) {
			c.Times.Drain = math.MaxInt64
			c.Overrun = func(elector.Term) { t.Error("the lease ends before the work does") }
		})
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		require.NoError(t, e.Run(ctx, func(ctx context.Context, term elector.Term) error {
			<-ctx.Done()
			time.Sleep(time.Hour)
			require.True(t, term.Valid(0))
			return nil
		}))
	})
}

// TestViewAfterPause: after a pause no View reports that this member leads if its lease has expired, although its
// process has not noticed yet.
func TestViewAfterPause(t *testing.T) {
	withClocks(t, func(t *testing.T, _ group, m *member, j jumps) {
		j[m.name].Add(int64(2 * time.Second))
		for v := range m.Watch(t.Context()) {
			require.Equal(t, m.Leader(), v)
			require.Equal(t, elector.Lost, v.Why)
			break
		}
	})
}

// TestAdvanceAtOnce: a member that begins to lead in a Term that is refused meanwhile gives up the lead. If
// it has called its work before, the work's context ends.
func TestAdvanceAtOnce(t *testing.T) {
	for _, ahead := range []uint64{0, 1000} { // the Term of the claim itself is refused too
		synctest.Test(t, func(t *testing.T) { advanceAtOnce(t, ahead) })
	}
}

func advanceAtOnce(t *testing.T, ahead uint64) {
	var e *elector.Elector
	var token atomic.Uint64
	e = alone(t, func(c *elector.Config) {
		c.Observe = func(v elector.View) {
			if v.Self && token.CompareAndSwap(0, v.Term+ahead) {
				require.NoError(t, e.Advance(v.Term+ahead))
			}
		}
	})
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	var tokens []uint64
	require.NoError(t, e.Run(ctx, func(ctx context.Context, term elector.Term) error {
		tokens = append(tokens, term.Token())
		<-ctx.Done()
		return nil
	}))
	// Observe runs concurrently with Run, which may call the work in the refused Term first.
	require.LessOrEqual(t, len(tokens), 2)
	require.Greater(t, tokens[len(tokens)-1], token.Load())
}

// TestAdvanceTooFar: a token that leaves later leaders too few Terms is refused, and does no harm.
func TestAdvanceTooFar(t *testing.T) {
	e := alone(t, nil)
	for _, token := range []uint64{1<<53 - 1<<32, 1<<53 - 2, 1 << 53, math.MaxUint64} {
		err := e.Advance(token)
		require.ErrorIs(t, err, election.ErrInput)
		require.ErrorContains(t, err, "2^53-2^32 = 9007194959773696")
	}
	require.NoError(t, e.Advance(1<<53-1<<32-1))
	require.NoError(t, e.Close())
}

// TestPauseWhenStopped: a Pause counts also if the work was asked to stop before it returned that.
func TestPauseWhenStopped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var led atomic.Int64
		g := startMembers(t, []string{"a"}, nil, func(string) func(context.Context, elector.Term) error {
			return func(ctx context.Context, _ elector.Term) error {
				led.Add(1)
				<-ctx.Done()
				return elector.Pause(time.Hour)
			}
		})
		time.Sleep(5 * time.Second)
		require.NoError(t, g["a"].Resign(t.Context()))
		time.Sleep(time.Hour - time.Minute)
		require.EqualValues(t, 1, led.Load())
		time.Sleep(2 * time.Minute)
		require.EqualValues(t, 2, led.Load())
	})
}

// TestResignTooLate: once the lease has expired, Resign returns an error even if the work continues, so Overrun may
// call it.
func TestResignTooLate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var e *elector.Elector
		asked := make(chan error, 1)
		e = alone(t, func(c *elector.Config) {
			c.Overrun = func(elector.Term) { asked <- e.Resign(t.Context()) }
		})
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		require.NoError(t, e.Run(ctx, func(ctx context.Context, _ elector.Term) error {
			<-ctx.Done()
			time.Sleep(time.Minute)
			return nil
		}))
		require.ErrorIs(t, <-asked, elector.ErrNotLeader)
	})
}

// TestOverrunIsLogged: work that outlives its lease is logged once, if Overrun is nil.
func TestOverrunIsLogged(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		text := &logs{}
		e := alone(t, func(c *elector.Config) { c.Log = slog.New(slog.NewTextHandler(text, nil)) })
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		require.NoError(t, e.Run(ctx, func(ctx context.Context, _ elector.Term) error {
			<-ctx.Done()
			time.Sleep(time.Minute)
			return nil
		}))
		require.Equal(t, 1, strings.Count(text.String(), "level=ERROR"))
		require.Contains(t, text.String(), "the work has not stopped although its lease has expired")
	})
}

// TestStateFiles: members of different groups, or names, have different files.
func TestStateFiles(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		names := [][2]string{{"jobs", "eu.a"}, {"jobs.eu", "a"}, {"jobs,eu", "a"}, {"jobs", "eu,a"},
			{"jobs/eu", "a"}}
		for range 2 {
			for _, name := range names {
				e := alone(t, func(c *elector.Config) {
					endpoint, err := memory.New().Endpoint(elector.ID(name[1]))
					require.NoError(t, err)
					c.Group, c.Self, c.Dir, c.Transport = name[0], name[1], dir, endpoint
					c.Members = map[string]string{name[1]: ""}
				})
				ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
				require.NoError(t, e.Run(ctx, func(ctx context.Context, _ elector.Term) error {
					<-ctx.Done()
					return nil
				}))
				cancel()
			}
		}
		files, err := filepath.Glob(filepath.Join(dir, "*.state"))
		require.NoError(t, err)
		require.Len(t, files, len(names))
	})
}

// TestFailOverNoDrift: a negative Drift is none.
func TestFailOverNoDrift(t *testing.T) {
	least, most := elector.Times{Drift: -1}.FailOver(3)
	few, many := elector.Times{Drift: 1e-12}.FailOver(3)
	require.InDelta(t, few, least, 10)
	require.InDelta(t, many, most, 10)
}

// TestTermOfATest: a Term that a program makes itself, to test its work, has a token and no lease.
func TestTermOfATest(t *testing.T) {
	term := elector.Term{Number: 5}
	require.EqualValues(t, 5, term.Token())
	require.False(t, term.Valid(0))
	require.Zero(t, term.Left())
	require.ErrorIs(t, term.Confirm(t.Context()), elector.ErrDeposed)
}

// TestWorkReturnsAtOnce: members whose work returns immediately lead once in each lease.
func TestWorkReturnsAtOnce(t *testing.T) {
	for _, priority := range []func() uint64{nil, func() uint64 { return 1 }} {
		synctest.Test(t, func(t *testing.T) {
			g := startMembers(t, three, func(c *elector.Config) { c.Priority = priority },
				func(string) func(context.Context, elector.Term) error {
					return func(context.Context, elector.Term) error { return nil }
				})
			time.Sleep(75 * time.Second) // a hundred leases
			for _, m := range g {
				terms, _ := m.tenures()
				require.LessOrEqual(t, len(terms), 100)
				require.Greater(t, len(terms), 80)
			}
		})
	}
}
