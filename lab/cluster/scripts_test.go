package cluster

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election/elector"
)

var times = elector.Times{Lease: 250 * time.Millisecond}

// try plays a script with three members in virtual time.
func try(t *testing.T, script string) (summary Summary, events string, err error) {
	t.Helper()
	s, err := Parse(strings.NewReader(script))
	require.NoError(t, err)
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		var log strings.Builder
		c := newMachine().start(t, Config{Members: 3, Times: times, Dir: dir,
			Observe: func(e Event) { fmt.Fprintln(&log, e) }})
		err = c.Play(t.Context(), s)
		summary, events = c.Close(), log.String()
	})
	return summary, events, err
}

// causes returns what was done before each lease.
func causes(s Summary) (all []string) {
	for _, l := range s.Leases {
		all = append(all, l.After)
	}
	return all
}

// TestDemonstration: a leader that is killed, and one that is asked to end, are each followed by another.
func TestDemonstration(t *testing.T) {
	s, events, err := try(t, Demonstration(times))
	require.NoError(t, err, events)
	require.NoError(t, s.Err(), events)
	require.Equal(t, []string{"", "kill", "term"}, causes(s), events)
	require.NotContains(t, events, "has ended", "no end was unexpected")
	require.NotZero(t, s.Packets)
	require.Greater(t, s.Bytes, s.Packets)
}

// TestFaults: leaders that are paused, cut off, or hand over.
func TestFaults(t *testing.T) {
	s, events, err := try(t, `
		wait leader
		wait agreement
		stop leader     # its lease ends while it does not run
		wait leader
		cont all
		wait agreement
		cut leader
		wait leader
		expect one leader
		heal all
		wait agreement
		resign
		wait leader
		expect one leader
		wait agreement
	`)
	require.NoError(t, err, events)
	require.NoError(t, s.Err(), events)
	require.Equal(t, []string{"", "stop", "cut", "resign"}, causes(s), events)
}

// TestRestartHeals: a member that was cut off and is started again, alone or with others, reaches all of
// them.
func TestRestartHeals(t *testing.T) {
	s, events, err := try(t, `
		wait leader
		cut a
		restart a
		stop a          # it is up
		cont a
		wait agreement
		cut b
		kill b
		restart all
		wait agreement
		cut all
		wait no leader
		heal all
		wait agreement
	`)
	require.NoError(t, err, events)
	require.NoError(t, s.Err(), events)
}

// TestTransfer: the lead goes to the member that is named, and to none when all are down.
func TestTransfer(t *testing.T) { synctest.Test(t, transfers) }

func transfers(t *testing.T) {
	c := newMachine().start(t, Config{Members: 3, Times: times, Plaintext: true})
	do := func(line string) error {
		s, err := Parse(strings.NewReader(line))
		require.NoError(t, err)
		return c.Play(t.Context(), s)
	}
	require.NoError(t, do("wait leader\nwait agreement"))
	before := c.State()
	to := "a"
	if before.Leader == to {
		to = "b"
	}
	require.NoError(t, do("transfer "+to))
	require.ErrorContains(t, do("transfer "+to), to+" leads already")
	after := c.State()
	require.Equal(t, "transfer", after.Leases[len(after.Leases)-1].After)
	require.Equal(t, to, after.Leases[len(after.Leases)-1].Member)
	for _, m := range after.Members {
		require.Equal(t, Up, m.Condition)
	}
	require.NoError(t, do("kill all\nwait no leader\nexpect no leader"))
	require.Equal(t, Down, c.State().Members[0].Condition)
	s := c.Close()
	require.NoError(t, s.Err())
	require.Equal(t, []string{"", "transfer"}, causes(s))
}

// TestRefusals: what cannot be done, and what does not hold, ends a script, and the error says where.
func TestRefusals(t *testing.T) {
	for script, want := range map[string]string{
		"wait leader\nexpect no leader": "line 2: expect no leader: 1 lease is valid",
		"kill all\nexpect one leader":   "line 2: expect one leader: 0 leases are valid",
		"wait leader\nkill all\nexpect leader b": "line 3: expect leader b: no member leads that can be " +
			"reached",
		"stop all\nresign": "line 2: resign: cluster: waited 12.5s for a leader that can be reached",
		"kill d":           "line 1: kill d: there is no member d",
		"cont a":           "line 1: cont a: a is up",
		"kill a\nkill a":   "line 2: kill a: a is down",
	} {
		_, _, err := try(t, script)
		require.EqualError(t, err, want)
	}
}
