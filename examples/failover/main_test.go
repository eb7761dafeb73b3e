package main

import (
	"bytes"
	"fmt"
	"regexp"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/go-election/election"
	"github.com/go-election/election/bully"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lab/sim"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// TestFailover: in virtual time, every agreement comes within the bound that is stated.
func TestFailover(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		require.NoError(t, failover(&out))
		t.Log("\n" + out.String())
		line := regexp.MustCompile(`(?m)^(.*): (\d) leads in term (\d+), agreed after (\S+) of at most (\S+)$`)
		var story []string
		for _, l := range line.FindAllStringSubmatch(out.String(), -1) {
			took, err := time.ParseDuration(l[4])
			require.NoError(t, err)
			bound, err := time.ParseDuration(l[5])
			require.NoError(t, err)
			require.LessOrEqual(t, took, bound, l[0])
			story = append(story, fmt.Sprintf("%s: %s", l[1], l[2]))
		}
		require.Equal(t, []string{
			"all begin: 5",
			"5 is killed: 4",
			"4 is killed: 3",
			"5 comes back without its state: 5",
			"5 is killed: 3",
		}, story)
	})
}

// TestBoundIsExact: in the simulator, where every message takes all the time that it may, agreement
// after a crash is never later than the bound, and comes as late as that if the leader crashes just
// after a heartbeat.
func TestBoundIsExact(t *testing.T) {
	algorithm, err := bully.Rules(bully.Config{Delay: delay, Processing: processing, AliveTimeout: alive,
		Heartbeat: heartbeat})
	require.NoError(t, err)
	ids := []election.ID{1, 2, 3, 4, 5}
	var worst time.Duration
	for crash := time.Second + 1; crash <= time.Second+heartbeat; crash += time.Millisecond {
		s, err := sim.New(sim.Config{
			Schedule: sim.RandomDelay, Delay: sim.Delay{Min: turn, Max: turn},
			Force: true, // handling takes no time there, so the messages take it
			Until: crash + 2*afterCrash,
			Input: scenario.Input{Algorithm: algorithm, IDs: ids,
				CrashAt: []scenario.At{{ID: 5, Time: crash}}},
		})
		require.NoError(t, err)
		agreed := crash
		for s.Step() {
			for p := range ids[:4] {
				if s.Outcome(p).Leader.ID != 4 {
					agreed = max(crash, s.Now())
				}
			}
		}
		worst = max(worst, agreed-crash)
	}
	require.Equal(t, afterCrash-1, worst, "a nanosecond after a heartbeat")
}
