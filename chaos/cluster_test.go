package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election/elector"
	"github.com/go-election/election/lab/cluster"
)

// Package lab/cluster plays these scripts in virtual time. Here its members are processes, which signals
// pause and end, and connections are sockets.

// asClusterMember is the only argument of a member of package lab/cluster.
const asClusterMember = "cluster-member"

// runClusterMember is what such a process does.
func runClusterMember() {
	if err := cluster.Member(context.Background(), os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// clusterMember starts this test binary as a member.
func clusterMember() *exec.Cmd { return exec.Command(os.Args[0], asClusterMember) }

var clusterTimes = elector.Times{Lease: 250 * time.Millisecond}

// play plays a script with three members.
func play(t *testing.T, script string) (summary cluster.Summary, events string, err error) {
	t.Helper()
	s, err := cluster.Parse(strings.NewReader(script))
	require.NoError(t, err)
	var log strings.Builder
	c, err := cluster.Start(t.Context(), cluster.Config{Members: 3, Times: clusterTimes, Dir: t.TempDir(),
		Command: clusterMember, Observe: func(e cluster.Event) { fmt.Fprintln(&log, e) }})
	require.NoError(t, err)
	defer c.Close()
	err = c.Play(t.Context(), s)
	summary = c.Close()
	return summary, log.String(), err
}

// script returns a script of package lab/cluster's tests.
func script(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile("../lab/cluster/testdata/" + name)
	require.NoError(t, err)
	return string(text)
}

// causes returns what was done before each lease. A lease that a busy machine does not renew in time has
// no cause.
func causes(s cluster.Summary) (all []string) {
	for _, l := range s.Leases {
		if l.After != "" {
			all = append(all, l.After)
		}
	}
	return all
}

// TestClusterDemonstration: a leader that is killed, and one that is asked to end, are each followed by
// another.
func TestClusterDemonstration(t *testing.T) {
	s, events, err := play(t, cluster.Demonstration(clusterTimes))
	require.NoError(t, err, events)
	require.NoError(t, s.Err(), events)
	require.Equal(t, []string{"kill", "term"}, causes(s), events)
	require.NotContains(t, events, "has ended", "no end was unexpected")
	require.NotZero(t, s.Packets)
	require.Greater(t, s.Bytes, s.Packets)
}

// TestClusterFaults: leaders that are paused, cut off, or hand over.
func TestClusterFaults(t *testing.T) {
	s, events, err := play(t, script(t, "faults.script"))
	require.NoError(t, err, events)
	require.NoError(t, s.Err(), events)
	require.Equal(t, []string{"stop", "cut", "resign"}, causes(s), events)
}

// TestClusterRestartHeals: a member that was cut off and is started again, alone or with others, reaches
// all of them.
func TestClusterRestartHeals(t *testing.T) {
	s, events, err := play(t, script(t, "returns.script"))
	require.NoError(t, err, events)
	require.NoError(t, s.Err(), events)
}

// TestClusterTransfer: the lead is transferred to the named member, and to none when all are down.
func TestClusterTransfer(t *testing.T) {
	c, err := cluster.Start(t.Context(), cluster.Config{Members: 3, Times: clusterTimes, Plaintext: true,
		Command: clusterMember})
	require.NoError(t, err)
	defer c.Close()
	do := func(line string) error {
		s, err := cluster.Parse(strings.NewReader(line))
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
		require.Equal(t, cluster.Up, m.Condition)
	}
	require.NoError(t, do("kill all\nwait no leader\nexpect no leader"))
	require.Equal(t, cluster.Down, c.State().Members[0].Condition)
	s := c.Close()
	require.NoError(t, s.Err())
	require.Equal(t, []string{"transfer"}, causes(s))
}

// TestClusterRefusals: a step that cannot be done, or an expectation that does not hold, ends a script, and the error
// contains its place.
func TestClusterRefusals(t *testing.T) {
	var refusals map[string]string // an error for each script
	require.NoError(t, json.Unmarshal([]byte(script(t, "refusals.json")), &refusals))
	for script, want := range refusals {
		_, _, err := play(t, script)
		require.EqualError(t, err, want)
	}
}
