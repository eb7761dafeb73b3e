package trace_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lab/sim"
	"github.com/go-election/election/lab/trace"
	"github.com/go-election/election/observe"
)

// leased runs an algorithm with leases while its first leader crashes, and returns the trace of the run, its film and
// the votes that were lent as a simulation shows them.
func leased(t *testing.T, name string, crash election.ID) (*trace.Trace, *trace.Film, []trace.Loan) {
	t.Helper()
	c := network(t, name, 4, nil)
	c.Until, c.CrashAt = 400*scenario.Unit, []scenario.At{{ID: crash, Time: 60 * scenario.Unit}}
	about := trace.About{Schedule: c.Schedule, Until: c.Until}
	recorder, err := trace.NewRecorder(&c.Input, about)
	require.NoError(t, err)
	filming, err := trace.NewFilming(&c.Input, about)
	require.NoError(t, err)
	var s *sim.Sim
	filming.Look(func(p int) election.Node { return s.Node(p) })
	c.Observe = observe.Both(recorder.Observe, filming.Observe)
	s, err = sim.New(c)
	require.NoError(t, err)
	require.NoError(t, s.Run(t.Context()))
	return recorder.Trace(), filming.Film(), filming.Loans()
}

// TestLoans: a replay of a trace finds the same loans as a look at the Nodes of the simulation. Of one vote two loans
// never overlap, and each lead begins with a majority.
func TestLoans(t *testing.T) {
	run, film, loans := leased(t, "lease", 4)
	replayed, err := trace.NewFilm(run)
	require.NoError(t, err)
	require.Equal(t, loans, trace.Loans(run, replayed))
	require.NotEmpty(t, loans)
	for i, l := range loans {
		require.LessOrEqual(t, l.From, l.End)
		require.LessOrEqual(t, l.End, l.Until)
		for _, other := range loans[:i] {
			require.False(t, other.Of == l.Of && l.From < other.End, "%+v and %+v", other, l)
		}
	}
	leads := film.Leads()
	require.GreaterOrEqual(t, len(leads), 2)
	for _, l := range leads {
		lent := 0
		for _, v := range loans {
			if v.To == l.Process && v.Term == l.Term && v.From <= l.From && l.From < v.End {
				lent++
			}
		}
		require.GreaterOrEqual(t, lent, 3, "%+v", l)
	}

	held := trace.Held(loans)
	require.Less(t, len(held), len(loans)/2, "renewals are joined")
	require.Equal(t, held, trace.Held(held))
}

// TestRecords: the record of a store names the leader of each lead before the lead begins.
func TestRecords(t *testing.T) {
	run, film, records := leased(t, "storelease", 4)
	require.Equal(t, 0, film.Store())
	require.Equal(t, records, trace.Loans(run, film))
	leads := film.Leads()
	require.NotEmpty(t, leads)
	for _, l := range leads {
		named := false
		for _, r := range records {
			named = named || r.Of == 0 && r.To == l.Process && r.Term == l.Term && r.From <= l.From
		}
		require.True(t, named, "%+v", l)
	}
}

// TestNoLoans: other algorithms lend no votes.
func TestNoLoans(t *testing.T) {
	run, film, loans := leased(t, "bully", 4)
	require.Empty(t, loans)
	require.Empty(t, trace.Loans(run, film))
	require.NotEmpty(t, film.Leads())
}

// TestLoansAreDrawn: a picture has a bar for each vote while it is lent, names timers by what comes of them, and ends
// the line of a leader with its lease, though the leader is paused and has not noticed.
func TestLoansAreDrawn(t *testing.T) {
	c := network(t, "lease", 3, nil)
	c.Until, c.PauseAt = 200*scenario.Unit, []scenario.Pause{{ID: 3, From: 20 * scenario.Unit, Until: 150 * scenario.Unit}}
	run := simulated(t, c)
	text := drawn(t, run, svgOf)
	film, err := trace.NewFilm(run)
	require.NoError(t, err)
	held := trace.Held(trace.Loans(run, film))
	require.Equal(t, len(held), strings.Count(text, `<g class="loan">`))
	require.Contains(t, text, `<g class="loan"><title>the vote of 1 is lent to 3 from 3.`)
	about := strings.ReplaceAll(text, "&#39;", "'")
	for _, words := range []string{": 3 leads, until 10", ": the votes of 1 and 2 are free again", ": 3's lease ends, it stops"} {
		require.Contains(t, about, words)
	}
	require.NotContains(t, about, "runs out at process")

	var last element       // the last part of the line of 3 as the leader
	var begin, end float64 // of its pause
	for _, e := range elements(t, text) {
		switch e.attr["class"] {
		case "paused":
			if end = e.number(t, "y") + e.number(t, "height"); begin == 0 {
				begin = e.number(t, "y")
			}
		case "leader":
			if last.attr == nil || e.number(t, "x1") >= last.number(t, "x1") {
				last = e
			}
		}
	}
	require.Greater(t, last.number(t, "y2"), begin)
	require.Less(t, last.number(t, "y2"), end-1)
}

// TestLeaseSentences: a sentence names the member that lends its vote, the leader that gets it, and the end of the loan.
// Fields of messages appear only in Wire.
func TestLeaseSentences(t *testing.T) {
	c := network(t, "lease", 3, nil)
	c.Until = 60 * scenario.Unit
	run := simulated(t, c)
	s := trace.NewSentences(run)
	words, wire := strings.Join(s.Of(1, 1000), "\n"), strings.Join(s.Wire(1, 1000), "\n")
	for _, want := range []string{"3 asks who would lend it a vote", "1 lends its vote to 3 until 10", "3 renews\n",
		"1 lends its vote to 3 again, until 12", "3 has the votes of a majority: 3 leads until 10"} {
		require.Contains(t, words, want)
	}
	require.NotContains(t, words, "incarnation")
	require.Contains(t, wire, "incarnation")
	require.Equal(t, len(s.Of(1, 1000)), len(s.Wire(1, 1000)))

	store := network(t, "storelease", 3, nil)
	store.Until = 200 * scenario.Unit
	words = strings.Join(trace.NewSentences(simulated(t, store)).Of(1, 1000), "\n")
	for _, want := range []string{"writes its name into the store", "the store writes that 3 leads, with token 1",
		"3 renews its record"} {
		require.Contains(t, words, want)
	}
}
