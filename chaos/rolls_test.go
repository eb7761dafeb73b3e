package main

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election/elector"
	"github.com/go-election/election/internal/suspend"
)

// TestStale: a leader that was stopped is not ready until it reports whom it follows now.
func TestStale(t *testing.T) {
	g := hearing(t)
	g.cell = find(t, "^change the list, and SIGSTOP the leader for 3 leases in the change, n=3, Dir$")[0]
	began := suspend.Now() - 8*time.Second
	tr := &trial{group: g, began: began}
	for _, s := range g.seats {
		s.process.since = began
		g.hear(s.process, &report{Kind: kindView, From: began, Leader: "a", Term: 1})
	}
	require.True(t, tr.areReady())
	stopped := g.seats[0].process
	tr.down = append(tr.down, outage{stopped.number, began + time.Second, math.MaxInt64})
	for _, s := range g.seats[1:] {
		g.hear(s.process, &report{Kind: kindView, From: began + 2*time.Second, Leader: "b", Term: 2})
	}
	require.False(t, tr.areReady(), "it is stopped")
	tr.heal()
	require.False(t, tr.areReady(), "it follows itself")
	g.hear(stopped, &report{Kind: kindView, From: suspend.Now(), Term: 1})
	require.False(t, tr.areReady(), "it follows nobody")
	g.hear(stopped, &report{Kind: kindView, From: suspend.Now(), Leader: "b", Term: 2})
	require.True(t, tr.areReady())
}

// TestPlanned: while members restart with another list, each leader whose process the harness ends explains one change of
// leader, and so does a transfer, and each member that resigns.
func TestPlanned(t *testing.T) {
	lost, resigned, transferred := elector.ErrUnreachable.Error(), elector.ErrResigned.Error(), elector.ErrTransferred.Error()
	for name, c := range map[string]struct {
		down  []time.Duration // when the processes of the members end, in their order
		stops []stop
		err   error
	}{
		"all ended":                 {[]time.Duration{0, 2, 4}, []stop{{"a", 1, lost}}, nil},
		"one was lost":              {[]time.Duration{0, 2}, []stop{{"a", 1, lost}}, errFlapping},
		"one did not lead any more": {[]time.Duration{0, 2, 8}, []stop{{"a", 1, lost}}, errFlapping},
		"it has resigned":           {[]time.Duration{0, 2}, []stop{{"a", 1, resigned}}, nil},
		"it was transferred":        {[]time.Duration{0, 2}, []stop{{"a", 1, transferred}}, nil},
		"it resigns once only":      {[]time.Duration{0}, []stop{{"a", 1, resigned}, {"a", 2, resigned}}, errFlapping},
		"two have resigned":         {[]time.Duration{0}, []stop{{"a", 1, resigned}, {"b", 2, resigned}}, nil},
		"forgotten, and one lost":   {[]time.Duration{0, 2}, []stop{{"a", 1, lost}}, nil},
		"forgotten, and none lost":  {[]time.Duration{0, 2}, nil, errFlapping},
		"before the trial only":     {[]time.Duration{0, 2}, nil, errFlapping},
	} {
		t.Run(name, func(t *testing.T) {
			g := hearing(t)
			g.cell = find(t, "^change the list, in any order, n=3, Dir$")[0]
			began := suspend.Now() - 9*time.Second
			at := func(seconds time.Duration) time.Duration { return began + seconds*time.Second }
			tr := &trial{group: g, began: began, healed: began, before: 1}
			g.hear(g.seats[0].process, &report{Kind: kindStop, Term: 1, Error: resigned})
			// The first begins before the trial.
			for i, s := range []*seat{g.seats[0], g.seats[1], g.seats[2], g.seats[2]} {
				from := at(time.Duration(2*i - 1))
				g.hear(s.process, &report{Kind: kindLease, Term: uint64(i + 1), From: from, Until: from + 2*time.Second})
			}
			for i, from := range c.down {
				tr.down = append(tr.down, outage{g.seats[i].process.number, at(from), math.MaxInt64})
			}
			for _, s := range c.stops {
				g.hear(g.seats[s.member[0]-'a'].process, &report{Kind: kindStop, Term: s.term, Error: s.why})
			}
			tr.forgot = strings.HasPrefix(name, "forgotten")
			o, err := tr.outcome()
			require.ErrorIs(t, err, c.err)
			require.Equal(t, c.err == nil, err == nil, "%v", err)
			require.Equal(t, 3, o.Changes)
		})
	}
}
