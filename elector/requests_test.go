package elector_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election/elector"
)

// accept begins a request at a member that leads.
func accept(t *testing.T, m *member) (request context.Context, end context.CancelFunc) {
	t.Helper()
	synctest.Wait() // its Term has begun
	parent, end := context.WithCancel(t.Context())
	request, term, ok := m.Term(parent)
	require.True(t, ok)
	require.Equal(t, m.Leader().Term, term.Token())
	require.Equal(t, term, elector.TermOf(request))
	require.Equal(t, elector.Term{}, elector.TermOf(parent))
	require.True(t, term.Valid(0))
	require.NoError(t, request.Err())
	return request, end
}

// requireRefused: a member accepts no request.
func requireRefused(t *testing.T, m *member) {
	t.Helper()
	_, term, ok := m.Term(t.Context())
	require.False(t, ok)
	require.Equal(t, elector.Term{}, term)
}

// TestRequests: only the leader accepts requests, and a request ends with its own context.
func TestRequests(t *testing.T) {
	inBubble(t, nil, func(t *testing.T, g group, m *member) {
		for _, other := range g.others(m) {
			requireRefused(t, other)
		}
		first, end := accept(t, m)
		second, endSecond := accept(t, m)
		defer endSecond()
		end()
		synctest.Wait()
		require.ErrorIs(t, first.Err(), context.Canceled)
		time.Sleep(time.Minute)
		require.NoError(t, second.Err())
	})
}

// TestRequestsOfLost: requests are canceled, as the work is, before the lease of a leader that is cut off expires, and
// do not keep it from following the next leader.
func TestRequestsOfLost(t *testing.T) {
	inBubble(t, nil, func(t *testing.T, g group, m *member) {
		request, end := accept(t, m)
		defer end()
		terms, _ := m.tenures()
		began, left := time.Now(), terms[0].Left()
		m.network.cut(true)
		<-request.Done()
		require.ErrorIs(t, context.Cause(request), elector.ErrUnreachable)
		require.InDelta(t, left-elector.LAN().Stop, time.Since(began), float64(5*time.Millisecond))
		requireRefused(t, m)
		m.network.cut(false)
		time.Sleep(5 * time.Second)
		require.NotSame(t, m, g.leader(t))
		require.Equal(t, elector.Elected, m.Leader().Why)
	})
}

// TestRequestsInHandover: a leader that hands over keeps the lead until its requests have ended, and accepts no other
// once its work has returned.
func TestRequestsInHandover(t *testing.T) {
	for name, hand := range map[string]func(*testing.T, *member){
		"resign": func(t *testing.T, m *member) { require.NoError(t, m.Resign(t.Context())) },
		"end":    func(_ *testing.T, m *member) { m.stop() },
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, nil, func(t *testing.T, g group, m *member) {
				request, end := accept(t, m)
				go hand(t, m)
				time.Sleep(2 * time.Second)
				require.Same(t, m, g.leader(t))
				require.NoError(t, request.Err())
				requireRefused(t, m)
				end()
				time.Sleep(time.Millisecond)
				require.NotSame(t, m, g.leader(t))
			})
		})
	}
}

// TestRequestsWhileWorkDrains: a leader accepts requests until its work has returned.
func TestRequestsWhileWorkDrains(t *testing.T) {
	work := func(ctx context.Context, _ elector.Term) error {
		<-ctx.Done()
		time.Sleep(3 * time.Second)
		return nil
	}
	synctest.Test(t, func(t *testing.T) {
		g := startWith(t, func(string) func(context.Context, elector.Term) error { return work })
		time.Sleep(5 * time.Second)
		m := g.leader(t)
		go func() { _ = m.Resign(t.Context()) }()
		time.Sleep(2900 * time.Millisecond)
		request, end := accept(t, m)
		defer end()
		time.Sleep(time.Second)
		require.Same(t, m, g.leader(t))
		requireRefused(t, m)
		<-request.Done() // the work and the requests have 5 s together
		require.ErrorIs(t, context.Cause(request), elector.ErrResigned)
		time.Sleep(time.Second)
		require.NotSame(t, m, g.leader(t))
	})
}

// TestLongRequests: a handover cancels long requests, and does not wait for requests that ignore this. Their
// tokens are old; they neither count as work that has not stopped nor keep the member from leading again.
func TestLongRequests(t *testing.T) {
	overrun := func(c *elector.Config) { c.Overrun = func(elector.Term) { panic("overrun") } }
	inBubble(t, overrun, func(t *testing.T, g group, m *member) {
		request, end := accept(t, m)
		defer end()
		_, term, _ := m.Term(t.Context())
		began := time.Now()
		require.NoError(t, m.Resign(t.Context()))
		drain, stop := elector.LAN().Complete().Drain/2, elector.LAN().Stop/2
		require.InDelta(t, drain+stop, time.Since(began), float64(5*time.Millisecond))
		require.ErrorIs(t, context.Cause(request), elector.ErrResigned)
		require.False(t, term.Valid(0))
		next := g.leader(t)
		require.NotSame(t, m, next)
		time.Sleep(5 * time.Second)
		require.NoError(t, next.Transfer(t.Context(), m.name))
		again, end := accept(t, m)
		defer end()
		require.NoError(t, again.Err())
		require.NoError(t, m.Transfer(t.Context(), next.name))
		require.ErrorIs(t, context.Cause(again), elector.ErrTransferred)
	})
}

// TestRequestsOfPanic: requests do not outlive work that panics.
func TestRequestsOfPanic(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := alone(t, nil)
		parent, end := context.WithCancel(t.Context())
		defer end()
		var request context.Context
		require.PanicsWithValue(t, "broken", func() {
			_ = e.Run(t.Context(), func(context.Context, elector.Term) error {
				request, _, _ = e.Term(parent)
				panic("broken")
			})
		})
		require.Error(t, request.Err())
		_, _, ok := e.Term(parent)
		require.False(t, ok)
	})
}
