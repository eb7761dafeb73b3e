package mutex_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/bully"
	"github.com/go-election/election/mutex"
	"github.com/go-election/election/params"
)

// TestMostSections: as many sections as there are numbers for can be had, and no more.
func TestMostSections(t *testing.T) {
	for sections, ok := range map[int]bool{-1: false, 0: true, 1: true, 64: true, 65: false} {
		_, err := mutex.RicartAgrawala(mutex.Config{Sections: sections})
		require.Equal(t, ok, err == nil, "%d", sections)
	}
}

// TestWinnerByStart: an arbiter has no rule for the winner where that depends on which processes start.
func TestWinnerByStart(t *testing.T) {
	elect := arbiterLasting
	for _, w := range []*election.Winner{election.LargestOfInitiators, election.LargestOfLive} {
		elect.Winner = w
		elect.New = func(election.Setup) election.Node { return &arbiterVoter{new([]string)} }
		a, err := mutex.Arbiter(mutex.Config{Election: &elect})
		require.NoError(t, err)
		require.Equal(t, w.ByStart, a.Winner == nil, w.Name)
	}
}

// TestPausesAndCuts: an arbiter survives pauses and cuts only if its election sends heartbeats.
func TestPausesAndCuts(t *testing.T) {
	elect := arbiterLasting
	elect.Faults.Pause, elect.Faults.Cut = true, true
	elect.New = func(election.Setup) election.Node { return &arbiterVoter{new([]string)} }
	for _, heartbeats := range []bool{false, true} {
		elect.Heartbeats = heartbeats
		a, err := mutex.Arbiter(mutex.Config{Election: &elect})
		require.NoError(t, err)
		require.Equal(t, heartbeats, a.Faults.Pause)
		require.Equal(t, heartbeats, a.Faults.Cut)
	}
}

// TestFaultsOfABridge: a ring over a complete graph survives faults only if lost tokens are made anew.
func TestFaultsOfABridge(t *testing.T) {
	for _, regenerate := range []time.Duration{0, 1} {
		a, err := mutex.TokenRing(mutex.Config{First: 1, Bridge: true, Regenerate: regenerate})
		require.NoError(t, err)
		require.Equal(t, regenerate > 0, a.Faults.Loss)
		require.Equal(t, regenerate > 0, a.Faults.Crash)
	}
}

// TestParametersOfARun: where parameters describe a run, a section takes a time, errors name parameters as
// files do, and the token begins with the first process, even with the only one.
func TestParametersOfARun(t *testing.T) {
	a, err := mutex.Arbiter(mutex.Config{Election: bully.Algorithms()[0], Arbiter: 3})
	require.NoError(t, err)
	p := alone(t)(paramSet(t, a, nil), nil)
	fx := p.step(mutex.Request(0, 1))
	require.Contains(t, fx.Timers, election.TimerChange{Layer: 1, Min: mutex.DefaultSection,
		Max: mutex.DefaultSection})

	_, err = a.Configure(params.New(paramNumber("grace", 1), unit, among(5)))
	require.ErrorIs(t, err, election.ErrInput)
	require.Contains(t, err.Error(), "params.grace:")

	ring := mutex.Algorithms(bully.Algorithms()[0])[2]
	ring, err = ring.Configure(params.New(nil, unit, []election.ID{3}))
	require.NoError(t, err)
	require.NotEmpty(t, alone(t)(ring, nil).step(ringInit).Timers)
}

// TestElectionAsConfigured: the election that was configured stays where no parameter names another one.
func TestElectionAsConfigured(t *testing.T) {
	beating, err := bully.Rules(bully.Config{Heartbeat: unit})
	require.NoError(t, err)
	a := mutex.Algorithms(beating, bully.Algorithms()...)[0]
	require.True(t, a.NeverQuiesces)
	require.True(t,
		paramSet(t, a, map[string]params.Value{"election": {Text: beating.Title()}}).NeverQuiesces)
}
