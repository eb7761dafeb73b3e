package elector_test

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/elector"
)

// jumps are by how much the clocks of members have jumped.
type jumps map[string]*atomic.Int64

// withClocks runs a test of three members whose clocks can jump, once one of them leads.
func withClocks(t *testing.T, test func(t *testing.T, g group, m *member, j jumps)) {
	synctest.Test(t, func(t *testing.T) {
		j, began := jumps{}, time.Now()
		for _, name := range three {
			j[name] = new(atomic.Int64)
		}
		g := start(t, three, func(c *elector.Config) {
			jump := j[c.Self]
			c.Clock = func() time.Duration { return time.Since(began) + time.Duration(jump.Load()) }
		})
		time.Sleep(5 * time.Second)
		test(t, g, g.leader(t), j)
	})
}

// total returns how often members have begun to lead.
func (g group) total() (n int) {
	for _, m := range g {
		terms, _ := m.tenures()
		n += len(terms)
	}
	return n
}

// TestPaused: a leader that was paused until its lease was over stops its work as soon as it notices,
// whether or not it leads again by then, and the end of the old work does not end the new lease.
func TestPaused(t *testing.T) {
	withClocks(t, func(t *testing.T, g group, m *member, j jumps) {
		for n := range 20 {
			m := g.leader(t)
			_, before := m.tenures()
			j[m.name].Add(int64(2 * time.Second))
			time.Sleep(250 * time.Millisecond) // the next renewal at the latest
			synctest.Wait()
			_, causes := m.tenures()
			require.Equal(t, append(before, elector.ErrPaused), causes)
			time.Sleep(10*time.Second + time.Duration(n)*50*time.Millisecond)
			require.Equal(t, n+2, g.total(), "one leader after each pause")
		}
	})
}

// TestUnmoved: what happens to followers changes no leader, and ends no work.
func TestUnmoved(t *testing.T) {
	for name, happens := range map[string]func(t *testing.T, g group, leader, a, b *member, j jumps){
		"a follower restarts": func(t *testing.T, _ group, _, a, _ *member, _ jumps) {
			a.end(t)
			a.again()
			time.Sleep(time.Second)
		},
		"a follower restarts again and again": func(t *testing.T, g group, _, a, _ *member, _ jumps) {
			for range 20 {
				g[a.name].end(t)
				a.again()
				time.Sleep(100 * time.Millisecond)
			}
		},
		"the leader and a follower cannot reach each other": func(_ *testing.T, _ group, m, a, _ *member,
			_ jumps) {
			m.network.cutFrom(elector.ID(a.name))
			a.network.cutFrom(elector.ID(m.name))
			time.Sleep(time.Minute)
			m.network.cutFrom(0)
			a.network.cutFrom(0)
		},
		"the leader does not reach a follower": func(_ *testing.T, _ group, m, a, _ *member, _ jumps) {
			m.network.cutFrom(elector.ID(a.name))
			time.Sleep(time.Minute)
			m.network.cutFrom(0)
		},
		"two followers cannot reach each other": func(_ *testing.T, _ group, _, a, b *member, _ jumps) {
			a.network.cutFrom(elector.ID(b.name))
			b.network.cutFrom(elector.ID(a.name))
			time.Sleep(time.Minute)
			a.network.cutFrom(0)
			b.network.cutFrom(0)
		},
		"a follower is paused": func(_ *testing.T, _ group, _, a, _ *member, j jumps) {
			j[a.name].Add(int64(10 * time.Second))
			time.Sleep(time.Second)
		},
		"a minority comes back": func(_ *testing.T, _ group, _, a, _ *member, _ jumps) {
			a.network.cut(true)
			time.Sleep(time.Minute)
			a.network.cut(false)
		},
	} {
		t.Run(name, func(t *testing.T) {
			withClocks(t, func(t *testing.T, g group, m *member, j jumps) {
				var others []*member
				for _, name := range three {
					if name != m.name {
						others = append(others, g[name])
					}
				}
				for _, a := range others { // the one with the larger ID, and the one with the smaller
					happens(t, g, m, g[a.name], others[0], j)
					time.Sleep(5 * time.Second)
					require.Same(t, m, g.leader(t))
					for _, other := range g {
						require.Equal(t, m.name, other.Leader().Leader)
					}
				}
				require.Equal(t, 1, g.total())
				_, causes := m.tenures()
				require.Empty(t, causes)
			})
		})
	}
}

// TestConfirm: a leader that is cut off is not confirmed.
func TestConfirm(t *testing.T) {
	inBubble(t, nil, func(t *testing.T, _ group, m *member) {
		terms, _ := m.tenures()
		began := time.Now()
		require.NoError(t, terms[0].Confirm(t.Context()))
		require.Zero(t, time.Since(began), "packets take no time here")
		m.network.cut(true)
		require.True(t, terms[0].Valid(0))
		ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
		defer cancel()
		require.ErrorIs(t, terms[0].Confirm(ctx), context.DeadlineExceeded)
		require.True(t, terms[0].Valid(0))
		require.ErrorIs(t, terms[0].Confirm(t.Context()), elector.ErrDeposed)
		require.False(t, terms[0].Valid(0))
	})
}

// TestClose: a member that never runs can be closed; then it can be neither run nor waited for.
func TestClose(t *testing.T) {
	e, err := elector.New(elector.Config{Group: "g", Self: "a",
		Members: map[string]string{"a": "127.0.0.1:0"}})
	require.NoError(t, err)
	require.NoError(t, e.Close())
	require.NoError(t, e.Close())
	require.Equal(t, elector.View{Why: elector.Ended}, e.Leader())
	_, err = e.Wait(t.Context())
	require.ErrorIs(t, err, election.ErrClosed)
	require.ErrorIs(t, e.Serve(t.Context()), election.ErrInput)
	require.ErrorIs(t, e.Resign(t.Context()), elector.ErrNotLeader)
}

// TestRunTwice: the second Run is refused, and does not disturb the first.
func TestRunTwice(t *testing.T) {
	inBubble(t, nil, func(t *testing.T, g group, m *member) {
		require.ErrorContains(t, m.Run(t.Context(), m.work), "was run before")
		require.ErrorIs(t, m.Serve(t.Context()), election.ErrInput)
		require.NoError(t, m.Close())
		time.Sleep(10 * time.Second)
		require.Same(t, m, g.leader(t))
	})
}

// TestPanic: work that panics gives up the lead before the panic continues.
func TestPanic(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := make(chan time.Time, 2)
		broken := make(chan string, 1)
		g := startWith(t, func(name string) func(context.Context, elector.Term) error {
			return func(ctx context.Context, _ elector.Term) error {
				if began <- time.Now(); len(began) == 1 {
					broken <- name
					panic("broken")
				}
				<-ctx.Done()
				return nil
			}
		})
		m := g[<-broken]
		require.ErrorContains(t, <-m.ended, "panic: broken")
		m.ended <- nil // for the cleanup
		time.Sleep(time.Second)
		require.NotSame(t, m, g.leader(t))
		require.Equal(t, <-began, <-began, "the next leader does not wait")
	})
}

// TestTransferRefused: the error of a transfer if the other member cannot take over.
func TestTransferRefused(t *testing.T) {
	inBubble(t, nil, func(t *testing.T, g group, m *member) {
		err := m.Transfer(t.Context(), m.name)
		require.ErrorIs(t, err, election.ErrInput)
		require.ErrorContains(t, err, "to: "+m.name+" leads already")
		require.ErrorContains(t, m.Transfer(t.Context(), "x"), `to: "x" is not one of the members`)
		var other *member
		for _, other = range g {
			if other != m {
				break
			}
		}
		require.ErrorIs(t, other.Transfer(t.Context(), m.name), elector.ErrNotLeader)
		require.ErrorIs(t, other.Transfer(t.Context(), other.name), elector.ErrNotLeader)
		other.network.cut(true)
		require.ErrorIs(t, m.Transfer(t.Context(), other.name), elector.ErrNotTaken)
		other.network.cut(false)
		time.Sleep(5 * time.Second)
		leader := g.leader(t)
		leader.mu.Lock()
		leader.lead = nil
		leader.mu.Unlock()
		ctx, cancel := context.WithCancelCause(t.Context())
		cancel(errors.New("no time"))
		require.NotNil(t, leader.Resign(ctx))
	})
}

// TestObserve: Observe is called with each View in order, and Renewed before it.
func TestObserve(t *testing.T) {
	var mu sync.Mutex
	seen := map[string][]string{}
	see := func(name, what string) {
		mu.Lock()
		defer mu.Unlock()
		seen[name] = append(seen[name], what)
	}
	var leader, follower string
	inBubble(t, func(c *elector.Config) {
		last := elector.View{}
		c.Observe = func(v elector.View) {
			before := last
			last = v
			if before.Members = v.Members; v == before {
				return // a follower learns the members after the leader
			}
			see(c.Self, v.Leader+" "+v.Why.String())
		}
		c.Renewed = func(term elector.Term) {
			if term.Left() < c.Times.Complete().Lease/2 {
				t.Errorf("the lease lasts for %v only", term.Left())
			}
			mu.Lock()
			defer mu.Unlock()
			if s := seen[c.Self]; len(s) == 0 || s[len(s)-1] != "renewed" {
				seen[c.Self] = append(s, "renewed")
			}
		}
	}, func(t *testing.T, g group, m *member) {
		leader = m.name
		for name := range g {
			if name != leader {
				follower = name
			}
		}
		require.NoError(t, m.Transfer(t.Context(), follower))
		time.Sleep(time.Second)
		m.end(t)
	})
	require.Equal(t, []string{"renewed", leader + " elected", "renewed", " given up", follower + " elected",
		" ended"},
		seen[leader])
	require.Equal(t, []string{leader + " elected", " vacant", "renewed", follower + " elected", "renewed"},
		seen[follower][:5])
}

// TestRenewals: a leader renews at moments that are Renew apart and follow from its name alone; the
// first renewal comes sooner after its election, and none comes later, also while its work takes its
// time to end.
func TestRenewals(t *testing.T) {
	renew := elector.LAN().Renew
	var mu sync.Mutex
	at := make(map[string][]time.Time)
	synctest.Test(t, func(t *testing.T) {
		g := startMembers(t, three, func(c *elector.Config) {
			c.Renewed = func(elector.Term) {
				mu.Lock()
				defer mu.Unlock()
				at[c.Self] = append(at[c.Self], time.Now())
			}
		}, func(string) func(context.Context, elector.Term) error {
			return func(ctx context.Context, _ elector.Term) error {
				<-ctx.Done()
				time.Sleep(2 * time.Second)
				return nil
			}
		})
		time.Sleep(5 * time.Second)
		m := g.leader(t)
		go func() { _ = m.Resign(t.Context()) }()
		time.Sleep(time.Second)
		require.Same(t, m, g.leader(t), "its work has not ended")
		mu.Lock()
		defer mu.Unlock()
		require.Len(t, at, 1)
		all := at[m.name]
		require.Greater(t, len(all), 20)
		for i, now := range all[1:] {
			apart := now.Sub(all[i])
			require.LessOrEqual(t, apart, renew)
			require.True(t, i == 0 || apart == renew, "renewal %d comes after %v", i+1, apart)
			require.Zero(t, (uint64(now.UnixNano())+uint64(elector.ID(m.name)))%uint64(renew))
		}
	})
}
