package cluster

import (
	"encoding/json"
	"fmt"
	"os"
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

// script returns a script of testdata, which package chaos plays as well.
func script(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile("testdata/" + name)
	require.NoError(t, err)
	return string(text)
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

// TestTour: each leader that is acted on is followed by another.
func TestTour(t *testing.T) {
	s, events, err := try(t, Tour(3*times.Lease))
	require.NoError(t, err, events)
	require.NoError(t, s.Err(), events)
	require.Equal(t, []string{"", "kill", "stop", "cut", "term"}, causes(s), events)
}

// TestFaults: leaders that are paused, cut off, or hand over.
func TestFaults(t *testing.T) {
	s, events, err := try(t, script(t, "faults.script"))
	require.NoError(t, err, events)
	require.NoError(t, s.Err(), events)
	require.Equal(t, []string{"", "stop", "cut", "resign"}, causes(s), events)
}

// TestRestartHeals: a member that was cut off and is started again, alone or with others, reaches all of
// them.
func TestRestartHeals(t *testing.T) {
	s, events, err := try(t, script(t, "returns.script"))
	require.NoError(t, err, events)
	require.NoError(t, s.Err(), events)
}

// TestRestartedDoesNotLead: the process that takes the place of a leader does not lead by its lease, though
// that is valid still.
func TestRestartedDoesNotLead(t *testing.T) {
	_, events, err := try(t, "wait leader\nrestart leader\nexpect one leader\n")
	require.EqualError(t, err, "line 3: expect one leader: no member leads that can be reached", events)
	s, events, err := try(t, "wait leader\nrestart leader\nwait leader\nresign\nwait leader\n")
	require.NoError(t, err, events)
	require.NoError(t, s.Err(), events)
	require.Equal(t, []string{"", "restart", "resign"}, causes(s), events)
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

// TestRefusals: an impossible step, or a condition that does not hold, ends a script with an error that
// contains the position.
func TestRefusals(t *testing.T) {
	var refusals map[string]string // an error for each script
	require.NoError(t, json.Unmarshal([]byte(script(t, "refusals.json")), &refusals))
	refusals["stop all\nresign"] = "line 2: resign: cluster: waited 12.5s for a leader that can be reached"
	for script, want := range refusals {
		_, _, err := try(t, script)
		require.EqualError(t, err, want)
	}
}
