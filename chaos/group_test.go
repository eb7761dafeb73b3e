package main

import (
	"math"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election/elector"
	"github.com/go-election/election/internal/suspend"
	"github.com/go-election/election/lab/cluster"
)

// hearing returns a group of three whose members are not started: tests say what they report.
func hearing(t *testing.T) *group {
	store, err := serveRegister(filepath.Join(t.TempDir(), "register"))
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, store.close()) })
	g := &group{cell: find(t, "^kill -9 the leader, n=3, none")[0], times: elector.Times{Lease: time.Second},
		store: store, changed: make(chan struct{})}
	for i := range 3 {
		s := &seat{index: i, name: memberName(i)}
		s.process = &process{number: i + 1, seat: s}
		g.seats = append(g.seats, s)
	}
	return g
}

// TestReports: a later note of a lease replaces the earlier one of the same process and Term, and no other.
func TestReports(t *testing.T) {
	g := hearing(t)
	a, b := g.seats[0].process, g.seats[1].process
	g.hear(a, &report{Kind: kindLease, Term: 1, From: 1, Until: 5})
	g.hear(a, &report{Kind: kindLease, Term: 1, From: 1, Until: 7})
	g.hear(b, &report{Kind: kindLease, Term: 2, From: 7, Until: 9})
	require.Len(t, g.leases, 2)
	require.NoError(t, g.judge())
	g.hear(a, &report{Kind: kindLease, Term: 1, From: 1, Until: 8})
	require.ErrorIs(t, g.judge(), cluster.ErrTwoLeases)

	g = hearing(t)
	g.hear(g.seats[0].process, &report{Kind: kindLease, Term: 1, From: 1, Until: 5})
	g.hear(g.seats[1].process, &report{Kind: kindLease, Term: 1, From: 6, Until: 7})
	require.Len(t, g.leases, 2, "two processes in one Term are two leases")
	require.ErrorIs(t, g.judge(), cluster.ErrEarlyTerm)

	g = hearing(t)
	g.hear(g.seats[0].process, &report{Kind: kindLease, Term: 1, From: 1, Until: 5})
	g.hear(g.seats[0].process, &report{Kind: kindBroken, Term: 1, Error: "2 calls of lead at once"})
	require.ErrorIs(t, g.judge(), errBroken)
	require.ErrorContains(t, g.judge(), "a in Term 1: 2 calls of lead at once")
}

// TestLeader: the leader is the process, not the member, that noted a lease which is valid now.
func TestLeader(t *testing.T) {
	g := hearing(t)
	now := suspend.Monotonic()
	require.Nil(t, g.leader())
	g.hear(g.seats[0].process, &report{Kind: kindLease, Term: 1, From: now - 2, Until: now - 1})
	require.Nil(t, g.leader())
	g.hear(g.seats[1].process, &report{Kind: kindLease, Term: 2, From: now - 1, Until: now + time.Hour})
	require.Equal(t, g.seats[1], g.leader())
	g.seats[1].process = &process{number: 9, seat: g.seats[1]}
	require.Nil(t, g.leader())
}

// TestHeal: a process that is repaired serves again, one that was killed does not.
func TestHeal(t *testing.T) {
	tr := &trial{group: hearing(t)}
	killed, paused := tr.seats[0], tr.seats[1]
	tr.strike(killed)
	tr.strike(paused)
	killed.process = &process{number: 9, seat: killed}
	tr.heal()
	require.Equal(t, time.Duration(math.MaxInt64), tr.down[0].to)
	require.Equal(t, tr.healed, tr.down[1].to)
}
