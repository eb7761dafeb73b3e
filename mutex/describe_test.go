package mutex_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/bully"
	"github.com/go-election/election/invitation"
	"github.com/go-election/election/mutex"
	"github.com/go-election/election/params"
)

// lasting is an election, of which only the description matters here.
func lasting() *election.Algorithm {
	elect := arbiterLasting
	elect.New = func(election.Setup) election.Node { return &arbiterVoter{new([]string)} }
	return &elect
}

// TestMostSections: as many sections as there are numbers for can be had, and no more.
func TestMostSections(t *testing.T) {
	for sections, ok := range map[int]bool{-1: false, 0: true, 1: true, 64: true, 65: false} {
		_, err := mutex.RicartAgrawala(mutex.Config{Sections: sections})
		require.Equal(t, ok, err == nil, "%d", sections)
	}
}

// TestMostKinds: kinds of messages have numbers of one byte, and five are the arbiter's own.
func TestMostKinds(t *testing.T) {
	for kinds, ok := range map[int]bool{250: true, 251: false} {
		elect := lasting()
		elect.Kinds = make([]election.Kind, kinds)
		_, err := mutex.Arbiter(mutex.Config{Election: elect})
		require.Equal(t, ok, err == nil, "%d: %v", kinds, err)
	}
}

// TestNoArbiterAGroup: an election with groups is rejected: two arbiters could each let a process enter.
func TestNoArbiterAGroup(t *testing.T) {
	_, err := mutex.Arbiter(mutex.Config{Election: invitation.Algorithms()[0]})
	require.ErrorIs(t, err, election.ErrInput)
	require.ErrorContains(t, err, "invitation elects an arbiter for each group")
}

// TestNamedArbiter: a named arbiter wins whichever processes there are, and survives no crash.
func TestNamedArbiter(t *testing.T) {
	a, err := mutex.Arbiter(mutex.Config{Election: bully.Algorithms()[0], Arbiter: 3})
	require.NoError(t, err)
	require.EqualValues(t, 3, a.Winner.Of([]election.Candidate{{Rank: election.Rank{ID: 5}}}))
	require.Equal(t, election.Faults{}, a.Faults)
}

// TestFaultsOfAnArbiter: an elected arbiter survives that all but one are down, but needs its state.
func TestFaultsOfAnArbiter(t *testing.T) {
	a, err := mutex.Arbiter(mutex.Config{Election: lasting()})
	require.NoError(t, err)
	require.Equal(t, election.MayRestart, a.Faults.Crash)
	require.Equal(t, 4, a.Faults.Down(5))
}

// TestWinnerByStart: an arbiter has no rule for the winner if the rule depends on which processes start.
func TestWinnerByStart(t *testing.T) {
	elect := lasting()
	for _, w := range []*election.Winner{election.LargestOfInitiators, election.LargestOfLive} {
		elect.Winner = w
		a, err := mutex.Arbiter(mutex.Config{Election: elect})
		require.NoError(t, err)
		require.Equal(t, w.ByStart, a.Winner == nil, w.Name)
	}
}

// TestPausesAndCuts: an arbiter survives pauses and cuts only if its election sends heartbeats.
func TestPausesAndCuts(t *testing.T) {
	elect := lasting()
	elect.Faults.Pause, elect.Faults.Cut = true, true
	for _, heartbeats := range []bool{false, true} {
		elect.Heartbeats = heartbeats
		a, err := mutex.Arbiter(mutex.Config{Election: elect})
		require.NoError(t, err)
		require.Equal(t, heartbeats, a.Faults.Pause)
		require.Equal(t, heartbeats, a.Faults.Cut)
	}
}

// TestPausesAboveADetector: the beats of a failure detector help an arbiter as far as they help the
// election; its own help in any case.
func TestPausesAboveADetector(t *testing.T) {
	for _, below := range []uint8{0, 1} {
		for _, survives := range []bool{false, true} {
			elect := lasting()
			elect.Heartbeats, elect.Below = true, below
			elect.Faults.Pause, elect.Faults.Cut = survives, !survives
			a, err := mutex.Arbiter(mutex.Config{Election: elect})
			require.NoError(t, err)
			require.Equal(t, below == 0 || survives, a.Faults.Pause)
			require.Equal(t, below == 0 || !survives, a.Faults.Cut)
		}
	}
}

// TestFaultsOfABridge: a ring over a complete graph tolerates faults only if lost tokens are regenerated.
func TestFaultsOfABridge(t *testing.T) {
	for _, regenerate := range []time.Duration{0, 1} {
		a, err := mutex.TokenRing(mutex.Config{First: 1, Bridge: true, Regenerate: regenerate})
		require.NoError(t, err)
		require.Equal(t, regenerate > 0, a.Faults.Loss)
		require.Equal(t, regenerate > 0, a.Faults.Crash == election.MayRestart)
	}
}

// TestFaultsOfARing: a ring that regenerates lost tokens tolerates crashes and losses, even without a bridge;
// any other ring tolerates none.
func TestFaultsOfARing(t *testing.T) {
	for regenerate, want := range map[time.Duration]election.Faults{
		0: {}, 1: {Crash: election.MustRestart, Loss: true},
	} {
		a, err := mutex.TokenRing(mutex.Config{First: 1, Regenerate: regenerate})
		require.NoError(t, err)
		require.Equal(t, want, a.Faults)
	}
}

// TestParametersOfARun: if parameters describe a run, a stay in a section takes time, errors use the names in
// files, and the token starts at the first process, even if it is the only one.
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

// TestRingOfARun: if parameters describe a run, the token makes two rounds, each stay takes time, and errors
// use the names in files.
func TestRingOfARun(t *testing.T) {
	plain, err := mutex.TokenRing(mutex.Config{First: 3})
	require.NoError(t, err)
	ring, err := plain.Configure(params.New(nil, unit, among(5)))
	p := alone(t)(ring, err)
	require.Equal(t, "save 0:token/0.0.10 -lost", ringWords(p.step(ringTimeout(ringFirst))))
	p.step(ringAsk)
	require.Equal(t, "-lost +stay1-1 entered0.1(7)", ringWords(p.step(ringToken(0, 0, 5))))

	both := map[string]params.Value{"hops": {Number: 3}, "regenerate": {Number: 2}}
	_, err = plain.Configure(params.New(both, unit, among(5)))
	require.ErrorIs(t, err, election.ErrInput)
	require.Contains(t, err.Error(), "params.regenerate:")
}

// TestElectionAsConfigured: the configured election stays if no parameter names another one.
func TestElectionAsConfigured(t *testing.T) {
	beating, err := bully.Rules(bully.Config{Heartbeat: unit})
	require.NoError(t, err)
	a := mutex.Algorithms(beating, bully.Algorithms()...)[0]
	require.True(t, a.NeverQuiesces)
	require.True(t,
		paramSet(t, a, map[string]params.Value{"election": {Text: beating.Title()}}).NeverQuiesces)
}
