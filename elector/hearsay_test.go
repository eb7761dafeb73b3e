package elector_test

import (
	"context"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/elector"
)

// seen are the Views of members, in order.
type seen struct {
	mu sync.Mutex
	of map[string][]elector.View
}

func (s *seen) watch(c *elector.Config) {
	name := c.Self
	c.Observe = func(v elector.View) {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.of[name] = append(s.of[name], v)
	}
}

// take returns the Views of a member since the last call.
func (s *seen) take(name string) []elector.View {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := s.of[name]
	s.of[name] = nil
	return all
}

// apart cuts the links between the leader and one follower, and returns that follower.
func apart(g group, m *member) *member {
	for _, name := range []string{"a", "b"} {
		if f := g[name]; f != m {
			f.network.cutFrom(elector.ID(m.name))
			m.network.cutFrom(elector.ID(f.name))
			return f
		}
	}
	return nil
}

// TestHearsay: a follower that is cut off from the leader only reports the leader that the other members
// follow, without a break, and is healthy. When they lose that leader as well it does so too, and it follows the
// leader itself as soon as it hears it.
func TestHearsay(t *testing.T) {
	for _, names := range [][]string{three, {"a", "b", "c", "d", "e"}} {
		synctest.Test(t, func(t *testing.T) {
			views := &seen{of: make(map[string][]elector.View)}
			g := start(t, names, views.watch)
			time.Sleep(5 * time.Second)
			m := g.leader(t)
			led := m.Leader()
			f := apart(g, m)
			views.take(f.name)
			for range 100 { // and never ill meanwhile
				time.Sleep(50 * time.Millisecond)
				status, body := get(f.Elector, "/healthz")
				require.Equal(t, http.StatusOK, status, body)
			}
			hearsay := elector.View{Leader: m.name, Term: led.Term, Why: elector.Hearsay, Members: led.Members}
			require.Equal(t, []elector.View{{Term: led.Term, Why: elector.Vacant, Members: led.Members}, hearsay},
				views.take(f.name))
			v, err := f.Wait(t.Context())
			require.NoError(t, err)
			require.Equal(t, hearsay, v)
			_, body := get(f.Elector, "/")
			require.Contains(t, body, `"why":"hearsay"`)
			time.Sleep(time.Minute)
			require.Equal(t, hearsay, f.Leader())
			require.Empty(t, views.take(f.name))
			require.Equal(t, led, m.Leader(), "it is left alone")

			f.network.cutFrom(0)
			m.network.cutFrom(0)
			time.Sleep(time.Second)
			v = elector.View{Leader: m.name, Term: led.Term, Why: elector.Elected, Reachable: true,
				Members: led.Members}
			require.Equal(t, v, f.Leader())

			// The leader crashes: the member that was cut off leads or follows like any other.
			apart(g, m)
			time.Sleep(5 * time.Second)
			require.Equal(t, elector.Hearsay, f.Leader().Why)
			m.network.cut(true)
			time.Sleep(2 * time.Second)
			next := g.leader(t)
			require.NotSame(t, m, next)
			require.Equal(t, next.name, f.Leader().Leader)
			require.Equal(t, elector.Elected, f.Leader().Why)
		})
	}
}

// TestHearsayEnds: a member that hears nobody any more reports no leader either.
func TestHearsayEnds(t *testing.T) {
	inBubble(t, nil, func(t *testing.T, g group, m *member) {
		f := apart(g, m)
		time.Sleep(5 * time.Second)
		require.Equal(t, elector.Hearsay, f.Leader().Why)
		f.network.cut(true)
		time.Sleep(2 * elector.LAN().Lease)
		require.Equal(t, elector.View{Term: m.Leader().Term, Why: elector.Vacant, Members: "a b c"}, f.Leader())
		time.Sleep(2*elector.LAN().Lease + time.Millisecond)
		status, _ := get(f.Elector, "/healthz")
		require.Equal(t, http.StatusServiceUnavailable, status)
	})
}

// TestHearsayAtStart: a member that starts while it is cut off from the leader learns of it as well.
func TestHearsayAtStart(t *testing.T) {
	inBubble(t, nil, func(t *testing.T, g group, m *member) {
		f := apart(g, m)
		f.end(t)
		f = f.again()
		f.network.cutFrom(elector.ID(m.name))
		time.Sleep(6 * time.Second) // it has no Dir: at first it looks for members that remember their votes
		want := elector.View{Leader: m.name, Term: m.Leader().Term, Why: elector.Hearsay, Members: "a b c"}
		for range 100 {
			time.Sleep(50 * time.Millisecond)
			require.Equal(t, want, f.Leader())
		}
	})
}

// TestNoHearsayOfTheDead: while a group replaces a leader that has crashed, no member reports what others still
// hold of the old one.
func TestNoHearsayOfTheDead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		views := &seen{of: make(map[string][]elector.View)}
		g := start(t, []string{"a", "b", "c", "d", "e"}, views.watch)
		time.Sleep(5 * time.Second)
		for range 20 {
			m := g.leader(t)
			m.network.cut(true)
			time.Sleep(5 * time.Second)
			m.network.cut(false)
			time.Sleep(5 * time.Second)
		}
		for name := range g {
			for _, v := range views.take(name) {
				require.NotEqual(t, elector.Hearsay, v.Why, "%s: %+v", name, v)
			}
		}
	})
}

// watched is a transport that reports which peers are up.
type watched struct {
	*gate
	mu    sync.Mutex
	calls []func(election.ID, bool)
}

func (w *watched) WatchPeers(f func(election.ID, bool)) (stop func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.calls = append(w.calls, f)
	return func() {}
}

func (w *watched) report(name string, up bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, f := range w.calls {
		f(elector.ID(name), up)
	}
}

// TestReachable: over a transport that watches its peers, a View tells whether the leader can be reached, and is
// replaced when that changes. The leader is named until its lease ends. To itself a leader can be reached.
func TestReachable(t *testing.T) {
	links := make(map[string]*watched)
	views := &seen{of: make(map[string][]elector.View)}
	inBubble(t, func(c *elector.Config) {
		w := &watched{gate: c.Transport.(*gate)}
		links[c.Self], c.Transport = w, w
		views.watch(c)
	}, func(t *testing.T, g group, m *member) {
		var f *member
		for _, f = range g {
			if f != m {
				break
			}
		}
		require.True(t, m.Leader().Reachable)
		v := f.Leader()
		require.False(t, v.Reachable, "no connection was reported")
		views.take(f.name)
		next := make(chan elector.View)
		ctx, stop := context.WithCancel(t.Context())
		go func() {
			defer close(next)
			for v := range f.Watch(ctx) {
				next <- v
			}
		}()
		require.Equal(t, v, <-next)
		for _, up := range []bool{true, false, true} {
			links[f.name].report(m.name, up)
			v.Reachable = up
			require.Equal(t, v, <-next)
			require.Equal(t, v, f.Leader())
			synctest.Wait()
			require.Equal(t, []elector.View{v}, views.take(f.name))
		}
		_, body := get(f.Elector, "/")
		require.Contains(t, body, `"reachable":true`)
		links[f.name].report("c", true) // or any other
		synctest.Wait()
		m.network.cut(true)
		links[f.name].report(m.name, false)
		v.Reachable = false
		require.Equal(t, v, <-next, "its lease has not ended yet")
		stop()
		for range next {
		}
	})
}
