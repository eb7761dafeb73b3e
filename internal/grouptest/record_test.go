package grouptest

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election/lab/cluster"
)

// TestJudge: the judge finds two leases that are valid simultaneously, Terms that fall, and a leader that cannot write.
func TestJudge(t *testing.T) {
	const s = time.Second
	begins := []report{{"a", renewed, 7, 1 * s, 2 * s}, {"a", wrote, 7, 1 * s, 0}, {"a", renewed, 7, 3 * s / 2, 5 * s / 2}}
	for _, c := range []struct {
		name    string
		reports []report
		judged  error
		refused bool // a write of the leader
	}{
		{"alone", nil, nil, false},
		{"after the lease", []report{{"b", renewed, 8, 5 * s / 2, 4 * s}}, nil, false},
		{"before the end of the lease", []report{{"b", renewed, 8, 5*s/2 - 1, 4 * s}}, cluster.ErrTwoLeases, false},
		{"after the work has returned", []report{{"a", ended, 7, 2 * s, 0}, {"a", renewed, 7, 2 * s, 3 * s},
			{"b", renewed, 8, 2 * s, 3 * s}}, nil, false},
		{"before the work has returned", []report{{"a", ended, 7, 2 * s, 0}, {"b", renewed, 8, 2*s - 1, 3 * s}},
			cluster.ErrTwoLeases, false},
		{"a renewal that is reported late", []report{{"b", renewed, 8, 5 * s / 2, 4 * s}, {"a", renewed, 7, 5*s/2 + 1, 3 * s}},
			cluster.ErrTwoLeases, false},
		{"a lease that has expired when it is reported", []report{{"b", renewed, 8, 2 * s, 2 * s}}, nil, false},
		{"the same Term", []report{{"b", renewed, 7, 3 * s, 4 * s}}, cluster.ErrEarlyTerm, false},
		{"a smaller Term", []report{{"b", renewed, 6, 3 * s, 4 * s}, {"b", wrote, 6, 3 * s, 0}}, cluster.ErrEarlyTerm, true},
		{"a late write", []report{{"b", renewed, 8, 3 * s, 4 * s}, {"b", wrote, 8, 3 * s, 0}, {"a", wrote, 7, 3 * s, 0}},
			nil, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := newRecord()
			refused := false
			for _, p := range append(begins[:len(begins):len(begins)], c.reports...) {
				line, err := json.Marshal(p)
				require.NoError(t, err)
				refused = r.add(line) != nil || refused
			}
			require.ErrorIs(t, r.judge(), c.judged)
			require.Equal(t, c.refused, refused)
		})
	}
	r := newRecord()
	require.Error(t, r.add([]byte("no report")))
	require.ErrorIs(t, r.judge(), cluster.ErrNoLease)
}
