package main

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election/elector"
)

// saying returns a member that runs nowhere, and what returns its reports.
func saying() (*member, func(t *testing.T) []report) {
	var out strings.Builder
	m := &member{settings: &settings{Self: "a", Rate: 1, Times: elector.Times{Lease: time.Second}},
		out: json.NewEncoder(&out)}
	return m, func(t *testing.T) (all []report) {
		lines := json.NewDecoder(strings.NewReader(out.String()))
		for lines.More() {
			var r report
			require.NoError(t, lines.Decode(&r))
			all = append(all, r)
		}
		return all
	}
}

// TestEnter: a member reports it if it leads twice at the same time, but not if it leads again.
func TestEnter(t *testing.T) {
	m, said := saying()
	leave := m.enter(1)
	leave()
	leave = m.enter(2)
	require.Empty(t, said(t))
	m.enter(3)
	leave()
	require.Equal(t, []report{{Kind: kindBroken, Term: 3, Error: "2 calls of lead at once"}}, said(t))
}

// looks are what a lease says, one look after another.
type looks []time.Duration

func (l *looks) Left() time.Duration             { return (*l)[0] }
func (l *looks) Valid(margin time.Duration) bool { return l.Left() > margin }

// TestNote: a lease is noted for as long as it lasts, and one that is valid again after its end is
// reported.
func TestNote(t *testing.T) {
	m, said := saying()
	r := report{Kind: kindLease, Term: 7}
	lease := looks{time.Hour, 0, 2 * time.Hour}
	require.True(t, m.note(&r, &lease))
	first := said(t)
	require.Len(t, first, 1)
	require.Equal(t, kindLease, first[0].Kind)
	require.GreaterOrEqual(t, first[0].Until-first[0].From, time.Hour)
	lease = lease[1:]
	require.False(t, m.note(&r, &lease))
	require.Len(t, said(t), 1)
	lease = lease[1:]
	require.True(t, m.note(&r, &lease))
	require.Equal(t, report{Kind: kindBroken, Term: 7, Error: "a lease that had ended is valid again"},
		said(t)[1])
}
