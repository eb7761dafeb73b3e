package newcomer_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/electiontest"
	"github.com/go-election/election/internal/newcomer"
	"github.com/go-election/election/lab/check"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lab/sim"
	"github.com/go-election/election/lab/soak"
	"github.com/go-election/election/lab/verdict"
	"github.com/go-election/election/observe"
)

// stubborn is a Node that ignores a report of the crash of the smallest process behind its ports.
type stubborn struct{ election.Node }

func (n *stubborn) Step(e *election.Env, ev *election.Event) {
	smallest := func() election.Port {
		best := election.Port(0)
		for port := range election.Port(e.Ports()) {
			if e.Peer(port).Less(e.Peer(best)) {
				best = port
			}
		}
		return best
	}
	if ev.Op != election.Suspect || ev.Port != smallest() {
		n.Node.Step(e, ev)
	}
}

// planted returns the second variant with that mistake.
func planted() *election.Algorithm {
	a := *newcomer.Second()
	a.New = func(s election.Setup) election.Node { return &stubborn{newcomer.Second().New(s)} }
	return &a
}

func TestSecondConformance(t *testing.T) {
	electiontest.Test(t, newcomer.Second(), electiontest.Options{})
}

// TestSecondSimulated: a detector reports the crashes of a run, and a leader that the rule does not name is
// reported.
func TestSecondSimulated(t *testing.T) {
	in := scenario.Input{Algorithm: newcomer.Second(), IDs: []election.ID{4, 2, 3, 1},
		CrashAt:      []scenario.At{{ID: 2, Time: 5 * scenario.Unit}, {ID: 1, Time: 7 * scenario.Unit}},
		SuspectAfter: scenario.Unit}
	r, err := sim.Run(t.Context(), sim.Config{Input: in})
	require.NoError(t, err)
	require.NoError(t, in.Elected(&r.Result))
	require.EqualValues(t, 4, r.Leader)

	in.Algorithm, in.CrashAt = planted(), in.CrashAt[1:]
	r, err = sim.Run(t.Context(), sim.Config{Input: in})
	require.NoError(t, err)
	require.NoError(t, r.Err())
	require.ErrorContains(t, in.Elected(&r.Result), "not 3")
}

// TestSecondChecked: the checker reports each crash at every moment, to each process.
func TestSecondChecked(t *testing.T) {
	c := check.Config{Input: scenario.Input{Algorithm: newcomer.Second(), IDs: []election.ID{2, 3, 1}},
		Crashes: 2}
	require.Empty(t, c.Outside())
	r, err := check.Run(t.Context(), c)
	require.NoError(t, err)
	require.NoError(t, r.Err())
	require.True(t, r.Exhausted)

	c.Algorithm = planted()
	r, err = check.Run(t.Context(), c)
	require.NoError(t, err)
	require.NotNil(t, r.Counterexample)
	require.Contains(t, whats(r.Counterexample.Steps), observe.Crash)
	require.Contains(t, whats(r.Counterexample.Steps), observe.Suspect)
}

func whats(steps []scenario.Step) (all []observe.What) {
	for _, s := range steps {
		all = append(all, s.Do)
	}
	return all
}

// TestSecondSoaked: random runs crash processes and report that, and find the mistake. The smallest run that
// shows it is one that the simulator judges alike.
func TestSecondSoaked(t *testing.T) {
	for _, profile := range []soak.Profile{soak.Broad, soak.Chaos} {
		c := soak.Config{Algorithm: newcomer.Second(), Runs: 300, Profile: profile}
		r, err := soak.Run(t.Context(), c)
		require.NoError(t, err)
		require.Nil(t, r.Failure)
		require.Greater(t, r.Crashes, uint64(100))

		c.Algorithm = planted()
		r, err = soak.Run(t.Context(), c)
		require.NoError(t, err)
		require.NotNil(t, r.Failure)
		smallest := r.Failure.Smallest
		require.Len(t, smallest.CrashAt, 1)
		require.GreaterOrEqual(t, smallest.SuspectAfter, scenario.Unit)
		require.Contains(t, smallest.Describe(), "1 crash, a failure detector")
		require.Contains(t, []verdict.Property{verdict.Agreement, verdict.RightAtEnd},
			r.Failure.Shrunk.Violation.Property)
	}
}
