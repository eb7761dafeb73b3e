package main

import (
	"math"
	"path/filepath"
	"slices"
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
		store: store, meter: &stallMeter{}, changed: make(chan struct{})}
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

// TestOffset: times that a process reports by its own clock are converted to the clock of the others.
func TestOffset(t *testing.T) {
	g := hearing(t)
	p := g.seats[0].process
	p.early = time.Hour
	g.hear(p, &report{Kind: kindLease, Term: 1, From: time.Hour + 1, Until: time.Hour + 5})
	g.hear(p, &report{Kind: kindConfirmed, Term: 1, From: time.Hour + 2})
	g.hear(p, &report{Kind: kindStall, From: time.Hour + 3, Until: time.Hour + 4})
	g.hear(p, &report{Kind: kindOperation, Operation: &operation{Call: time.Hour + 1, Return: time.Hour + 2}})
	require.Equal(t, []lease{{cluster.Lease{Member: "a", Term: 1, From: 1, Until: 5}, 1}}, g.leases)
	require.Equal(t, time.Duration(2), g.confirmed[0].From)
	require.Equal(t, []stallOf{{span{3, 4}, 1}}, g.stalls)
	require.Equal(t, []operation{{Call: 1, Return: 2}}, g.answered)
}

// TestHung: a group that never becomes calm is an error that contains what members know.
func TestHung(t *testing.T) {
	g := hearing(t)
	g.hear(g.seats[0].process, &report{Kind: kindView, Leader: "b", Term: 7})
	g.seats[2].process = nil
	err := g.await(t.Context(), time.Millisecond, "a miracle", func() bool { return false })
	require.ErrorIs(t, err, errHung)
	require.ErrorContains(t, err, `a miracle; a follows "b" in Term 7 ; b follows "" in Term 0 ; c is down`)
}

// TestOutcome: a leader that comes late is counted, and changes that the fault does not explain are errors,
// unless the machine has let a member wait that was to run.
func TestOutcome(t *testing.T) {
	for name, c := range map[string]struct {
		until, next, stalled time.Duration // of the first lease, and of the next: when it begins
		paused               bool
		many                 bool // members wait one after another, none of them for long
		refuses              bool // the register was to refuse a late write
		want                 outcome
		err                  error
	}{
		"steady": {until: 9, want: outcome{}},
		"late": {until: 2, next: 7, want: outcome{Vacant: 5 * time.Second, Changes: 1,
			Late: true}, err: errUnsteady},
		"busy": {until: 4, next: 5, stalled: 400, want: outcome{Vacant: time.Second, Changes: 1,
			Busy: true}},
		"busy for many": {until: 4, next: 5, many: true, want: outcome{Vacant: time.Second, Changes: 1,
			Busy: true}},
		"a paused member": {until: 4, next: 5, stalled: 400, paused: true,
			want: outcome{Vacant: time.Second, Changes: 1}, err: errUnsteady},
		"no late write":               {until: 9, refuses: true, err: errNoStale},
		"no late write, busy machine": {until: 9, refuses: true, stalled: 400, err: errNoStale},
		"late, busy machine": {until: 2, next: 7, stalled: 2000,
			want: outcome{Vacant: 5 * time.Second, Changes: 1, Busy: true}},
	} {
		t.Run(name, func(t *testing.T) {
			began := suspend.Now() - 8*time.Second
			at := func(seconds time.Duration) time.Duration { return began + seconds*time.Second }
			g := hearing(t)
			steady := *g.cell.fault
			steady.steady, steady.refuses = true, c.refuses
			g.cell = &cell{fault: &steady, n: 3}
			tr := &trial{group: g, began: began, healed: began}
			g.hear(g.seats[0].process, &report{Kind: kindLease, Term: 1, From: at(-1), Until: at(c.until)})
			if c.next > 0 {
				g.hear(g.seats[1].process, &report{Kind: kindLease, Term: 2, From: at(c.next), Until: at(9)})
			}
			if c.stalled > 0 {
				g.hear(g.seats[2].process, &report{Kind: kindStall, From: at(1), Until: at(1) +
					c.stalled*time.Millisecond})
			}
			for i := range map[bool]int{true: 3}[c.many] {
				from := at(3) + time.Duration(i)*200*time.Millisecond
				g.hear(g.seats[i].process, &report{Kind: kindStall, From: from,
					Until: from + 180*time.Millisecond})
			}
			if c.paused {
				tr.down = append(tr.down, outage{g.seats[2].process.number, at(1), at(3)})
			}
			o, err := tr.outcome()
			require.ErrorIs(t, err, c.err)
			require.Equal(t, c.err == nil, err == nil, "%v", err)
			require.Equal(t, c.want, o)
		})
	}
}

// TestHeldUp: the waits of all members within a lease count together, each moment once.
func TestHeldUp(t *testing.T) {
	const ms = time.Millisecond
	for name, c := range map[string]struct {
		waits []span // of members in turn
		want  time.Duration
	}{
		"none":                 {},
		"one":                  {[]span{{0, 200 * ms}}, 200 * ms},
		"one after another":    {[]span{{0, 200 * ms}, {300 * ms, 500 * ms}, {500 * ms, 600 * ms}}, 500 * ms},
		"at the same time":     {[]span{{0, 200 * ms}, {100 * ms, 300 * ms}, {50 * ms, 60 * ms}}, 300 * ms},
		"more than a lease":    {[]span{{0, 200 * ms}, {1100 * ms, 1300 * ms}}, 200 * ms},
		"a part of one counts": {[]span{{0, 200 * ms}, {900 * ms, 1100 * ms}}, 300 * ms},
		"the first is longest": {[]span{{0, 400 * ms}, {5000 * ms, 5100 * ms}}, 400 * ms},
	} {
		g := hearing(t)
		g.times.Lease = time.Second
		tr := &trial{group: g, began: -time.Second}
		for i, w := range slices.Backward(c.waits) { // in whatever order they are heard of
			g.hear(g.seats[i%3].process, &report{Kind: kindStall, From: w.From, Until: w.Until})
		}
		require.Equal(t, c.want, tr.heldUp(), name)
	}
}

// TestStop: in a steady trial the work of the leader is not even asked to stop.
func TestStop(t *testing.T) {
	g := hearing(t)
	steady := *g.cell.fault
	steady.steady = true
	g.cell = &cell{fault: &steady, n: 3}
	now := suspend.Now()
	g.hear(g.seats[0].process, &report{Kind: kindLease, Term: 1, From: now - 2, Until: now + time.Hour})
	g.hear(g.seats[0].process, &report{Kind: kindStop, Term: 1, Error: "before the trial"})
	tr := &trial{group: g, began: now - 1, healed: now - 1, before: 1}
	_, err := tr.outcome()
	require.NoError(t, err)
	g.hear(g.seats[0].process, &report{Kind: kindStop, Term: 1, Error: "in it"})
	_, err = tr.outcome()
	require.ErrorIs(t, err, errUnsteady)
	require.ErrorContains(t, err, "in it")
}

// TestJudgeAll: what only the history of the register shows is found in the end.
func TestJudgeAll(t *testing.T) {
	g := hearing(t)
	now := suspend.Now()
	g.hear(g.seats[0].process, &report{Kind: kindLease, Term: 1, From: now - 2, Until: now - 1})
	require.NoError(t, g.judgeAll())
	g.store.apply(operation{Process: 1, Number: 1, Token: 1, Value: 7, Call: 1})
	read := g.store.apply(operation{Process: 2, Number: 1, Read: true, Call: now + time.Hour})
	read.Value, read.Return = 8, now+2*time.Hour // nothing wrote that
	g.hear(g.seats[1].process, &report{Kind: kindOperation, Operation: &read})
	require.NoError(t, g.judge())
	require.ErrorIs(t, g.judgeAll(), errRegister)
	g.hear(g.seats[0].process, &report{Kind: kindConfirmed, Term: 1, From: now})
	require.NoError(t, g.judge())
	g.hear(g.seats[1].process, &report{Kind: kindLease, Term: 2, From: now - 1, Until: now + 9})
	require.ErrorIs(t, g.judge(), errConfirm)
	g.store.log = append(g.store.log, operation{Token: 2, Accepted: true},
		operation{Token: 1, Accepted: true})
	require.ErrorIs(t, g.judge(), errTokens)
}

// TestLeader: the leader is the process, not the member, that noted a lease which is valid now.
func TestLeader(t *testing.T) {
	g := hearing(t)
	now := suspend.Now()
	require.Nil(t, leader(g))
	g.hear(g.seats[0].process, &report{Kind: kindLease, Term: 1, From: now - 2, Until: now - 1})
	require.Nil(t, leader(g))
	g.hear(g.seats[1].process, &report{Kind: kindLease, Term: 2, From: now - 1, Until: now + time.Hour})
	s, term := g.leader()
	require.Equal(t, g.seats[1], s)
	require.Equal(t, uint64(2), term)
	g.seats[1].process = &process{number: 9, seat: g.seats[1]}
	require.Nil(t, leader(g))
}

// leader returns the member that leads, nil if none does.
func leader(g *group) *seat {
	s, _ := g.leader()
	return s
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
