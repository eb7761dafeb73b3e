package bully_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/bully"
	"github.com/go-election/election/lab/sim"
	"github.com/go-election/election/params"
)

// TestHeartbeatsDescribed: heartbeats of any length keep a run going; with them the rules survive pauses and
// cuts.
func TestHeartbeatsDescribed(t *testing.T) {
	for _, beat := range []time.Duration{0, 1} {
		for _, with := range []func(bully.Config) (*election.Algorithm, error){bully.Rules, bully.Halting} {
			a, err := with(bully.Config{Delay: 99, Heartbeat: beat})
			require.NoError(t, err)
			apart := beat > 0 && a.Variant == "rules"
			require.Equal(t, []bool{beat > 0, beat > 0, apart, apart},
				[]bool{a.NeverQuiesces, a.Heartbeats, a.Faults.Pause, a.Faults.Cut}, a.Title())
		}
	}
}

// TestMostPatience: Patience times Heartbeat stays below the longest timeout.
func TestMostPatience(t *testing.T) {
	most := uint64(params.MaxTimeout / sim.Unit)
	for patience, ok := range map[uint64]bool{most - 1: true, most: false} {
		_, err := bully.Rules(bully.Config{Delay: sim.Unit, Heartbeat: sim.Unit, Patience: patience})
		require.Equal(t, ok, err == nil, "%d", patience)
	}
}

// TestLongestTimeout: a time-out may be as long as the longest, and no longer.
func TestLongestTimeout(t *testing.T) {
	for timeout, ok := range map[time.Duration]bool{params.MaxTimeout: true, params.MaxTimeout + 1: false} {
		_, err := bully.Rules(bully.Config{CoordinatorTimeout: timeout})
		require.Equal(t, ok, err == nil, "%v", err)
	}
}

// TestTimeoutsByDefault: an answer takes two delays and one Processing, a claim two delays and three,
// and each wait has one delay to spare.
func TestTimeoutsByDefault(t *testing.T) {
	a, err := bully.Rules(bully.Config{Delay: sim.Unit, Processing: sim.Unit})
	require.NoError(t, err)
	p := amid(a)
	require.Contains(t, p.step(p.event(t, "start")), "+alive4")
	require.Contains(t, p.step(p.event(t, "4:alive/1")), "+coordinator10")
}

// TestSuspectOfNoPort: a suspicion of a process that is not there changes nothing.
func TestSuspectOfNoPort(t *testing.T) {
	for _, a := range bully.Algorithms() {
		p := amid(a)
		p.step(p.event(t, "start"))
		before := new(election.State).Append(nil, p.node)
		require.Empty(t, p.step(election.Event{Op: election.Suspect, Port: 4}))
		require.Equal(t, before, new(election.State).Append(nil, p.node))
	}
}
