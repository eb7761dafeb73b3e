package elector_test

import (
	"context"
	"log/slog"
	"maps"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/elector"
)

// priorities are the priorities of members; they can change.
type priorities struct {
	mu sync.Mutex
	of map[string]uint64
}

func (p *priorities) set(name string, priority uint64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.of[name] = priority
}

func (p *priorities) give(c *elector.Config) {
	name := c.Self
	c.Priority = func() uint64 {
		p.mu.Lock()
		defer p.mu.Unlock()
		return p.of[name]
	}
}

// withPriorities runs a test of three members once one of them leads.
func withPriorities(t *testing.T, preempt time.Duration, of map[string]uint64,
	test func(t *testing.T, p *priorities, g group, m *member)) {
	p := &priorities{of: maps.Clone(of)}
	inBubble(t, func(c *elector.Config) {
		p.give(c)
		c.Preempt = preempt
	}, func(t *testing.T, g group, m *member) { test(t, p, g, m) })
}

// orders are three priorities in each order.
var orders = []map[string]uint64{{"a": 0, "b": 1, "c": 7}, {"a": 0, "b": 7, "c": 1}, {"a": 1, "b": 0, "c": 7},
	{"a": 1, "b": 7, "c": 0}, {"a": 7, "b": 0, "c": 1}, {"a": 7, "b": 1, "c": 0}}

// TestMixedPriorities: if one member has no Priority and the others have one, or the reverse, each leader warns once.
// A member that only votes is not compared.
func TestMixedPriorities(t *testing.T) {
	for _, has := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			text := map[string]*logs{"a": {}, "b": {}, "c": {}, "d": {}}
			g := start(t, []string{"a", "b", "c", "d"}, func(c *elector.Config) {
				c.Log = slog.New(slog.NewTextHandler(text[c.Self], nil))
				if (c.Self == "b") == has {
					c.Priority = func() uint64 { return 1 }
				}
			})
			time.Sleep(5 * time.Second)
			for _, to := range []string{"a", "b", "c", "a", "b", "c"} {
				if m := g.leader(t); m.name != to {
					require.NoError(t, m.Transfer(t.Context(), to))
				}
				time.Sleep(5 * time.Second)
			}
			for name, l := range text {
				warned := strings.Count(l.String(), "either all members must have a Priority, or none")
				if name == "d" { // it has not led
					require.LessOrEqual(t, warned, 1)
					continue
				}
				require.Equal(t, 1, warned, name)
			}
		})
	}
}

// TestPriority: whatever the IDs are, the member of the largest priority leads, and when it is cut off,
// resigns or ends, the next one.
func TestPriority(t *testing.T) {
	for name, leave := range map[string]func(t *testing.T, m *member){
		"cut":    func(_ *testing.T, m *member) { m.network.cut(true) },
		"resign": func(t *testing.T, m *member) { require.NoError(t, m.Resign(t.Context())) },
		"end":    func(t *testing.T, m *member) { m.end(t) },
	} {
		t.Run(name, func(t *testing.T) {
			for _, order := range orders {
				withPriorities(t, 0, order, func(t *testing.T, p *priorities, g group, m *member) {
					require.EqualValues(t, 7, p.of[m.name])
					began := time.Now()
					leave(t, m)
					next := ""
					for next == "" {
						time.Sleep(time.Millisecond)
						for _, other := range g {
							if v := other.Leader(); other != m && v.Self {
								next = v.Leader
							}
						}
					}
					require.EqualValues(t, 1, p.of[next])
					_, most := elector.LAN().FailOver(3)
					require.LessOrEqual(t, time.Since(began), most+10*elector.LAN().Complete().Delay)
				})
			}
		})
	}
}

// TestCannotServe: members that cannot serve lead if all others cannot either.
func TestCannotServe(t *testing.T) {
	withPriorities(t, time.Second, map[string]uint64{}, func(t *testing.T, _ *priorities, g group,
		m *member) {
		m.end(t)
		delete(g, m.name)
		time.Sleep(5 * time.Second)
		require.NotNil(t, g.leader(t))
	})
}

// TestNewPriority: the priority counts that a member has when the leader is gone.
func TestNewPriority(t *testing.T) {
	for _, first := range []string{"a", "b", "c"} {
		withPriorities(t, 0, map[string]uint64{first: 9}, func(t *testing.T, p *priorities, g group,
			m *member) {
			require.Equal(t, first, m.name)
			for _, next := range []string{"a", "b", "c"} {
				if next == first {
					continue
				}
				p.set(next, 3)
				time.Sleep(time.Minute)
				require.Same(t, m, g.leader(t), "without Preempt a leader stays")
				m.network.cut(true)
				time.Sleep(2 * time.Second)
				v := g[next].Leader()
				require.Equal(t, next, v.Leader)
				p.set(next, 0)
				m.network.cut(false)
				time.Sleep(time.Second)
				require.NoError(t, g[next].Transfer(t.Context(), first))
				time.Sleep(time.Second)
			}
		})
	}
}

// TestPreempt: a member takes over when its priority has been larger for Preempt, without a vacancy. After an absence
// it starts to wait again, and an absent member is not handed the lead.
func TestPreempt(t *testing.T) {
	const preempt, renew = 10 * time.Second, 750 * time.Millisecond / 4
	for _, order := range orders {
		withPriorities(t, preempt, order, func(t *testing.T, p *priorities, g group, m *member) {
			var next, third *member
			for _, other := range g {
				if p.of[other.name] == 1 {
					next = other
				} else if other != m {
					third = other
				}
			}
			p.set(next.name, 8)
			time.Sleep(preempt - renew)
			require.Same(t, m, g.leader(t))
			next.network.cut(true)
			time.Sleep(time.Second)
			next.network.cut(false)
			time.Sleep(preempt - renew)
			require.Same(t, m, g.leader(t), "it has been away")
			time.Sleep(3 * renew)
			require.Same(t, next, g.leader(t))
			_, causes := m.tenures()
			require.Equal(t, []error{elector.ErrTransferred}, causes)
			next.network.cut(true)
			time.Sleep(2 * time.Second)
			require.True(t, m.Leader().Self, "of the others it has the larger priority")
			p.set(third.name, 3)
			time.Sleep(2 * preempt)
			require.True(t, m.Leader().Self)
			next.network.cut(false)
			time.Sleep(preempt + 5*time.Second)
			require.Same(t, next, g.leader(t))
		})
	}
}

// TestFlappingPriorities: priorities that change all the time hand the lead over at most once in each
// Preempt, without a vacancy, and never if none stays larger for that long.
func TestFlappingPriorities(t *testing.T) {
	const preempt, long = 5 * time.Second, 20 * time.Minute
	for name, c := range map[string]struct {
		stays       time.Duration // a priority does, at most
		least, most int           // changes
	}{
		"quickly": {preempt / 2, 1, 1},
		"slowly":  {4 * preempt, 10, int(long / preempt)},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				dice := rand.New(rand.NewPCG(1, 2))
				p, w := &priorities{of: map[string]uint64{"c": 1}}, &watcher{leads: map[string]bool{}}
				text := &logs{}
				start(t, three, func(c *elector.Config) {
					p.give(c)
					c.Preempt, c.Log = preempt, slog.New(slog.NewTextHandler(text, nil))
					name := c.Self
					c.Observe = func(v elector.View) { w.see(name, v.Self) }
				})
				for began := time.Now(); time.Since(began) < long; {
					time.Sleep(time.Duration(dice.Int64N(int64(c.stays))))
					if c.stays < preempt { // each is the largest one in turn, and then none
						p.set("a", 0)
						p.set("b", 0)
						time.Sleep(time.Second)
					}
					p.set(three[dice.IntN(3)], dice.Uint64N(5))
					if c.stays < preempt {
						p.set("c", 1)
					}
				}
				w.mu.Lock()
				defer w.mu.Unlock()
				require.Zero(t, w.overlap)
				require.GreaterOrEqual(t, w.changes, c.least)
				require.LessOrEqual(t, w.changes, c.most)
				require.Zero(t, w.gap)
				if c.most > 1 {
					require.Regexp(t, `larger priority for Preempt" group=g member=[abc] peer=[abc]\n`, text)
				}
			})
		})
	}
}

// TestPriorityRefused: a Preempt that nothing can reach is refused.
func TestPriorityRefused(t *testing.T) {
	for want, c := range map[string]elector.Config{
		"Preempt: -1ns is negative":    {Preempt: -1},
		"Preempt: 1s needs a Priority": {Preempt: time.Second},
	} {
		c.Group, c.Self, c.Members = "g", "a", map[string]string{"a": "127.0.0.1:0"}
		_, err := elector.New(c)
		require.ErrorIs(t, err, election.ErrInput)
		require.ErrorContains(t, err, want)
	}
}

// TestServeHasNoPriority: a member that only votes is not asked for a priority, and is handed nothing.
func TestServeHasNoPriority(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := alone(t, func(c *elector.Config) {
			c.Priority = func() uint64 { t.Error("it is asked"); return 0 }
		})
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		require.NoError(t, e.Serve(ctx))
	})
}
