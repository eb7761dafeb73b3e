package verdict

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
)

// TestLeases: two leases never overlap, and each new one has a larger Term than all before.
func TestLeases(t *testing.T) {
	// A step is what a process believes from a moment on, or its crash.
	type step struct {
		process    election.ID
		role       election.Role
		term       uint64
		now, until time.Duration
		crash      bool
	}
	lead := func(p election.ID, term uint64, now, until time.Duration) step {
		return step{process: p, role: election.Leader, term: term, now: now, until: until}
	}
	follow := func(p election.ID, now time.Duration) step {
		return step{process: p, role: election.Follower, term: 9, now: now, until: now + 10}
	}
	for name, c := range map[string]struct {
		steps []step
		want  Property // of the last step
		says  string
	}{
		"one": {[]step{lead(1, 1, 0, 10)}, "", ""},
		"the smallest Term": {[]step{lead(1, 0, 0, 10)}, LaterTerms,
			"process 1 begins to lead in Term 0, after a lease in Term 0"},
		"renewed in its Term": {[]step{lead(1, 1, 0, 10), lead(1, 1, 9, 20)}, "", ""},
		"renewed: the later end counts": {[]step{lead(1, 1, 0, 10), lead(1, 1, 9, 20), lead(2, 2, 19, 30)},
			OneLease,
			"process 2 leads in Term 2 while the lease of process 1 in Term 1 is valid"},
		"at the end of another": {[]step{lead(1, 1, 0, 10), lead(2, 2, 10, 20)}, "", ""},
		"just before the end": {[]step{lead(1, 1, 0, 10), lead(2, 2, 9, 20)}, OneLease,
			"process 2 leads in Term 2"},
		"late in its own Term": {[]step{lead(1, 1, 0, 10), lead(1, 1, 10, 20)}, LaterTerms,
			"process 1 begins"},
		"late in a later one":     {[]step{lead(1, 1, 0, 10), lead(1, 2, 10, 20)}, "", ""},
		"a later Term of its own": {[]step{lead(1, 1, 0, 10), lead(1, 2, 5, 20)}, "", ""},
		"an earlier of its own": {[]step{lead(1, 2, 0, 10), lead(1, 1, 5, 20)}, LaterTerms,
			"in Term 1, after a lease in Term 2"},
		"an earlier of another": {[]step{lead(1, 2, 0, 10), lead(2, 1, 10, 20)}, LaterTerms,
			"in Term 1, after a lease in Term 2"},
		"the same of another": {[]step{lead(1, 2, 0, 10), lead(2, 2, 10, 20)}, LaterTerms,
			"in Term 2, after a lease in Term 2"},
		"after a follower":         {[]step{lead(1, 1, 0, 10), follow(1, 3), lead(2, 2, 4, 20)}, "", ""},
		"a follower at any time":   {[]step{lead(1, 1, 0, 10), follow(2, 3)}, "", ""},
		"a leader without a lease": {[]step{lead(1, 1, 0, 10), lead(2, 2, 5, 5)}, "", ""},
		"a lease given up":         {[]step{lead(1, 1, 0, 10), lead(1, 1, 5, 5), lead(2, 2, 6, 9)}, "", ""},
		"after a crash": {[]step{lead(1, 1, 0, 10), {process: 1, crash: true}, lead(2, 2, 1, 20)},
			"", ""},
		"after the crash of others": {[]step{lead(1, 1, 0, 10), {process: 3, crash: true}, lead(2, 2, 1, 20)},
			OneLease, "process 2 leads"},
	} {
		var l leases
		var got Property
		var err error
		for i, s := range c.steps {
			require.NoError(t, err, "%s: before step %d", name, i)
			if s.crash {
				delete(l.held, s.process)
				continue
			}
			got, err = l.note(s.process, election.Outcome{Role: s.role, Term: s.term}, s.now, s.until)
		}
		require.Equal(t, c.want, got, name)
		if c.says == "" {
			require.NoError(t, err, name)
		} else {
			require.ErrorContains(t, err, c.says, name)
		}
	}
}
