package elector_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/bully"
	"github.com/go-election/election/detect"
	"github.com/go-election/election/elector"
	"github.com/go-election/election/hypercube"
	"github.com/go-election/election/lcr"
	"github.com/go-election/election/lease"
	"github.com/go-election/election/mutex"
	"github.com/go-election/election/transport"
)

// patience is how long the algorithms of these tests need to notice a crash, and to elect.
const patience = time.Second

// bullies is bully/rules with heartbeats.
func bullies(t *testing.T) *election.Algorithm {
	a, err := bully.Rules(bully.Config{Delay: 10 * time.Millisecond, Heartbeat: 100 * time.Millisecond,
		Patience: 1})
	require.NoError(t, err)
	return a
}

// withoutLeases runs a test of three members that elect by an algorithm.
func withoutLeases(t *testing.T, a *election.Algorithm, test func(t *testing.T, g group, m *member)) {
	inBubble(t, func(c *elector.Config) { c.Algorithm = a }, test)
}

// others returns the members that are not this one.
func (g group) others(m *member) (list []*member) {
	for _, other := range g {
		if other != m {
			list = append(list, other)
		}
	}
	return list
}

// TestAlgorithm: with another algorithm in the place of leases the group elects, fails over, and elects again
// when its leader ends; a member that comes back joins.
func TestAlgorithm(t *testing.T) {
	ring, err := detect.Under(lcr.Max(), detect.Deadline{Interval: 100 * time.Millisecond,
		Timeout: 250 * time.Millisecond})
	require.NoError(t, err)
	for _, a := range []*election.Algorithm{bullies(t), ring} {
		t.Run(a.Title(), func(t *testing.T) {
			withoutLeases(t, a, func(t *testing.T, g group, m *member) {
				for _, other := range g {
					require.Equal(t, m.name, other.Leader().Leader)
				}
				terms, causes := m.tenures()
				term := terms[len(terms)-1]
				before := m.Leader().Term
				time.Sleep(5 * time.Minute)
				require.True(t, term.Valid(time.Hour))
				require.Equal(t, before, m.Leader().Term)
				require.Len(t, causes, len(terms)-1)

				m.network.cut(true)
				time.Sleep(patience)
				synctest.Wait()
				next := g.others(m)[0].Leader().Leader
				require.NotEqual(t, m.name, next)
				require.True(t, g[next].Leader().Self)
				m.network.cut(false)
				time.Sleep(patience)

				m = g.leader(t)
				m.end(t)
				time.Sleep(patience)
				delete(g, m.name)
				require.NotSame(t, m, g.leader(t))
				m.again()
				time.Sleep(patience)
				now := g.leader(t)
				for _, other := range g {
					require.Equal(t, now.name, other.Leader().Leader)
				}
			})
		})
	}
}

// mute is a transport that loses all but the beats for a while.
type mute struct {
	transport.Pusher
	beat  uint8
	until time.Time
}

func (m mute) Send(ctx context.Context, p election.Packet) error {
	if p.Msg.Kind != m.beat && time.Now().Before(m.until) {
		return nil
	}
	return m.Pusher.Send(ctx, p)
}

// TestLostElection: an election that has lost its messages is replaced, although the detectors hear all.
func TestLostElection(t *testing.T) {
	ring, err := detect.Under(lcr.Max(), detect.Deadline{})
	require.NoError(t, err)
	beat := uint8(1 + slices.IndexFunc(ring.Kinds, func(k election.Kind) bool { return k.Name == "beat" }))
	synctest.Test(t, func(t *testing.T) {
		until := time.Now().Add(time.Minute)
		g := start(t, three, func(c *elector.Config) {
			c.Algorithm, c.Transport = ring, mute{c.Transport.(transport.Pusher), beat, until}
		})
		time.Sleep(time.Minute)
		for _, m := range g {
			require.Empty(t, m.Leader().Leader)
		}
		time.Sleep(time.Minute)
		m := g.leader(t)
		for _, other := range g {
			require.Equal(t, m.name, other.Leader().Leader)
		}
	})
}

// TestTwoLeaders: in a partition bully has two leaders at a time, both of which hold a valid Term; when
// it is over one stops its work. This is what a Config.Algorithm gives up: with leases there is one
// leader.
func TestTwoLeaders(t *testing.T) {
	for name, a := range map[string]*election.Algorithm{"bully": bullies(t), "leases": nil} {
		t.Run(name, func(t *testing.T) {
			withoutLeases(t, a, func(t *testing.T, g group, m *member) {
				m.network.cut(true)
				time.Sleep(2 * patience)
				other := g[g.others(m)[0].Leader().Leader]
				require.NotSame(t, m, other)
				require.True(t, other.Leader().Self)
				terms, causes := m.tenures()
				two := a != nil
				require.Equal(t, two, m.Leader().Self)
				require.Equal(t, two, terms[len(terms)-1].Valid(0))
				require.Equal(t, two, len(causes) < len(terms))
				m.network.cut(false)
				time.Sleep(2 * patience)
				now := g.leader(t)
				if !two {
					require.Same(t, other, now, "it stays")
					return
				}
				require.Same(t, m, now, "the largest one")
				_, causes = other.tenures()
				require.ErrorIs(t, causes[len(causes)-1], elector.ErrDeposed)
			})
		})
	}
}

// TestNoLease: what needs leases is refused, and the lead is given up by leaving the group.
func TestNoLease(t *testing.T) {
	withoutLeases(t, bullies(t), func(t *testing.T, g group, m *member) {
		terms, _ := m.tenures()
		require.ErrorIs(t, terms[len(terms)-1].Confirm(t.Context()), elector.ErrNoLease)
		require.ErrorIs(t, m.Resign(t.Context()), elector.ErrNoLease)
		require.ErrorIs(t, m.Transfer(t.Context(), g.others(m)[0].name), elector.ErrNoLease)
		require.ErrorIs(t, m.Advance(7), elector.ErrNoLease)
		require.ErrorIs(t, m.Serve(t.Context()), elector.ErrNoLease)
		_, body := get(m.Elector, "/")
		require.Contains(t, body, `"lease_left_seconds":0,`)
		status, _ := get(m.Elector, "/healthz")
		require.Equal(t, 200, status)
	})
	for _, want := range []error{nil, errors.New("the work fails"), elector.Pause(time.Second)} {
		synctest.Test(t, func(t *testing.T) {
			a := bullies(t)
			e := alone(t, func(c *elector.Config) { c.Algorithm = a })
			err := e.Run(t.Context(), func(context.Context, elector.Term) error { return want })
			require.ErrorIs(t, err, want)
			require.Equal(t, elector.Ended, e.Leader().Why)
		})
	}
}

// TestNoLeaseOverrun: work that does not return when the context of Run has ended is reported after Drain.
func TestNoLeaseOverrun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		overran := time.Time{}
		a := bullies(t)
		e := alone(t, func(c *elector.Config) {
			c.Algorithm = a
			c.Overrun = func(elector.Term) { overran = time.Now() }
		})
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		began := time.Now()
		require.NoError(t, e.Run(ctx, func(ctx context.Context, _ elector.Term) error {
			<-ctx.Done()
			time.Sleep(time.Minute)
			return nil
		}))
		require.Equal(t, time.Minute+elector.LAN().Drain, overran.Sub(began))
		require.Equal(t, 2*time.Minute, time.Since(began))
	})
}

// TestAlgorithmRefused: algorithms that no service can live with are refused.
func TestAlgorithmRefused(t *testing.T) {
	leases, err := lease.New(lease.Config{})
	require.NoError(t, err)
	silent, err := bully.Rules(bully.Config{})
	require.NoError(t, err)
	sections, err := mutex.RicartAgrawala(mutex.Config{})
	require.NoError(t, err)
	for want, a := range map[string]*election.Algorithm{
		"leave Algorithm nil and set Times":   leases,
		"bully/rules does not detect crashes": silent,
		"lcr/max does not detect crashes":     lcr.Max(),
		"elector: Algorithm: ":                {Name: "x"},
		"hypercube does not detect crashes":   hypercube.Algorithms()[0],
		"elects no leader":                    sections,
		"Priority: bully/rules compares IDs":  bullies(t),
	} {
		c := elector.Config{Group: "g", Self: "a", Members: map[string]string{"a": "127.0.0.1:0"},
			Algorithm: a,
			Priority:  func() uint64 { return 0 }}
		_, err := elector.New(c)
		require.ErrorIs(t, err, election.ErrInput, want)
		require.ErrorContains(t, err, want)
	}
}

// TestAlgorithmDir: members whose algorithm keeps Terms continue from the stored Term; a file of another algorithm is
// an error.
func TestAlgorithmDir(t *testing.T) {
	dir := t.TempDir()
	last := uint64(0)
	for range 2 {
		a := bullies(t)
		inBubble(t, func(c *elector.Config) { c.Algorithm, c.Dir = a, dir },
			func(t *testing.T, _ group, m *member) {
				require.Greater(t, m.Leader().Term, last)
				last = m.Leader().Term
			})
	}
	_, err := elector.New(elector.Config{Group: "g", Self: "a",
		Members: map[string]string{"a": "127.0.0.1:0"},
		Dir:     dir})
	require.ErrorIs(t, err, election.ErrInput)
	require.ErrorContains(t, err, `it begins with "election state 2 group \"g\" member \"a\" of bully/rules"`)
}

// TestAlgorithmMustNoticeCrashes: one property that is missing suffices for a refusal.
func TestAlgorithmMustNoticeCrashes(t *testing.T) {
	for name, change := range map[string]func(*election.Algorithm){
		"one election only":           func(a *election.Algorithm) { a.Elects = election.OneLeader },
		"no crash is survived":        func(a *election.Algorithm) { a.Faults = election.Faults{} },
		"crashes have to be reported": func(a *election.Algorithm) { a.Faults.Reported = true },
		"no heartbeats":               func(a *election.Algorithm) { a.Heartbeats = false },
	} {
		a := *bullies(t)
		change(&a)
		_, err := elector.New(elector.Config{Group: "g", Self: "a",
			Members: map[string]string{"a": "127.0.0.1:0"}, Algorithm: &a})
		require.ErrorIs(t, err, election.ErrInput, name)
		require.ErrorContains(t, err, "does not detect crashes", name)
	}
}
