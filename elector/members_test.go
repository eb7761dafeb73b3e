package elector_test

import (
	"context"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election/elector"
	"github.com/go-election/election/transport/memory"
)

// watcher sees which members lead.
type watcher struct {
	mu      sync.Mutex
	leads   map[string]bool
	both    time.Time     // since when two lead
	overlap time.Duration // for how long two led
	changes int
	vacant  time.Time // since when none leads
	gap     time.Duration
}

func (w *watcher) see(name string, leads bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if leads == w.leads[name] {
		return
	}
	if leads {
		if len(w.leads) == 0 && !w.vacant.IsZero() {
			w.gap = max(w.gap, time.Since(w.vacant))
		}
		w.leads[name] = true
		w.changes++
		if len(w.leads) == 2 {
			w.both = time.Now()
		}
		return
	}
	// The next leader may publish its View before the last one does, which has given up its lease by then.
	// The virtual time is the same.
	if len(w.leads) > 1 {
		w.overlap = max(w.overlap, time.Since(w.both))
	}
	if delete(w.leads, name); len(w.leads) == 0 {
		w.vacant = time.Now()
	}
}

// TestRollingChange: members are added and removed one at a time, by restarting one member after another with the new
// list: a new member first, a removed one last, the others in either order. There is always a leader, except for at
// most one failover, and never two, even while members have different lists.
func TestRollingChange(t *testing.T) {
	steps := [][]string{
		{"a", "b", "c"}, {"a", "b", "c", "d"}, {"a", "b", "c", "d", "e"}, {"b", "c", "d", "e"},
		{"c", "d", "e"},
	}
	for name, turned := range map[string]bool{"in order": false, "in reverse order": true} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := &watcher{leads: map[string]bool{}}
				network, g := memory.New(), group{}
				change := func(c *elector.Config) {
					c.Observe = func(v elector.View) { w.see(c.Self, v.Self) }
				}
				defer func() {
					for _, m := range g {
						m.stop()
						<-m.ended
					}
				}()
				for i, list := range steps {
					members := map[string]string{}
					for _, name := range list {
						members[name] = ""
					}
					var added, removed, order []string
					for _, name := range list {
						if g[name] == nil {
							added = append(added, name)
						}
					}
					for _, name := range slices.Sorted(maps.Keys(g)) {
						if slices.Contains(list, name) {
							order = append(order, name)
						} else {
							removed = append(removed, name)
						}
					}
					if turned {
						slices.Reverse(order)
					}
					order = slices.Concat(added, order, removed)
					for _, name := range order {
						if m := g[name]; m != nil {
							m.end(t)
							delete(g, name)
						}
						if slices.Contains(list, name) {
							g.launch(t, network, name, members, change, nil)
						}
						time.Sleep(10 * time.Second) // until it takes part
						synctest.Wait()
					}
					m := g.leader(t)
					for _, other := range g {
						require.Equal(t, m.name, other.Leader().Leader, "step %d", i)
					}
				}
				w.mu.Lock()
				overlap, changes, gap := w.overlap, w.changes, w.gap
				w.mu.Unlock()
				require.Zero(t, overlap, "two led at once")
				require.Greater(t, changes, 4)
				_, most := elector.LAN().FailOver(5)
				require.LessOrEqual(t, gap, most)
			})
		})
	}
}

// TestLeaderLeaves: a leader that is removed hands over when its work has returned, and the next leader is a member of
// the new list.
func TestLeaderLeaves(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var working atomic.Int32
		slow := func(ctx context.Context, _ elector.Term) error {
			if working.Add(1) != 1 {
				t.Error("a leader works while another one still does")
			}
			<-ctx.Done()
			time.Sleep(2 * time.Second)
			working.Add(-1)
			return nil
		}
		network, g := memory.New(), group{}
		defer func() {
			for _, m := range g {
				m.stop()
			}
			for _, m := range g {
				require.NoError(t, <-m.ended)
			}
		}()
		all := listed("a", "b", "c", "d", "e")
		for name := range all {
			g.launch(t, network, name, all, nil, slow)
		}
		time.Sleep(10 * time.Second)
		if m := g.leader(t); m.name != "e" {
			require.NoError(t, m.Transfer(t.Context(), "e"))
		}
		list := listed("a", "b", "c")
		for _, name := range []string{"a", "b", "c"} {
			require.Equal(t, "e", g.leader(t).name)
			g[name].end(t)
			g.launch(t, network, name, list, nil, slow)
			time.Sleep(10 * time.Second)
		}
		m := g.leader(t)
		require.Contains(t, list, m.name)
		require.Equal(t, []string{"a", "b", "c"}, m.Members().Agreed)
	})
}
