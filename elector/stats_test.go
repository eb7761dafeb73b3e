package elector_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election/bully"
	"github.com/go-election/election/elector"
	"github.com/go-election/election/internal/pipenet"
	"github.com/go-election/election/internal/suspend"
)

// endsOf returns the reasons for which Terms of a member have ended, without those that have not occurred.
func endsOf(s elector.Stats) map[string]uint64 {
	for why, n := range s.TermEnds {
		if n == 0 {
			delete(s.TermEnds, why)
		}
	}
	return s.TermEnds
}

// TestStats: the counters of a leader and of a follower at rest.
func TestStats(t *testing.T) {
	inBubble(t, nil, func(t *testing.T, g group, m *member) {
		times := elector.LAN()
		before := m.Stats()
		time.Sleep(time.Minute)
		s := m.Stats()
		require.Equal(t, m.Leader(), s.View)
		require.Equal(t, "g", s.Group)
		require.Equal(t, m.name, s.Self)
		require.Equal(t, times.Lease, s.Lease)
		require.InDelta(t, times.Lease-times.Renew/2, s.Left, float64(times.Renew/2))
		require.EqualValues(t, 1, s.Terms)
		require.EqualValues(t, 1, s.Claims)
		require.Equal(t, [...]uint64{elector.Elected: 1, elector.Ended: 0}, s.Transitions)
		require.Empty(t, endsOf(s))
		require.InDelta(t, time.Minute/times.Renew, s.Renewals["granted"]-before.Renewals["granted"], 1)
		require.Zero(t, s.Renewals["late"]+s.Renewals["lost"])
		require.Equal(t, s.Renewals["granted"]+s.Claims, s.Rounds.Count())
		require.Equal(t, s.Rounds.Count(), s.Rounds.Counts[0], "messages take no time")
		require.Equal(t, before.Leaderless, s.Leaderless)
		_, most := times.FailOver(3)
		require.Less(t, s.Leaderless, most)
		require.Equal(t, three, s.Members)
		require.Len(t, s.Heard, 2)
		require.Equal(t, 1, s.Lists)
		require.False(t, s.Changing || s.Overrunning)
		require.Greater(t, s.Packets.Sent, before.Packets.Sent)
		require.Nil(t, s.Network)
		require.Nil(t, s.Store)
		for _, other := range g {
			s := other.Stats()
			for peer, heard := range s.Heard {
				require.True(t, heard, peer)
				require.NotEqual(t, other.name, peer)
			}
			if other != m {
				require.Zero(t, s.Left)
				require.Zero(t, s.Terms+s.Renewals["granted"])
			}
		}
	})
}

// TestStatsOfHandover: a planned handover loses neither time nor renewals.
func TestStatsOfHandover(t *testing.T) {
	inBubble(t, nil, func(t *testing.T, g group, m *member) {
		before := m.Stats()
		require.NoError(t, m.Resign(t.Context()))
		next := g.leader(t)
		s := m.Stats()
		require.Equal(t, map[string]uint64{"resigned": 1}, endsOf(s))
		require.EqualValues(t, 1, s.Transitions[elector.GivenUp])
		require.EqualValues(t, 2, s.Transitions[elector.Elected])
		require.Zero(t, s.Renewals["lost"])
		require.Equal(t, before.Leaderless, s.Leaderless)
		require.EqualValues(t, 1, next.Stats().Terms)
		next.end(t)
		require.Equal(t, map[string]uint64{"stopped": 1}, endsOf(next.Stats()))
		require.EqualValues(t, 1, next.Stats().Transitions[elector.Ended])
	})
}

// TestStatsOfCut: a leader that is cut off counts what it has lost, and the others count the time without a leader, as
// after a crash.
func TestStatsOfCut(t *testing.T) {
	inBubble(t, nil, func(t *testing.T, g group, m *member) {
		times, before := elector.LAN(), m.Stats()
		terms, _ := m.tenures()
		m.network.cut(true)
		time.Sleep(times.Lease - times.Stop)
		require.Less(t, terms[0].Left(), times.Stop)
		time.Sleep(5 * time.Second)
		s := m.Stats()
		require.Equal(t, map[string]uint64{"unreachable": 1}, endsOf(s))
		require.EqualValues(t, 1, s.Transitions[elector.Lost])
		require.InDelta(t, 2, s.Renewals["lost"], 1)
		require.Equal(t, before.Renewals["granted"], s.Renewals["granted"])
		require.Greater(t, s.Leaderless-before.Leaderless, 4*time.Second)
		for peer, heard := range s.Heard {
			require.False(t, heard, peer)
		}
		next := g.leader(t)
		for _, other := range g {
			if other == m {
				continue
			}
			s := other.Stats()
			require.EqualValues(t, 1, s.Transitions[elector.Vacant])
			require.Equal(t, other == next, s.Terms == 1)
			least, most := times.FailOver(3)
			require.Less(t, s.Leaderless-before.Leaderless, most-least+times.Renew)
			require.Positive(t, s.Leaderless-before.Leaderless)
		}
		heard := next.Stats().Heard
		require.False(t, heard[m.name])
		delete(heard, m.name)
		for peer, heard := range heard {
			require.True(t, heard, peer)
		}
		ended := s.Leaderless
		m.end(t)
		time.Sleep(time.Minute)
		require.GreaterOrEqual(t, m.Stats().Leaderless, ended)
		require.Less(t, m.Stats().Leaderless, ended+time.Second, "it ends with the member")
	})
}

// TestStatsOfLateRenewals: an interruption shorter than a lease shows in the renewals, and ends no Term.
func TestStatsOfLateRenewals(t *testing.T) {
	inBubble(t, nil, func(t *testing.T, _ group, m *member) {
		m.network.cut(true)
		time.Sleep(elector.LAN().Renew) // one renewal
		m.network.cut(false)
		time.Sleep(10 * time.Second)
		s := m.Stats()
		require.EqualValues(t, 1, s.Renewals["late"])
		require.EqualValues(t, 1, s.Renewals["lost"])
		require.Empty(t, endsOf(s))
		require.EqualValues(t, 1, s.Terms)
	})
}

// TestStatsOfOverrun: work that does not stop in time is counted, and shown until it has returned.
func TestStatsOfOverrun(t *testing.T) {
	inBubble(t, nil, func(t *testing.T, g group, m *member) {
		next := g[three[0]]
		if next == m {
			next = g[three[1]]
		}
		next.mu.Lock()
		next.lead = func(ctx context.Context, _ elector.Term) error {
			<-ctx.Done()
			time.Sleep(10 * time.Second)
			return elector.Pause(time.Minute)
		}
		next.mu.Unlock()
		require.NoError(t, m.Transfer(t.Context(), next.name))
		require.Equal(t, map[string]uint64{"transferred": 1}, endsOf(m.Stats()))
		next.network.cut(true)
		time.Sleep(5 * time.Second)
		s := next.Stats()
		require.EqualValues(t, 1, s.Overruns)
		require.True(t, s.Overrunning)
		require.Empty(t, endsOf(s))
		time.Sleep(10 * time.Second)
		s = next.Stats()
		require.EqualValues(t, 1, s.Overruns)
		require.False(t, s.Overrunning)
		require.Equal(t, map[string]uint64{"unreachable": 1}, endsOf(s))
	})
}

// TestStatsOfOverrunEnd: a Term counts by what ended it first, also if the program ends before the work has returned.
func TestStatsOfOverrunEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := alone(t, nil)
		ctx, stop := context.WithCancel(t.Context())
		require.NoError(t, e.Run(ctx, func(ctx context.Context, _ elector.Term) error {
			suspend.Suspend(time.Minute) // the lease has expired
			<-ctx.Done()
			stop()
			return nil
		}))
		require.Equal(t, map[string]uint64{"paused": 1}, endsOf(e.Stats()))
	})
}

// TestStatsBeforeRun: a member that does not run counts nothing.
func TestStatsBeforeRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := alone(t, nil)
		time.Sleep(time.Hour)
		s := e.Stats()
		require.Zero(t, s.Leaderless)
		require.Equal(t, [elector.Ended + 1]uint64{}, s.Transitions)
		require.Zero(t, s.Rounds.Count()+s.Packets.Sent)
		require.NoError(t, e.Close())
		require.Zero(t, e.Stats().Leaderless)
	})
}

// TestStatsWithoutLeases: an algorithm without leases has no lease to show.
func TestStatsWithoutLeases(t *testing.T) {
	a, err := bully.Rules(bully.Config{Delay: 10 * time.Millisecond, Heartbeat: 100 * time.Millisecond})
	require.NoError(t, err)
	inBubble(t, func(c *elector.Config) { c.Algorithm = a }, func(t *testing.T, _ group, m *member) {
		s := m.Stats()
		terms, _ := m.tenures()
		require.Zero(t, s.Lease+s.Left)
		require.EqualValues(t, len(terms), s.Terms)
		require.EqualValues(t, len(terms)-1, s.TermEnds["new_term"])
		require.Equal(t, three, s.Members)
		require.Zero(t, s.Rounds.Count()+s.Claims)
	})
}

// TestStatsOfNetwork: a member with connections of its own counts their bytes.
func TestStatsOfNetwork(t *testing.T) {
	members := addresses(t, three...)
	e, err := elector.New(elector.Config{Group: "g", Self: "a", Members: members})
	require.NoError(t, err)
	require.NotNil(t, e.Stats().Network)
	require.False(t, e.Stats().Shared)
	require.NoError(t, e.Close())
	synctest.Test(t, func(t *testing.T) {
		ca, hub := authority(t), &pipenet.Hub{}
		g := start(t, three, func(c *elector.Config) {
			c.TLS = certified(t, ca, c.Self)
			c.Network, c.Transport = piped(t, hub, *c), nil
		})
		time.Sleep(5 * time.Second)
		s := g.leader(t).Stats()
		require.True(t, s.Shared)
		require.Greater(t, s.Network.BytesSent, s.Network.PacketsSent*80)
		second := s
		second.Group = "second"
		for _, m := range elector.Metrics(s, second) {
			if m.Name == "election_network_sent_bytes_total" {
				require.Equal(t, []elector.Sample{{Labels: []string{"", s.Self}, Value: float64(s.Network.BytesSent)}}, m.Samples)
			}
		}
		for peer, heard := range s.Heard {
			require.True(t, heard, peer)
		}
	})
}

// TestStatsOfStore: calls of the store are counted, by their result.
func TestStatsOfStore(t *testing.T) {
	inStore(t, nil, func(t *testing.T, s *shelf, g group, m *member) {
		gets, puts := s.calls()
		var got, put, conflicts uint64
		for _, one := range g {
			c := one.Stats().Store
			got += c.Get.Took.Count()
			put += c.Put.Took.Count()
			conflicts += c.Put.Errors["conflict"]
			require.Zero(t, c.Get.Errors["other"]+c.Get.Errors["timeout"]+c.Put.Errors["other"]+c.Put.Errors["timeout"])
		}
		require.EqualValues(t, gets, got)
		require.EqualValues(t, puts, put)
		require.LessOrEqual(t, conflicts, uint64(len(g)))
		require.Empty(t, m.Stats().Members)
		require.Positive(t, m.Stats().Renewals["granted"])

		before := m.Stats()
		require.NoError(t, m.Resign(t.Context()))
		synctest.Wait()
		require.Equal(t, before.Claims, m.Stats().Claims, "to release a lease is no claim")
		time.Sleep(10 * time.Second)
		m = g.leader(t)
		s.set(func() { s.refuses = true })
		time.Sleep(time.Second)
		require.Positive(t, m.Stats().Store.Put.Errors["other"])
		require.Positive(t, m.Stats().Renewals["lost"])
		require.Equal(t, map[string]uint64{"unreachable": 1}, endsOf(m.Stats()))
		s.set(func() { s.refuses, s.away = false, true })
		time.Sleep(time.Minute)
		errors := m.Stats().Store.Get.Errors
		require.Positive(t, errors["timeout"])
		require.Zero(t, errors["refused"]+errors["busy"])
	})
}
