package elector_test

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election/elector"
	"github.com/go-election/election/internal/pipenet"
)

// TestRollingTimes restarts members one by one with other Times, beginning with each of them, as docs/services.md
// describes. Members with the old Times and the new ones refuse each other, and no two lead at the same time. The
// group has no leader for about one Lease, the longer of the two. Without a Dir it has none from when a majority has
// lost its memory until all are restarted. To shorten the Lease of members without a Dir, each is left stopped for the
// old one, which is added.
func TestRollingTimes(t *testing.T) {
	for _, names := range [][]string{{"a", "b", "c"}, {"a", "b", "c", "d", "e"}} {
		for _, durable := range []bool{false, true} {
			for first := range names {
				r := rolling{names: names, first: first, durable: durable}
				t.Run(fmt.Sprintf("%d members, first %s, Dir %t", len(names), names[first], durable),
					func(t *testing.T) {
						long, short := elector.Times{Lease: 3 * time.Second}, elector.LAN()
						t.Run("longer", func(t *testing.T) {
							synctest.Test(t, func(t *testing.T) { r.test(t, short, long, 0) })
						})
						t.Run("shorter", func(t *testing.T) {
							stopped := long.Lease * 1003 / 1000 // a little more, for the drift of clocks
							if durable {
								stopped = 0
							}
							synctest.Test(t, func(t *testing.T) { r.test(t, long, short, stopped) })
						})
					})
			}
		}
	}
}

// rolling is a rolling restart.
type rolling struct {
	names   []string
	first   int // to be restarted
	durable bool
}

// test changes the Times. Each member is left stopped for a while.
func (r rolling) test(t *testing.T, before, after elector.Times, stopped time.Duration) {
	w, hub := &watcher{leads: map[string]bool{}}, &pipenet.Hub{}
	members, dirs := map[string]string{}, map[string]string{}
	for _, name := range r.names {
		members[name] = ""
		if r.durable {
			dirs[name] = t.TempDir()
		}
	}
	end := make(map[string]func())
	launch := func(name string, times elector.Times) {
		c := elector.Config{Group: "g", Self: name, Members: members, Times: times, Dir: dirs[name],
			Observe: func(v elector.View) { w.see(name, v.Self) }}
		c.Network = piped(t, hub, c)
		e, err := elector.New(c)
		require.NoError(t, err)
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan error)
		go func() {
			ended <- e.Run(ctx, func(ctx context.Context, _ elector.Term) error {
				<-ctx.Done()
				return nil
			})
		}()
		end[name] = func() {
			stop()
			require.NoError(t, <-ended)
			require.NoError(t, c.Network.Close())
		}
	}
	defer func() {
		for _, end := range end {
			end()
		}
	}()
	for _, name := range r.names {
		launch(name, before)
	}
	const calm = 20 * time.Second
	time.Sleep(calm)
	for i := range r.names {
		name := r.names[(r.first+i)%len(r.names)]
		end[name]()
		time.Sleep(stopped)
		launch(name, after)
		time.Sleep(calm)
	}
	synctest.Wait()
	w.mu.Lock()
	defer w.mu.Unlock()
	require.Len(t, w.leads, 1)
	require.Zero(t, w.overlap, "two led at the same time")
	require.Positive(t, w.gap)
	_, most := after.FailOver(len(r.names))
	if most += stopped; r.durable {
		most += max(before.Complete().Lease-after.Complete().Lease, 0) * 1003 / 1000
	} else {
		most += 3*after.Lease*1003/1000 + time.Duration(len(r.names)/2)*(calm+stopped)
	}
	require.LessOrEqual(t, w.gap, most)
	t.Log("no leader for", w.gap)
}
