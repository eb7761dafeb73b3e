package elector_test

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election/elector"
	"github.com/go-election/election/process"
)

// TestPriorityHangs: a leader whose Priority hangs gives up the lead as any other: when its context ends, when
// its work fails, and when its work returns. Run then returns as well, within a Lease.
func TestPriorityHangs(t *testing.T) {
	failed := errors.New("the work fails")
	for name, of := range map[string]struct {
		end  func(m *member, work chan error)
		want error
		runs bool // Run continues
	}{
		"context": {end: func(m *member, _ chan error) { m.stop() }},
		"error":   {end: func(_ *member, work chan error) { work <- failed }, want: failed},
		"nil":     {end: func(_ *member, work chan error) { work <- nil }, runs: true},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				work, release := make(chan error), make(chan struct{})
				var hangs [3]atomic.Bool
				g := startMembers(t, three, func(c *elector.Config) {
					hang := &hangs[c.Self[0]-'a']
					c.Priority = func() uint64 {
						if hang.Load() {
							<-release
						}
						return 1
					}
				}, func(string) func(context.Context, elector.Term) error {
					return func(ctx context.Context, _ elector.Term) error {
						select {
						case err := <-work:
							return err
						case <-ctx.Done():
							return nil
						}
					}
				})
				defer close(release)
				time.Sleep(5 * time.Second)
				m := g.leader(t)
				hangs[m.name[0]-'a'].Store(true)
				time.Sleep(5 * time.Second)
				require.Same(t, m, g.leader(t), "the lead does not depend on Priority")
				of.end(m, work)
				time.Sleep(elector.LAN().Lease / 2)
				require.NotSame(t, m, g.leader(t))
				time.Sleep(elector.LAN().Lease)
				synctest.Wait()
				if of.runs {
					require.Empty(t, m.ended)
					return
				}
				require.Len(t, m.ended, 1)
				require.ErrorIs(t, <-m.ended, of.want)
				m.ended <- nil // for the cleanup
			})
		})
	}
}

// TestPriorityHangsAtFirst: a member whose Priority has never answered votes, does not stand, and ends with
// its context.
func TestPriorityHangsAtFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		g := start(t, []string{"a", "b"}, func(c *elector.Config) {
			c.Priority = func() uint64 {
				if c.Self == "b" {
					<-release
				}
				return 1
			}
		})
		defer close(release)
		time.Sleep(5 * time.Second)
		require.Equal(t, "a", g["b"].Leader().Leader, "a majority of two are both")
		g["b"].stop()
		time.Sleep(elector.LAN().Lease)
		synctest.Wait()
		require.Len(t, g["b"].ended, 1)
	})
}

// TestCallbackPanics: a panic in a callback becomes an error of Run, also one outside the goroutine of the
// process; the work is asked to stop, the error is its cause, and the lead is given up.
func TestCallbackPanics(t *testing.T) {
	boom := func() { panic("boom") }
	for name, change := range map[string]func(c *elector.Config, now *atomic.Bool){
		"Priority": func(c *elector.Config, now *atomic.Bool) {
			c.Priority = func() uint64 {
				if now.Load() {
					boom()
				}
				return 1
			}
		},
		"Renewed": func(c *elector.Config, now *atomic.Bool) {
			c.Renewed = func(elector.Term) {
				if now.Load() {
					boom()
				}
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var now [3]atomic.Bool
				g := start(t, three, func(c *elector.Config) { change(c, &now[c.Self[0]-'a']) })
				time.Sleep(5 * time.Second)
				m := g.leader(t)
				now[m.name[0]-'a'].Store(true)
				time.Sleep(elector.LAN().Lease / 2)
				require.NotSame(t, m, g.leader(t), "the lead is handed over")
				requirePanicked(t, <-m.ended, name+": boom")
				m.ended <- nil // for the cleanup
				_, causes := m.tenures()
				require.Len(t, causes, 1)
				requirePanicked(t, causes[0], name+": boom")
			})
		})
	}
}

// requirePanicked requires the error of a callback that has panicked.
func requirePanicked(t *testing.T, err error, what string) {
	t.Helper()
	require.ErrorIs(t, err, process.ErrCallback)
	require.ErrorContains(t, err, what)
}

// TestOverrunPanics: a panic in Overrun is an error of Run, once the work has returned.
func TestOverrunPanics(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := alone(t, func(c *elector.Config) { c.Overrun = func(elector.Term) { panic("boom") } })
		err := e.Run(t.Context(), func(ctx context.Context, _ elector.Term) error {
			for e.Advance(1<<52) != nil || ctx.Err() == nil { // the lead is given up
				time.Sleep(time.Second)
			}
			time.Sleep(time.Minute)
			return nil
		})
		requirePanicked(t, err, "Overrun: boom")
	})
}

// TestFirstPriorityPanics: a panic of the first call is an error as well.
func TestFirstPriorityPanics(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := alone(t, func(c *elector.Config) { c.Priority = func() uint64 { panic("boom") } })
		requirePanicked(t, e.Run(t.Context(), func(context.Context, elector.Term) error { return nil }),
			"Priority: boom")
	})
}

// TestObservePanics: whichever goroutine calls Observe, a panic in it is an error: of the process when it
// elects, of the guard when a lease has ended by the clock, of Close.
func TestObservePanics(t *testing.T) {
	for _, why := range []elector.Reason{elector.Elected, elector.Lost, elector.GivenUp, elector.Ended} {
		t.Run(why.String(), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				began := time.Now()
				var jump atomic.Int64
				e := alone(t, func(c *elector.Config) {
					c.Observe = func(v elector.View) {
						if v.Why == why {
							panic("boom")
						}
					}
					c.Clock = func() time.Duration { return time.Since(began) + time.Duration(jump.Load()) }
				})
				ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
				defer cancel()
				requirePanicked(t, e.Run(ctx, func(ctx context.Context, _ elector.Term) error {
					switch why {
					case elector.Lost:
						jump.Add(int64(time.Hour))
					case elector.GivenUp:
						return nil
					}
					<-ctx.Done()
					return nil
				}), "boom")
			})
		})
	}
	t.Run("Close", func(t *testing.T) {
		e := alone(t, func(c *elector.Config) { c.Observe = func(elector.View) { panic("boom") } })
		requirePanicked(t, e.Close(), "Observe: boom")
	})
}

// stuck is a log that hangs at warnings.
type stuck struct {
	slog.Handler
	release chan struct{}
}

func (s stuck) WithAttrs([]slog.Attr) slog.Handler { return s }

func (s stuck) Handle(_ context.Context, r slog.Record) error {
	if r.Level >= slog.LevelWarn {
		<-s.release
	}
	return nil
}

// TestLogHangs: a log that hangs keeps neither the work from being stopped in time, nor the lease from ending.
func TestLogHangs(t *testing.T) {
	var release chan struct{}
	inBubble(t, func(c *elector.Config) {
		if release == nil { // made in the bubble
			release = make(chan struct{})
		}
		c.Log = slog.New(stuck{slog.NewTextHandler(io.Discard, nil), release})
	}, func(t *testing.T, g group, m *member) {
		defer close(release)
		m.network.cut(true)
		time.Sleep(elector.LAN().Lease)
		_, causes := m.tenures()
		require.Equal(t, []error{elector.ErrUnreachable}, causes)
		require.False(t, m.Leader().Self)
	})
}
